//! The crate's place in the house.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod one_place;

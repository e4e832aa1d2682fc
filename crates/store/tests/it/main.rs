//! The stores from outside.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod conformance;
mod crash;
mod local;

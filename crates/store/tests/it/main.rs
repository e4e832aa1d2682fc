//! The stores from outside.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "the helpers of tests are tests, and say aloud what they skip"
)]

#[cfg(feature = "cloud")]
mod cloud;
#[cfg(feature = "cloud")]
mod cloud_find;
#[cfg(feature = "cloud")]
mod cloud_room;
mod conformance;
#[cfg(feature = "cloud")]
mod counting;
mod crash;
mod local;
mod unfinished;

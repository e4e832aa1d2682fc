//! The library as its users see it.
// Helpers of tests are tests too.
#![allow(missing_docs, clippy::unwrap_used)]

mod artifacts;
mod exact_numbers;
mod forgery;
mod laws;
mod never_silent;
mod nothing_leaks;
mod outputs;
mod profiles;
mod seen_elsewhere;
mod sessions;
mod specs;
mod thresholds;

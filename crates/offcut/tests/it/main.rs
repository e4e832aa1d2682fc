//! The library as its users see it.
#![allow(missing_docs)]

mod laws;
mod outputs;
mod profiles;
mod seen_elsewhere;
mod specs;
mod thresholds;

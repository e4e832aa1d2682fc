//! Wraps that speak HTTP: in front of a server's URL, or towards one.

mod door;
mod exchange;
mod seats;

mod proxy;

pub use door::Door;
pub(crate) use proxy::{Proxy, router};
pub(crate) use seats::Seats;

//! The proxy over real sockets, with the bytes that clients and providers send.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod agents;
mod bench;
mod conversations;
mod laws;
mod passing;
mod refusing;
mod secrets;
mod streams;
mod testkit;

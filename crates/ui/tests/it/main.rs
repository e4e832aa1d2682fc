//! The dashboard as a browser asks for it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod escaping;
mod pages;
mod testkit;

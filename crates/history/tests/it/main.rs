//! The history beside a real event log.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod import;
mod laws;
mod savings;
mod statistics;
mod testkit;

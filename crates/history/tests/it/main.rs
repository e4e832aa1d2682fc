//! The history beside a real event log.

mod import;
mod laws;
mod statistics;
mod testkit;

//! The real binary, run as a user would run it; whole outputs are compared, ids and times filtered.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::string_slice,
    reason = "a test that cannot go on should stop"
)]

mod agent;
mod arguments;
mod artifacts;
mod audit;
mod bench;
mod config;
mod doctor;
mod explain;
mod extract;
mod faults;
mod filter;
mod handles;
mod hook;
mod init;
mod line_rules;
mod mcp;
mod observability;
mod readme;
mod redact;
mod retain;
mod run;
mod serve;
mod server;
mod shell;
mod stats;
#[cfg(feature = "otlp")]
mod telemetry;
mod workbench;
mod wrap;

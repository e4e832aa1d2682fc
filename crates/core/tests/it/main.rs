//! The core as a user of the crate sees it, on files that others made.
// Helpers of tests are tests too, and tests stand outside the core.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr, clippy::disallowed_types, clippy::disallowed_methods)]

mod corpus;
mod cuts;
mod suites;

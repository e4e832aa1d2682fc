//! Models over HTTP against the scripted model server of the testkit, in both wire formats.
//!
//! Needs `python3` and the testkit (`OFFCUT_TESTKIT`, else `shared/testkit` beside the repository); without them the
//! tests say so and pass.
// Helpers of tests are tests too.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod extraction;
mod server;

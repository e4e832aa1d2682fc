//! Child processes: one way to run them for `offcut run`, the tool `bash` and `offcut wrap`.
//!
//! A [`Capture`] is a command whose stdout and stderr are one pipe, so that their order is the order of the writes. It is
//! driven to its end by a [`Supervisor`], which takes the output in and may ask for the command's end: SIGTERM, then
//! SIGKILL after [`GRACE`]. A process that the command leaves in the background does not hold it up.

mod capture;
mod status;

use std::time::Duration;

pub use capture::{Capture, Ended, Remote, Stop, Supervisor};
pub use status::{describe, exit_code, signal_name};

/// How long processes have between SIGTERM and SIGKILL.
pub const GRACE: Duration = Duration::from_secs(2);

/// Variables of Offcut's own that commands and servers do not get: whoever knows them can speak in our name.
pub const SECRETS: [&str; 2] = ["OFFCUT_TOKEN", "OFFCUT_MODEL_KEY"];

/// Which processes a command's end takes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The command gets a process group of its own, and that is ended. The terminal's signals do not reach it.
    Group,
    /// The command stays in our process group, where Ctrl-C reaches it; it and its descendants are ended.
    Tree,
}

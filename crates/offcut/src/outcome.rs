//! How a call ended, as far as the caller knows.

use std::fmt;

/// How a call ended. Only what was seen is said: an output alone does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// Nobody said, or it went well: nothing is said of it.
    #[default]
    Unsaid,
    /// The tool said that it failed.
    Failed,
    /// The command exited with this status, which is not 0.
    Exit(i64),
    /// The command was ended because its time was up.
    TimedOut,
}

impl Outcome {
    /// The outcome of a command that exited with `status`.
    pub fn exit(status: i64) -> Outcome {
        if status == 0 { Outcome::Unsaid } else { Outcome::Exit(status) }
    }
}

/// As a header says it; nothing where there is nothing to say.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Unsaid => Ok(()),
            Outcome::Failed => f.write_str("the call failed"),
            Outcome::Exit(status) => write!(f, "exit {status}"),
            Outcome::TimedOut => f.write_str("timed out"),
        }
    }
}

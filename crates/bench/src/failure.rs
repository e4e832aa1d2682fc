//! What a benchmark could not do, as people read it: `error: …`, then `hint: …`.

use std::io::{self, Write};
use std::process::ExitCode;

/// Why a benchmark failed, and how the process ends because of it.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// A wrong argument, or an input that cannot be read: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None, code: 2 }
    }

    /// Anything else, a score below its bar among it: exit code 1.
    pub(crate) fn other(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), hint: None, code: 1 }
    }

    /// With advice on what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Prints it on the error stream, and returns how the process ends.
    pub(crate) fn tell(&self) -> ExitCode {
        let mut stderr = io::stderr().lock();
        // Nothing can be done about an error stream that cannot be written.
        let _ = writeln!(stderr, "error: {}", self.message);
        if let Some(hint) = &self.hint {
            let _ = writeln!(stderr, "hint: {hint}");
        }
        ExitCode::from(self.code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::other(format!("could not write the scores: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::other(format!("could not write JSON: {error}"))
    }
}

impl From<offcut::BuildError> for Failure {
    fn from(error: offcut::BuildError) -> Failure {
        Failure::other(error.to_string())
    }
}

impl From<offcut::policy::PolicyError> for Failure {
    fn from(error: offcut::policy::PolicyError) -> Failure {
        Failure::usage(error.to_string())
    }
}

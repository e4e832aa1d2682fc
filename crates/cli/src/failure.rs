//! What a command could not do, as people read it: `error: …`, then `hint: …`.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use offcut::BuildError;
use offcut::policy::PolicyError;
use offcut::recall::RecallError;
use offcut_core::causes::with_causes;
use offcut_store::StoreError;

/// The exit code for a wrong argument or configuration.
pub(crate) const USAGE: u8 = 2;

/// The exit code for everything else that went wrong.
pub(crate) const OTHER: u8 = 1;

/// Why a command failed, and how the process ends because of it.
#[derive(Debug)]
pub(crate) struct Failure {
    message: Option<String>,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// A wrong argument or configuration.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { message: Some(message.into()), hint: None, code: USAGE }
    }

    /// Anything else.
    pub(crate) fn other(message: impl Into<String>) -> Failure {
        Failure { message: Some(message.into()), hint: None, code: OTHER }
    }

    /// The reader of our output has gone: nobody is left to tell.
    fn quiet() -> Failure {
        Failure { message: None, hint: None, code: 0 }
    }

    /// What it says.
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// With advice on what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// With another exit code.
    pub(crate) fn code(mut self, code: u8) -> Failure {
        self.code = code;
        self
    }

    /// Tells it on stderr, and says how the process ends.
    pub(crate) fn tell(&self) -> ExitCode {
        if let Some(message) = &self.message {
            let mut stderr = anstream::stderr().lock();
            let red = anstyle::AnsiColor::Red.on_default().bold();
            // Nothing can be done about a stderr that cannot be written.
            let _ = writeln!(stderr, "{red}error:{red:#} {message}");
            if let Some(hint) = &self.hint {
                let _ = writeln!(stderr, "hint: {hint}");
            }
        }
        ExitCode::from(self.code)
    }
}

/// Says what was being done when the system refused.
pub(crate) fn while_doing(doing: impl Display) -> impl FnOnce(io::Error) -> Failure {
    move |error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::quiet(),
        _ => Failure::other(format!("could not {doing}: {error}")),
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        while_doing("write the output")(error)
    }
}

impl From<PolicyError> for Failure {
    fn from(error: PolicyError) -> Failure {
        Failure::usage(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let failure = Failure::other(with_causes(&error));
        match error {
            StoreError::InvalidId { what: "session", .. } => {
                failure.hint("a session is 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with a dot").code(USAGE)
            }
            StoreError::InvalidId { .. } => failure.hint("`offcut artifacts list` prints the ids").code(USAGE),
            StoreError::NotFound { .. } => failure
                .hint("`offcut artifacts list` prints this session's artifacts; another session's need `--session`"),
            _ => failure,
        }
    }
}

impl From<RecallError> for Failure {
    fn from(error: RecallError) -> Failure {
        let failure = Failure::other(with_causes(&error));
        match error {
            RecallError::Store(error) => error.into(),
            RecallError::Output(error) => error.into(),
            RecallError::InvalidId { .. }
            | RecallError::NotFound { .. }
            | RecallError::NothingStored { .. }
            | RecallError::Foreign { .. } => {
                failure.hint("`offcut artifacts list` prints this session's artifacts; another's need `--session`")
            }
            RecallError::BadRange { .. } | RecallError::BadQuery { .. } | RecallError::BadPattern { .. } => {
                failure.code(USAGE)
            }
            _ => failure,
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        match error {
            BuildError::Policy(error) => error.into(),
            BuildError::Store(error) => error.into(),
            BuildError::Rules(error) => Failure::usage(error.to_string()),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        match error.io_error_kind() {
            Some(kind) => kind.into(),
            None => Failure::other(format!("could not write JSON: {error}")),
        }
    }
}

impl From<io::ErrorKind> for Failure {
    fn from(kind: io::ErrorKind) -> Failure {
        io::Error::from(kind).into()
    }
}

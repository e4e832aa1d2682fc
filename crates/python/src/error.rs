//! What went wrong, as the one exception that callers catch.

use std::error::Error;

use offcut::BuildError;
use offcut::policy::PolicyError;
use offcut::recall::RecallError;
use offcut::store::StoreError;
use offcut_retain::ConversationError;
use offcut_retain::trace::TraceError;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(offcut, OffcutError, PyException, "Something that Offcut could not do, in a sentence.");

/// A failure before it is raised: a word for programs and a sentence for people.
#[derive(Debug)]
pub(crate) struct Failure {
    code: String,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Failure {
        Failure { code: code.to_owned(), message: message.into() }
    }

    /// An argument that is not right.
    pub(crate) fn argument(message: impl Into<String>) -> Failure {
        Failure::new("bad_argument", message)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        let error = OffcutError::new_err(failure.message);
        Python::attach(|py| {
            // Without its word the sentence is still true.
            let _ = error.value(py).setattr("code", failure.code);
        });
        error
    }
}

impl From<PolicyError> for Failure {
    fn from(error: PolicyError) -> Failure {
        Failure::new("bad_option", error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        match error {
            BuildError::Policy(error) => error.into(),
            BuildError::Store(error) => error.into(),
            BuildError::Rules(error) => Failure::new("bad_option", error.to_string()),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let hint = match &error {
            StoreError::InvalidId { what: "session", .. } => {
                ": a session is 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with a dot"
            }
            _ => "",
        };
        Failure::new(error.code(), chain(&error) + hint)
    }
}

impl From<RecallError> for Failure {
    fn from(error: RecallError) -> Failure {
        Failure::new(error.code(), error.to_string())
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        let code = match &error {
            TraceError::InvalidInput { .. } => "bad_request",
            TraceError::NotFound { .. } => "not_found",
            TraceError::Unreadable { cause, .. } => cause.code(),
            _ => "trace",
        };
        Failure::new(code, error.to_string())
    }
}

impl From<ConversationError> for Failure {
    fn from(error: ConversationError) -> Failure {
        Failure::new("bad_conversation", format!("the messages cannot be read: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::argument(error.to_string())
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line
}

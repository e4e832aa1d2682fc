//! What went wrong, as the one error that callers of a package catch.

use offcut::BuildError;
use offcut::policy::PolicyError;
use offcut::recall::RecallError;
use offcut_core::causes::with_causes;
use offcut_retain::ConversationError;
use offcut_retain::trace::TraceError;
use offcut_store::StoreError;

/// Something that could not be done: a word for programs and a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The word for programs.
    pub code: String,
    /// The sentence for people.
    pub message: String,
}

impl Failure {
    /// A failure with its code.
    pub fn new(code: &str, message: impl Into<String>) -> Failure {
        Failure { code: code.to_owned(), message: message.into() }
    }

    /// An argument that is not right.
    pub fn argument(message: impl Into<String>) -> Failure {
        Failure::new("bad_argument", message)
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
        Failure::new(error.code(), with_causes(&error) + hint)
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

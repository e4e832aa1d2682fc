//! Why a mode could not run.

use std::fmt;
use std::io;

use super::{Mode, ModelError};
use crate::recall::RecallError;

/// Why a mode could not run. That nothing was found is none.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The arguments are no question.
    BadQuestion(String),
    /// The artifact is not there, or cannot be read.
    Recall(RecallError),
    /// The mode needs a model, and there is none.
    NoModel(Mode),
    /// The model cannot be offered tools.
    NoTools,
    /// The model gave no answer.
    Model(ModelError),
    /// The model's answers were of no use: what was wrong with the last one.
    NoReport(String),
    /// The document has more chunks than may be read.
    TooManyChunks {
        /// How many it has at least.
        chunks: u64,
        /// How many may be read.
        most: u64,
    },
    /// The model's context leaves no room for a document beside the instructions.
    TooSmall(u64),
    /// It would take more tokens than one extraction may.
    OverBudget {
        /// The tokens that it would take.
        tokens: u64,
        /// The tokens that it may take.
        most: u64,
    },
    /// The caller asked to stop.
    Cancelled,
}

impl Trouble {
    /// The outcome as one stable word.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Trouble::BadQuestion(_) => "bad_request",
            Trouble::Recall(error) => error.code(),
            Trouble::NoModel(_) => "no_model",
            Trouble::NoTools => "no_tools",
            Trouble::Model(error) => error.code(),
            Trouble::NoReport(_) => "no_report",
            Trouble::TooManyChunks { .. } => "too_many_chunks",
            Trouble::TooSmall(_) => "context_too_small",
            Trouble::OverBudget { .. } => "over_budget",
            Trouble::Cancelled => "cancelled",
        }
    }

    /// Whether another mode may do what this one could not.
    pub(super) fn may_fall_back(&self) -> bool {
        !matches!(self, Trouble::BadQuestion(_) | Trouble::Recall(_) | Trouble::Cancelled)
    }

    /// Whether the document is too large to be read whole, so that looking around in it may serve.
    pub(super) fn is_too_much(&self) -> bool {
        matches!(self, Trouble::TooManyChunks { .. } | Trouble::OverBudget { .. })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::BadQuestion(why) => f.write_str(why),
            Trouble::Recall(error) => error.fmt(f),
            Trouble::NoModel(mode) => write!(f, "no model is configured for {mode}; search needs none"),
            Trouble::NoTools => f.write_str("the model cannot be offered tools"),
            Trouble::Model(error) => error.fmt(f),
            Trouble::NoReport(why) => write!(f, "the model wrote no report: {why}"),
            Trouble::TooManyChunks { chunks, most } => {
                write!(f, "the output has at least {chunks} chunks, at most {most} are read")
            }
            Trouble::TooSmall(context) => {
                write!(f, "a context of {context} tokens leaves no room for the output")
            }
            Trouble::OverBudget { tokens, most } => {
                write!(f, "it would take {tokens} tokens, at most {most} are allowed")
            }
            Trouble::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl From<RecallError> for Trouble {
    fn from(error: RecallError) -> Trouble {
        Trouble::Recall(error)
    }
}

impl From<offcut_store::StoreError> for Trouble {
    fn from(error: offcut_store::StoreError) -> Trouble {
        Trouble::Recall(error.into())
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Recall(RecallError::unwrapped(error))
    }
}

impl From<ModelError> for Trouble {
    fn from(error: ModelError) -> Trouble {
        match error {
            ModelError::Cancelled => Trouble::Cancelled,
            other => Trouble::Model(other),
        }
    }
}

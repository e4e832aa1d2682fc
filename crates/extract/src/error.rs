//! Why a mode could not run.

use std::io;

use super::{Mode, ModelError};
use offcut::recall::RecallError;

/// Why a mode could not run. That nothing was found is none.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExtractError {
    /// The arguments are no question.
    #[error("{0}")]
    BadQuestion(String),
    /// The artifact is not there, or cannot be read.
    #[error(transparent)]
    Recall(#[from] RecallError),
    /// The mode needs a model, and there is none.
    #[error("no model is configured for {0}; search needs none")]
    NoModel(Mode),
    /// The model cannot be offered tools.
    #[error("the model cannot be offered tools")]
    NoTools,
    /// The model gave no answer.
    #[error(transparent)]
    Model(ModelError),
    /// The model's answers were of no use: what was wrong with the last one.
    #[error("the model wrote no usable report: {0}")]
    NoReport(String),
    /// The document has more chunks than may be read.
    #[error("the output has at least {chunks} chunks, at most {most} are read")]
    TooManyChunks {
        /// How many it has at least.
        chunks: u64,
        /// How many may be read.
        most: u64,
    },
    /// The model's context leaves no room for a document beside the instructions.
    #[error("a context of {0} tokens leaves no room for the output")]
    TooSmall(u64),
    /// It would take more tokens than one extraction may.
    #[error("it would take {tokens} tokens, at most {most} are allowed")]
    OverBudget {
        /// The tokens that it would take.
        tokens: u64,
        /// The tokens that it may take.
        most: u64,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl ExtractError {
    /// The error for an answer of no use.
    pub(super) fn no_report(why: &str) -> ExtractError {
        ExtractError::NoReport(why.to_owned())
    }

    /// The outcome as one stable word.
    pub(super) fn code(&self) -> &'static str {
        match self {
            ExtractError::BadQuestion(_) => "bad_request",
            ExtractError::Recall(error) => error.code(),
            ExtractError::NoModel(_) => "no_model",
            ExtractError::NoTools => "no_tools",
            ExtractError::Model(error) => error.code(),
            ExtractError::NoReport(_) => "no_report",
            ExtractError::TooManyChunks { .. } => "too_many_chunks",
            ExtractError::TooSmall(_) => "context_too_small",
            ExtractError::OverBudget { .. } => "over_budget",
            ExtractError::Cancelled => "cancelled",
        }
    }

    /// Whether another mode may do what this one could not.
    pub(super) fn may_fall_back(&self) -> bool {
        !matches!(self, ExtractError::BadQuestion(_) | ExtractError::Recall(_) | ExtractError::Cancelled)
    }

    /// Whether the document is too large to be read whole, so that looking around in it may serve.
    pub(super) fn is_too_much(&self) -> bool {
        matches!(self, ExtractError::TooManyChunks { .. } | ExtractError::OverBudget { .. })
    }
}

impl From<offcut_store::StoreError> for ExtractError {
    fn from(error: offcut_store::StoreError) -> ExtractError {
        ExtractError::Recall(error.into())
    }
}

impl From<io::Error> for ExtractError {
    fn from(error: io::Error) -> ExtractError {
        ExtractError::Recall(RecallError::unwrapped(error))
    }
}

impl From<ModelError> for ExtractError {
    fn from(error: ModelError) -> ExtractError {
        match error {
            ModelError::Cancelled => ExtractError::Cancelled,
            other => ExtractError::Model(other),
        }
    }
}

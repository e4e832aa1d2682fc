//! What an extraction took: calls, tokens, time, and which mode stood in for which.

use serde::Serialize;

use super::Mode;

/// What an extraction took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The mode that was asked for.
    pub asked: Mode,
    /// The mode that answered.
    pub mode: Mode,
    /// `ok`, `nothing` where nothing was found, or the code of the error.
    pub outcome: String,
    /// The model that was asked; absent where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Calls to the model, those that failed included.
    pub calls: u64,
    /// Tokens of the requests.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Chunks that the document was read in.
    pub chunks: u64,
    /// Quoted passages that do not stand in the document, and were taken out.
    pub not_verbatim: u64,
    /// Names and numbers that do not stand in the document, and were marked.
    pub marked: u64,
    /// Whether nothing was found.
    pub not_found: bool,
    /// Where another mode had to stand in, and why, in order.
    pub fallbacks: Vec<Fallback>,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// Every call to the model, in the order in which they ended.
    pub trace: Vec<Step>,
}

/// A mode that could not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fallback {
    /// The mode that could not run.
    pub from: Mode,
    /// The mode that stood in.
    pub to: Mode,
    /// Why.
    pub why: String,
}

/// One call to a model: sizes and a short preview, never the whole prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What it was for: `chunk 2 of 7`, `reduce`, `turn 3`.
    pub purpose: String,
    /// Messages of the request.
    pub messages: u64,
    /// Bytes of the request.
    pub bytes: u64,
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// `ok`, or the code of the error.
    pub outcome: String,
    /// How the answer begins.
    pub preview: String,
}

impl Account {
    pub(super) fn new(asked: Mode) -> Account {
        Account { asked, mode: asked, ..Account::default() }
    }
}

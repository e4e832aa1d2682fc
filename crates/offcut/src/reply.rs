//! What leaves: the text that the model reads, and the facts about it.

use offcut_core::report::Report;
use serde::Serialize;

/// The answer to one output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reply {
    /// What the model reads.
    pub text: String,
    /// The facts about it.
    pub report: Report,
}

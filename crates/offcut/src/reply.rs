//! What leaves: the text that the model reads, and the facts about it.

use std::fmt;

use offcut_core::cut::Cut;
use offcut_core::document::Document;
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

/// A reply with what it was made from: for those who want to see what was left out.
pub struct Explanation {
    /// The reply.
    pub reply: Reply,
    /// The cleaned, redacted output; empty where it was not text.
    pub document: Box<dyn Document>,
    /// Which parts of the document are shown, and why.
    pub cut: Cut,
}

impl fmt::Debug for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explanation").field("reply", &self.reply).field("cut", &self.cut).finish_non_exhaustive()
    }
}

//! What a tool answers.

use offcut_core::report::Report;
use serde_json::Value;

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// What the model gets.
    pub content: Vec<Content>,
    /// What programs get: which limits were reached, and how a command ended. Always an object.
    pub details: Value,
    /// Whether the tool failed at what it was asked; the content says how.
    pub is_error: bool,
    /// The facts about the cut; none where there was no text to cut.
    pub report: Option<Report>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes.
        data: Vec<u8>,
    },
}

impl ToolReply {
    /// The text of the answer, without what is not text.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            Content::Text(text) => Some(text.as_str()),
            Content::Image { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

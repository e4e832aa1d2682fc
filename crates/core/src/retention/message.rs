//! A message of a conversation, without any vendor's shape.

use serde::{Deserialize, Serialize};

/// One message. Only a tool result may ever be shortened, and only it carries the id of its trace.
///
/// In JSON the kind is `type` (`user`, `assistant`, `tool_result`, `spec_refresh`) and the trace is `traceId`; a tool
/// result without one is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// What the user said.
    User(PlainMessage),
    /// What the model said.
    Assistant(PlainMessage),
    /// What a tool returned.
    ToolResult(ToolResult),
    /// A specification that was put in front of the model again.
    SpecRefresh(PlainMessage),
}

/// A message that is never shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainMessage {
    /// The message's name.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The turn in which it was made.
    pub turn: u64,
}

/// What a tool returned, and where the whole of it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The message's name.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The turn in which it was made.
    pub turn: u64,
    /// What `get_task_trace` is asked for.
    #[serde(rename = "traceId")]
    pub trace_id: String,
}

impl Message {
    /// A message of the user.
    pub fn user(id: impl Into<String>, content: impl Into<String>, turn: u64) -> Message {
        Message::User(PlainMessage { id: id.into(), content: content.into(), turn })
    }

    /// A message of the model.
    pub fn assistant(id: impl Into<String>, content: impl Into<String>, turn: u64) -> Message {
        Message::Assistant(PlainMessage { id: id.into(), content: content.into(), turn })
    }

    /// A tool result; there is none without the id of its trace.
    pub fn tool_result(
        id: impl Into<String>,
        content: impl Into<String>,
        turn: u64,
        trace_id: impl Into<String>,
    ) -> Message {
        Message::ToolResult(ToolResult { id: id.into(), content: content.into(), turn, trace_id: trace_id.into() })
    }

    /// The text.
    pub fn content(&self) -> &str {
        match self {
            Message::User(words) | Message::Assistant(words) | Message::SpecRefresh(words) => &words.content,
            Message::ToolResult(result) => &result.content,
        }
    }

    /// The turn in which it was made.
    pub fn turn(&self) -> u64 {
        match self {
            Message::User(words) | Message::Assistant(words) | Message::SpecRefresh(words) => words.turn,
            Message::ToolResult(result) => result.turn,
        }
    }

    /// The same message with another text.
    #[must_use]
    pub fn with_content(&self, content: String) -> Message {
        let mut message = self.clone();
        match &mut message {
            Message::User(words) | Message::Assistant(words) | Message::SpecRefresh(words) => words.content = content,
            Message::ToolResult(result) => result.content = content,
        }
        message
    }
}

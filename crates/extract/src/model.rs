//! The one seam for language models: messages and tool definitions in, text or tool calls and usage out.
//!
//! A provider over HTTP, the model of an MCP client and a script in a test all look like this from here.

use std::time::Duration;

use offcut_core::tokens::Tokenizer;
use serde_json::Value;

use offcut::Cancel;

/// A language model. Calls block, and several may be made at once.
pub trait Model: Send + Sync {
    /// The name that accounts and traces use.
    fn name(&self) -> &str;

    /// How many tokens a request and its answer may have together, as [`Model::tokenizer`] counts them.
    fn context_tokens(&self) -> u64;

    /// How many tokens an answer may have.
    fn output_tokens(&self) -> u64;

    /// How its tokens are counted; where that is not known, OpenAI's tokenizer is nearer than characters ÷ 4.
    fn tokenizer(&self) -> Tokenizer {
        Tokenizer::nearest()
    }

    /// Whether it can be offered tools; one that cannot is never asked to look around in a document.
    fn takes_tools(&self) -> bool {
        true
    }

    /// Asks once, without retrying. Must return by the prompt's timeout, and soon after its cancellation.
    fn ask(&self, prompt: &Prompt<'_>) -> Result<Completion, ModelError>;
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// What it is told before the conversation.
    pub system: &'a str,
    /// The conversation so far, oldest first; it begins with a message of the user.
    pub messages: &'a [Message],
    /// The tools that it may call; none if empty.
    pub tools: &'a [ToolDefinition],
    /// The most tokens of the answer.
    pub max_output_tokens: u64,
    /// How long it may take.
    pub timeout: Duration,
    /// Asks to stop.
    pub cancel: &'a Cancel,
}

impl Prompt<'_> {
    /// The bytes of everything that is said in it, for traces.
    pub fn bytes(&self) -> u64 {
        let of = |message: &Message| match message {
            Message::User(text) => text.len(),
            Message::Assistant { text, calls } => {
                text.len() + calls.iter().map(|call| call.name.len() + call.arguments.to_string().len()).sum::<usize>()
            }
            Message::Results(results) => results.iter().map(|result| result.text.len()).sum(),
        };
        (self.system.len() + self.messages.iter().map(of).sum::<usize>()) as u64
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user says.
    User(String),
    /// What the model said, and the tools that it called.
    Assistant {
        /// Its words; may be empty.
        text: String,
        /// Its calls; may be empty.
        calls: Vec<ToolCall>,
    },
    /// What the tools returned, a result for each call of the message before.
    Results(Vec<ToolResult>),
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// A call of a tool by a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The name of the call, which its result repeats.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The name of the call.
    pub id: String,
    /// What the tool returned, or why it could not.
    pub text: String,
    /// Whether the call failed.
    pub failed: bool,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Completion {
    /// Its words; may be empty where it calls tools.
    pub text: String,
    /// The tools that it calls.
    pub calls: Vec<ToolCall>,
    /// Whether the answer stopped at the most tokens that it may have.
    pub cut_off: bool,
    /// What it cost.
    pub usage: Usage,
}

/// Tokens as the provider counted them; 0 where it did not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
}

/// Why a model gave no answer, as outcomes that a caller can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The key is missing or refused; asking again is of no use.
    #[error("the model's provider refused the key: {0}")]
    Denied(String),
    /// Too many requests, or the provider has no room: later it may answer.
    #[error("the model's provider has no room now: {why}")]
    Busy {
        /// What it said.
        why: String,
        /// When to ask again, where it said so.
        retry_after: Option<Duration>,
    },
    /// The request is longer than the model's context.
    #[error("the request is longer than the model's context: {0}")]
    TooLong(String),
    /// No answer came in time.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// The provider could not be reached, or failed by itself: later it may answer.
    #[error("the model could not be reached: {0}")]
    Unreachable(String),
    /// The request was refused as it stands, or the answer makes no sense.
    #[error("the model's provider refused the request: {0}")]
    Refused(String),
}

impl ModelError {
    /// The outcome as one stable word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            ModelError::Denied(_) => "denied",
            ModelError::Busy { .. } => "busy",
            ModelError::TooLong(_) => "too_long",
            ModelError::TimedOut => "timed_out",
            ModelError::Cancelled => "cancelled",
            ModelError::Unreachable(_) => "unreachable",
            ModelError::Refused(_) => "refused",
        }
    }

    /// Whether the same request may be answered later.
    pub fn may_pass(&self) -> bool {
        match self {
            ModelError::Busy { .. } | ModelError::TimedOut | ModelError::Unreachable(_) => true,
            ModelError::Denied(_) | ModelError::TooLong(_) | ModelError::Cancelled | ModelError::Refused(_) => false,
        }
    }
}

//! Retention on the wire: old tool results leave a conversation, and every other byte of it stays.
//!
//! [`Retainer`] reads the body of a request in any of the known [`Format`]s, finds the tool results in it, and replaces
//! only the JSON strings that change: results that are too large are cut as everywhere, and old ones shortened, at once
//! ([`Mode::Window`]) or when that pays although the provider's prompt cache is lost behind them ([`Mode::Pays`]).
//!
//! ```
//! use offcut::Offcut;
//! use offcut_retain::trace::task_trace;
//! use offcut_retain::{Retainer, RetainOptions};
//!
//! let offcut = Offcut::builder().in_memory().build()?.keeping_once();
//! let result = |turn: u64| serde_json::json!({"type": "tool_result", "id": "m", "turn": turn, "traceId": "t1",
//!     "content": "one\ntwo\nthree\n".repeat(50)});
//! let conversation = serde_json::json!([result(1), {"type": "user", "id": "u", "turn": 3, "content": "go on"}]);
//! let rewritten = Retainer::new(RetainOptions::default()).rewrite(&offcut, conversation.to_string().as_bytes(), &Default::default())?;
//! assert!(rewritten.body.unwrap().contains("one\\ntwo\\nthree\\n[TRUNCATED — full output in get_task_trace(traceId="));
//! assert_eq!(task_trace(&offcut, "t1")?, "one\ntwo\nthree\n".repeat(50));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conversation;
mod json;

pub mod plan;
pub mod prices;
pub mod trace;

mod channel;
mod count;
mod excerpt;
mod gaps;
mod memo;
mod report;
mod retainer;
mod settings;

pub use channel::RecallChannel;
pub use conversation::{CacheMarks, Conversation, ConversationError, Format, ModelText, ResultText, Segment};
pub use gaps::Gaps;
pub use json::Malformed;
pub use report::{Action, Change, Cost, RetainReport, Skipped};
pub use retainer::{Mode, RequestFacts, RetainOptions, Retainer, Rewritten};

//! What a conversation keeps in full: old tool results leave the context, not the world.
//!
//! A tool result made in turn N is whole in turns N and N+1 and shortened from N+2 on: its first lines, and a line that
//! names the call for the rest. Everything here is pure: [`Retention`] returns [`Edit`]s and never changes its input.
//!
//! ```
//! use offcut_core::retention::{Message, Retention};
//!
//! let output: String = (1..=200).map(|n| format!("line {n}\n")).collect();
//! let result = Message::tool_result("m1", output, 1, "abc-123");
//! let edits = Retention::default().edits(&[result], 3, |_| true);
//! assert_eq!(
//!     edits[0].content,
//!     "line 1\nline 2\nline 3\n[TRUNCATED — full output in get_task_trace(traceId=\"abc-123\")]"
//! );
//! ```

mod message;
mod rule;

#[cfg(test)]
mod tests;

pub use message::{Message, PlainMessage, ToolResult};
pub use rule::{Edit, Retention, apply};

//! Which tool results are shortened, and to what.

use super::Message;
use crate::{notice, text};

/// The longest trace id that a shortened result names.
const LONGEST_TRACE_ID: u64 = 200;

/// The rule. Its functions are pure: the same input gives the same text, and no input is changed.
///
/// By default a result is shortened only if that makes it shorter and its whole text is stored; one that was shortened
/// never changes again. With `strict` the rule is applied to the letter, whatever comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// For how many turns a result is whole, the one that made it included (2).
    pub window: u64,
    /// How many lines a shortened result keeps (3).
    pub lines: u64,
    /// Characters after which a kept line is shortened within itself (500); not under `strict`.
    pub line_chars: u64,
    /// Whether the rule is applied to the letter.
    pub strict: bool,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { window: 2, lines: 3, line_chars: 500, strict: false }
    }
}

/// A new text for one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Which message, counted from 0.
    pub index: usize,
    /// What it says from now on.
    pub content: String,
}

impl Retention {
    /// The rule to the letter.
    pub fn strict() -> Retention {
        Retention { strict: true, ..Retention::default() }
    }

    /// Whether a result made in `turn` is still whole in `current`.
    pub fn covers(&self, turn: u64, current: u64) -> bool {
        current.saturating_sub(turn) < self.window
    }

    /// Whether `message` is whole in the turn `current`. Everything but a tool result always is.
    pub fn is_fully_retained(&self, message: &Message, current: u64) -> bool {
        match message {
            Message::ToolResult(result) => self.covers(result.turn, current),
            Message::User(_) | Message::Assistant(_) | Message::SpecRefresh(_) => true,
        }
    }

    /// The first lines of `full`, and the line that names the trace.
    pub fn truncate(&self, full: &str, trace_id: &str) -> String {
        self.cut(full, &notice::task_trace(trace_id))
    }

    /// What stands for `full` from now on; `None` where it stays as it is.
    pub fn shortened(&self, full: &str, trace_id: &str) -> Option<String> {
        if self.strict {
            return Some(self.truncate(full, trace_id));
        }
        if !can_be_named(trace_id) {
            return None;
        }
        self.shortened_to(full, &notice::task_trace(trace_id))
    }

    /// The same with another call for the whole, for those who have no `get_task_trace`.
    pub fn shortened_to(&self, full: &str, call: &str) -> Option<String> {
        if !self.strict && is_shortened(full) {
            return None;
        }
        let short = self.cut(full, call);
        (self.strict || text::chars(&short) < text::chars(full)).then_some(short)
    }

    /// The edits that make `messages` fit the turn `current`, in order; `stored` says whether the whole text of a trace
    /// is kept somewhere.
    pub fn edits(&self, messages: &[Message], current: u64, stored: impl Fn(&str) -> bool) -> Vec<Edit> {
        let edit = |(index, message): (usize, &Message)| {
            let Message::ToolResult(result) = message else { return None };
            if self.covers(result.turn, current) || !(self.strict || stored(&result.trace_id)) {
                return None;
            }
            self.shortened(&result.content, &result.trace_id).map(|content| Edit { index, content })
        };
        messages.iter().enumerate().filter_map(edit).collect()
    }

    /// The lines of `full` that a shortened result keeps, without the last line's end.
    pub fn head<'t>(&self, full: &'t str) -> std::borrow::Cow<'t, str> {
        let lines = text::split(full).take(usize::try_from(self.lines).unwrap_or(usize::MAX));
        let Some(last) = lines.clone().last() else { return "".into() };
        let long =
            |words: &str| !self.strict && words.len() as u64 > self.line_chars && text::chars(words) > self.line_chars;
        if !lines.clone().any(|line| long(line.text)) {
            return text::slice(full, 0..last.start + last.text.len()).into();
        }
        let mut head = String::new();
        for line in lines {
            if long(line.text) {
                let kept = text::first_chars(line.text, self.line_chars);
                head.push_str(kept);
                head.push_str(notice::inline_marker(text::chars(line.text) - self.line_chars).trim_end());
            } else {
                head.push_str(line.text);
            }
            if line.start != last.start {
                head.push_str(line.end);
            }
        }
        head.into()
    }

    fn cut(&self, full: &str, call: &str) -> String {
        format!("{}\n{}", self.head(full), notice::retained(call))
    }
}

/// `messages` with `edits` made; the input stays as it was.
pub fn apply(messages: &[Message], edits: &[Edit]) -> Vec<Message> {
    let mut edited = messages.to_vec();
    for edit in edits {
        if let Some(message) = edited.get_mut(edit.index) {
            *message = message.with_content(edit.content.clone());
        }
    }
    edited
}

/// Whether a text was shortened before: then it never changes again.
fn is_shortened(content: &str) -> bool {
    let start = content.rfind('\n').map_or(0, |at| at + 1);
    notice::is_retained(text::slice(content, start..content.len()))
}

/// Whether a trace id can stand in a call and be read back out of it.
fn can_be_named(trace_id: &str) -> bool {
    !trace_id.is_empty()
        && text::chars(trace_id) <= LONGEST_TRACE_ID
        && !trace_id.contains(|c: char| c.is_control() || matches!(c, '"' | '\\'))
}

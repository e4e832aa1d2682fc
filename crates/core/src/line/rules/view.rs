//! A line as rules see it.

use std::cell::OnceCell;

use crate::line::heads::{Head, head, may_begin_any};
use crate::line::results;
use crate::line::signals::Signals;
use crate::text;

/// A line without its time and without space around it, and what is found out about it at most once.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) line: &'a str,
    /// How far it is indented, in bytes.
    pub(crate) indent: usize,
    /// Whether a tab indents it.
    pub(crate) tabbed: bool,
    pub(crate) signals: Signals,
    head: u64,
    lower: OnceCell<String>,
    counts: OnceCell<Option<bool>>,
}

impl<'a> View<'a> {
    /// A view of `line`, which is what is left of `body` without the space around it and labels that say nothing.
    pub(crate) fn new(body: &str, line: &'a str, signals: Signals) -> View<'a> {
        let indent = body.len() - text::trim_start(body).len();
        let tabbed = body.starts_with('\t');
        View { line, indent, tabbed, signals, head: head(line), lower: OnceCell::new(), counts: OnceCell::new() }
    }

    /// Whether the line may begin with one of the literals that have these heads, or there are none. They are in the
    /// order of their first bytes.
    pub(super) fn may_begin(&self, heads: &[Head]) -> bool {
        heads.is_empty() || may_begin_any(heads, self.head)
    }

    /// The same with another part of the line.
    pub(crate) fn of_part<'b>(&self, line: &'b str) -> View<'b> {
        let View { indent, tabbed, signals, .. } = *self;
        View { line, indent, tabbed, signals, head: head(line), lower: OnceCell::new(), counts: OnceCell::new() }
    }

    /// The line in lower case, byte for byte as long.
    pub(super) fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.line.to_ascii_lowercase())
    }

    /// Whether the line counts results, and if so whether it counts failures.
    pub(super) fn counts(&self) -> Option<bool> {
        *self.counts.get_or_init(|| results::counts(self.lower()))
    }
}

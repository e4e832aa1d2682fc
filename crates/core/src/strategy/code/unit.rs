//! The parts of a source: functions, types, imports.

use std::ops::Range;

use crate::text;

/// A source and its lines.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    lines: Vec<Range<usize>>,
    /// Where the words of each line end.
    words: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Source<'a> {
        let mut lines = Vec::new();
        let mut words = Vec::new();
        for line in text::split(text) {
            words.push(line.start + line.text.len());
            lines.push(line.range());
        }
        Source { text, lines, words }
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Line `row` with its end, as bytes; empty behind the last.
    pub(super) fn range(&self, row: usize) -> Range<usize> {
        self.lines.get(row).cloned().unwrap_or(self.text.len()..self.text.len())
    }

    /// Where the words of line `row` end.
    pub(super) fn words_end(&self, row: usize) -> usize {
        self.words.get(row).copied().unwrap_or(self.text.len())
    }

    /// The words of line `row`.
    pub(super) fn line(&self, row: usize) -> &'a str {
        text::slice(self.text, self.range(row).start..self.words_end(row))
    }

    /// The line that `byte` lies in.
    #[cfg(feature = "grammar")]
    pub(super) fn row(&self, byte: usize) -> usize {
        self.lines.partition_point(|line| line.end <= byte).min(self.lines.len().saturating_sub(1))
    }
}

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// An import, a package clause, an include.
    Import,
    /// A type, a module, a namespace, an implementation block: something that others may lie in.
    Type,
    /// A function or a method.
    Function,
    /// A constant, a variable, another statement at the top.
    Statement,
}

/// A part of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) what: What,
    pub(super) name: String,
    /// All of its lines.
    pub(super) rows: Range<usize>,
    /// The lines of its signature.
    pub(super) head: Range<usize>,
    /// How many lines of the signature come before the one with the name: `static int` on a line of its own.
    pub(super) lead: usize,
    /// Whether others can use it.
    pub(super) public: bool,
    /// How many units it lies in.
    pub(super) depth: usize,
    /// Whether it lies in a function.
    pub(super) nested: bool,
    /// Whether it tests others.
    pub(super) test: bool,
    /// How much more it is worth than others of its sort.
    pub(super) bonus: u32,
    /// Whether it is one of many that a configuration lists, and not among the first of them.
    pub(super) listed: bool,
}

impl Unit {
    /// The lines of the signature up to the one with the name: the least that tells what the unit is.
    pub(super) fn named(&self) -> Range<usize> {
        self.head.start..(self.head.start + self.lead + 1).min(self.head.end)
    }
}

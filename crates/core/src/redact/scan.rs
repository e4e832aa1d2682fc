//! What the detectors look at: a segment of the text, and the spans they find in it.

use std::cell::{Cell, OnceCell};

use memchr::{memchr, memrchr};

use super::anchors;
use crate::byte_set::among;

/// How far behind a segment a detector may look for a name, in bytes.
pub(super) const BACK: usize = 4 * 1024;
/// How far beyond a segment a secret that begins in it may reach, in bytes.
pub(super) const AHEAD: usize = 8 * 1024;
/// How long a segment may be, in bytes: whole lines, or a part of a line that alone is longer.
pub(super) const SEGMENT: usize = 16 * 1024;

/// Whole lines, or a part of a very long one. Finds begin inside `start..end` and may read `low..limit`.
#[derive(Debug, Clone)]
pub(super) struct Segment<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) low: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) limit: usize,
    /// The line that was asked for last: a long line is asked for once for every name in it.
    last_line: Cell<(usize, usize)>,
    /// How far the line's quotes were followed, and which of them were open there.
    quotes: Cell<(usize, Quotes)>,
    /// Where literals begin that lead to secrets, if somebody asked for them.
    literals: OnceCell<Vec<usize>>,
}

/// Which quotes are open at a place of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Quotes {
    pub(super) double: bool,
    pub(super) single: bool,
    pub(super) back: bool,
}

impl Quotes {
    /// Whether `mark` closes a string that is open here.
    pub(super) fn has(self, mark: u8) -> bool {
        match mark {
            b'"' => self.double,
            b'\'' => self.single,
            b'`' => self.back,
            _ => false,
        }
    }

    pub(super) fn any(self) -> bool {
        self.double || self.single || self.back
    }
}

impl<'a> Segment<'a> {
    pub(super) fn new(bytes: &'a [u8], low: usize, start: usize, end: usize, limit: usize) -> Segment<'a> {
        let quotes = Cell::new((usize::MAX, Quotes::default()));
        Segment { bytes, low, start, end, limit, last_line: Cell::new((1, 0)), quotes, literals: OnceCell::new() }
    }

    /// The line around `at`, as far as it may be read, without its line feed.
    pub(super) fn line(&self, at: usize) -> (usize, usize) {
        let (start, end) = self.last_line.get();
        if (start..=end).contains(&at) {
            return (start, end);
        }
        let start = memrchr(b'\n', self.part(self.low, at)).map_or(self.low, |found| self.low + found + 1);
        let end = memchr(b'\n', self.part(at, self.limit)).map_or(self.limit, |found| at + found);
        self.last_line.set((start, end));
        (start, end)
    }

    /// Whether the letter before the quote at `at` belongs to the string that it opens: `N'…'`, `b'…'`.
    fn is_prefixed(&self, at: usize) -> bool {
        matches!(self.before(at), b'N' | b'b' | b'r' | b'f' | b'u') && among!(self.before(at - 1), b" =(,[")
    }

    /// Which quotes are open at `at`. Asked for at ascending places of a line, it reads the line once.
    pub(super) fn quotes(&self, at: usize) -> Quotes {
        let (line_start, _) = self.line(at);
        let (mut from, mut quotes) = self.quotes.get();
        if from > at || from < line_start {
            (from, quotes) = (line_start, Quotes::default());
        }
        let mut before = if from > line_start { self.before(from) } else { b'\n' };
        let mut next = from;
        while let Some(found) = memchr::memchr3(b'"', b'\'', b'`', self.part(next, at)) {
            let place = next + found;
            let escaped = if found > 0 { self.before(place) } else { before };
            next = place + 1;
            before = self.byte(place);
            if escaped == b'\\' {
                continue;
            }
            match before {
                b'"' => quotes.double ^= true,
                b'`' => quotes.back ^= true,
                // An apostrophe inside of a word opens nothing.
                _ => quotes.single = !quotes.single && (!escaped.is_ascii_alphanumeric() || self.is_prefixed(place)),
            }
        }
        self.quotes.set((at, quotes));
        quotes
    }

    /// Whether a literal begins in `from..to` that leads to secrets. All are looked for at once, for who asks for many lines.
    pub(super) fn has_literal(&self, from: usize, to: usize) -> bool {
        let literals = self.literals.get_or_init(|| {
            let mut found = Vec::new();
            anchors::find(self.part(0, self.limit), self.start, self.end, |at, _, _| found.push(at));
            found.sort_unstable();
            found
        });
        let next = literals.get(literals.partition_point(|at| *at < from));
        from < self.start || next.is_some_and(|at| *at < to)
    }

    /// Where the line around `at` ends, before its line end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let (_, end) = self.line(at);
        if end > at && self.bytes.get(end - 1) == Some(&b'\r') { end - 1 } else { end }
    }

    /// The bytes from `from` to `to`; empty where that is no range of this segment's bytes.
    pub(super) fn part(&self, from: usize, to: usize) -> &'a [u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    /// The byte at `at`, or a line feed beyond what may be read.
    pub(super) fn byte(&self, at: usize) -> u8 {
        if (self.low..self.limit).contains(&at) { self.bytes.get(at).copied().unwrap_or(b'\n') } else { b'\n' }
    }

    /// Whether the word at `at` is the kind in a placeholder: `[REDACTED: KIND]`.
    pub(super) fn is_placeholder_kind(&self, at: usize) -> bool {
        self.part(at.saturating_sub(11), at) == b"[REDACTED: "
    }

    /// The byte before `at`, or a line feed where there is none.
    pub(super) fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(b'\n', |before| self.byte(before))
    }
}

/// What takes a secret's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    /// `[REDACTED: KIND]`.
    Placeholder,
    /// The same in double quotes, for a bare number in JSON.
    Quoted,
    /// Nothing: a further line of a block that already has its placeholder.
    Nothing,
}

/// A secret that was found: where it is and what kind it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Index into the rules' kinds.
    pub(super) kind: u16,
    /// The surer detector names the kind where two overlap.
    pub(super) weight: u8,
    pub(super) with: With,
}

/// How sure each detector is.
pub(super) mod weight {
    pub(in crate::redact) const GENERIC: u8 = 1;
    pub(in crate::redact) const ASSIGNED: u8 = 2;
    pub(in crate::redact) const NAMED: u8 = 3;
    pub(in crate::redact) const PROVIDER: u8 = 4;
    pub(in crate::redact) const USER: u8 = 5;
    pub(in crate::redact) const BLOCK: u8 = 6;
}

/// Sorts `spans` and joins those that overlap; what is joined takes the surest one's kind.
pub(super) fn join(spans: &mut Vec<Span>) {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.weight), std::cmp::Reverse(span.end)));
    let mut kept: usize = 0;
    for index in 0..spans.len() {
        let Some(&span) = spans.get(index) else { break };
        let joined = match kept.checked_sub(1).and_then(|last| spans.get_mut(last)) {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if span.weight > last.weight {
                    (last.kind, last.weight, last.with) = (span.kind, span.weight, span.with);
                }
                true
            }
            _ => false,
        };
        if !joined {
            if let Some(slot) = spans.get_mut(kept) {
                *slot = span;
            }
            kept += 1;
        }
    }
    spans.truncate(kept);
}

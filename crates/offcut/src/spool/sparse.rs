//! What is left of a document whose middle could be kept nowhere: its ends, and the lines that tell.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use offcut_core::condensed::Condensed;
use offcut_core::document::{Document, not_on_a_border};
use offcut_core::extent::{Extent, Index, Position};
use offcut_core::text;

/// A part of a document that is in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Where it starts.
    pub(super) start: Position,
    pub(super) text: String,
}

impl Part {
    /// The byte behind it.
    pub(super) fn end(&self) -> u64 {
        self.start.byte + self.text.len() as u64
    }

    fn covers(&self, range: &Range<u64>) -> bool {
        range.start >= self.start.byte && range.end <= self.end()
    }
}

/// A document of which only some parts can be read.
pub(super) struct SparseDocument {
    head: String,
    tail: String,
    tail_start: u64,
    /// Parts of the middle, in order and disjoint.
    parts: Vec<Part>,
    extent: Extent,
    index: Index,
}

impl SparseDocument {
    /// The document of its two ends.
    pub(super) fn new(head: String, tail: String, extent: Extent, index: Index) -> SparseDocument {
        let tail_start = extent.bytes - tail.len() as u64;
        SparseDocument { head, tail, tail_start, parts: Vec::new(), extent, index }
    }

    /// The same with parts of its middle: the place of each is known from its start on.
    #[must_use]
    pub(super) fn with_parts(mut self, parts: Vec<Part>) -> SparseDocument {
        self.parts = parts;
        let starts = self.parts.iter().map(|part| part.start).filter(|start| start.byte > 0);
        let mut checkpoints: Vec<Position> = self.index.checkpoints().iter().copied().chain(starts).collect();
        checkpoints.sort_unstable();
        checkpoints.dedup_by_key(|position| position.byte);
        if let Some(index) = Index::from_checkpoints(checkpoints) {
            self.index = index;
        }
        self
    }

    /// The whole lines that can be read, joined; nothing where only the ends are left.
    pub(super) fn condensed(&self) -> Option<Condensed> {
        if self.parts.is_empty() {
            return None;
        }
        let ended = memchr::memrchr2(b'\n', b'\r', self.head.as_bytes()).map_or(0, |at| at + 1);
        let mut lines = vec![(0, text::slice(&self.head, 0..ended))];
        let mut until = ended as u64;
        // What lies in the tail before its first checkpoint has no line number that can be told.
        let known = self.index.checkpoints().iter().map(|position| position.byte).find(|byte| *byte >= self.tail_start);
        let inside = known.and_then(|byte| usize::try_from(byte - self.tail_start).ok()).unwrap_or(0);
        let inside = text::ceil(&self.tail, inside.min(self.tail.len()));
        let tail_start = self.tail_start + inside as u64;
        let tail = [(tail_start, text::slice(&self.tail, inside..self.tail.len()))];
        let middle = self.parts.iter().map(|part| (part.start.byte, part.text.as_str()));
        for (start, part) in middle.filter(|(start, _)| *start < tail_start).chain(tail) {
            // Whole lines that no part before has shown.
            let known = usize::try_from(until.saturating_sub(start)).unwrap_or(usize::MAX);
            let from = if start == 0 { known } else { line_behind(part, known.saturating_sub(1)) };
            let fresh = text::slice(part, from.min(part.len())..part.len());
            lines.push((start + from as u64, fresh));
            until = until.max(start + part.len() as u64);
        }
        Some(Condensed::of(lines))
    }
}

/// Where the first line starts that begins behind byte `at` of `part`.
fn line_behind(part: &str, at: usize) -> usize {
    let rest = part.as_bytes().get(at..).unwrap_or_default();
    let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else { return part.len() };
    let width = if rest.get(end..end + 2) == Some(b"\r\n") { 2 } else { 1 };
    at + end + width
}

impl Document for SparseDocument {
    fn extent(&self) -> &Extent {
        &self.extent
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        if range.end < range.start {
            return Err(not_on_a_border(&range));
        }
        let before = self.parts.partition_point(|part| part.start.byte <= range.start);
        let part = before.checked_sub(1).and_then(|at| self.parts.get(at)).filter(|part| part.covers(&range));
        let within = |start: u64, length: usize| range.start >= start && range.end <= start + length as u64;
        let found = if within(0, self.head.len()) {
            slice(&self.head, 0, &range)
        } else if within(self.tail_start, self.tail.len()) {
            slice(&self.tail, self.tail_start, &range)
        } else if let Some(part) = part {
            slice(&part.text, part.start.byte, &range)
        } else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the middle of this output was not kept"));
        };
        found.map(Cow::Borrowed).ok_or_else(|| not_on_a_border(&range))
    }

    fn text(&self) -> Option<&str> {
        None
    }
}

/// The bytes in `range` of a text that starts at byte `start`.
fn slice<'t>(text: &'t str, start: u64, range: &Range<u64>) -> Option<&'t str> {
    let from = usize::try_from(range.start.checked_sub(start)?).ok()?;
    let to = usize::try_from(range.end.checked_sub(start)?).ok()?;
    text.get(from..to)
}

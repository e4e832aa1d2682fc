//! Lines and bytes: where the part that was asked for begins and ends.

use std::ops::Range;

use offcut_core::document::Document;
use offcut_core::extent::Position;

use super::RecallError;
use super::document::ArtifactDocument;
use super::request::Selector;

/// A part of an artifact's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) start: Position,
    pub(super) end: Position,
    /// Whether it was asked for in lines (or whole), not in bytes.
    pub(super) in_lines: bool,
}

impl Part {
    pub(super) fn bytes(&self) -> Range<u64> {
        self.start.byte..self.end.byte
    }

    /// The numbers of its first and last line, 1-based; `None` where it is empty.
    pub(super) fn lines(&self, source: &ArtifactDocument<'_>) -> Result<Option<(u64, u64)>, RecallError> {
        if self.start.byte >= self.end.byte {
            return Ok(None);
        }
        let document: &dyn Document = source;
        let last = source.floor(self.end.byte - 1)?;
        let last = document.position(last).map_err(RecallError::unwrapped)?;
        // A line end belongs to the line that it ends.
        Ok(Some((self.start.line + 1, last.line + 1)))
    }
}

/// The part that a selector of lines or bytes names; `None` for one that searches.
pub(super) fn part(source: &ArtifactDocument<'_>, selector: &Selector) -> Result<Option<Part>, RecallError> {
    let extent = *source.extent();
    if source.is_binary() && !matches!(selector, Selector::Whole | Selector::Bytes { .. }) {
        return Err(RecallError::NotText { media_type: source.media_type() });
    }
    let part = match selector {
        Selector::Whole => Part { start: Position::default(), end: end(source), in_lines: true },
        Selector::Tail(0) => Part { start: end(source), end: end(source), in_lines: true },
        Selector::Tail(count) => lines(source, extent.lines.saturating_sub(*count), extent.lines)?,
        Selector::Lines { start, end } => {
            let (first, last) = checked_lines(extent.lines, *start, *end)?;
            lines(source, first - 1, last)?
        }
        Selector::Bytes { start, end } => bytes(source, *start, *end)?,
        Selector::Query { .. } | Selector::Pattern { .. } => return Ok(None),
    };
    Ok(Some(part))
}

/// The lines that were asked for, 1-based and inclusive, if they are there.
pub(super) fn checked_lines(lines: u64, start: Option<u64>, end: Option<u64>) -> Result<(u64, u64), RecallError> {
    let refuse = |why: String| Err(RecallError::BadRange { why });
    let (first, last) = (start.unwrap_or(1), end.unwrap_or(u64::MAX));
    if first == 0 || last == 0 {
        let key = if first == 0 { "start_line" } else { "end_line" };
        return refuse(format!("{key} is 0, but lines are counted from 1; the artifact has lines 1 to {lines}"));
    }
    if first > last {
        return refuse(format!("start_line ({first}) is after end_line ({last}); give the smaller one first"));
    }
    if first > lines {
        return refuse(format!("line {first} is past the end; the artifact has {lines} lines"));
    }
    Ok((first, last.min(lines)))
}

fn lines(source: &ArtifactDocument<'_>, before: u64, through: u64) -> Result<Part, RecallError> {
    let document: &dyn Document = source;
    let at = |line| document.line_start(line).map_err(RecallError::unwrapped);
    let end = if through >= source.extent().lines { end(source) } else { at(through)? };
    Ok(Part { start: at(before)?, end, in_lines: true })
}

fn bytes(source: &ArtifactDocument<'_>, start: Option<u64>, end: Option<u64>) -> Result<Part, RecallError> {
    let size = source.size();
    let refuse = |why: String| Err(RecallError::BadRange { why });
    let (first, last) = (start.unwrap_or(0), end.unwrap_or(u64::MAX));
    if first >= last {
        return refuse(format!("start_byte ({first}) is not before end_byte ({last}), which is exclusive"));
    }
    if first >= size {
        return refuse(format!("byte {first} is past the end; the artifact has {size} bytes"));
    }
    if source.is_binary() {
        let at = |byte| Position { byte, char: byte, line: 0 };
        return Ok(Part { start: at(first), end: at(last.min(size)), in_lines: false });
    }
    let from = source.floor(first)?;
    let to = match source.floor(last.min(size))? {
        to if to > from => to,
        _ => source.after(from)?,
    };
    let document: &dyn Document = source;
    let at = |byte| document.position(byte).map_err(RecallError::unwrapped);
    Ok(Part { start: at(from)?, end: at(to)?, in_lines: false })
}

/// The end of the text, which the extent knows; its line is the number of the last one.
fn end(source: &ArtifactDocument<'_>) -> Position {
    let extent = source.extent();
    Position { byte: extent.bytes, char: extent.chars, line: extent.lines }
}

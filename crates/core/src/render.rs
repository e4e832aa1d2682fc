//! Turning a cut into the text that a model reads, and into the facts about it.

use std::io;
use std::ops::Range;

use crate::cut::{Cut, Mark, Piece};
use crate::document::{Document, Walker};
use crate::extent::Position;
use crate::notice;

/// Whether gaps are marked in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markers {
    /// `... [X lines / Y chars omitted] ...` where something is missing.
    Shown,
    /// Nothing: the notice around the text says it all (`paged`).
    Hidden,
}

/// A part of the document that is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Its bytes.
    pub bytes: Range<u64>,
    /// The lines that lie wholly in it, 0-based.
    pub lines: Range<u64>,
    /// Its characters.
    pub chars: u64,
}

/// A cut as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// What is shown, markers included.
    pub text: String,
    /// The lines of which something is shown, 1-based and inclusive, in order and not touching.
    pub shown: Vec<(u64, u64)>,
    /// What is not shown, in order.
    pub gaps: Vec<Gap>,
    /// How many characters of `text` are the document's own.
    pub kept_chars: u64,
}

impl Rendered {
    /// Lines of which something is shown.
    pub fn shown_lines(&self) -> u64 {
        self.shown.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Lines of which nothing is shown.
    pub fn omitted_lines(&self) -> u64 {
        self.gaps.iter().map(|gap| gap.lines.end - gap.lines.start).sum()
    }

    /// Characters that are not shown.
    pub fn omitted_chars(&self) -> u64 {
        self.gaps.iter().map(|gap| gap.chars).sum()
    }

    /// The gap with the most characters; the first of several.
    pub fn largest_gap(&self) -> Option<&Gap> {
        self.gaps.iter().reduce(|largest, gap| if gap.chars > largest.chars { gap } else { largest })
    }
}

/// Renders `cut`, reading what it keeps.
pub fn render(document: &dyn Document, cut: &Cut, markers: Markers) -> io::Result<Rendered> {
    let total = document.extent();
    let mut rendered = Rendered::default();
    let mut walker = Walker::new(document);
    let mut start = Position::default();
    let mut starts_line = true;
    for piece in cut.pieces() {
        let Some(range) = piece.range() else {
            if let Piece::Insert(inserted) = piece {
                rendered.text.push_str(inserted);
            }
            continue;
        };
        let (mut end, end_starts_line) = walker.walk_to(range.end)?;
        let after = end;
        if range.end == total.bytes {
            end.line = total.lines;
        }
        match piece {
            Piece::Keep { .. } => {
                rendered.text.push_str(&document.read(range.clone())?);
                rendered.kept_chars += end.char - start.char;
                let last = if end_starts_line || range.end == total.bytes { end.line } else { end.line + 1 };
                push_lines(&mut rendered.shown, start.line + 1, last.max(start.line + 1));
            }
            Piece::Omit { mark, .. } => {
                let first = start.line + u64::from(!starts_line);
                let gap = Gap { bytes: range.clone(), lines: first..end.line.max(first), chars: end.char - start.char };
                if markers == Markers::Shown {
                    push_mark(&mut rendered.text, &gap, mark);
                }
                rendered.gaps.push(gap);
            }
            Piece::Insert(_) => {}
        }
        start = after;
        starts_line = end_starts_line;
    }
    Ok(rendered)
}

fn push_lines(shown: &mut Vec<(u64, u64)>, first: u64, last: u64) {
    match shown.last_mut() {
        Some((_, before)) if *before + 1 >= first => *before = last.max(*before),
        _ => shown.push((first, last)),
    }
}

fn push_mark(text: &mut String, gap: &Gap, mark: &Mark) {
    match mark {
        Mark::Line(detail) => {
            end_line(text);
            text.push_str(&notice::marker(gap.lines.end - gap.lines.start, gap.chars, detail.as_deref()));
            text.push('\n');
        }
        Mark::Inline => text.push_str(&notice::inline_marker(gap.chars)),
        Mark::Silent => {}
    }
}

/// Ends the last line of `text` where it has no end yet.
pub fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with(['\n', '\r']) {
        text.push('\n');
    }
}

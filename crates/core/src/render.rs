//! Turning a cut into the text that a model reads, and into the facts about it.

use std::io;
use std::ops::Range;

use crate::budget::Marks;
use crate::cut::{Cut, Mark, Piece};
use crate::document::{Document, Walker};
use crate::extent::Position;
use crate::notice::{self, Address};
use crate::text;

/// Whether gaps are marked in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markers<'h> {
    /// `... [X lines / Y chars omitted] ...` where something is missing.
    Counts,
    /// `[9kgw FROM-TO]` where something is missing, with this handle.
    Addresses(&'h str),
    /// Nothing: the notice around the text says it all (`paged`).
    Hidden,
}

impl Markers<'_> {
    /// What the marks cost, where they are paid from the budget.
    pub fn marks(self) -> Marks {
        match self {
            Markers::Counts => Marks::Counts,
            Markers::Addresses(handle) => Marks::Addresses { handle: handle.len().try_into().unwrap_or(u8::MAX) },
            Markers::Hidden => Marks::Free,
        }
    }
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
    /// Whether it begins and ends with a line, so that its lines are all of it.
    pub whole_lines: bool,
}

impl Gap {
    /// Where it is: its lines where these are all of it, else its bytes.
    pub fn address(&self) -> Address {
        match self.whole_lines && !self.lines.is_empty() {
            true => Address::Lines { first: self.lines.start + 1, last: self.lines.end },
            false => Address::Bytes { start: self.bytes.start, end: self.bytes.end },
        }
    }
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
    /// How many characters were left off at the beginnings of lines.
    pub left_off_chars: u64,
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
        self.gaps.iter().map(|gap| gap.chars).sum::<u64>() + self.left_off_chars
    }

    /// The gap with the most characters; the first of several.
    pub fn largest_gap(&self) -> Option<&Gap> {
        self.gaps.iter().reduce(|largest, gap| if gap.chars > largest.chars { gap } else { largest })
    }
}

/// Renders `cut`, reading what it keeps.
pub fn render(document: &dyn Document, cut: &Cut, markers: Markers<'_>) -> io::Result<Rendered> {
    let total = document.extent();
    let mut rendered = Rendered::default();
    let mut walker = Walker::new(document);
    let mut start = Position::default();
    let mut starts_line = true;
    // The line whose words are missing although its end is kept.
    let mut wordless = None;
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
                let first = start.line + 1 + u64::from(wordless == Some(start.line));
                if wordless.take().is_none() {
                    push_lines(&mut rendered.shown, first, last.max(first));
                } else if first <= last {
                    push_lines(&mut rendered.shown, first, last);
                }
            }
            Piece::Omit { mark: Mark::Prefix, .. } => rendered.left_off_chars += end.char - start.char,
            Piece::Omit { mark, .. } => {
                let first = start.line + u64::from(!starts_line);
                let ends_words = !end_starts_line && first <= end.line && is_line_end(document, range.end)?;
                wordless = ends_words.then_some(end.line);
                let gap = Gap {
                    bytes: range.clone(),
                    lines: first..(end.line + u64::from(ends_words)).max(first),
                    chars: end.char - start.char,
                    whole_lines: starts_line && (end_starts_line || range.end == total.bytes),
                };
                push_mark(&mut rendered.text, &gap, mark, markers);
                rendered.gaps.push(gap);
            }
            Piece::Insert(_) => {}
        }
        start = after;
        starts_line = end_starts_line;
    }
    Ok(rendered)
}

/// Whether a line end stands at `byte`.
fn is_line_end(document: &dyn Document, byte: u64) -> io::Result<bool> {
    Ok(byte < document.extent().bytes && document.read_around(byte..byte + 1)?.starts_with(['\n', '\r']))
}

/// `cut` with every gap shown whose mark would take more room than what it hides.
pub fn bridged(document: &dyn Document, cut: Cut, markers: Markers<'_>) -> io::Result<Cut> {
    let most = markers.marks().most(document.extent());
    let small = |piece: &Piece| match piece {
        Piece::Omit { range, mark: Mark::Line(_) | Mark::Inline | Mark::Body } => range.end - range.start <= most,
        Piece::Keep { .. } | Piece::Omit { .. } | Piece::Insert(_) => false,
    };
    if !cut.pieces().iter().any(small) {
        return Ok(cut);
    }
    let mut pieces = Vec::with_capacity(cut.pieces().len());
    for piece in cut.pieces() {
        let Some(range) = piece.range().filter(|_| small(piece)) else {
            pieces.push(piece.clone());
            continue;
        };
        let alone = vec![
            Piece::omit_silently(0..range.start),
            piece.clone(),
            Piece::omit_silently(range.end..document.extent().bytes),
        ];
        let marked = render(document, &Cut::of("", alone, document.extent()).map_err(io::Error::other)?, markers)?;
        let hidden = document.read(range.clone())?;
        // A mark may have to end the line before it.
        match text::chars(&hidden) <= text::chars(&marked.text) {
            true => pieces.push(Piece::keep(range.clone(), "shorter than its mark")),
            false => pieces.push(piece.clone()),
        }
    }
    cut.with_pieces(pieces, document.extent()).map_err(io::Error::other)
}

fn push_lines(shown: &mut Vec<(u64, u64)>, first: u64, last: u64) {
    match shown.last_mut() {
        Some((_, before)) if *before + 1 >= first => *before = last.max(*before),
        _ => shown.push((first, last)),
    }
}

fn push_mark(text: &mut String, gap: &Gap, mark: &Mark, markers: Markers<'_>) {
    let lines = gap.lines.end - gap.lines.start;
    match (markers, mark) {
        (Markers::Hidden, _) | (_, Mark::Silent | Mark::Prefix) => {}
        (Markers::Counts, Mark::Inline) => text.push_str(&notice::inline_marker(gap.chars)),
        (Markers::Counts, Mark::Line(detail)) => {
            end_line(text);
            text.push_str(&notice::marker(lines, gap.chars, detail.as_deref()));
            text.push('\n');
        }
        (Markers::Counts, Mark::Body) => {
            let end = unended(text);
            text.push_str(&notice::body_marker(lines));
            text.push_str(end);
        }
        (Markers::Addresses(handle), Mark::Inline) => {
            text.push_str(&format!(" {} ", notice::gap(handle, gap.address(), None)));
        }
        (Markers::Addresses(handle), Mark::Line(detail)) => {
            end_line(text);
            text.push_str(&notice::gap(handle, gap.address(), detail.as_deref()));
            text.push('\n');
        }
        (Markers::Addresses(handle), Mark::Body) => {
            let end = unended(text);
            text.push_str(&format!(" {}", notice::gap(handle, gap.address(), None)));
            text.push_str(end);
        }
    }
}

/// Takes the end of the last line off `text` and returns it.
fn unended(text: &mut String) -> &'static str {
    let end = ["\r\n", "\n", "\r"].into_iter().find(|end| text.ends_with(end)).unwrap_or_default();
    text.truncate(text.len() - end.len());
    end
}

/// Ends the last line of `text` where it has no end yet.
pub fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with(['\n', '\r']) {
        text.push('\n');
    }
}

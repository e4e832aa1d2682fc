//! Cutting within a budget, and naming places.

use std::io;

use crate::budget::Budget;
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::strategy::CutError;
use crate::text;

/// Where `byte` is, in words.
pub(super) fn place(document: &dyn Document, byte: u64) -> io::Result<String> {
    let position = document.position(byte)?;
    let line = document.line_start(position.line)?;
    Ok(format!("line {} column {}", position.line + 1, position.char - line.char + 1))
}

/// Makes the cut for the room that the budget gives. Characters and bytes are what the cutting itself counts; where
/// lines are bounded, too, it is given less room until they fit.
pub(super) fn within(
    budget: &Budget,
    document: &dyn Document,
    mut cut: impl FnMut(u64, bool) -> Result<Cut, CutError>,
) -> Result<Cut, CutError> {
    let in_bytes = budget.bytes.is_some();
    let mut limit = budget.bytes.map_or(budget.chars, |bytes| bytes.min(budget.chars));
    loop {
        let made = cut(limit, in_bytes)?;
        let Some(most) = budget.lines else { return Ok(made) };
        if shown_lines(&made, document)? <= most {
            return Ok(made);
        }
        limit = limit * 2 / 3;
    }
}

fn shown_lines(cut: &Cut, document: &dyn Document) -> io::Result<u64> {
    let mut shown = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => shown.push_str(&document.read(range.clone())?),
            Piece::Omit { .. } => {}
            Piece::Insert(inserted) => shown.push_str(inserted),
        }
    }
    Ok(text::lines(&shown))
}

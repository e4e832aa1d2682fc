//! From chosen rows to the pieces of a cut.

use super::fill::Kept;
use super::table::{Row, Table};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::strategy::NoCut;

/// The cut that shows `kept` (rows in order, disjoint) of the table's document.
pub(super) fn cut(document: &dyn Document, table: &Table<'_>, kept: &[Kept]) -> Result<Cut, NoCut> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for kept in kept {
        for row in table.rows().get(kept.rows.clone()).unwrap_or(&[]) {
            if row.byte > at {
                pieces.push(Piece::omit(at..row.byte));
            }
            at = row.range().end;
            if table.is_long(row) {
                shorten(document, table, row, kept.why, &mut pieces)?;
            } else {
                pieces.push(Piece::keep(row.range(), kept.why));
            }
        }
    }
    if at < document.extent().bytes {
        pieces.push(Piece::omit(at..document.extent().bytes));
    }
    Ok(Cut::of("smart", pieces, document.extent())?)
}

/// A line that alone is too long: its beginning and its end.
fn shorten(
    document: &dyn Document,
    table: &Table<'_>,
    row: &Row,
    why: &'static str,
    pieces: &mut Vec<Piece>,
) -> Result<(), NoCut> {
    let range = row.range();
    let start = document.position(range.start)?.char;
    let tail = table.line_limit / 6;
    let head_end = document.char_start(start + table.line_limit - tail)?.byte.min(range.end);
    let tail_start = document.char_start(start + row.chars.saturating_sub(tail))?.byte.max(head_end);
    pieces.push(Piece::keep(range.start..head_end, why));
    pieces.push(Piece::omit_inline(head_end..tail_start));
    pieces.push(Piece::keep(tail_start..range.end, why));
    Ok(())
}

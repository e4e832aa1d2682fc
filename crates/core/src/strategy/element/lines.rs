//! Cutting plain lists of lines: search results, listings.
//!
//! Every line is an element: the first and the last stay, and a marker tells how many are missing between them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::budget::{Budget, Ledger};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::strategy::{CutContext, CutError, Cutter, Settings};
use crate::text;

/// Reads a list of lines.
pub(super) fn prepare<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    if document.extent().lines < 2 {
        return Err(CutError::Shape("there is only one line in it".into()));
    }
    let settings = context.settings;
    Ok(Box::new(move |budget: &Budget| cut(document, settings, budget)))
}

fn cut(document: &dyn Document, settings: &Settings, budget: &Budget) -> Result<Cut, CutError> {
    let extent = document.extent();
    let first = settings.first_elements.min(extent.lines);
    let last = settings.last_elements.min(extent.lines - first);
    let mut ledger = budget.ledger();
    let marker = budget.marker(extent);
    if first + last < extent.lines && !ledger.spend_chars(marker) {
        return Err(CutError::Shape("there is no room for any line".into()));
    }
    // From both ends towards the middle, so that what does not fit is missing there.
    let mut kept: BTreeMap<u64, KeptLine> = BTreeMap::new();
    let mut fits = (true, true);
    for step in 0..first.max(last) {
        if fits.0 && step < first {
            fits.0 = keep(document, settings, &mut ledger, &mut kept, step, marker)?;
        }
        if fits.1 && step < last {
            fits.1 = keep(document, settings, &mut ledger, &mut kept, extent.lines - 1 - step, marker)?;
        }
    }
    if kept.is_empty() {
        return Err(CutError::Shape("there is no room for any line".into()));
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    for (line, kept) in &kept {
        pieces.push(Piece::omit(at..kept.range.start));
        let why = if *line < first { "first elements" } else { "last elements" };
        pieces.push(Piece::keep(kept.range.start..kept.shortened.start, why));
        pieces.push(Piece::omit_inline(kept.shortened.clone()));
        pieces.push(Piece::keep(kept.shortened.end..kept.range.end, why));
        at = kept.range.end;
    }
    pieces.push(Piece::omit(at..extent.bytes));
    let mut cut = Cut::of("element", pieces, extent)?;
    cut.omitted_elements = Some(extent.lines - kept.len() as u64);
    cut.about = Some(format!("{} lines", extent.lines));
    Ok(cut)
}

/// A line that stays, and the part of it that does not.
struct KeptLine {
    range: Range<u64>,
    shortened: Range<u64>,
}

/// Keeps line `line` if it fits.
fn keep(
    document: &dyn Document,
    settings: &Settings,
    ledger: &mut Ledger,
    kept: &mut BTreeMap<u64, KeptLine>,
    line: u64,
    marker: u64,
) -> Result<bool, CutError> {
    let start = document.line_start(line)?.byte;
    let end = document.line_start(line + 1)?.byte;
    let longest = settings.max_line_length.min(ledger.chars());
    // Four bytes a character and the line end: whatever is longer is certainly too long.
    let head = document.read_around(start..end.min(start + longest * 4 + 2))?;
    let words = text::chars(head.trim_end_matches(['\n', '\r']));
    let whole = start + head.len() as u64 == end && words <= longest;
    let shortened =
        if whole { end..end } else { start + text::prefix(&head, longest) as u64..words_end(document, end)? };
    let spent = ledger.spend(text::slice(&head, 0..(shortened.start - start) as usize))
        && ledger.spend_chars(end - shortened.end)
        && (whole || ledger.spend_chars(marker));
    if spent {
        kept.insert(line, KeptLine { range: start..end, shortened });
    }
    Ok(spent)
}

/// Where the words of the line that ends at `end` do.
fn words_end(document: &dyn Document, end: u64) -> Result<u64, CutError> {
    let from = document.position(end.saturating_sub(2))?.byte;
    let tail = document.read(from..end)?;
    Ok(from + tail.trim_end_matches(['\n', '\r']).len() as u64)
}

//! Parts of another kind in a text: a JSON value that a program printed into its log, a page of HTML that a server
//! answered with, a diff. Each is cut by its own kind, so that a value which is shown still parses, and takes a share
//! of the room by what it is worth: one beside an error more than a lone one.
//!
//! JSON, XML and HTML are told where they begin with a line (or behind words on it, such as `Response body: {`) and
//! have their end; the value must stand there as it is, without times before its lines. Diffs are told by their
//! headers. YAML and CSV are not looked for: too much of what programs print could be either.
//!
//! Only rows of the table are looked at, so of a large document what passed the prescan. How many values are tried and
//! how long they may be is bounded, and what looked like a value and was none is not looked at again.

mod find;

use std::ops::Range;

use super::fill::Unit;
use super::notes::{Notes, Style};
use super::scored::Scored;
use super::table::{Size, Table};
use super::{diff, log};
use crate::budget::Budget;
use crate::cut::{Mark, Piece};
use crate::document::{Document, TextDocument};
use crate::kind::{Classification, Kind};
use crate::strategy::element::Element;
use crate::strategy::{CutContext, CutError, Settings, Strategy};
use crate::text;

/// A value of another kind.
#[derive(Debug, Clone)]
pub(super) struct Inset {
    /// The rows that it takes, those that it begins and ends in included.
    pub(super) rows: Range<u32>,
    /// What seeing some of it is worth.
    pub(super) worth: f32,
    /// The most of the budget that it may take.
    pub(super) share: f32,
    /// Values that begin alike have the same key.
    pub(super) key: u64,
    kind: Kind,
    /// Its bytes in the document.
    value: Range<u64>,
    /// The value alone.
    document: TextDocument,
    /// What stands before and behind it in its rows.
    around: Size,
}

/// What is shown of an inset.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) pieces: Vec<Piece>,
    pub(super) size: Size,
}

/// How many values are cut by their kind; of more, the best.
const MOST: usize = 16;

/// How many rows before and behind a value lend it their worth.
const NEAR: u32 = 4;

/// From this worth on a line tells of trouble.
const TROUBLE: f32 = 35.0;

/// What a value is worth at least.
const LEAST: f32 = 6.0;

/// What a value is worth of what its lines would be, and of what the lines beside it are.
const INNER: f32 = 0.5;
const BESIDE: f32 = 0.2;

/// The shares of a value that tells of trouble or stands beside it, and of another.
const SHARE: f32 = 0.3;
const LONE_SHARE: f32 = 0.15;

/// What a line of a diff in another text is worth of what it would be in a diff.
const DIFF: f32 = 0.08;

/// Finds the parts of `reading` that are of another kind; they take the place of the units among their rows. Says
/// whether all values are among them.
pub(super) fn read(document: &dyn Document, table: &Table<'_>, reading: &mut Scored) -> Result<bool, CutError> {
    let taken: Vec<Range<u32>> = reading.bundles.iter().map(super::fill::Bundle::span).collect();
    diffs(table, &taken, reading);
    let (mut found, tried_all) = find::values(document, table, &taken)?;
    let count = found.len();
    // Where many lines hold a value each, they are records of a log, and weighed as its lines.
    if found.iter().filter(|inset| inset.rows.len() == 1).count() > MOST {
        found.retain(|inset| inset.rows.len() > 1);
    }
    for inset in &mut found {
        weigh(inset, &reading.units);
    }
    if found.len() > MOST {
        let mut ranked: Vec<usize> = (0..found.len()).collect();
        ranked.sort_by_key(|&at| std::cmp::Reverse(found.get(at).map_or(0, |inset| inset.worth.to_bits())));
        let mut best: Vec<usize> = ranked.into_iter().take(MOST).collect();
        best.sort_unstable();
        let mut at = 0;
        found.retain(|_| {
            at += 1;
            best.binary_search(&(at - 1)).is_ok()
        });
    }
    let inside = |rows: &Range<u32>| {
        let next = found.partition_point(|inset| inset.rows.end <= rows.start);
        found.get(next).is_some_and(|inset| inset.rows.start < rows.end)
    };
    if !found.is_empty() {
        reading.units.retain(|unit| !inside(&unit.rows));
        reading.bundles.retain(|bundle| !inside(&bundle.span()));
    }
    let all = tried_all && found.len() == count;
    reading.insets = found;
    Ok(all)
}

/// What an inset is worth by what it says and by what stands around it.
fn weigh(inset: &mut Inset, units: &[Unit]) {
    // What a line says by itself, and not only by its neighbours.
    let worth = |rows: Range<u32>| {
        let first = units.partition_point(|unit| unit.rows.end <= rows.start);
        let units = units.iter().skip(first).take_while(|unit| unit.rows.start < rows.end);
        units.filter(|unit| unit.why != log::CONTEXT).map(|unit| unit.worth).fold(0.0, f32::max)
    };
    let Range { start, end } = inset.rows;
    let inner = worth(start..end);
    let near = worth(start.saturating_sub(NEAR)..start).max(worth(end..end + NEAR));
    inset.worth = LEAST.max(inner * INNER).max(near * BESIDE);
    inset.share = if inner.max(near) >= TROUBLE { SHARE } else { LONE_SHARE };
}

/// Weighs the rows of diffs as those of diffs.
fn diffs(table: &Table<'_>, taken: &[Range<u32>], reading: &mut Scored) {
    if memchr::memmem::find(table.text().as_bytes(), b"\n@@ -").is_none() {
        return;
    }
    let mut units = Vec::new();
    let mut found: Vec<Range<u32>> = Vec::new();
    let mut notes = Notes::new(Style::Changes);
    let (mut row, mut done) = (0, 0);
    while row < table.len() {
        let line = table.words(row);
        let begins = line.starts_with("diff --git ")
            || line.starts_with("--- ")
                && table.words(row + 1).starts_with("+++ ")
                && table.words(row + 2).starts_with("@@ -");
        let part = if begins && !is_taken(taken, row as u32) { diff::part(table, row) } else { None };
        let Some(part) = part else {
            row += 1;
            continue;
        };
        row = part.end;
        let range = part.start as u32..part.end as u32;
        let first = reading.units.partition_point(|unit| unit.rows.start < range.start);
        let last = reading.units.partition_point(|unit| unit.rows.start < range.end);
        units.extend_from_slice(reading.units.get(done..first).unwrap_or(&[]));
        done = last;
        let replaced = reading.units.get(first..last).unwrap_or(&[]);
        for mut unit in diff::units(table, part, &mut notes) {
            // What a line tells beside being part of a diff stays.
            let told = replaced.partition_point(|told| told.rows.start < unit.rows.start);
            let told = replaced.iter().skip(told).take_while(|told| told.rows.start < unit.rows.end);
            unit.worth = (unit.worth * DIFF).max(told.map(|told| told.worth).fold(0.0, f32::max));
            units.push(unit);
        }
        found.push(range);
    }
    if found.is_empty() {
        return;
    }
    units.extend_from_slice(reading.units.get(done..).unwrap_or(&[]));
    reading.units = units;
    // A trace that a diff changes is part of the diff.
    reading.bundles.retain(|bundle| {
        let next = found.partition_point(|range| range.end <= bundle.span().start);
        found.get(next).is_none_or(|range| range.start >= bundle.span().end)
    });
}

/// Whether a row belongs to one of `taken`.
fn is_taken(taken: &[Range<u32>], row: u32) -> bool {
    let next = taken.partition_point(|range| range.end <= row);
    taken.get(next).is_some_and(|range| range.start <= row)
}

impl Inset {
    /// What it is, in a word.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Xml => "XML",
            Kind::Html => "HTML",
            _ => "JSON",
        }
    }

    /// What is shown of it within `room`, which must hold what stands around it, too; nothing if too little would be.
    pub(super) fn cut(&self, room: Size, line_bound: bool, settings: &Settings) -> Option<Shown> {
        let room = room.minus(self.around);
        let budget = Budget {
            chars: u64::try_from(room.chars).ok()?,
            bytes: Some(u64::try_from(room.bytes).ok()?).filter(|&bytes| bytes < 4 * room.chars as u64),
            lines: if line_bound { Some(u64::try_from(room.lines).ok()?) } else { None },
            markers_count: true,
        };
        let classification = Classification::new(self.kind, 1.0, "part of another text");
        let cut = Element.cut(&self.document, &CutContext::new(budget, settings, &classification)).ok()?;
        let mut size = self.around;
        let mut view = String::new();
        let mut pieces = vec![];
        for piece in cut.pieces() {
            let shifted = |range: &Range<u64>| range.start + self.value.start..range.end + self.value.start;
            match piece {
                Piece::Keep { range, why } => {
                    view.push_str(&self.document.read(range.clone()).ok()?);
                    pieces.push(Piece::keep(shifted(range), format!("{} in the text: {why}", self.name())));
                }
                Piece::Omit { range, mark: Mark::Silent } => pieces.push(Piece::omit_silently(shifted(range))),
                Piece::Omit { .. } => return None,
                Piece::Insert(inserted) => {
                    view.push_str(inserted);
                    pieces.push(Piece::Insert(inserted.clone()));
                }
            }
        }
        let inner = Size {
            chars: text::chars(&view) as i64,
            bytes: view.len() as i64,
            // The line that it begins in is counted with what stands around it.
            lines: text::lines(&view).saturating_sub(1) as i64,
        };
        size = size.plus(inner);
        let fits = inner.chars <= room.chars && inner.bytes <= room.bytes && (!line_bound || inner.lines <= room.lines);
        fits.then_some(Shown { pieces, size })
    }

    /// The pieces of its rows (which lie at `rows` in the document) with what stands around it.
    pub(super) fn framed(&self, rows: Range<u64>, shown: &Shown) -> Vec<Piece> {
        let why = || format!("around {} in the text", self.name());
        let mut pieces = vec![Piece::keep(rows.start..self.value.start, why())];
        pieces.extend(shown.pieces.iter().cloned());
        pieces.push(Piece::keep(self.value.end..rows.end, why()));
        pieces
    }
}

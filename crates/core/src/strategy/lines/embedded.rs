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
pub(super) mod value;

use std::ops::Range;

use crate::document::Document;
use crate::strategy::CutError;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::diff;
use crate::strategy::lines::score::scored::Scored;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::{Bundle, CONTEXT, Unit};
use crate::strategy::lines::weights::embedded as weights;
use find::is_taken;
use value::Embedded;

/// How many values are cut by their kind; of more, the best.
const MOST: usize = 16;

/// How many rows before and behind a value lend it their worth.
const NEAR: u32 = 4;

/// Finds the parts of `reading` that are of another kind; they take the place of the units among their rows. Says
/// whether all values are among them.
pub(super) fn find(document: &dyn Document, table: &Table<'_>, reading: &mut Scored) -> Result<bool, CutError> {
    let taken: Vec<Range<u32>> = reading.bundles.iter().map(Bundle::span).collect();
    diffs(table, &taken, reading);
    let (mut found, tried_all) = find::values(document, table, &taken)?;
    let count = found.len();
    // Where many lines hold a value each, they are records of a log, and weighed as its lines.
    if found.iter().filter(|embed| embed.rows.len() == 1).count() > MOST {
        found.retain(|embed| embed.rows.len() > 1);
    }
    for embed in &mut found {
        weigh(embed, &reading.units);
    }
    if found.len() > MOST {
        let mut ranked: Vec<usize> = (0..found.len()).collect();
        ranked.sort_by_key(|&at| std::cmp::Reverse(found.get(at).map_or(0, |embed| embed.worth.to_bits())));
        let mut best: Vec<usize> = ranked.into_iter().take(MOST).collect();
        best.sort_unstable();
        let mut at = 0;
        found.retain(|_| {
            at += 1;
            best.binary_search(&(at - 1)).is_ok()
        });
    }
    let inside = |rows: &Range<u32>| {
        let next = found.partition_point(|embed| embed.rows.end <= rows.start);
        found.get(next).is_some_and(|embed| embed.rows.start < rows.end)
    };
    if !found.is_empty() {
        reading.units.retain(|unit| !inside(&unit.rows));
        reading.bundles.retain(|bundle| !inside(&bundle.span()));
    }
    let all = tried_all && found.len() == count;
    reading.embeds = found;
    Ok(all)
}

/// What an embed is worth by what it says and by what stands around it.
fn weigh(embed: &mut Embedded, units: &[Unit]) {
    // What a line says by itself, and not only by its neighbours.
    let worth = |rows: Range<u32>| {
        let first = units.partition_point(|unit| unit.rows.end <= rows.start);
        let units = units.iter().skip(first).take_while(|unit| unit.rows.start < rows.end);
        units.filter(|unit| unit.why != CONTEXT).map(|unit| unit.worth).fold(0.0, f32::max)
    };
    let Range { start, end } = embed.rows;
    let inner = worth(start..end);
    let near = worth(start.saturating_sub(NEAR)..start).max(worth(end..end + NEAR));
    embed.worth = weights::LEAST.max(inner * weights::INNER).max(near * weights::BESIDE);
    embed.share = if inner.max(near) >= weights::TROUBLE { weights::SHARE } else { weights::LONE_SHARE };
}

/// Weighs the rows of diffs as those of diffs.
fn diffs(table: &Table<'_>, taken: &[Range<u32>], reading: &mut Scored) {
    if memchr::memmem::find(table.text().as_bytes(), b"\n@@ -").is_none() {
        return;
    }
    let mut units = Vec::new();
    let mut found: Vec<Range<u32>> = Vec::new();
    let mut labels = GapLabels::new(Style::Changes);
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
        for mut unit in diff::units(table, part, &mut labels) {
            // What a line tells beside being part of a diff stays.
            let told = replaced.partition_point(|told| told.rows.start < unit.rows.start);
            let told = replaced.iter().skip(told).take_while(|told| told.rows.start < unit.rows.end);
            unit.worth = (unit.worth * weights::DIFF).max(told.map(|told| told.worth).fold(0.0, f32::max));
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

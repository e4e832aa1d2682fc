//! What traces are worth: whole where they fit, else their messages, causes and own frames before anything else of them.

use std::collections::HashSet;

use super::weighed::WeighedLine;
use crate::hash::Plain;
use crate::line::trace::TraceLine;
use crate::line::{Role, Severity};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::traces::{self, Rows, Trace};
use crate::strategy::lines::unit::Bundle;
use crate::strategy::lines::weights::traces as weights;

impl Rows for Vec<WeighedLine> {
    fn line(&self, row: usize) -> TraceLine {
        self.get(row).map_or(TraceLine::Blank, |row| row.line)
    }

    fn says(&self, row: usize) -> bool {
        self.get(row).is_some_and(|row| {
            matches!(row.role, Role::Message | Role::Error | Role::FailedTest) && row.severity > Severity::Negligible
        })
    }
}

/// Finds the traces, and marks what repeats in them and which ones repeat others.
pub(in crate::strategy::lines) fn find(table: &Table<'_>, rows: &mut Vec<WeighedLine>) -> Vec<Trace> {
    let traces = traces::find(table, rows);
    let mut seen: HashSet<u64, Plain> = HashSet::default();
    for trace in &traces {
        let again = !seen.insert(trace.key);
        let folded = trace.folds.iter().flat_map(|fold| fold.rows.clone());
        folded.for_each(|row| rows.get_mut(row).into_iter().for_each(|row| row.folded = true));
        rows.iter_mut().take(trace.rows.end).skip(trace.rows.start).for_each(|row| row.again = again);
    }
    traces
}

/// Weighs the rows of traces by what they are in them.
pub(in crate::strategy::lines) fn weigh(traces: &[Trace], rows: &mut [WeighedLine]) {
    let mut end = 0;
    for trace in traces {
        let message = message(trace, rows);
        let above = before(trace, end, rows).filter(|_| message >= weights::TOLD);
        let announces = announcing(trace, end, rows).is_some();
        end = trace.rows.end;
        if let Some(row) = above.and_then(|row| rows.get_mut(row)).filter(|row| !row.again) {
            row.worth = row.worth.max(message * if announces { weights::CAUSE } else { weights::STEP_BEFORE });
        }
        for part in &trace.parts {
            if rows.get(trace.rows.start).is_some_and(|row| row.again) {
                for row in rows.iter_mut().take(part.frames.end).skip(part.frames.start) {
                    row.worth *= weights::AGAIN;
                    row.lent *= weights::AGAIN;
                }
                continue;
            }
            if message < weights::TOLD {
                continue;
            }
            // A test's name is worth what it is by itself.
            let says = |row: &WeighedLine| row.line != TraceLine::Blank && row.role != Role::FailedTest;
            let head = part.head.clone().find(|&row| rows.get(row).is_some_and(says));
            if let Some(row) = head.and_then(|row| rows.get_mut(row)) {
                row.worth = row.worth.max(message * weights::CAUSE);
            }
            for row in rows.iter_mut().take(part.own.end).skip(part.own.start) {
                row.worth = row.worth.max(message * weights::OWN);
            }
        }
    }
}

/// The row right above a trace, unless it is one of another trace, which ends at `end`, or the trace was seen before:
/// it says what failed, or what was being done.
fn before(trace: &Trace, end: usize, rows: &[WeighedLine]) -> Option<usize> {
    let above = trace.rows.start.checked_sub(1).filter(|above| *above >= end)?;
    let again = rows.get(trace.rows.start).is_some_and(|row| row.again);
    let says = |row: &WeighedLine| !matches!(row.role, Role::Blank | Role::Pass | Role::Boilerplate);
    rows.get(above).is_some_and(|row| says(row) && !again).then_some(above)
}

/// The row right above a trace that says what failed.
fn announcing(trace: &Trace, end: usize, rows: &[WeighedLine]) -> Option<usize> {
    before(trace, end, rows).filter(|above| rows.get(*above).is_some_and(WeighedLine::is_error))
}

/// What the message of a trace is worth.
fn message(trace: &Trace, rows: &[WeighedLine]) -> f32 {
    let heads = trace.parts.iter().flat_map(|part| part.head.clone()).filter_map(|row| rows.get(row));
    heads.filter(|row| row.role != Role::FailedTest).map(|row| row.worth).fold(0.0, f32::max)
}

/// The traces as what is shown whole where it fits.
pub(in crate::strategy::lines) fn bundles(traces: &[Trace], rows: &[WeighedLine]) -> Vec<Bundle> {
    let mut end = 0;
    traces
        .iter()
        .map(|trace| {
            let mut ranges = Vec::new();
            let start = announcing(trace, std::mem::replace(&mut end, trace.rows.end), rows);
            let mut at = start.unwrap_or(trace.rows.start) as u32;
            for fold in &trace.folds {
                ranges.push(at..fold.rows.start as u32);
                at = fold.rows.end as u32;
            }
            ranges.push(at..trace.rows.end as u32);
            ranges.retain(|range| !range.is_empty());
            let worth = (message(trace, rows) * weights::WHOLE).max(weights::LEAST);
            // The marker sets it off with a colon and a space.
            let aside = trace.folds.iter().map(|fold| fold.said().len() as i64 + 2).sum();
            Bundle { ranges, worth, key: trace.key, aside, why: "stack trace" }
        })
        .collect()
}

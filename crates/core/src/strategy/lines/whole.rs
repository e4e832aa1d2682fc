//! What traces are worth: whole where they fit, else their messages, causes and own frames before anything else of them.

use std::collections::HashSet;

use super::fill::Bundle;
use super::log::Weighed;
use super::table::Table;
use super::traces::{self, Rows, Trace};
use crate::hash::Plain;
use crate::line::Role;
use crate::line::trace::TraceLine;

/// From this worth on a message makes its trace worth following.
const TOLD: f32 = 35.0;

/// What a cause is worth of what the message of its trace is.
const CAUSE: f32 = 0.8;

/// What the frame that tells most is worth of it.
const OWN: f32 = 0.45;

/// What a row is worth that makes a trace whole, of what its message is.
const WHOLE: f32 = 0.08;

/// And at least so much: a goroutine that only waits says little.
const LEAST: f32 = 2.0;

/// What the frames of a trace that was seen before are worth of what they would be.
const AGAIN: f32 = 0.6;

impl Rows for Vec<Weighed> {
    fn line(&self, row: usize) -> TraceLine {
        self.get(row).map_or(TraceLine::Blank, |row| row.line)
    }

    fn says(&self, row: usize) -> bool {
        self.get(row)
            .is_some_and(|row| matches!(row.class, Role::Message | Role::Error | Role::FailedTest) && row.worth >= 12.0)
    }
}

/// Finds the traces, and marks what repeats in them and which ones repeat others.
pub(super) fn find(table: &Table<'_>, rows: &mut Vec<Weighed>) -> Vec<Trace> {
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
pub(super) fn weigh(traces: &[Trace], rows: &mut [Weighed]) {
    for trace in traces {
        let message = message(trace, rows);
        for part in &trace.parts {
            if rows.get(trace.rows.start).is_some_and(|row| row.again) {
                for row in rows.iter_mut().take(part.frames.end).skip(part.frames.start) {
                    row.worth *= AGAIN;
                    row.lent *= AGAIN;
                }
                continue;
            }
            if message < TOLD {
                continue;
            }
            // A test's name is worth what it is by itself.
            let says = |row: &Weighed| row.line != TraceLine::Blank && row.class != Role::FailedTest;
            let head = part.head.clone().find(|&row| rows.get(row).is_some_and(says));
            if let Some(row) = head.and_then(|row| rows.get_mut(row)) {
                row.worth = row.worth.max(message * CAUSE);
            }
            for row in rows.iter_mut().take(part.own.end).skip(part.own.start) {
                row.worth = row.worth.max(message * OWN);
            }
        }
    }
}

/// What the message of a trace is worth.
fn message(trace: &Trace, rows: &[Weighed]) -> f32 {
    let heads = trace.parts.iter().flat_map(|part| part.head.clone()).filter_map(|row| rows.get(row));
    heads.filter(|row| row.class != Role::FailedTest).map(|row| row.worth).fold(0.0, f32::max)
}

/// The traces as what is shown whole where it fits.
pub(super) fn bundles(traces: &[Trace], rows: &[Weighed]) -> Vec<Bundle> {
    traces
        .iter()
        .map(|trace| {
            let mut ranges = Vec::new();
            let mut at = trace.rows.start as u32;
            for fold in &trace.folds {
                ranges.push(at..fold.rows.start as u32);
                at = fold.rows.end as u32;
            }
            ranges.push(at..trace.rows.end as u32);
            ranges.retain(|range| !range.is_empty());
            let worth = (message(trace, rows) * WHOLE).max(LEAST);
            // The marker sets it off with a colon and a space.
            let aside = trace.folds.iter().map(|fold| fold.said().len() as i64 + 2).sum();
            Bundle { ranges, worth, key: trace.key, aside, why: "stack trace" }
        })
        .collect()
}

//! The rows of a log that matter most: those of the steps that failed.

use std::ops::Range;

use super::table::Table;
use crate::line::steps::StepFinder;

/// The rows of the steps that failed, in order and disjoint; none where the text does not name such a step.
pub(super) fn rows(table: &Table<'_>) -> Vec<Range<u32>> {
    // A step could begin in the lines that were not looked at.
    if !Table::takes_whole(table.extent()) {
        return Vec::new();
    }
    let mut finder = StepFinder::default();
    (0..table.len()).for_each(|row| finder.push_body(table.body(row)));
    let mut rows: Vec<Range<u32>> = Vec::new();
    for step in finder.finish().failed() {
        let (start, end) = (step.lines.start as u32, step.lines.end as u32);
        // Steps that ran at the same time may lie within each other.
        match rows.last_mut().filter(|before| start <= before.end) {
            Some(before) => before.end = before.end.max(end),
            None => rows.push(start..end),
        }
    }
    rows
}

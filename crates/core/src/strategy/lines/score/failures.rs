//! Blocks about one failure: the line that says so and what it says about it, shown whole where that fits.

use std::collections::HashMap;
use std::ops::Range;

use super::scored::Scored;
use super::weighed::WeighedLine;
use crate::hash::{Hash, Plain};
use crate::line::{Role, Severity};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Bundle;
use crate::strategy::lines::weights::failures as weights;

/// The most rows of a block.
const LONGEST: usize = 80;

/// The most rows that go on with a block though they are neither indented nor tell of anything: behind the name of a
/// failing test, and behind an error.
const PLAIN_IN_TEST: usize = 12;
const PLAIN: usize = 4;

/// The blocks among the rows of `table`, in order and disjoint; one that reaches into one of `traces` takes it in.
pub(super) fn find(table: &Table<'_>, rows: &[WeighedLine], traces: &[Bundle]) -> Vec<Bundle> {
    let mut blocks = Vec::new();
    let mut traces = traces.iter().peekable();
    let mut at = 0;
    while at < rows.len() {
        // What is within a trace is the trace's.
        while let Some(trace) = traces.next_if(|trace| (trace.span().start as usize) < at) {
            at = at.max(trace.span().end as usize);
        }
        let Some(anchor) = rows.get(at).filter(|row| opens(row)) else {
            at += 1;
            continue;
        };
        let mut end = end(table, rows, at, anchor);
        let mut within = Vec::new();
        while let Some(trace) = traces.next_if(|trace| (trace.span().start as usize) < end) {
            end = end.max(trace.span().end as usize);
            within.push(trace);
        }
        // A trace by itself is shown whole anyway.
        let alone = within.first().is_some_and(|trace| trace.span() == (at as u32..end as u32));
        if end - at > 1 && !alone {
            blocks.push(bundle(rows, at..end, anchor, &within));
        }
        at = end.max(at + 1);
    }
    blocks
}

/// Puts blocks that no embedded value lies in among what `scored` shows whole, in place of the traces in them.
pub(in crate::strategy::lines) fn join(scored: &mut Scored) {
    let mut blocks = std::mem::take(&mut scored.blocks);
    let embeds = &scored.embeds;
    blocks.retain(|block| {
        let next = embeds.partition_point(|embed| embed.rows.end <= block.span().start);
        embeds.get(next).is_none_or(|embed| embed.rows.start >= block.span().end)
    });
    let around = |span: Range<u32>| {
        let next = blocks.partition_point(|block| block.span().end <= span.start);
        blocks.get(next).filter(|block| block.span().start < span.end)
    };
    // A trace that a block shows is shown, wherever else it stands.
    let mut keys: HashMap<u64, u64, Plain> = HashMap::default();
    for trace in &scored.bundles {
        if let Some(block) = around(trace.span()) {
            keys.entry(trace.key).or_insert(block.key);
        }
    }
    scored.bundles.retain(|trace| around(trace.span()).is_none());
    for trace in &mut scored.bundles {
        trace.key = keys.get(&trace.key).copied().unwrap_or(trace.key);
    }
    scored.bundles.append(&mut blocks);
    scored.bundles.sort_by_key(|bundle| bundle.span().start);
}

/// Whether a row begins the block of a failure.
fn opens(row: &WeighedLine) -> bool {
    let grave = match row.role {
        Role::FailedTest => Severity::Medium,
        Role::Error | Role::Message => Severity::High,
        _ => return false,
    };
    row.severity >= grave && row.worth >= weights::TOLD && !row.again && !row.folded
}

/// Where the block ends that row `start` opens.
fn end(table: &Table<'_>, rows: &[WeighedLine], start: usize, anchor: &WeighedLine) -> usize {
    let (mut end, mut blanks, mut plain) = (start + 1, 0, 0);
    let most_plain = if anchor.role == Role::FailedTest { PLAIN_IN_TEST } else { PLAIN };
    for (at, row) in rows.iter().enumerate().skip(start + 1).take(LONGEST) {
        let inside = row.indent > anchor.indent;
        let tells = matches!(row.role, Role::Message | Role::Location | Role::Frame | Role::Detail);
        let next = match row.role {
            Role::FailedTest => row.severity >= Severity::Medium && !inside,
            Role::Error => anchor.role != Role::FailedTest && opens(row) && !inside,
            Role::Message => anchor.role != Role::FailedTest && opens(row) && !inside && blanks > 0,
            Role::Summary | Role::ProcessExit => row.severity >= Severity::High && !inside,
            Role::Command => blanks > 0 || !inside && row.severity > Severity::Negligible,
            Role::Pass | Role::Heading => !inside,
            _ => false,
        };
        if next || table.breaks_before(at) {
            break;
        }
        if row.role == Role::Blank {
            blanks += 1;
            if blanks > 2 {
                break;
            }
            continue;
        }
        if !inside && !tells {
            // Behind an empty line something else begins.
            plain += 1;
            if blanks > 0 || plain > most_plain {
                break;
            }
        }
        blanks = 0;
        end = at + 1;
    }
    end
}

fn bundle(rows: &[WeighedLine], span: Range<usize>, anchor: &WeighedLine, traces: &[&Bundle]) -> Bundle {
    let mut key = Hash::new();
    for row in rows.get(span.clone()).unwrap_or_default().iter().filter(|row| row.role != Role::Blank) {
        key.push(row.template);
    }
    let mut ranges = Vec::new();
    let mut at = span.start as u32;
    for trace in traces {
        for pair in trace.ranges.windows(2) {
            if let [before, behind] = pair {
                ranges.push(at..before.end);
                at = behind.start;
            }
        }
    }
    ranges.push(at..span.end as u32);
    let aside = traces.iter().map(|trace| trace.aside).sum();
    Bundle { ranges, worth: anchor.worth * weights::WHOLE, key: key.value(), aside, why: "failure" }
}

//! What lines are worth for what stands around them, and for standing at an end.

use super::weighed::WeighedLine;
use crate::interner::{ById, Interner};
use crate::line::{Role, locations};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::weights::{FLOOR, neighbours as weights};

/// Strong lines lend some of their worth to the lines around them, the first of a shape most. Boilerplate says nothing,
/// whatever it stands beside.
pub(super) fn lend(rows: &mut [WeighedLine], numbers: &Interner) {
    let mut anchors = ById::new(numbers.len());
    for at in 0..rows.len() {
        let Some(anchor) = rows.get(at).copied() else { break };
        if anchor.worth < weights::STRONG || anchor.role == Role::Summary {
            continue;
        }
        let repeats = anchors.add(anchor.template_id) - 1;
        let share = weights::REPEATED.powi(repeats as i32).max(weights::REPEATED_LEAST);
        lend_behind(rows, at, anchor, anchor.worth * weights::BEHIND * share);
        let back = if anchor.role == Role::ProcessExit { weights::BEFORE_EXIT } else { weights::BEFORE };
        lend_before(rows, at, anchor, anchor.worth * back * share);
    }
}

fn lend_behind(rows: &mut [WeighedLine], at: usize, anchor: WeighedLine, mut left: f32) {
    for row in rows.iter_mut().skip(at + 1).take(40) {
        left *= match row.role {
            Role::Blank => weights::BLANK_BEHIND,
            Role::Pass => 0.0,
            Role::Frame => weights::DEEPER_BEHIND,
            _ if row.indent > anchor.indent => weights::DEEPER_BEHIND,
            _ => weights::NEXT_BEHIND,
        };
        if left < FLOOR {
            break;
        }
        let share = match row.role {
            Role::Frame if !row.is_own_frame() => weights::FOREIGN_FRAME,
            Role::Boilerplate => continue,
            _ => 1.0,
        };
        row.lent = row.lent.max(left * share);
        if row.worth > anchor.worth {
            break;
        }
    }
}

fn lend_before(rows: &mut [WeighedLine], at: usize, anchor: WeighedLine, mut left: f32) {
    let ending = anchor.role == Role::ProcessExit;
    let reach = if ending { 14 } else { 6 };
    for row in rows.iter_mut().take(at).rev().take(reach) {
        left *= match row.role {
            Role::Blank if ending => weights::BLANK_BEFORE_EXIT,
            Role::Blank => weights::BLANK_BEFORE,
            Role::Pass => 0.0,
            _ if ending => weights::NEXT_BEFORE_EXIT,
            _ => weights::NEXT_BEFORE,
        };
        if left < FLOOR {
            break;
        }
        if row.role != Role::Boilerplate {
            row.lent = row.lent.max(left);
        }
        if ending && row.role == Role::Command {
            break;
        }
    }
}

/// How far from a message its place is looked for.
const PLACE_REACH: usize = 12;

/// The user's own frame nearest to a message says where it happened: the first below it, or in traces that end with
/// the message, the last above it.
pub(super) fn place(rows: &mut [WeighedLine]) {
    for at in 0..rows.len() {
        let Some(anchor) = rows.get(at).copied() else { break };
        if anchor.role != Role::Message || anchor.worth < weights::SEVERE {
            continue;
        }
        let behind =
            rows.iter().skip(at + 1).take(PLACE_REACH).position(WeighedLine::is_own_frame).map(|found| at + 1 + found);
        let before = rows
            .iter()
            .take(at)
            .rev()
            .take(PLACE_REACH)
            .position(WeighedLine::is_own_frame)
            .map(|found| at - 1 - found);
        for found in [behind, before].into_iter().flatten() {
            if let Some(row) = rows.get_mut(found) {
                row.worth = row.worth.max(anchor.worth * weights::PLACE);
            }
        }
    }
}

/// How far above a line its heading is looked for.
const HEADING_REACH: usize = 40;

/// The lines above that are indented less and less say what a strong line is about: the file that a linter found
/// something in (its findings may be aligned to the right), the test and the suite that an assertion is of.
pub(super) fn heads(table: &Table<'_>, rows: &mut [WeighedLine]) {
    for at in 0..rows.len() {
        let Some(anchor) = rows.get(at).copied() else { break };
        if anchor.told < weights::STRONG || anchor.role == Role::Frame {
            continue;
        }
        names_file(table, rows, at, anchor);
        if anchor.worth < weights::STRONG || anchor.indent == 0 {
            continue;
        }
        let above = rows.iter_mut().take(at).rev().take(HEADING_REACH).take_while(|row| row.role != Role::Blank);
        let mut indent = anchor.indent;
        for row in above {
            if row.indent < indent {
                row.lent = row.lent.max(anchor.worth * weights::HEADING);
                row.heads = Some(anchor.role);
                indent = row.indent;
            }
            if indent == 0 {
                break;
            }
        }
    }
}

/// The file right above the first finding in it says where that is, however many findings say the same; and so does
/// the place above the empty line before a message.
fn names_file(table: &Table<'_>, rows: &mut [WeighedLine], at: usize, finding: WeighedLine) {
    let role = |row: usize| rows.get(row).map(|row| row.role);
    let Some(above) = at.checked_sub(1) else { return };
    let heading = match role(above) {
        Some(Role::Blank) => above.checked_sub(1).filter(|row| locations::behind_place(table.words(*row)).is_some()),
        _ => Some(above).filter(|row| {
            let indent = rows.get(*row).map_or(0, |row| row.indent);
            let is_below = indent < finding.indent || table.words(at).starts_with(|c: char| c.is_ascii_digit());
            is_below && is_file(table.words(*row))
        }),
    };
    if let Some(row) = heading.and_then(|row| rows.get_mut(row)) {
        row.lent = row.lent.max(finding.told * weights::HEADING);
        row.heads = Some(finding.role);
    }
}

/// Whether a line is the path of a file and nothing else.
fn is_file(line: &str) -> bool {
    let line = line.trim();
    let name = line.rsplit(['/', '\\']).next().unwrap_or(line);
    name.len() < line.len() && name.contains('.') && !line.contains([' ', '\t', ':', '"', '(', '='])
}

/// How far from a failure a value may stand that explains it.
const NEAR: usize = 20;

/// Expected and found values explain a failure: those far from any are worth little, where there is one.
pub(super) fn alone(rows: &mut [WeighedLine]) {
    let fails = |row: &WeighedLine| {
        let may = matches!(row.role, Role::FailedTest | Role::Message | Role::Error | Role::ProcessExit);
        may && row.worth >= weights::STRONG
    };
    let mut near = vec![false; rows.len()];
    for (at, _) in rows.iter().enumerate().filter(|(_, row)| fails(row)) {
        let around = at.saturating_sub(NEAR)..(at + NEAR + 1).min(near.len());
        near.get_mut(around).into_iter().flatten().for_each(|near| *near = true);
    }
    if !near.contains(&true) {
        return;
    }
    for (row, near) in rows.iter_mut().zip(near) {
        if !near && row.role == Role::Detail {
            row.worth *= weights::ALONE;
        }
    }
}

/// The first and the last lines say what ran and how it went, above all where nothing else does.
pub(super) fn ends(rows: &mut [WeighedLine], severe: bool) {
    let (first, last, step) = if severe { weights::ENDS } else { weights::ENDS_OF_WHAT_WENT_WELL };
    if let Some(row) = rows.iter_mut().find(|row| row.role != Role::Blank) {
        row.lent = row.lent.max(weights::FIRST);
    }
    for (at, row) in rows.iter_mut().filter(|row| row.role != Role::Blank).enumerate().take(16) {
        row.lent = row.lent.max(first - at as f32 * step);
    }
    for (at, row) in rows.iter_mut().rev().filter(|row| row.role != Role::Blank).enumerate().take(16) {
        row.lent = row.lent.max(last - at as f32 * step);
    }
}

/// Where nothing went wrong, what sums a run up last says how it went, and the lines behind that how long it took.
pub(super) fn last_summaries(rows: &mut [WeighedLine], last: &ById<usize>) {
    let is_last = |(at, row): &(usize, &WeighedLine)| row.role == Role::Summary && last.get(row.template_id) == *at;
    let found: Vec<usize> = rows.iter().enumerate().filter(is_last).map(|(at, _)| at).collect();
    for at in found {
        let mut lent = weights::LAST_SUMMARY;
        for row in rows.iter_mut().skip(at).take(SUMMED_UP).filter(|row| row.role != Role::Blank) {
            row.lent = row.lent.max(lent);
            lent *= weights::NEXT_BEHIND;
        }
    }
}

/// A summary and what belongs to it are so many lines.
const SUMMED_UP: usize = 4;

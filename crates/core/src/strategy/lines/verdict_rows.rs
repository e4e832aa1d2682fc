//! The rows that say how something went wrong, whatever the kind of the text seems to be.

use super::select::Selected;
use super::table::Table;
use super::unit::Unit;
use super::weights;
use crate::line::{FAILED_RUN, LineRules, LineScore, Role, Severity, classify_line, evidence_of_failed_run, prefix};

/// The rows of a text that tell of a failure.
#[derive(Debug, Default)]
pub(super) struct VerdictRows {
    rows: Vec<u32>,
    /// How strongly they say together that the text is what a run printed.
    evidence: u32,
    /// These and the rows that are a program's message about an error.
    told: Vec<u32>,
}

impl VerdictRows {
    /// The rows of `table` that tell of a failure. Neither what a document quotes between fences counts, nor the rows of
    /// its tables and what items of its lists say after their first line, nor words with links or set in bold, nor matches
    /// of a search: `path:12:words`.
    pub(super) fn of(table: &Table<'_>, rules: &LineRules) -> VerdictRows {
        let mut found = VerdictRows::default();
        let (mut fenced, mut ruled, mut listed) = (false, false, false);
        for (row, &signals) in table.signals().iter().enumerate() {
            let line = table.words(row);
            if line.starts_with("```") || line.starts_with("~~~") {
                fenced = !fenced;
            }
            ruled = line.starts_with('|') && (ruled || is_rule(line));
            // How an item goes on; what it begins with may be a verdict.
            let continued = listed && line.starts_with("  ");
            listed = continued || line.starts_with("- ") || line.starts_with("* ");
            if fenced || ruled || continued || signals.is_empty() || is_written(line) || is_match(line) {
                continue;
            }
            let score = classify_line(prefix::body(line), signals, rules);
            let evidence = evidence_of_failed_run(score);
            if evidence > 0 {
                found.evidence += evidence;
                found.rows.push(row as u32);
            }
            if evidence > 0 || is_message(line, score) {
                found.told.push(row as u32);
            }
        }
        found
    }

    /// What git says about itself between what it shows: at the very left, where nothing stands that it shows.
    pub(super) fn of_git(table: &Table<'_>) -> VerdictRows {
        let is_own = |row: &usize| GIT_LABELS.iter().any(|label| table.words(*row).starts_with(label));
        let told = (0..table.len()).filter(is_own).map(|row| row as u32).collect();
        VerdictRows { told, ..VerdictRows::default() }
    }

    /// Whether the text is what a run printed, by these rows.
    pub(super) fn tell_of_a_run(&self) -> bool {
        self.evidence >= FAILED_RUN
    }

    /// Makes what went wrong the best of all units, though nothing else in the text says that it is about a run.
    pub(super) fn raise(&self, units: &mut [Unit]) {
        let best = units.iter().map(|unit| unit.worth).fold(0.0, f32::max) * weights::FAILURE_AMONG_OTHERS;
        for row in &self.told {
            let at = units.partition_point(|unit| unit.rows.start < *row);
            if let Some(unit) = units.get_mut(at).filter(|unit| unit.rows.start == *row) {
                *unit = Unit::row(*row as usize, best, FAILURES, weights::NEXT_FAILURE_AMONG_OTHERS, "error");
            }
        }
    }

    /// How many of the rows are shown.
    pub(super) fn shown(&self, selected: &Selected) -> usize {
        let shown = |row: &&u32| {
            let row = **row as usize;
            let next = selected.kept.partition_point(|kept| kept.rows.end <= row);
            selected.kept.get(next).is_some_and(|kept| kept.rows.start <= row)
        };
        self.rows.iter().filter(shown).count()
    }
}

/// What git puts before what went wrong.
const GIT_LABELS: [&str; 3] = ["fatal: ", "error: ", "CONFLICT ("];

/// What all lines that say that something went wrong are counted by.
const FAILURES: u64 = 1;

/// Whether a line is a program's message about an error: `rsync: x: Input/output error`.
fn is_message(line: &str, score: LineScore) -> bool {
    let is_error = matches!(score.role, Role::Error | Role::Message) && score.severity >= Severity::Medium;
    is_error && line.contains(": ") && !line.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a line is of a document that somebody wrote: `**so**`, `[so](link)`, or, as reStructuredText has it, ``` ``so`` ```
/// and ``:so:`link` ``.
fn is_written(line: &str) -> bool {
    line.contains("](") || line.contains(":`") || line.split("**").nth(2).is_some() || line.split("``").nth(2).is_some()
}

/// Whether a line rules a document's table off below its heads: `| --- | :-: |`.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '))
}

/// Whether a line is `path:12:words`.
fn is_match(line: &str) -> bool {
    let mut parts = line.splitn(3, ':');
    let (path, number) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    numbered && parts.next().is_some() && !path.contains(' ') && path.contains(['.', '/'])
}

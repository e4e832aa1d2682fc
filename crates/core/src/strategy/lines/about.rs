//! A line about the whole of a text: what was found in it, shown or not.

use std::collections::{BTreeMap, HashSet};

use super::insets::Inset;
use super::log::Weighed;
use super::traces::Trace;
use crate::hash::Plain;
use crate::line::Role;

/// The longest line, in characters; of more, the first is said.
const LONGEST: usize = 120;

/// What was found in a text, each line counted once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Found {
    errors: usize,
    /// How many shapes the lines with errors have.
    kinds: usize,
    warnings: usize,
    names: usize,
    traces: usize,
    /// How many of the traces are not the same.
    different: usize,
}

impl Found {
    /// Counts what single lines say, before anything is known of how often they do.
    pub(super) fn in_rows(rows: &[Weighed], traces: &[Trace]) -> Found {
        let mut found = Found { traces: traces.len(), ..Found::default() };
        let mut shapes: HashSet<u64, Plain> = HashSet::default();
        for row in rows {
            match row.class {
                Role::Error | Role::Message if row.worth >= 35.0 => {
                    found.errors += 1;
                    shapes.insert(row.shape);
                }
                Role::Warning => found.warnings += 1,
                Role::FailedTest if row.worth >= 85.0 => found.names += 1,
                _ => {}
            }
        }
        found.kinds = shapes.len();
        found.different = traces.iter().map(|trace| trace.key).collect::<HashSet<u64, Plain>>().len();
        found
    }

    /// The line, where there is something to say; `insets` are all values of another kind, or none where not all are
    /// known.
    pub(super) fn line(&self, insets: &[Inset]) -> Option<String> {
        let mut said: Vec<String> = Vec::new();
        let lines = |count: usize| if count == 1 { "line" } else { "lines" };
        let different =
            |count: usize, of: usize| if count < of { format!(" ({count} different)") } else { String::new() };
        if self.errors > 0 {
            said.push(format!("{} error {}{}", self.errors, lines(self.errors), different(self.kinds, self.errors)));
        }
        if self.names > 0 {
            said.push(format!("{} {} naming failing tests", self.names, lines(self.names)));
        }
        if self.warnings > 0 {
            said.push(format!("{} warning {}", self.warnings, lines(self.warnings)));
        }
        if self.traces > 0 {
            let plural = if self.traces == 1 { "" } else { "s" };
            said.push(format!("{} stack trace{plural}{}", self.traces, different(self.different, self.traces)));
        }
        said.extend(values(insets));
        let mut line = String::new();
        for part in said {
            if line.len() + part.len() + 2 > LONGEST {
                break;
            }
            line = if line.is_empty() { part } else { format!("{line}, {part}") };
        }
        (!line.is_empty()).then_some(line)
    }
}

/// How many values of each kind there are, and where the one is that is alone of its kind.
fn values(insets: &[Inset]) -> Vec<String> {
    let mut by_kind: BTreeMap<&'static str, Vec<&Inset>> = BTreeMap::new();
    for inset in insets {
        by_kind.entry(inset.name()).or_default().push(inset);
    }
    let place = |inset: &Inset| match inset.rows.len() {
        1 => format!("line {}", inset.rows.end),
        _ => format!("lines {}-{}", inset.rows.start + 1, inset.rows.end),
    };
    by_kind
        .into_iter()
        .map(|(kind, insets)| match insets.as_slice() {
            [only] => format!("{kind} in {}", place(only)),
            several => format!("{} values of {kind}", several.len()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_said_in_one_line() {
        let found = Found { errors: 31, kinds: 4, warnings: 1, names: 0, traces: 3, different: 2 };
        let line = "31 error lines (4 different), 1 warning line, 3 stack traces (2 different)";
        assert_eq!(found.line(&[]).as_deref(), Some(line));
        let found = Found { names: 2, traces: 1, different: 1, ..Found::default() };
        assert_eq!(found.line(&[]).as_deref(), Some("2 lines naming failing tests, 1 stack trace"));
        assert_eq!(Found::default().line(&[]), None);
    }
}

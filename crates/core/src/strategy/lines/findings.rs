//! A line about the whole of a text: what was found in it, shown or not.

use std::collections::{BTreeMap, HashSet};

use crate::hash::Plain;
use crate::line::Role;
use crate::strategy::lines::embedded::value::Embedded;
use crate::strategy::lines::score::weighed::WeighedLine;
use crate::strategy::lines::traces::Trace;

/// The longest line, in characters; of more, the first is said.
const LONGEST: usize = 120;

/// What was found in a text, each line counted once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Findings {
    errors: usize,
    /// How many templates the lines with errors have.
    kinds: usize,
    warnings: usize,
    names: usize,
    traces: usize,
    /// How many of the traces are not the same.
    different: usize,
}

impl Findings {
    /// Counts what single lines say, before anything is known of how often they do.
    pub(super) fn in_rows(rows: &[WeighedLine], traces: &[Trace]) -> Findings {
        let mut found = Findings { traces: traces.len(), ..Findings::default() };
        let mut templates: HashSet<u64, Plain> = HashSet::default();
        for row in rows {
            match row.role {
                _ if row.is_error() => {
                    found.errors += 1;
                    templates.insert(row.template);
                }
                Role::Warning => found.warnings += 1,
                _ if row.is_failed_test() => found.names += 1,
                _ => {}
            }
        }
        found.kinds = templates.len();
        found.different = traces.iter().map(|trace| trace.key).collect::<HashSet<u64, Plain>>().len();
        found
    }

    /// The line, where there is something to say; `embeds` are all values of another kind, or none where not all are
    /// known.
    pub(super) fn line(&self, embeds: &[Embedded]) -> Option<String> {
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
        said.extend(values(embeds));
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
fn values(embeds: &[Embedded]) -> Vec<String> {
    let mut by_kind: BTreeMap<&'static str, Vec<&Embedded>> = BTreeMap::new();
    for embed in embeds {
        by_kind.entry(embed.name()).or_default().push(embed);
    }
    let place = |embed: &Embedded| match embed.rows.len() {
        1 => format!("line {}", embed.rows.end),
        _ => format!("lines {}-{}", embed.rows.start + 1, embed.rows.end),
    };
    by_kind
        .into_iter()
        .map(|(kind, embeds)| match embeds.as_slice() {
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
        let found = Findings { errors: 31, kinds: 4, warnings: 1, names: 0, traces: 3, different: 2 };
        let line = "31 error lines (4 different), 1 warning line, 3 stack traces (2 different)";
        assert_eq!(found.line(&[]).as_deref(), Some(line));
        let found = Findings { names: 2, traces: 1, different: 1, ..Findings::default() };
        assert_eq!(found.line(&[]).as_deref(), Some("2 lines naming failing tests, 1 stack trace"));
        assert_eq!(Findings::default().line(&[]), None);
    }
}

//! What a gap's marker can say beside its counts: which files, which folders, how many tests passed.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::hash::{Counts, Hash, Plain};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::traces::Fold;
use crate::text;

/// How a gap is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `12 in src/a.c, 3 in src/b.c`.
    Places,
    /// The same of headings, which are shown above what is in them: only a gap that hides headings says so.
    Sections,
    /// `src/a.c +12 -3`.
    Changes,
    /// `4 errors, 190 passed`, and repeats of a line that is shown.
    Results,
}

/// A name that is no longer than a marker can take; of a path its end, which tells it from others.
fn shortened(name: &str) -> String {
    let Some((at, _)) = name.char_indices().rev().nth(NAME_CHARS - 1).filter(|(at, _)| *at > 0) else {
        return name.to_string();
    };
    let end = text::slice(name, at..name.len());
    let part = end.find('/').map_or(0, |slash| slash + 1);
    match text::slice(end, part..end.len()) {
        "" => format!("…{end}"),
        names if part > 0 => format!("…/{names}"),
        word => format!("…{word}"),
    }
}

/// The word for one of what `name` counts.
fn singular(name: &str) -> &str {
    match name.strip_suffix('s') {
        // `branches`.
        Some(one) if one.ends_with("che") => one.strip_suffix('e').unwrap_or(one),
        Some(one) => one,
        None => name,
    }
}

/// A note for each row of a table.
#[derive(Debug, Clone)]
pub(super) struct GapLabels {
    style: Style,
    /// The name that belongs to each row; 0 for none.
    of: Vec<u32>,
    names: Vec<String>,
    known: Counts,
    /// The template of each row, where repeats are told.
    templates: Vec<u64>,
    /// Rows that repeat the rows before them, in order.
    folds: Vec<Fold>,
}

/// How many files or folders a marker names, and how many changed files.
const PLACES: usize = 4;
const FILES: usize = 3;

/// How long a name in a marker may be, in characters.
const NAME_CHARS: usize = 60;

impl GapLabels {
    pub(super) fn new(style: Style) -> GapLabels {
        GapLabels {
            style,
            of: Vec::new(),
            names: vec![String::new()],
            known: Counts::default(),
            templates: Vec::new(),
            folds: Vec::new(),
        }
    }

    /// The number of `name`, which later rows may be given.
    pub(super) fn name(&mut self, name: &str) -> u32 {
        let key = Hash::of(name.as_bytes());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.known.insert(key, self.names.len() as u32);
        self.names.push(shortened(name));
        self.names.len() as u32 - 1
    }

    /// How gaps are described.
    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// Gives the next row the name with this number.
    pub(super) fn push(&mut self, name: u32) {
        self.of.push(name);
    }

    /// Gives the next row a template.
    pub(super) fn push_template(&mut self, template: u64) {
        self.templates.push(template);
    }

    /// Remembers rows that repeat the rows before them; they come in order.
    pub(super) fn fold(&mut self, fold: Fold) {
        self.folds.push(fold);
    }

    /// The fold that a gap holds, where it holds one: the first that it holds whole.
    pub(super) fn folded(&self, rows: &Range<usize>) -> Option<&Fold> {
        let first = self.folds.partition_point(|fold| fold.rows.start < rows.start);
        self.folds.get(first).filter(|fold| fold.rows.end <= rows.end)
    }

    /// Describes the gap `rows`, where there is something to say; `shown` are the first rows of templates that are
    /// shown, and `line` is the number of a row's line.
    pub(super) fn say(
        &self,
        table: &Table<'_>,
        rows: Range<usize>,
        shown: &BTreeMap<u64, usize>,
        line: &dyn Fn(usize) -> Option<u64>,
    ) -> Option<String> {
        if let Some(fold) = self.folded(&rows) {
            return Some(if fold.rows == rows { fold.said() } else { fold.said_among_others() });
        }
        let mut by_name: BTreeMap<u32, (u64, u64, u64)> = BTreeMap::new();
        for row in rows.clone() {
            let name = self.of.get(row).copied().unwrap_or(0);
            if name == 0 {
                continue;
            }
            let entry = by_name.entry(name).or_default();
            entry.0 += 1;
            if self.style == Style::Changes {
                let line = table.words(row);
                entry.1 += u64::from(line.starts_with('+') && !line.starts_with("+++"));
                entry.2 += u64::from(line.starts_with('-') && !line.starts_with("---"));
            }
        }
        let is_below_its_heading = || {
            let above = rows.start.checked_sub(1).and_then(|row| self.of.get(row));
            by_name.len() == 1 && above.is_some_and(|name| by_name.contains_key(name))
        };
        if self.style == Style::Sections && is_below_its_heading() {
            return None;
        }
        let mut named: Vec<(u32, (u64, u64, u64))> = by_name.into_iter().collect();
        let names = match self.style {
            Style::Places | Style::Sections => PLACES,
            Style::Changes => FILES,
            Style::Results => named.len(),
        };
        // Results are few, and the gravest were named first.
        if self.style != Style::Results {
            named.sort_by(|a, b| b.1.0.cmp(&a.1.0).then(a.0.cmp(&b.0)));
        }
        let more = named.len().saturating_sub(names);
        let mut said: Vec<String> = Vec::new();
        for (name, (count, added, removed)) in named.into_iter().take(names) {
            let name = self.names.get(name as usize).map_or("", String::as_str);
            match self.style {
                Style::Places | Style::Sections => said.push(format!("{count} in {name}")),
                Style::Changes if added + removed > 0 => said.push(format!("{name} +{added} -{removed}")),
                Style::Changes => {}
                Style::Results if count == 1 => said.push(format!("1 {}", singular(name))),
                Style::Results => said.push(format!("{count} {name}")),
            }
        }
        if more > 0 && !said.is_empty() {
            said.push(format!("{more} more"));
        }
        if self.style == Style::Results && said.is_empty() {
            said.extend(self.repeats(rows, shown, line));
        }
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// How often a line that is shown is repeated in a gap.
    fn repeats(
        &self,
        rows: Range<usize>,
        shown: &BTreeMap<u64, usize>,
        line: &dyn Fn(usize) -> Option<u64>,
    ) -> Option<String> {
        let mut counts: HashMap<u64, u32, Plain> = HashMap::default();
        let mut most: Option<(u32, u64)> = None;
        for row in rows {
            let Some(template) = self.templates.get(row).filter(|template| shown.contains_key(template)) else {
                continue;
            };
            let count = counts.entry(*template).or_default();
            *count += 1;
            if most.is_none_or(|(before, _)| *count >= before) {
                most = Some((*count, *template));
            }
        }
        let (count, template) = most.filter(|(count, _)| *count >= 3)?;
        Some(format!("{count} like line {}", line(*shown.get(&template)?)?))
    }

    /// The first rows of the templates among `kept`.
    pub(super) fn shown(&self, kept: impl Iterator<Item = usize>) -> BTreeMap<u64, usize> {
        let mut shown = BTreeMap::new();
        for row in kept {
            if let Some(template) = self.templates.get(row).filter(|template| **template != 0) {
                shown.entry(*template).or_insert(row);
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        let names = ["failing tests", "errors", "passed", "branches", "commits"].map(singular);
        assert_eq!(names, ["failing test", "error", "passed", "branch", "commit"]);
    }

    #[test]
    fn a_long_path_keeps_whole_names_from_its_end() {
        assert_eq!(shortened("src/a.c"), "src/a.c");
        let long = format!("src/main/java/org/{}/reflect/FieldUtils.java", "deep/".repeat(12));
        let short = shortened(&long);
        assert!(short.starts_with("…/deep/") && short.ends_with("/reflect/FieldUtils.java"), "{short}");
        assert!(short.chars().count() <= NAME_CHARS + 2, "{short}");
        let word = "x".repeat(100);
        assert_eq!(shortened(&word), format!("…{}", "x".repeat(NAME_CHARS)));
    }
}

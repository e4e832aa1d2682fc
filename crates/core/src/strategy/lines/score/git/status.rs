//! The state of a working tree: the branch, every section, conflicts, then some files of every state and folder.

use crate::hash::{Counts, Hash};
use crate::line::git;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::git as weights;
use crate::text;

/// What the rows of `status` are worth.
pub(super) fn units(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let mut files = Files::new();
    let (mut section, mut in_conflict) = (0, false);
    for row in 0..table.len() {
        let line = table.words(row);
        if let Some(entry) = line.strip_prefix('\t') {
            // `modified:   path`; untracked files have no state.
            let state = entry.split_once(":  ").map_or("", |(state, _)| state);
            let path = text::slice(entry, (state.len() + 1).min(entry.len())..entry.len()).trim();
            let path = if state.is_empty() { entry } else { path };
            files.push(row, section ^ Hash::of(state.as_bytes()), path, in_conflict);
        } else if line.starts_with(' ') || line.trim().is_empty() {
            files.push_other(row, weights::ADVICE);
        } else {
            section = Hash::of(line.as_bytes());
            in_conflict = line.starts_with("Unmerged paths");
            files.push_other(row, weights::STATE);
        }
    }
    files.finish()
}

/// What the rows of `status --short` are worth.
pub(super) fn short_units(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let mut files = Files::new();
    for row in 0..table.len() {
        match git::short_state(table.words(row)) {
            Some((state, path)) => files.push(row, Hash::of(state.as_bytes()), path, git::is_conflict(state)),
            None => files.push_other(row, weights::STATE),
        }
    }
    files.finish()
}

/// The rows so far.
struct Files {
    units: Vec<Unit>,
    labels: GapLabels,
    states: Counts,
}

impl Files {
    fn new() -> Files {
        Files { units: Vec::new(), labels: GapLabels::new(Style::Places), states: Counts::default() }
    }

    fn push(&mut self, row: usize, state: u64, path: &str, in_conflict: bool) {
        let folder = path.trim_end_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
        let top = folder.split('/').next().unwrap_or("");
        let name = if top.is_empty() { 0 } else { self.labels.name(top) };
        self.labels.push(name);
        *self.states.entry(state).or_default() += 1;
        let (worth, why) =
            if in_conflict { (weights::CONFLICT, "conflict") } else { (weights::CHANGED, "changed file") };
        let prefix = state ^ Hash::of(folder.as_bytes()) | 1;
        let fade = if in_conflict { 1.0 } else { weights::NEXT_CHANGED };
        let prefix_fade = if in_conflict { 1.0 } else { weights::NEXT_OF_FOLDER };
        self.units.push(Unit { prefix, prefix_fade, ..Unit::row(row, worth, state, fade, why) });
    }

    fn push_other(&mut self, row: usize, worth: f32) {
        self.labels.push(0);
        self.units.push(Unit::row(row, worth, 0, 1.0, "state"));
    }

    /// The units; a file of a state that few have is worth more.
    fn finish(mut self) -> (Vec<Unit>, GapLabels) {
        let all = self.states.values().sum::<u32>().max(1) as f32;
        for unit in self.units.iter_mut().filter(|unit| unit.why == "changed file") {
            let share = self.states.get(&unit.key).copied().unwrap_or(1) as f32 / all;
            unit.worth *= 2.0 - share;
        }
        (self.units, self.labels)
    }
}

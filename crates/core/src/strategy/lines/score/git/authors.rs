//! Authors with their commits: those of most commits first, then some commits of each.

use crate::hash::Hash;
use crate::line::git;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::git as weights;

/// What the rows of `shortlog` are worth.
pub(super) fn units(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let most = (0..table.len()).filter_map(|row| git::author(table.words(row))).map(|(_, commits)| commits).max();
    let most = most.unwrap_or(1).max(1) as f32;
    let mut labels = GapLabels::new(Style::Results);
    let name = labels.name("authors");
    let mut author = 0;
    let mut units = Vec::with_capacity(table.len());
    for row in 0..table.len() {
        let line = table.words(row);
        let Some((who, commits)) = git::author(line) else {
            labels.push(0);
            let worth = if line.trim().is_empty() { weights::GRAPH } else { weights::SUBJECT };
            units.push(Unit::row(row, worth, author, weights::NEXT_SUBJECT, "commit"));
            continue;
        };
        labels.push(name);
        author = Hash::of(who.as_bytes());
        let worth = (weights::AUTHOR * (commits as f32 / most).sqrt()).max(weights::ANY_AUTHOR);
        units.push(Unit::row(row, worth, 0, 1.0, "author"));
    }
    (units, labels)
}

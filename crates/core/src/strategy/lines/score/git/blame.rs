//! Who wrote a file: the last change, the commit that holds most lines, every commit once, and what the file defines.

use std::collections::HashMap;

use crate::hash::{Hash, Plain};
use crate::line::definitions::{self, Defined};
use crate::line::git;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::git as weights;

/// What is known of a commit: how many lines are its, and when it was made.
#[derive(Default)]
struct Share<'a> {
    lines: u32,
    date: &'a str,
}

/// What the rows of `blame` are worth.
pub(super) fn units(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let lines: Vec<_> = (0..table.len()).map(|row| git::blamed(table.words(row))).collect();
    let mut shares: HashMap<&str, Share<'_>, Plain> = HashMap::default();
    for line in lines.iter().flatten() {
        let share = shares.entry(line.id).or_default();
        share.lines += 1;
        share.date = line.date;
    }
    // In an order of their own, so that equals are told apart the same way every time.
    let mut ranked: Vec<(&str, &Share<'_>)> = shares.iter().map(|(id, share)| (*id, share)).collect();
    ranked.sort_unstable_by(|a, b| b.1.date.cmp(a.1.date).then(a.0.cmp(b.0)));
    let newest = ranked.first().filter(|(_, share)| !share.date.is_empty()).map(|(id, _)| *id);
    let most = ranked.iter().max_by_key(|(_, share)| share.lines).map(|(id, _)| *id);
    let ages: HashMap<&str, usize, Plain> = ranked.iter().enumerate().map(|(age, (id, _))| (*id, age)).collect();
    let count = ranked.len().max(1) as f32;
    let mut labels = GapLabels::new(Style::Places);
    let mut units = Vec::with_capacity(lines.len());
    for (row, line) in lines.iter().enumerate() {
        let Some(line) = line else {
            labels.push(0);
            units.push(Unit::row(row, weights::BLAMED, 0, 1.0, "rare line"));
            continue;
        };
        let name = labels.name(line.id);
        labels.push(name);
        let age = ages.get(line.id).map_or(1.0, |age| *age as f32 / count);
        let worth = match Some(line.id) {
            id if id == newest => weights::LAST_CHANGE,
            id if id == most => weights::MOST_LINES,
            _ => weights::BLAMED * (2.0 - age),
        };
        let key = Hash::of(line.id.as_bytes());
        let defined = definitions::definition(line.code.trim_start(), "").map(|(defined, _)| defined);
        let definition = match defined {
            Some(Defined::Type) => weights::TYPE,
            Some(Defined::Function) if definitions::is_definition(line.code) => weights::FUNCTION,
            Some(Defined::Function | Defined::Import) | None => 0.0,
        };
        units.push(if definition > 0.0 && worth < weights::LAST_CHANGE {
            Unit::row(
                row,
                definition,
                u64::from(definition > weights::FUNCTION),
                weights::NEXT_DEFINITION,
                "definition",
            )
        } else {
            let worth = if line.code.trim().is_empty() { worth / 2.0 } else { worth };
            Unit::row(row, worth, key, weights::NEXT_BLAMED, "last change")
        });
    }
    (units, labels)
}

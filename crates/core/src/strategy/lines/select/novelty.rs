//! What was shown so far, as far as it lessens the worth of more of the same.

use std::collections::HashSet;
use std::ops::Range;

use crate::hash::{Counts, Plain};
use crate::line::template;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights;

/// The words of each unit, read when they are first asked for.
struct Spoken {
    words: Vec<u32>,
    of: Vec<Option<Range<u32>>>,
}

impl Spoken {
    fn new(units: usize) -> Spoken {
        Spoken { words: Vec::new(), of: vec![None; units] }
    }

    fn get(&mut self, table: &Table<'_>, at: usize, unit: &Unit) -> &[u32] {
        let words = &mut self.words;
        let range = self.of.get_mut(at).map(|range| {
            let read = || {
                let start = words.len() as u32;
                for row in unit.rows.clone().take(4) {
                    template::words(table.words(row as usize), &mut |word| words.push(word));
                }
                start..words.len() as u32
            };
            range.get_or_insert_with(read).clone()
        });
        range.and_then(|range| self.words.get(range.start as usize..range.end as usize)).unwrap_or(&[])
    }
}

/// What was shown so far, as far as it lessens the worth of more of the same.
#[derive(Default)]
pub(in crate::strategy::lines) struct Novelty {
    /// The words of units, where words count.
    spoken: Option<Spoken>,
    keys: Counts,
    words: HashSet<u32, Plain>,
}

impl Novelty {
    /// Nothing seen of so many units yet; words count only where asked for.
    pub(in crate::strategy::lines) fn new(units: usize, by_novelty: bool) -> Novelty {
        Novelty { spoken: by_novelty.then(|| Spoken::new(units)), ..Novelty::default() }
    }

    /// Whether words that were shown before count.
    pub(in crate::strategy::lines) fn counts_words(&self) -> bool {
        self.spoken.is_some()
    }

    /// How many units with this key were shown.
    pub(in crate::strategy::lines) fn count(&self, key: u64) -> u32 {
        self.keys.get(&key).copied().unwrap_or(0)
    }

    /// Counts something with this key that is no unit.
    pub(in crate::strategy::lines) fn add_key(&mut self, key: u64) {
        *self.keys.entry(key).or_default() += 1;
    }

    /// The worth of a unit after others of its key and its prefix were shown.
    pub(in crate::strategy::lines) fn faded(&self, unit: &Unit) -> f32 {
        let before = self.keys.get(&unit.key).copied().unwrap_or(0);
        let alike = if unit.prefix == 0 { 0 } else { self.keys.get(&unit.prefix).copied().unwrap_or(0) };
        match (before, alike) {
            // So it is for most.
            (0, 0) => unit.worth,
            _ => unit.worth * unit.fade.powi(before as i32) * unit.prefix_fade.powi(alike as i32),
        }
    }

    pub(in crate::strategy::lines) fn worth(&mut self, table: &Table<'_>, at: usize, unit: &Unit) -> f32 {
        let faded = self.faded(unit);
        let Some(spoken) = self.spoken.as_mut().filter(|_| !self.words.is_empty()) else { return faded };
        match spoken.get(table, at, unit) {
            [] => faded * weights::WORDLESS,
            words => {
                let new = words.iter().filter(|word| !self.words.contains(word)).count();
                faded * weights::novelty(new, words.len())
            }
        }
    }

    pub(in crate::strategy::lines) fn add(&mut self, table: &Table<'_>, at: usize, unit: &Unit) {
        *self.keys.entry(unit.key).or_default() += 1;
        if unit.prefix != 0 {
            *self.keys.entry(unit.prefix).or_default() += 1;
        }
        if let Some(spoken) = &mut self.spoken {
            self.words.extend(spoken.get(table, at, unit));
        }
    }
}

//! What most of the room is for: the steps that failed, whole where they fit.

use super::{Selecting, overlaps};
use crate::strategy::lines::table::Size;
use crate::strategy::lines::weights;

/// Why the rows of a step are kept that is shown whole.
const FAILED_STEP: &str = "failed step";

impl Selecting<'_> {
    /// Takes all rows of the steps that failed, if they take no more than their share.
    pub(super) fn take_failed(&mut self) -> bool {
        let failed = self.failed;
        let (cost, _) = self.room.cost_of_all(failed);
        if self.room.chars_of(failed) as f32 > self.chars * weights::FAILED_WHOLE || !self.room.fits(cost) {
            return false;
        }
        self.room.take_all(failed, cost, FAILED_STEP);
        for at in 0..self.units.len() {
            let Some(&unit) = self.units.get(at).filter(|unit| overlaps(failed, &unit.rows)) else { continue };
            self.seen.add(self.table, at, unit);
            self.close(at);
        }
        // What is shown line by line is not shown again as a whole of its own.
        for (at, bundle) in self.bundles.iter().enumerate() {
            if overlaps(failed, &bundle.span()) {
                self.seen.add_key(bundle.key);
                self.close(self.units.len() + at);
            }
        }
        for (at, embed) in self.embeds.iter().enumerate() {
            if overlaps(failed, &embed.rows) {
                self.close(self.units.len() + self.bundles.len() + at);
            }
        }
        true
    }

    /// Spends the share of the steps that failed.
    pub(super) fn fill_failed(&mut self) {
        let kept_back = self.room.size_left().share(1.0 - f64::from(weights::FAILED_SHARE));
        self.room.spend(kept_back);
        let failed = self.failed;
        self.push_all(|rows| overlaps(failed, rows));
        self.spend();
        self.room.spend(Size::default().minus(kept_back));
        self.misses = 0;
        // What did not fit may fit into the rest.
        for at in 0..self.units.len() {
            let taken = self.units.get(at).is_some_and(|unit| self.room.is_taken(&unit.rows));
            self.done.get_mut(at).into_iter().for_each(|done| *done = *done && taken);
        }
    }
}

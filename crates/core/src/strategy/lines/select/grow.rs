//! Room that is left goes to what stands around that which is shown.

use std::ops::Range;

use super::{Selecting, overlaps};
use crate::strategy::lines::unit::CONTEXT;

impl Selecting<'_> {
    /// Shows more around what is shown, line by line, while there is room: in the steps that failed, then anywhere.
    pub(super) fn grow(&mut self) {
        let mut barred: Vec<Range<u32>> = self.embeds.iter().map(|embed| embed.rows.clone()).collect();
        for bundle in self.bundles {
            // What a bundle folds is said, and never shown.
            let between = bundle.ranges.windows(2).filter_map(|pair| Some(pair.first()?.end..pair.last()?.start));
            barred.extend(between);
        }
        barred.sort_by_key(|rows| rows.start);
        let failed = self.failed;
        self.grow_where(|rows| overlaps(failed, rows) && !overlaps(&barred, rows));
        self.grow_where(|rows| !overlaps(&barred, rows));
    }

    /// Takes rows next to what was taken, from every side in turn. Each step takes a row or gives a side up, so that it
    /// ends when the room does.
    fn grow_where(&mut self, wanted: impl Fn(&Range<u32>) -> bool) {
        let mut sides = self.room.edges();
        while !sides.is_empty() && self.room.left() > 0 {
            sides.retain_mut(|(row, down)| {
                let rows = *row..*row + 1;
                if !wanted(&rows) || self.room.is_taken(&rows) {
                    return false;
                }
                let cost = self.room.cost(&rows);
                if !self.room.fits(cost) {
                    return false;
                }
                self.room.take(&rows, cost, CONTEXT);
                let next = if *down { self.room.below(*row) } else { row.checked_sub(1) };
                *row = next.unwrap_or(*row);
                next.is_some()
            });
        }
    }
}

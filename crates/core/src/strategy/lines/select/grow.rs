//! Room that is left goes to what stands around that which is shown.

use std::ops::Range;

use super::{Selecting, overlaps};
use crate::line::{Role, classify_line, signals, template};
use crate::strategy::lines::table::Size;
use crate::strategy::lines::unit::CONTEXT;
use crate::strategy::lines::weights;

/// Whether lines like those that are shown are shown, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alike {
    Shown,
    Hidden,
}

impl Selecting<'_> {
    /// Shows more around what is shown, line by line, while there is room: in the steps that failed, then anywhere.
    /// Where no step is known to have failed, lines like those that are shown stay away while others fill the room.
    pub(super) fn grow(&mut self) {
        let mut barred: Vec<Range<u32>> = self.embeds.iter().map(|embed| embed.rows.clone()).collect();
        for bundle in self.bundles {
            // What a bundle folds is said, and never shown.
            let between = bundle.ranges.windows(2).filter_map(|pair| Some(pair.first()?.end..pair.last()?.start));
            barred.extend(between);
            // One that says the same as one that is shown stays away.
            if self.seen.count(bundle.key) > 0 {
                barred.push(bundle.span());
            }
        }
        barred.sort_by_key(|rows| (rows.start, rows.end));
        // What lies within another is barred by it.
        let mut reach = 0;
        barred.retain(|rows| {
            let reaches_on = rows.end > reach;
            reach = reach.max(rows.end);
            reaches_on
        });
        let failed = self.failed;
        self.grow_where(Alike::Hidden, |rows| overlaps(failed, rows) && !overlaps(&barred, rows));
        self.grow_where(Alike::Hidden, |rows| !overlaps(&barred, rows));
        // Figures may differ where all else is alike: some such lines are shown around the others where there is room; some
        // of it is for what the gaps say.
        if self.room.left() as f32 > self.chars * weights::EMPTY {
            let said = self.room.size_left().share(f64::from(weights::SAID_OF_EMPTY));
            self.room.spend(said);
            self.grow_where(Alike::Shown, |rows| !overlaps(&barred, rows));
            self.room.spend(Size::default().minus(said));
        }
    }

    /// Takes rows next to what was taken, from every side in turn. Each step takes a row or gives a side up, so that it
    /// ends when the room does.
    fn grow_where(&mut self, alike: Alike, wanted: impl Fn(&Range<u32>) -> bool) {
        let mut sides = self.room.edges();
        let mut steps = 0;
        while !sides.is_empty() && self.room.left() > 0 && (alike == Alike::Hidden || steps < weights::ALIKE_AROUND) {
            steps += 1;
            sides.retain_mut(|(row, down)| {
                let rows = *row..*row + 1;
                let runs_on = match alike {
                    Alike::Hidden => self.failed.is_empty() && self.is_like_shown(*row),
                    Alike::Shown => self.went_well(*row),
                };
                if !wanted(&rows) || runs_on || self.room.is_taken(&rows) {
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

    /// Whether a row says that something went well, as a count of such rows does.
    fn went_well(&self, row: u32) -> bool {
        let body = self.table.body(row as usize);
        classify_line(body, signals::of_line(body), &self.settings.line_rules).role == Role::Pass
    }

    /// Whether a line with the template of this row is shown.
    fn is_like_shown(&self, row: u32) -> bool {
        let (template, _) = template::template(self.table.body(row as usize).trim_start());
        self.seen.count(template) > 0
    }
}

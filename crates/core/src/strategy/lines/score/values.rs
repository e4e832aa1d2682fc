//! The values of columns, in tables and in logs: which are rare, and which are extreme.

use std::collections::HashMap;

use crate::hash::{Hash, Plain};
use crate::line::entries;
use crate::strategy::lines::weights::columns as weights;

/// A column with more different values than this has no rare ones.
const DIFFERENT: usize = 64;

/// Below so many rows nothing is rare or extreme.
const FEW: usize = 4;

/// A value is far from the middle if it is so many times as far as half of the values are.
const FAR: f64 = 8.0;

/// Of the values far from the middle, so many of a column count.
const MOST_FAR: usize = 3;

/// Rows with the same columns.
pub(super) struct ColumnGroup {
    rows: Vec<usize>,
    columns: Vec<Column>,
}

/// The values of a column.
#[derive(Default)]
struct Column {
    /// How often each value occurs; nothing once there are too many.
    counts: HashMap<u64, u32, Plain>,
    is_various: bool,
    /// The value of each row, by its number in the group; 0 for none.
    values: Vec<u64>,
    /// The numbers, with the number of their row.
    numbers: Vec<(f64, u32)>,
    filled: usize,
}

impl ColumnGroup {
    /// A group of no rows.
    pub(super) fn new(columns: usize) -> ColumnGroup {
        ColumnGroup { rows: Vec::new(), columns: (0..columns).map(|_| Column::default()).collect() }
    }

    /// Adds row `row` of the text; `cells` gives the number of each column and the value there.
    pub(super) fn add<'a>(&mut self, row: usize, cells: impl FnOnce(&mut dyn FnMut(usize, &'a str))) {
        let number = self.rows.len();
        self.rows.push(row);
        cells(&mut |column, cell| {
            if let Some(column) = self.columns.get_mut(column) {
                column.add(number, cell);
            }
        });
    }

    /// What each row gains by its values, and a key of those in columns with few.
    pub(super) fn gains(mut self) -> Vec<(usize, f32, u64)> {
        let count = self.rows.len();
        let mut gains = vec![(0.0, Hash::new()); count];
        if count >= FEW {
            for column in &mut self.columns {
                column.values.resize(count, 0);
                column.add_rare(&mut gains);
                column.add_extremes(&mut gains);
            }
        }
        let rows = self.rows.iter().zip(gains);
        rows.map(|(row, (gain, key))| (*row, gain, key.value())).collect()
    }
}

impl Column {
    fn add(&mut self, number: usize, cell: &str) {
        if cell.is_empty() {
            return;
        }
        self.filled += 1;
        if let Some(figure) = entries::figure(cell.trim_end_matches('%')).filter(|figure| figure.is_finite()) {
            self.numbers.push((figure, number as u32));
        }
        if self.is_various {
            return;
        }
        let value = Hash::of(cell.as_bytes()) | 1;
        self.values.resize(number, 0);
        self.values.push(value);
        *self.counts.entry(value).or_default() += 1;
        if self.counts.len() > DIFFERENT {
            self.is_various = true;
            self.counts.clear();
        }
    }

    /// Rare values in a column with few; an empty cell is a value, too.
    fn add_rare(&self, gains: &mut [(f32, Hash)]) {
        let all = gains.len();
        let different = self.counts.len() + usize::from(self.filled < all);
        // Where every second row has another value, none is rare.
        if self.is_various || different < 2 || different > 3 && different * 3 > all {
            return;
        }
        let mut kinds: Vec<u64> = Vec::new();
        let has_kinds = different <= weights::KINDS && self.numbers.len() * 2 < self.filled;
        for (value, (gain, key)) in self.values.iter().zip(gains) {
            // Of a state, a type, a result, each at least once.
            if has_kinds && !kinds.contains(value) {
                kinds.push(*value);
                *gain += weights::FIRST_OF_KIND;
            }
            let same = if *value == 0 {
                all.saturating_sub(self.filled)
            } else {
                self.counts.get(value).map_or(1, |n| *n as usize)
            };
            key.push(*value);
            if same * 3 <= all {
                // Where all are about as frequent, none is rare.
                let usual = all as f32 / different as f32;
                let bits = (usual / same.max(1) as f32).log2();
                *gain += weights::RARE * bits.clamp(0.0, weights::RAREST);
            }
        }
    }

    /// The largest and the smallest number, and those far from the middle.
    fn add_extremes(&mut self, gains: &mut [(f32, Hash)]) {
        let all = gains.len();
        if self.numbers.len() * 5 < self.filled * 4 || self.numbers.len() < FEW || self.counts_up(all) {
            return;
        }
        let numbers = &mut self.numbers;
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let middle = numbers.get(numbers.len() / 2).map_or(0.0, |number| number.0);
        let mut distances: Vec<f64> = numbers.iter().map(|number| (number.0 - middle).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let half = distances.get(distances.len() / 2).copied().unwrap_or(0.0);
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let usual = if half > 0.0 { half } else { mean };
        if usual <= 0.0 {
            return;
        }
        let mut gain = |row: u32, worth: f32| {
            if let Some((gain, _)) = gains.get_mut(row as usize) {
                *gain += worth;
            }
        };
        let distance = |number: f64| ((number - middle).abs() / usual).min(FAR * 4.0);
        // Of equals the first row counts.
        let most = numbers.last().map_or(0.0, |number| number.0);
        let first_of_most = numbers.partition_point(|number| number.0 < most);
        if let Some((number, row)) = numbers.get(first_of_most) {
            gain(*row, weights::LARGEST * (0.5 + distance(*number) as f32 / FAR as f32).min(2.0));
        }
        if let Some((number, row)) = numbers.first() {
            gain(*row, weights::SMALLEST * (distance(*number) as f32 / FAR as f32).min(2.0));
        }
        let far = numbers.iter().rev().take_while(|number| distance(number.0) >= FAR);
        far.take(MOST_FAR).for_each(|(_, row)| gain(*row, weights::FAR));
        let low = numbers.iter().take_while(|number| distance(number.0) >= FAR);
        low.take(MOST_FAR).for_each(|(_, row)| gain(*row, weights::FAR));
    }

    /// Whether the numbers only go up, or only down, as those of rows do.
    fn counts_up(&self, all: usize) -> bool {
        let pairs = || self.numbers.windows(2).filter_map(|pair| Some((pair.first()?.0, pair.last()?.0)));
        let changes = pairs().filter(|(a, b)| a != b).count();
        changes * 2 > all && (pairs().all(|(a, b)| a <= b) || pairs().all(|(a, b)| a >= b))
    }
}

//! What a selection is made of.

use std::ops::Range;

/// Why a line is kept that says nothing itself but stands beside one that does.
pub(super) const CONTEXT: &str = "context";

/// Lines that are shown together or not at all.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Rows of the table.
    pub(super) rows: Range<u32>,
    /// What seeing it is worth; from 0 to 100: 100 is a line without which the task fails, 1 is hardly worth its room.
    pub(super) worth: f32,
    /// Units with the same key say nearly the same.
    pub(super) key: u64,
    /// Units with the same prefix begin the same way; 0 for none.
    pub(super) prefix: u64,
    /// What each unit of a prefix leaves of the next one's worth.
    pub(super) prefix_fade: f32,
    /// What each unit of a key leaves of the next one's worth.
    pub(super) fade: f32,
    /// Why it would be kept.
    pub(super) why: &'static str,
}

impl Unit {
    /// A unit of one row; each of its key leaves `fade` of the next one's worth.
    pub(super) fn row(row: usize, worth: f32, key: u64, fade: f32, why: &'static str) -> Unit {
        let rows = row as u32..row as u32 + 1;
        Unit { rows, worth, key, prefix: 0, prefix_fade: 1.0, fade, why }
    }
}

/// Rows that say most together, such as a trace: shown whole where that takes no more than a share of the budget. Where
/// they are not, the units among them still stand for themselves.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// The rows, in order, disjoint; what lies between them is folded and never shown.
    pub(super) ranges: Vec<Range<u32>>,
    /// What each row is worth that makes it whole.
    pub(super) worth: f32,
    /// Bundles with the same key say the same: one of them is shown whole.
    pub(super) key: u64,
    /// The characters that its folds take to say what they are.
    pub(super) aside: i64,
    /// Why its rows are kept.
    pub(super) why: &'static str,
}

impl Bundle {
    /// From its first row to its last.
    pub(super) fn span(&self) -> Range<u32> {
        let ends = self.ranges.first().zip(self.ranges.last());
        ends.map_or(0..0, |(first, last)| first.start..last.end)
    }
}

/// Rows that are shown, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptRows {
    pub(super) rows: Range<usize>,
    pub(super) why: &'static str,
}

//! The room that is left while a budget is selected, and what was taken so far.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::budget::{Budget, Marks};
use crate::strategy::lines::table::{Size, Table};
use crate::strategy::lines::unit::KeptRows;
use crate::strategy::lines::weights;

/// The room that is left, and the rows that were taken.
pub(in crate::strategy::lines) struct BudgetTracker<'a> {
    table: &'a Table<'a>,
    sums: Vec<Size>,
    breaks: Vec<u32>,
    taken: BTreeMap<u32, (u32, &'static str)>,
    /// What the gap costs where nothing is taken.
    empty: Size,
    left: Size,
    line_bound: bool,
    marks: Marks,
    /// The most characters that a gap's lines may take beyond its mark to be shown after all.
    bridged: i64,
    /// How many marks there are.
    count: i64,
}

impl<'a> BudgetTracker<'a> {
    /// Nothing is taken yet; whether lines are those of a log decides which gaps are worth to be shown after all.
    pub(in crate::strategy::lines) fn new(table: &'a Table<'a>, budget: &Budget, is_log: bool) -> BudgetTracker<'a> {
        let mut sums = Vec::with_capacity(table.len() + 1);
        let mut breaks = Vec::with_capacity(table.len() + 2);
        let mut sum = Size::default();
        let mut count = 0;
        breaks.push(0);
        for (at, row) in table.rows().iter().enumerate() {
            sums.push(sum);
            sum = sum.plus(table.size(row));
            count += u32::from(table.breaks_before(at));
            breaks.push(count);
        }
        sums.push(sum);
        count += u32::from(table.breaks_before(table.len()));
        breaks.push(count);
        let wide = i64::MAX / 4;
        let bound = |limit: Option<u64>| limit.map_or(wide, |limit| i64::try_from(limit).unwrap_or(wide).min(wide));
        let left = Size { chars: bound(Some(budget.chars)), bytes: bound(budget.bytes), lines: bound(budget.lines) };
        let line_bound = budget.lines.is_some();
        let (taken, empty) = (BTreeMap::new(), Size::default());
        let narrow = i64::try_from(budget.bytes.map_or(budget.chars, |bytes| bytes.min(budget.chars))).unwrap_or(wide);
        let in_logs = if is_log { weights::BRIDGED_IN_LOGS.of(narrow) } else { 0 };
        let bridged = weights::BRIDGED.of(narrow).max(in_logs);
        let (marks, count) = (budget.marks, 1);
        let mut room = BudgetTracker { table, sums, breaks, taken, empty, left, line_bound, marks, bridged, count };
        room.empty = room.gap(0, table.len() as u32).1;
        room.left = room.left.minus(room.empty);
        room
    }

    fn sum(&self, from: u32, to: u32) -> Size {
        let at = |row: u32| self.sums.get(row as usize).copied().unwrap_or_default();
        at(to).minus(at(from))
    }

    /// Whether a gap between rows is shown after all, and what it costs: itself, or its marker.
    fn gap(&self, from: u32, to: u32) -> (bool, Size) {
        let at = |boundary: u32| self.breaks.get(boundary as usize).copied().unwrap_or_default();
        let broken = at(to + 1) > at(from);
        if from >= to && !broken {
            return (true, Size::default());
        }
        let size = self.sum(from, to);
        let extent = self.table.extent();
        let (lines, chars) =
            if broken { (extent.lines, extent.chars) } else { (u64::from(to - from), size.chars as u64) };
        // A long row costs less than its characters: its gap's figure may be wider than its size.
        let chars = if self.table.extent().longest_line > self.table.line_limit { extent.chars } else { chars };
        let marker = self.marker(lines, chars);
        let bridged = !broken && size.chars <= self.bridge(marker.chars) && (!self.line_bound || to - from <= 1);
        if bridged { (true, size) } else { (false, marker) }
    }

    /// The most characters of a gap that is shown after all, where its marker takes so many.
    fn bridge(&self, marker: i64) -> i64 {
        match self.marks {
            Marks::Free | Marks::Counts => marker * 5 / 4,
            Marks::Addresses { .. } => marker + self.bridged,
        }
    }

    /// How many marks there are.
    pub(in crate::strategy::lines) fn marks(&self) -> i64 {
        self.count
    }

    /// What the marker of a gap costs.
    fn marker(&self, lines: u64, chars: u64) -> Size {
        if !self.marks.count() {
            return Size::default();
        }
        let marker = self.marks.line(lines, chars, self.table.extent()) as i64;
        Size { chars: marker, bytes: marker, lines: 1 }
    }

    /// The taken rows before and behind a range.
    fn neighbours(&self, rows: &Range<u32>) -> (u32, u32) {
        if self.taken.is_empty() {
            return (0, self.table.len() as u32);
        }
        let before = self.taken.range(..rows.end).next_back().map_or(0, |(_, (end, _))| *end);
        let behind = self.taken.range(rows.end..).next().map_or(self.table.len() as u32, |(start, _)| *start);
        (before.min(rows.start), behind)
    }

    /// What taking the rows costs now, markers that come or go included.
    pub(in crate::strategy::lines) fn cost(&self, rows: &Range<u32>) -> Size {
        self.priced(rows).0
    }

    /// What taking rows costs that are shown in another size than their own.
    pub(in crate::strategy::lines) fn cost_sized(&self, rows: &Range<u32>, size: Size) -> Size {
        self.priced_sized(rows, size).0
    }

    /// What taking the rows costs now, and by how many marks there are more then.
    pub(in crate::strategy::lines) fn priced(&self, rows: &Range<u32>) -> (Size, i64) {
        self.priced_sized(rows, self.sum(rows.start, rows.end))
    }

    fn priced_sized(&self, rows: &Range<u32>, size: Size) -> (Size, i64) {
        let (before, behind) = self.neighbours(rows);
        let (above, below) = (self.gap(before, rows.start), self.gap(rows.end, behind));
        let gap = self.gap(before, behind);
        let now = if self.taken.is_empty() { self.empty } else { gap.1 };
        let marked = |gap: (bool, Size), from: u32, to: u32| i64::from(from < to && !gap.0);
        let added = match self.marks {
            Marks::Addresses { .. } => {
                marked(above, before, rows.start) + marked(below, rows.end, behind) - marked(gap, before, behind)
            }
            Marks::Free | Marks::Counts => 0,
        };
        (size.plus(above.1.plus(below.1)).minus(now), added)
    }

    /// What it costs to take all of `ranges` (in order, disjoint), of which some rows may be taken already, and how
    /// many are not. Rows between them must not be taken.
    pub(in crate::strategy::lines) fn cost_of_all(&self, ranges: &[Range<u32>]) -> (Size, u32) {
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return (Size::default(), 0) };
        let (before, _) = self.neighbours(&(first.start..first.start));
        let (_, behind) = self.neighbours(&(last.end..last.end));
        let (mut now, mut missing, mut at) = (Size::default(), 0i64, before);
        for (&start, &(end, _)) in self.taken.range(first.start..last.end) {
            now = now.plus(self.gap(at, start).1).plus(self.sum(start, end));
            missing -= i64::from(end - start);
            at = end;
        }
        now = now.plus(self.gap(at, behind).1);
        let mut then = Size::default();
        at = before;
        for range in ranges {
            then = then.plus(self.gap(at, range.start).1).plus(self.sum(range.start, range.end));
            missing += i64::from(range.end - range.start);
            at = range.end;
        }
        then = then.plus(self.gap(at, behind).1);
        (then.minus(now), u32::try_from(missing).unwrap_or(0))
    }

    /// The characters that rows take by themselves.
    pub(in crate::strategy::lines) fn chars_of(&self, ranges: &[Range<u32>]) -> i64 {
        ranges.iter().map(|range| self.sum(range.start, range.end).chars).sum()
    }

    /// Takes the rows of `ranges` that are not taken yet.
    pub(in crate::strategy::lines) fn take_all(&mut self, ranges: &[Range<u32>], cost: Size, why: &'static str) {
        self.left = self.left.minus(cost);
        for range in ranges {
            self.count += self.priced(range).1;
            let inside: Vec<Range<u32>> =
                self.taken.range(range.start..range.end).map(|(&start, &(end, _))| start..end).collect();
            let mut at = range.start;
            for taken in inside.into_iter().chain(std::iter::once(range.end..range.end)) {
                if at < taken.start {
                    self.taken.insert(at, (taken.start, why));
                }
                at = taken.end;
            }
        }
    }

    /// All that is left.
    pub(in crate::strategy::lines) fn size_left(&self) -> Size {
        self.left
    }

    /// Whether lines are bounded, too.
    pub(in crate::strategy::lines) fn is_line_bound(&self) -> bool {
        self.line_bound
    }

    /// The characters that are left, bytes counted as characters where they are the narrower bound.
    pub(in crate::strategy::lines) fn left(&self) -> i64 {
        self.left.chars.min(self.left.bytes)
    }

    /// Whether the first of these rows was taken.
    pub(super) fn is_taken(&self, rows: &Range<u32>) -> bool {
        self.taken.range(..=rows.start).next_back().is_some_and(|(_, (end, _))| *end > rows.start)
    }

    /// The rows right behind and right before what was taken, and whether they lie behind it; some may be taken too.
    pub(super) fn edges(&self) -> Vec<(u32, bool)> {
        let mut edges = Vec::with_capacity(self.taken.len() * 2);
        for (start, (end, _)) in &self.taken {
            edges.extend(end.checked_sub(1).and_then(|last| self.below(last)).map(|row| (row, true)));
            edges.extend(start.checked_sub(1).map(|row| (row, false)));
        }
        edges
    }

    /// The row behind a row.
    pub(super) fn below(&self, row: u32) -> Option<u32> {
        Some(row + 1).filter(|next| (*next as usize) < self.table.len())
    }

    /// Spends what is not rows.
    pub(in crate::strategy::lines) fn spend(&mut self, cost: Size) {
        self.left = self.left.minus(cost);
    }

    /// Whether the rows could fit if a marker beside them went.
    pub(in crate::strategy::lines) fn may_fit(&self, rows: &Range<u32>) -> bool {
        let size = self.sum(rows.start, rows.end);
        let spared = self.marker(self.table.extent().lines, self.table.extent().chars);
        self.fits(size.minus(spared))
    }

    pub(in crate::strategy::lines) fn fits(&self, cost: Size) -> bool {
        cost.chars <= self.left.chars && cost.bytes <= self.left.bytes && cost.lines <= self.left.lines
    }

    pub(in crate::strategy::lines) fn take(&mut self, rows: &Range<u32>, cost: Size, why: &'static str) {
        self.count += self.priced(rows).1;
        self.left = self.left.minus(cost);
        self.taken.insert(rows.start, (rows.end, why));
    }

    /// The taken rows, with the gaps that cost less than their markers.
    pub(in crate::strategy::lines) fn finish(self) -> Vec<KeptRows> {
        let mut kept: Vec<KeptRows> = Vec::new();
        let mut at = 0;
        for (&start, &(end, why)) in &self.taken {
            if at < start && self.gap(at, start).0 {
                kept.push(KeptRows { rows: at as usize..start as usize, why: "context" });
            }
            kept.push(KeptRows { rows: start as usize..end as usize, why });
            at = end;
        }
        let len = self.table.len() as u32;
        if at < len && !self.taken.is_empty() && self.gap(at, len).0 {
            kept.push(KeptRows { rows: at as usize..len as usize, why: "context" });
        }
        kept
    }
}

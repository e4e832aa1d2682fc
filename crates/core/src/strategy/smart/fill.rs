//! Filling a budget: the best worth for its room first, less for what was shown already.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::ops::Range;

use super::shape::{self, Counts, Plain};
use super::table::{Size, Table, digits};
use crate::budget::Budget;

/// Lines that are shown together or not at all.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Rows of the table.
    pub(super) rows: Range<u32>,
    /// What seeing it is worth; 100 is a line without which the task fails, 1 is hardly worth its room.
    pub(super) worth: f32,
    /// Units with the same key say nearly the same.
    pub(super) key: u64,
    /// Units with the same stem begin the same way; 0 for none.
    pub(super) stem: u64,
    /// What each unit of a stem leaves of the next one's worth.
    pub(super) stem_fade: f32,
    /// What each unit of a key leaves of the next one's worth.
    pub(super) fade: f32,
    /// Why it would be kept.
    pub(super) why: &'static str,
}

/// Rows that are shown, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) rows: Range<usize>,
    pub(super) why: &'static str,
}

/// Units beyond the best so many are not weighed.
const CANDIDATES: usize = 20_000;

/// But always so many, and so many times as many as there is room for.
const LEAST: usize = 600;
const SURPLUS: usize = 10;

/// Units that did not fit, in a row, before the budget counts as full.
const MISSES: usize = 600;

/// How often a unit's worth is taken again before it stands.
const TURNS: u8 = 12;

/// A unit is taken if its worth is still at least this share of what it was when it was ranked.
const STANDS: f32 = 0.98;

/// Worth below this is not shown, however much room there is.
const FLOOR: f32 = 1.0;

/// What a unit costs beside its characters, so that short lines are not taken for their shortness.
const OVERHEAD: f32 = 30.0;

/// How much room counts against worth: 1 would fill the budget with short lines, 0 would not look at length.
const THRIFT: f32 = 0.6;

/// Chooses among `units` (in order, disjoint) what to show of `table` within `budget`; also says how many characters
/// are left.
pub(super) fn fill(table: &Table<'_>, units: &[Unit], budget: &Budget, by_novelty: bool) -> (Vec<Kept>, i64) {
    let units = best(table, units, budget);
    let mut room = Room::new(table, budget);
    let mut seen = Seen { spoken: by_novelty.then(|| Spoken::new(units.len())), ..Seen::default() };
    let mut turns = vec![0u8; units.len()];
    let mut heap: BinaryHeap<(u32, Reverse<usize>)> = BinaryHeap::with_capacity(units.len());
    let mut taken = vec![false; units.len()];
    let rank = |room: &Room<'_>, seen: &mut Seen, at: usize, unit: &Unit| {
        let worth = seen.worth(table, at, unit);
        let cost = room.cost(&unit.rows);
        let density = worth / (cost.chars.max(0) as f32 + OVERHEAD).powf(THRIFT);
        (worth, cost, density.to_bits())
    };
    for (at, unit) in units.iter().enumerate() {
        heap.push((rank(&room, &mut seen, at, unit).2, Reverse(at)));
    }
    let mut misses = 0;
    while let Some((stored, Reverse(at))) = heap.pop() {
        let (Some(unit), Some(done), Some(turn)) = (units.get(at), taken.get_mut(at), turns.get_mut(at)) else {
            continue;
        };
        if *done {
            continue;
        }
        // What was shown only ever takes worth away.
        if seen.faded(unit) < FLOOR {
            *done = true;
            continue;
        }
        if !room.may_fit(&unit.rows) {
            *done = true;
            misses += 1;
            if misses > MISSES {
                break;
            }
            continue;
        }
        let (worth, cost, now) = rank(&room, &mut seen, at, unit);
        if worth < FLOOR {
            *done = true;
            continue;
        }
        if f32::from_bits(now) < f32::from_bits(stored) * STANDS && *turn < TURNS {
            *turn += 1;
            heap.push((now, Reverse(at)));
            continue;
        }
        *done = true;
        if !room.fits(cost) {
            misses += 1;
            if misses > MISSES {
                break;
            }
            continue;
        }
        misses = 0;
        room.take(&unit.rows, cost, unit.why);
        seen.add(table, at, unit);
        for near in [at.wrapping_sub(1), at + 1] {
            if let (Some(unit), Some(false)) = (units.get(near), taken.get(near)) {
                heap.push((rank(&room, &mut seen, near, unit).2, Reverse(near)));
            }
        }
    }
    let left = room.left.chars.min(room.left.bytes);
    (room.finish(), left)
}

/// Units for a text that nothing is known of: the nearer to an end, the better.
pub(super) fn ends(table: &Table<'_>) -> Vec<Unit> {
    let len = table.len();
    (0..len)
        .map(|row| {
            let worth = 100.0 / (1 + row.min(len - 1 - row)) as f32;
            let why = if row < len / 2 { "first lines" } else { "last lines" };
            Unit { rows: row as u32..row as u32 + 1, worth, key: 0, stem: 0, stem_fade: 1.0, fade: 1.0, why }
        })
        .collect()
}

/// The most promising units, in document order: some times as many as there is room for.
fn best<'u>(table: &Table<'_>, units: &'u [Unit], budget: &Budget) -> Vec<&'u Unit> {
    let mut units: Vec<&Unit> = units.iter().filter(|unit| unit.worth >= FLOOR).collect();
    let chars = |unit: &&Unit| table.rows().get(unit.rows.start as usize).map_or(0, |row| row.chars.min(1000));
    let line = units.iter().map(chars).sum::<u64>() / (units.len() as u64).max(1) + 1;
    let most = usize::try_from(budget.chars / line.max(5)).unwrap_or(CANDIDATES).saturating_mul(SURPLUS);
    let most = most.clamp(LEAST, CANDIDATES);
    if units.len() <= most {
        return units;
    }
    // The hundredth of a key is weighed as if the better ones before it were shown.
    let mut ranked: Vec<(u32, Reverse<u32>)> =
        units.iter().enumerate().map(|(at, unit)| (unit.worth.to_bits(), Reverse(at as u32))).collect();
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    let mut seen = Counts::default();
    for (worth, Reverse(at)) in &mut ranked {
        let Some(unit) = units.get(*at as usize) else { continue };
        let before = seen.entry(unit.key).or_default();
        *worth = (unit.worth * unit.fade.powi((*before).min(200) as i32)).to_bits();
        *before += 1;
    }
    ranked.select_nth_unstable_by(most, |a, b| b.cmp(a));
    let mut chosen = vec![false; units.len()];
    for (_, Reverse(at)) in ranked.iter().take(most) {
        chosen.get_mut(*at as usize).into_iter().for_each(|chosen| *chosen = true);
    }
    let mut chosen = chosen.into_iter();
    units.retain(|_| chosen.next().unwrap_or(false));
    units
}

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
                    shape::words(table.words(row as usize), &mut |word| words.push(word));
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
struct Seen {
    /// The words of units, where words count.
    spoken: Option<Spoken>,
    keys: Counts,
    words: HashSet<u32, Plain>,
}

impl Seen {
    /// The worth of a unit after others of its key and its stem were shown.
    fn faded(&self, unit: &Unit) -> f32 {
        let before = self.keys.get(&unit.key).copied().unwrap_or(0);
        let alike = if unit.stem == 0 { 0 } else { self.keys.get(&unit.stem).copied().unwrap_or(0) };
        unit.worth * unit.fade.powi(before as i32) * unit.stem_fade.powi(alike as i32)
    }

    fn worth(&mut self, table: &Table<'_>, at: usize, unit: &Unit) -> f32 {
        let faded = self.faded(unit);
        let Some(spoken) = self.spoken.as_mut().filter(|_| !self.words.is_empty()) else { return faded };
        match spoken.get(table, at, unit) {
            [] => faded * 0.5,
            words => {
                let new = words.iter().filter(|word| !self.words.contains(word)).count();
                faded * (0.4 + 0.6 * new as f32 / words.len() as f32)
            }
        }
    }

    fn add(&mut self, table: &Table<'_>, at: usize, unit: &Unit) {
        *self.keys.entry(unit.key).or_default() += 1;
        if unit.stem != 0 {
            *self.keys.entry(unit.stem).or_default() += 1;
        }
        if let Some(spoken) = &mut self.spoken {
            self.words.extend(spoken.get(table, at, unit));
        }
    }
}

/// The room that is left, and the rows that were taken.
pub(super) struct Room<'a> {
    table: &'a Table<'a>,
    sums: Vec<Size>,
    breaks: Vec<u32>,
    taken: BTreeMap<u32, (u32, &'static str)>,
    left: Size,
    line_bound: bool,
    markers_count: bool,
}

impl<'a> Room<'a> {
    fn new(table: &'a Table<'a>, budget: &Budget) -> Room<'a> {
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
        let markers_count = budget.markers_count;
        let mut room = Room { table, sums, breaks, taken: BTreeMap::new(), left, line_bound, markers_count };
        room.left = room.left.minus(room.gap(0, table.len() as u32).1);
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
        let bridged = !broken && size.chars <= marker.chars * 5 / 4 && (!self.line_bound || to - from <= 1);
        if bridged { (true, size) } else { (false, marker) }
    }

    /// What the marker of a gap costs.
    fn marker(&self, lines: u64, chars: u64) -> Size {
        if !self.markers_count {
            return Size::default();
        }
        let marker = "\n... [ lines /  chars omitted] ...\n".len() as i64 + digits(lines) + digits(chars);
        Size { chars: marker, bytes: marker, lines: 1 }
    }

    /// The taken rows before and behind a range.
    fn neighbours(&self, rows: &Range<u32>) -> (u32, u32) {
        let before = self.taken.range(..rows.end).next_back().map_or(0, |(_, (end, _))| *end);
        let behind = self.taken.range(rows.end..).next().map_or(self.table.len() as u32, |(start, _)| *start);
        (before.min(rows.start), behind)
    }

    /// What taking the rows costs now, markers that come or go included.
    fn cost(&self, rows: &Range<u32>) -> Size {
        let (before, behind) = self.neighbours(rows);
        let gaps = self.gap(before, rows.start).1.plus(self.gap(rows.end, behind).1);
        self.sum(rows.start, rows.end).plus(gaps).minus(self.gap(before, behind).1)
    }

    /// Whether the rows could fit if a marker beside them went.
    fn may_fit(&self, rows: &Range<u32>) -> bool {
        let size = self.sum(rows.start, rows.end);
        let spared = self.marker(self.table.extent().lines, self.table.extent().chars);
        self.fits(size.minus(spared))
    }

    fn fits(&self, cost: Size) -> bool {
        cost.chars <= self.left.chars && cost.bytes <= self.left.bytes && cost.lines <= self.left.lines
    }

    fn take(&mut self, rows: &Range<u32>, cost: Size, why: &'static str) {
        self.left = self.left.minus(cost);
        self.taken.insert(rows.start, (rows.end, why));
    }

    /// The taken rows, with the gaps that cost less than their markers.
    fn finish(self) -> Vec<Kept> {
        let mut kept: Vec<Kept> = Vec::new();
        let mut at = 0;
        for (&start, &(end, why)) in &self.taken {
            if at < start && self.gap(at, start).0 {
                kept.push(Kept { rows: at as usize..start as usize, why: "context" });
            }
            kept.push(Kept { rows: start as usize..end as usize, why });
            at = end;
        }
        let len = self.table.len() as u32;
        if at < len && !self.taken.is_empty() && self.gap(at, len).0 {
            kept.push(Kept { rows: at as usize..len as usize, why: "context" });
        }
        kept
    }
}

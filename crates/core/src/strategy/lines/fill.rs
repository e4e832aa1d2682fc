//! Filling a budget: the best worth for its room first, less for what was shown already.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;
use std::sync::LazyLock;

use super::insets::{Inset, Shown};
use super::room::Room;
use super::seen::Seen;
use super::table::{Size, Table};
use crate::budget::Budget;
use crate::hash::Counts;
use crate::strategy::Settings;

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

/// One bundle takes at most this share of the budget.
const BUNDLE_SHARE: f32 = 0.3;

/// What it is worth that a fold says what it is, where all else of a bundle is shown.
const SAYING: f32 = 50.0;

/// All insets take at most this share of the budget while there is something else to show.
const INSETS_SHARE: f32 = 0.5;

/// Insets are shown step by step: what is left of their worth at each, and how much of their share it shows.
const STEPS: [(f32, f32); 4] = [(1.0, 0.2), (0.4, 0.4), (0.25, 0.7), (0.15, 1.0)];

/// But at first so many characters, where the share has them.
const INSET_LEAST: f32 = 120.0;

/// In less room than this a value, of which little could be shown, is worth less.
const INSET_ROOMY: f32 = 4000.0;

/// What each inset that begins alike leaves of the next one's worth.
const INSET_FADE: f32 = 0.4;

/// A step of an inset counts as so many characters at least.
const INSET_LINE: f32 = 60.0;

/// From so many characters on it is worth to give insets what is left.
const WIDENED: i64 = 100;

/// What was chosen.
pub(super) struct Filled {
    pub(super) kept: Vec<Kept>,
    /// What is shown of insets, by their number.
    pub(super) insets: BTreeMap<usize, Shown>,
    /// The characters that are left, those that folds were promised included.
    pub(super) left: i64,
}

/// What is chosen from; each in order, disjoint, and no row of an inset in anything else.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) units: &'a [Unit],
    pub(super) bundles: &'a [Bundle],
    pub(super) insets: &'a [Inset],
    /// Whether lines lose worth when their words were shown before.
    pub(super) by_novelty: bool,
}

/// Chooses what to show of `table` within `budget`.
pub(super) fn fill(table: &Table<'_>, choice: Choice<'_>, budget: &Budget, settings: &Settings) -> Filled {
    let Choice { units, bundles, insets, by_novelty } = choice;
    let units = best(table, units, budget);
    let all = units.len() + bundles.len() + insets.len();
    let mut filling = Filling {
        table,
        settings,
        bundles,
        insets,
        shown: BTreeMap::new(),
        room: Room::new(table, budget),
        seen: Seen::new(units.len(), by_novelty),
        heap: BinaryHeap::new(),
        done: vec![false; all],
        turns: vec![0; all],
        units,
        misses: 0,
        aside: 0,
        chars: budget.chars as f32,
    };
    filling.run();
    let left = filling.room.left() + filling.aside;
    Filled { kept: filling.room.finish(), insets: filling.shown, left }
}

/// A budget that is being filled.
struct Filling<'a> {
    table: &'a Table<'a>,
    units: Vec<&'a Unit>,
    settings: &'a Settings,
    bundles: &'a [Bundle],
    insets: &'a [Inset],
    /// What is shown of insets so far.
    shown: BTreeMap<usize, Shown>,
    room: Room<'a>,
    seen: Seen,
    /// Units, then bundles, then insets, by number, the best for its room on top.
    heap: BinaryHeap<(u32, Reverse<usize>)>,
    done: Vec<bool>,
    turns: Vec<u8>,
    /// Units that did not fit, in a row.
    misses: usize,
    /// Characters that were promised to folds.
    aside: i64,
    /// The characters of the budget.
    chars: f32,
}

/// What worth is for its room, as the heap compares it.
fn density(worth: f32, chars: f32) -> u32 {
    (worth / weight(chars.max(0.0))).to_bits()
}

/// How much so many characters count against worth.
fn weight(chars: f32) -> f32 {
    (chars + OVERHEAD).powf(THRIFT)
}

/// The weights of lines of usual lengths.
static WEIGHTS: LazyLock<[f32; 1024]> = LazyLock::new(|| std::array::from_fn(|chars| weight(chars as f32)));

/// What worth is for a whole number of characters.
fn density_of_line(worth: f32, chars: i64) -> u32 {
    let known = usize::try_from(chars.max(0)).ok().and_then(|chars| WEIGHTS.get(chars));
    known.map_or_else(|| density(worth, chars as f32), |weight| (worth / weight).to_bits())
}

impl<'a> Filling<'a> {
    fn run(&mut self) {
        let units = std::mem::take(&mut self.units);
        self.heap = units.iter().enumerate().map(|(at, unit)| (self.rank(at, unit).2, Reverse(at))).collect();
        self.units = units;
        for at in 0..self.bundles.len() {
            self.push_bundle(at);
        }
        let first = self.units.len() + self.bundles.len();
        for at in 0..self.insets.len() {
            self.push_inset(at);
        }
        while let Some((stored, Reverse(at))) = self.heap.pop() {
            if self.done.get(at) != Some(&false) {
                continue;
            }
            if at < self.units.len() {
                self.try_unit(at, stored);
            } else if at < first {
                self.try_bundle(at - self.units.len(), stored);
            } else {
                self.try_inset(at - first, stored);
            }
            if self.misses > MISSES {
                break;
            }
        }
        // Where room is left, a bundle may take more than its share.
        for bundle in self.bundles {
            let (cost, _) = self.rank_bundle(bundle);
            self.take_bundle(bundle, cost);
        }
        self.widen();
    }

    /// The most characters that an inset may take at a step, and what that is worth for its room.
    fn rank_inset(&self, at: usize, step: usize) -> Option<(i64, u32)> {
        let inset = self.insets.get(at)?;
        let (worth, part) = STEPS.get(step)?;
        let share = self.chars * inset.share;
        let others = self.shown.iter().filter(|(other, _)| **other != at).map(|(_, shown)| shown.size.chars);
        let most =
            (share * part).max(share.min(INSET_LEAST)).min(self.chars * INSETS_SHARE - others.sum::<i64>() as f32);
        let now = self.shown.get(&at).map_or(0, |shown| shown.size.chars);
        let alike = if now > 0 { 1 } else { self.seen.count(inset.key) };
        let roomy = (self.chars / INSET_ROOMY).min(1.0);
        let worth = inset.worth * worth * roomy * INSET_FADE.powi(alike as i32);
        Some((most as i64, density(worth, (most - now as f32).max(INSET_LINE))))
    }

    fn push_inset(&mut self, at: usize) {
        let number = self.units.len() + self.bundles.len() + at;
        let step = self.turns.get(number).map_or(0, |turn| usize::from(*turn));
        if let Some((_, rank)) = self.rank_inset(at, step) {
            self.heap.push((rank, Reverse(number)));
        }
    }

    /// Shows some of an inset, and more of it at the next step.
    fn try_inset(&mut self, at: usize, stored: u32) {
        let number = self.units.len() + self.bundles.len() + at;
        let Some((inset, turn)) = self.insets.get(at).zip(self.turns.get(number)) else { return };
        let Some((most, now)) = self.rank_inset(at, usize::from(*turn)) else { return };
        if f32::from_bits(now) < f32::from_bits(stored) * STANDS {
            return self.heap.push((now, Reverse(number)));
        }
        self.turns.get_mut(number).into_iter().for_each(|turn| *turn += 1);
        let first = !self.shown.contains_key(&at);
        if self.show_inset(at, inset, most) {
            if first {
                self.seen.add_key(inset.key);
            }
            self.push_inset(at);
        }
    }

    /// Shows as much of an inset as `most` characters allow, and says whether more could be shown.
    fn show_inset(&mut self, at: usize, inset: &Inset, most: i64) -> bool {
        let before = self.shown.get(&at).map(|shown| shown.size);
        let gaps = if before.is_some() { Size::default() } else { self.room.cost_sized(&inset.rows, Size::default()) };
        let left = self.room.size_left().minus(gaps).plus(before.unwrap_or_default());
        let room = Size { chars: left.chars.min(most), bytes: left.bytes.min(most * 4), lines: left.lines };
        let Some(shown) = inset.cut(room, self.room.is_line_bound(), self.settings) else { return false };
        let cost = match before {
            Some(before) => shown.size.minus(before),
            None => self.room.cost_sized(&inset.rows, shown.size),
        };
        // More room may by chance lead to less: then what is shown stays.
        if before.is_some() && cost.chars <= 0 {
            return true;
        }
        if !self.room.fits(cost) {
            return false;
        }
        match before {
            Some(_) => self.room.spend(cost),
            None => self.room.take(&inset.rows, cost, "part of another kind"),
        }
        self.shown.insert(at, shown);
        true
    }

    /// Gives insets what is left, the first one first.
    fn widen(&mut self) {
        let shown: Vec<(usize, i64)> = self.shown.iter().map(|(at, shown)| (*at, shown.size.chars)).collect();
        for (at, chars) in shown {
            let left = self.room.left();
            if left < WIDENED {
                break;
            }
            if let Some(inset) = self.insets.get(at) {
                self.show_inset(at, inset, chars + left);
            }
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.done.get(at) == Some(&false)
    }

    fn close(&mut self, at: usize) {
        self.done.get_mut(at).into_iter().for_each(|done| *done = true);
    }

    /// Whether what was ranked higher before is to be ranked again.
    fn falls(&mut self, at: usize, now: u32, stored: u32) -> bool {
        let Some(turn) = self.turns.get_mut(at) else { return false };
        let falls = f32::from_bits(now) < f32::from_bits(stored) * STANDS && *turn < TURNS;
        *turn += u8::from(falls);
        if falls {
            self.heap.push((now, Reverse(at)));
        }
        falls
    }

    fn push_unit(&mut self, at: usize) {
        if let Some(unit) = self.units.get(at) {
            let (_, _, rank) = self.rank(at, unit);
            self.heap.push((rank, Reverse(at)));
        }
    }

    fn rank(&mut self, at: usize, unit: &Unit) -> (f32, Size, u32) {
        let worth = self.seen.worth(self.table, at, unit);
        let cost = self.room.cost(&unit.rows);
        (worth, cost, density_of_line(worth, cost.chars))
    }

    fn try_unit(&mut self, at: usize, stored: u32) {
        let Some(&unit) = self.units.get(at) else { return };
        // What was shown only ever takes worth away.
        if self.seen.faded(unit) < FLOOR {
            return self.close(at);
        }
        if !self.room.may_fit(&unit.rows) {
            self.misses += 1;
            return self.close(at);
        }
        let (worth, cost, now) = self.rank(at, unit);
        if worth < FLOOR {
            return self.close(at);
        }
        if self.falls(at, now, stored) {
            return;
        }
        self.close(at);
        if !self.room.fits(cost) {
            self.misses += 1;
            return;
        }
        self.misses = 0;
        self.room.take(&unit.rows, cost, unit.why);
        self.seen.add(self.table, at, unit);
        for near in [at.wrapping_sub(1), at + 1] {
            if near < self.units.len() && self.is_open(near) {
                self.push_unit(near);
            }
        }
        // Less is missing now of what the unit belongs to.
        let bundle = self.bundles.partition_point(|bundle| bundle.span().end <= unit.rows.start);
        if self.bundles.get(bundle).is_some_and(|bundle| bundle.span().start <= unit.rows.start) {
            self.push_bundle(bundle);
        }
    }

    fn push_bundle(&mut self, at: usize) {
        let number = self.units.len() + at;
        if let Some(bundle) = self.bundles.get(at).filter(|_| self.is_open(number)) {
            let (_, rank) = self.rank_bundle(bundle);
            self.heap.push((rank, Reverse(number)));
        }
    }

    fn rank_bundle(&self, bundle: &Bundle) -> (Size, u32) {
        let (cost, missing) = self.room.cost_of_all(&bundle.ranges);
        let shown = missing == 0 || cost.chars <= 0;
        let cost = cost.plus(Size { chars: bundle.aside, bytes: bundle.aside, lines: 0 });
        let worth = match shown {
            _ if self.seen.count(bundle.key) > 0 => 0.0,
            true => SAYING,
            false => bundle.worth,
        };
        (cost, density(worth, cost.chars as f32 / missing.max(1) as f32))
    }

    fn try_bundle(&mut self, at: usize, stored: u32) {
        let number = self.units.len() + at;
        let Some(bundle) = self.bundles.get(at) else { return };
        let (cost, now) = self.rank_bundle(bundle);
        if self.falls(number, now, stored) {
            return;
        }
        // One that is too large may yet become whole line by line; then its folds only have to say what they are.
        let whole = cost.chars <= bundle.aside;
        if whole || self.room.chars_of(&bundle.ranges) as f32 <= self.chars * BUNDLE_SHARE {
            self.close(number);
            self.take_bundle(bundle, cost);
        }
    }

    /// Takes a bundle if it fits and was not shown before; one of which nothing is missing was shown.
    fn take_bundle(&mut self, bundle: &Bundle, cost: Size) {
        if self.seen.count(bundle.key) > 0 || !self.room.fits(cost) {
            return;
        }
        self.room.take_all(&bundle.ranges, cost, bundle.why);
        self.seen.add_key(bundle.key);
        self.aside += bundle.aside;
        let span = bundle.span();
        let mut inside = self.units.partition_point(|unit| unit.rows.start < span.start);
        // What only makes it whole does not count as shown: frames look alike, and others would fade for it.
        while self.units.get(inside).is_some_and(|unit| unit.rows.start < span.end) {
            self.close(inside);
            inside += 1;
        }
    }
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

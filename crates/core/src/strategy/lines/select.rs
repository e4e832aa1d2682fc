//! Selecting a budget: the best worth for its room first, less for what was shown already.

mod budget_tracker;
mod failed_steps;
mod grow;
mod novelty;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;
use std::sync::LazyLock;

use crate::budget::Budget;
use crate::hash::Counts;
use crate::strategy::Settings;
use crate::strategy::lines::embedded::value::{Embedded, ShownEmbed};
use crate::strategy::lines::table::{Size, Table};
use crate::strategy::lines::unit::{Bundle, KeptRows, Unit};
use crate::strategy::lines::weights;
use budget_tracker::BudgetTracker;
use novelty::Novelty;

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

/// From so many characters on it is worth to give embeds what is left.
const WIDENED: i64 = 100;

/// What was chosen.
pub(super) struct Selected {
    pub(super) kept: Vec<KeptRows>,
    /// What is shown of embeds, by their number.
    pub(super) embeds: BTreeMap<usize, ShownEmbed>,
    /// The characters that are left, those that folds were promised included.
    pub(super) left: i64,
}

/// What is chosen from; each in order, disjoint, and no row of an embed in anything else.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) units: &'a [Unit],
    pub(super) bundles: &'a [Bundle],
    pub(super) embeds: &'a [Embedded],
    /// The rows of the steps that failed, which most of the room is for.
    pub(super) failed: &'a [Range<u32>],
    /// Whether lines lose worth when their words were shown before.
    pub(super) by_novelty: bool,
    /// What is worth less is not shown.
    pub(super) floor: f32,
}

/// Chooses what to show of `table` within `budget`.
pub(super) fn select(table: &Table<'_>, choice: Choice<'_>, budget: &Budget, settings: &Settings) -> Selected {
    let Choice { units, bundles, embeds, failed, by_novelty, floor } = choice;
    let units = best(table, units, failed, budget, floor);
    let all = units.len() + bundles.len() + embeds.len();
    let mut selecting = Selecting {
        table,
        settings,
        bundles,
        embeds,
        failed,
        shown: BTreeMap::new(),
        room: BudgetTracker::new(table, budget, by_novelty),
        seen: Novelty::new(units.len(), by_novelty),
        heap: BinaryHeap::new(),
        done: vec![false; all],
        turns: vec![0; all],
        units,
        misses: 0,
        floor,
        aside: 0,
        chars: budget.chars as f32,
    };
    selecting.run();
    let left = selecting.room.left() + selecting.aside;
    Selected { kept: selecting.room.finish(), embeds: selecting.shown, left }
}

/// A budget that is being selected.
struct Selecting<'a> {
    table: &'a Table<'a>,
    units: Vec<&'a Unit>,
    settings: &'a Settings,
    bundles: &'a [Bundle],
    embeds: &'a [Embedded],
    failed: &'a [Range<u32>],
    /// What is shown of embeds so far.
    shown: BTreeMap<usize, ShownEmbed>,
    room: BudgetTracker<'a>,
    seen: Novelty,
    /// Units, then bundles, then embeds, by number, the best for its room on top.
    heap: BinaryHeap<(u32, Reverse<usize>)>,
    done: Vec<bool>,
    turns: Vec<u8>,
    /// Units that did not fit, in a row.
    misses: usize,
    floor: f32,
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
    (chars + weights::OVERHEAD).powf(weights::THRIFT)
}

/// The weights of lines of usual lengths.
static WEIGHTS: LazyLock<[f32; 1024]> = LazyLock::new(|| std::array::from_fn(|chars| weight(chars as f32)));

/// What worth is for a whole number of characters.
fn density_of_line(worth: f32, chars: i64) -> u32 {
    let known = usize::try_from(chars.max(0)).ok().and_then(|chars| WEIGHTS.get(chars));
    known.map_or_else(|| density(worth, chars as f32), |weight| (worth / weight).to_bits())
}

impl<'a> Selecting<'a> {
    fn run(&mut self) {
        if !self.failed.is_empty() && !self.take_failed() {
            self.fill_failed();
        }
        self.push_all(|_| true);
        self.spend();
        // Where room is left, a bundle may take more than its share.
        for bundle in self.bundles {
            let (cost, _) = self.rank_bundle(bundle);
            self.take_bundle(bundle, cost);
        }
        self.widen();
        let is_log = self.seen.counts_words() && Table::takes_whole(self.table.extent());
        if !self.failed.is_empty() || is_log {
            self.grow();
        }
    }

    /// Ranks everything that is open and whose rows are `wanted`.
    fn push_all(&mut self, wanted: impl Fn(&Range<u32>) -> bool) {
        let units = std::mem::take(&mut self.units);
        let mut ranked = Vec::with_capacity(units.len());
        for (at, unit) in units.iter().enumerate() {
            if self.is_open(at) && wanted(&unit.rows) {
                ranked.push((self.rank(at, unit).2, Reverse(at)));
            }
        }
        self.heap = ranked.into();
        self.units = units;
        for (at, bundle) in self.bundles.iter().enumerate() {
            if wanted(&bundle.span()) {
                self.push_bundle(at);
            }
        }
        for (at, embed) in self.embeds.iter().enumerate() {
            if wanted(&embed.rows) {
                self.push_inset(at);
            }
        }
    }

    /// Takes what is ranked, the best for its room first, until nothing fits.
    fn spend(&mut self) {
        let first = self.units.len() + self.bundles.len();
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
    }

    /// The most characters that an embed may take at a step, and what that is worth for its room.
    fn rank_inset(&self, at: usize, step: usize) -> Option<(i64, u32)> {
        let embed = self.embeds.get(at)?;
        let (worth, part) = weights::EMBED_STEPS.get(step)?;
        let share = self.chars * embed.share;
        let others = self.shown.iter().filter(|(other, _)| **other != at).map(|(_, shown)| shown.size.chars);
        let most = (share * part)
            .max(share.min(weights::EMBED_LEAST))
            .min(self.chars * weights::EMBEDS_SHARE - others.sum::<i64>() as f32);
        let now = self.shown.get(&at).map_or(0, |shown| shown.size.chars);
        let alike = if now > 0 { 1 } else { self.seen.count(embed.key) };
        let roomy = (self.chars / weights::EMBED_ROOMY).min(1.0);
        let worth = embed.worth * worth * roomy * weights::EMBED_FADE.powi(alike as i32);
        Some((most as i64, density(worth, (most - now as f32).max(weights::EMBED_LINE))))
    }

    fn push_inset(&mut self, at: usize) {
        let number = self.units.len() + self.bundles.len() + at;
        let step = self.turns.get(number).map_or(0, |turn| usize::from(*turn));
        if let Some((_, rank)) = self.rank_inset(at, step) {
            self.heap.push((rank, Reverse(number)));
        }
    }

    /// Shows some of an embed, and more of it at the next step.
    fn try_inset(&mut self, at: usize, stored: u32) {
        let number = self.units.len() + self.bundles.len() + at;
        let Some((embed, turn)) = self.embeds.get(at).zip(self.turns.get(number)) else { return };
        let Some((most, now)) = self.rank_inset(at, usize::from(*turn)) else { return };
        if f32::from_bits(now) < f32::from_bits(stored) * STANDS {
            return self.heap.push((now, Reverse(number)));
        }
        self.turns.get_mut(number).into_iter().for_each(|turn| *turn += 1);
        let first = !self.shown.contains_key(&at);
        if self.show_inset(at, embed, most) {
            if first {
                self.seen.add_key(embed.key);
            }
            self.push_inset(at);
        }
    }

    /// Shows as much of an embed as `most` characters allow, and says whether more could be shown.
    fn show_inset(&mut self, at: usize, embed: &Embedded, most: i64) -> bool {
        let before = self.shown.get(&at).map(|shown| shown.size);
        let gaps = if before.is_some() { Size::default() } else { self.room.cost_sized(&embed.rows, Size::default()) };
        let left = self.room.size_left().minus(gaps).plus(before.unwrap_or_default());
        let room = Size { chars: left.chars.min(most), bytes: left.bytes.min(most * 4), lines: left.lines };
        let Some(shown) = embed.cut(room, self.room.is_line_bound(), self.settings) else { return false };
        let cost = match before {
            Some(before) => shown.size.minus(before),
            None => self.room.cost_sized(&embed.rows, shown.size),
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
            None => self.room.take(&embed.rows, cost, "part of another kind"),
        }
        self.shown.insert(at, shown);
        true
    }

    /// Gives embeds what is left, the first one first.
    fn widen(&mut self) {
        let shown: Vec<(usize, i64)> = self.shown.iter().map(|(at, shown)| (*at, shown.size.chars)).collect();
        for (at, chars) in shown {
            let left = self.room.left();
            if left < WIDENED {
                break;
            }
            if let Some(embed) = self.embeds.get(at) {
                self.show_inset(at, embed, chars + left);
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
        let (cost, marks) = self.room.priced(&unit.rows);
        let price = cost.chars + self.mark_price(unit, marks);
        (worth, cost, density_of_line(worth, price))
    }

    /// What the marks that a unit would add count against it, in characters: the more marks there are, the more.
    fn mark_price(&self, unit: &Unit, added: i64) -> i64 {
        let added = added.max(0) as f32;
        let crowd = self.room.marks() as f32 / (weights::MARKS + self.chars / weights::MARKS_EACH);
        let is_quiet = self.seen.counts_words() && unit.worth < weights::QUIET;
        let times = if is_quiet { weights::QUIET_MARK } else { 1.0 };
        (added * times * weights::MARK * (1.0 + crowd * crowd)) as i64
    }

    fn try_unit(&mut self, at: usize, stored: u32) {
        let Some(&unit) = self.units.get(at) else { return };
        // What was shown only ever takes worth away.
        if self.seen.faded(unit) < self.floor {
            return self.close(at);
        }
        if !self.room.may_fit(&unit.rows) {
            self.misses += 1;
            return self.close(at);
        }
        let (worth, cost, now) = self.rank(at, unit);
        if worth < self.floor {
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
            true => weights::SAYING,
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
        if whole || self.room.chars_of(&bundle.ranges) as f32 <= self.chars * weights::BUNDLE_SHARE {
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

/// Whether some of `rows` lies in one of `ranges`, which are in order and disjoint.
pub(super) fn overlaps(ranges: &[Range<u32>], rows: &Range<u32>) -> bool {
    let near = ranges.partition_point(|range| range.end <= rows.start);
    ranges.get(near).is_some_and(|range| range.start < rows.end)
}

/// Units for a text that nothing is known of: the nearer to an end, the better.
pub(super) fn ends(table: &Table<'_>) -> Vec<Unit> {
    let len = table.len();
    (0..len)
        .map(|row| {
            let worth = weights::END / (1 + row.min(len - 1 - row)) as f32;
            let why = if row < len / 2 { "first lines" } else { "last lines" };
            Unit::row(row, worth, 0, 1.0, why)
        })
        .collect()
}

/// The most promising units, in document order: some times as many as there is room for.
fn best<'u>(table: &Table<'_>, units: &'u [Unit], failed: &[Range<u32>], budget: &Budget, floor: f32) -> Vec<&'u Unit> {
    let mut units: Vec<&Unit> = units.iter().filter(|unit| unit.worth >= floor).collect();
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
        let ahead = if overlaps(failed, &unit.rows) { weights::FAILED_AHEAD } else { 1.0 };
        *worth = (unit.worth * ahead * unit.fade.powi((*before).min(200) as i32)).to_bits();
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

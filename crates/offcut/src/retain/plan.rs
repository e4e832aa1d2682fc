//! When it pays to shorten: a conversation played through from its first request, against a price model.
//!
//! Nothing but the conversation, the prices and the requests that found the cache cold decides. So the same beginning
//! always gives the same decisions: what one request shortened, every later one shortens too, byte for byte, without
//! anything being remembered.

use std::collections::BTreeSet;

use super::prices::Tariff;

/// A part of the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its tokens as they would be without us.
    pub raw: u64,
    /// Its tokens as they are sent.
    pub tokens: u64,
    /// Its tokens once it is shortened; none if it never is.
    pub short: Option<u64>,
    /// The first request that carries it.
    pub request: u64,
    /// The turn in which it was made.
    pub turn: u64,
    /// Whether it is a tool result.
    pub result: bool,
}

/// How results are chosen for shortening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// None ever is.
    Never,
    /// All that have left the window, at once.
    Window,
    /// All but the newest so many, at once.
    KeepLast(u64),
    /// Those whose shortening pays.
    Pays,
}

/// The rules of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// What tokens cost.
    pub tariff: Tariff,
    /// For how many turns a result is whole.
    pub window: u64,
    /// The newest so many results are whole, whatever their turn (2).
    pub newest: u64,
    /// From this share of the model's context on, in hundredths, everything that may be shortened is (80).
    pub full: u64,
    /// Before so many requests nothing is spent ahead of what was saved (40).
    pub settled: u64,
    /// What is spent ahead must come back within this part of the requests so far: 20 means a twentieth.
    pub patience: u64,
}

impl Rules {
    /// The usual rules under a tariff.
    pub fn new(tariff: Tariff) -> Rules {
        Rules { tariff, window: 2, newest: 2, full: 80, settled: 40, patience: 20 }
    }
}

/// What came of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// For each piece, the request that first carried it shortened.
    pub shortened: Vec<Option<u64>>,
    /// What its requests cost, in 10⁻¹² dollars.
    pub spent: u128,
    /// What they would have cost without us.
    pub never: u128,
    /// What the last request costs.
    pub last: u128,
    /// What the last request would have cost without us.
    pub last_never: u128,
    /// How many requests shortened anything.
    pub batches: u64,
    /// Tokens of the last request.
    pub tokens: u64,
    /// Tokens of the last request without us.
    pub raw_tokens: u64,
    /// The most that was ever spent ahead of never shortening.
    pub deepest_debt: u128,
}

/// Plays a conversation through. `turn_at` says for each request which turn was going on, `cold` which requests came
/// after the cache's lifetime.
pub fn plan(pieces: &[Piece], turn_at: &[u64], cold: &BTreeSet<u64>, rules: &Rules, habit: Habit) -> Plan {
    let mut play = Play {
        pieces,
        rules,
        form: pieces.iter().map(|piece| piece.tokens).collect(),
        shortened: vec![None; pieces.len()],
        ours: Cache::default(),
        never: Cache::default(),
        plan: Plan::default(),
    };
    for (request, turn) in (0..).zip(turn_at) {
        play.request(request, *turn, cold.contains(&request), habit);
    }
    Plan { shortened: play.shortened, ..play.plan }
}

/// What the provider has of a prompt: how many pieces the last one had, and where requests ended.
#[derive(Debug, Default)]
struct Cache {
    pieces: usize,
    ends: Vec<usize>,
}

impl Cache {
    /// How many tokens of a prompt are found again whose first `same` pieces are as they were.
    fn hit(&self, tariff: &Tariff, sums: &[u64], same: usize) -> u64 {
        let sum = |pieces: usize| sums.get(pieces).copied().unwrap_or_default();
        let same = same.min(self.pieces);
        let found = match tariff.lookback {
            None => sum(same),
            Some(blocks) => {
                let end = self.ends.partition_point(|end| *end <= same).checked_sub(1).and_then(|at| self.ends.get(at));
                let count = sums.len().saturating_sub(1) as u64;
                match end {
                    Some(end) if count.saturating_sub(*end as u64) <= blocks => sum(*end),
                    // Instructions and tools have a mark of their own.
                    _ => sum(self.pieces.min(1)),
                }
            }
        };
        let found = found - found % tariff.granule;
        if found < tariff.minimum { 0 } else { found }
    }

    /// A prompt of so many pieces was sent, whose first `same` were as before.
    fn sent(&mut self, pieces: usize, same: usize) {
        self.ends.retain(|end| *end <= same);
        if self.ends.last() != Some(&pieces) {
            self.ends.push(pieces);
        }
        self.pieces = pieces;
    }

    fn forget(&mut self) {
        *self = Cache::default();
    }
}

struct Play<'p> {
    pieces: &'p [Piece],
    rules: &'p Rules,
    /// The tokens of each piece as it is sent now.
    form: Vec<u64>,
    shortened: Vec<Option<u64>>,
    ours: Cache,
    never: Cache,
    plan: Plan,
}

/// A batch: everything that may be shortened from one piece on.
struct Batch {
    first: usize,
    saved: u64,
    cost: u128,
}

impl Play<'_> {
    fn request(&mut self, request: u64, turn: u64, cold: bool, habit: Habit) {
        let count = self.pieces.partition_point(|piece| piece.request <= request);
        let tariff = &self.rules.tariff;
        if cold {
            self.ours.forget();
            self.never.forget();
        }
        let raw_sums = sums(self.pieces.iter().take(count).map(|piece| piece.raw));
        let raw_total = raw_sums.last().copied().unwrap_or_default();
        let never = tariff.cost(raw_total, self.never.hit(tariff, &raw_sums, count));
        self.never.sent(count, count);

        let sums = sums(self.form.iter().take(count).copied());
        let total = sums.last().copied().unwrap_or_default();
        let may = self.may_be_shortened(count, turn, habit);
        let plain = tariff.cost(total, self.ours.hit(tariff, &sums, count));
        let batch = match habit {
            Habit::Never => None,
            Habit::Window | Habit::KeepLast(_) => self.batches(&may, &sums).pop(),
            Habit::Pays => self.best(&may, &sums, Moment { request, raw_total, never, plain, cold }),
        };
        let cost = batch.as_ref().map_or(plain, |batch| batch.cost);
        let mut same = count;
        if let Some(batch) = batch {
            same = batch.first;
            self.plan.batches += 1;
            for index in may.into_iter().filter(|index| *index >= batch.first) {
                self.shorten(index, request);
            }
        }
        self.ours.sent(count, same);
        self.plan.spent += cost;
        self.plan.never += never;
        (self.plan.last, self.plan.last_never) = (cost, never);
        self.plan.tokens = self.form.iter().take(count).sum();
        self.plan.raw_tokens = raw_total;
        self.plan.deepest_debt = self.plan.deepest_debt.max(self.plan.spent.saturating_sub(self.plan.never));
    }

    fn shorten(&mut self, index: usize, request: u64) {
        let short = self.pieces.get(index).and_then(|piece| piece.short);
        if let (Some(form), Some(shortened), Some(short)) =
            (self.form.get_mut(index), self.shortened.get_mut(index), short)
        {
            (*form, *shortened) = (short, Some(request));
        }
    }

    /// The results that may be shortened in this turn and are not yet, oldest first.
    fn may_be_shortened(&self, count: usize, turn: u64, habit: Habit) -> Vec<usize> {
        let newest = match habit {
            Habit::Never => return Vec::new(),
            Habit::Window => 0,
            Habit::KeepLast(newest) => newest,
            Habit::Pays => self.rules.newest,
        };
        let results = self.pieces.iter().take(count).filter(|piece| piece.result).count() as u64;
        let mut old = results.saturating_sub(newest);
        let mut may = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate().take(count).filter(|(_, piece)| piece.result) {
            if old == 0 {
                break;
            }
            old -= 1;
            let left = matches!(habit, Habit::KeepLast(_)) || turn.saturating_sub(piece.turn) >= self.rules.window;
            let open = self.shortened.get(index).is_some_and(Option::is_none);
            if left && open && piece.short.is_some_and(|short| short < piece.tokens) {
                may.push(index);
            }
        }
        may
    }

    /// The batches that could be made now: from each result on, the newest first.
    fn batches(&self, may: &[usize], sums: &[u64]) -> Vec<Batch> {
        let total = sums.last().copied().unwrap_or_default();
        let mut saved = 0;
        let batch = |first: &usize| {
            let piece = self.pieces.get(*first)?;
            saved += piece.tokens - piece.short?;
            let hit = self.ours.hit(&self.rules.tariff, sums, *first);
            Some(Batch { first: *first, saved, cost: self.rules.tariff.cost(total - saved, hit) })
        };
        may.iter().rev().filter_map(batch).collect()
    }

    /// The batch that is worth most, of those that may be afforded; none if nothing is worth its cost.
    fn best(&self, may: &[usize], sums: &[u64], moment: Moment) -> Option<Batch> {
        let tariff = &self.rules.tariff;
        let mut batches = self.batches(may, sums);
        let total = sums.last().copied().unwrap_or_default();
        // Where nothing is found in the cache anyway, or where there is no room left, the oldest may go with the rest.
        let full = total.saturating_mul(100) >= tariff.context.saturating_mul(self.rules.full);
        if full || !tariff.cached {
            return batches.pop();
        }
        if moment.cold {
            return batches.pop().filter(|batch| self.affords(0, total - batch.saved, &moment));
        }
        // A conversation is expected to go on for half as long as it has gone on.
        let horizon = u128::from((moment.request / 2).max(4));
        let bank = self.plan.never + moment.never;
        let mut best: Option<(u128, Batch)> = None;
        for batch in batches {
            let gain = horizon * u128::from(batch.saved) * u128::from(tariff.read);
            let Some(value) = (gain + moment.plain).checked_sub(batch.cost) else { continue };
            let debt = (self.plan.spent + batch.cost).saturating_sub(bank);
            let pays = value > 0 && self.affords(debt, total - batch.saved, &moment);
            if pays && best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, batch));
            }
        }
        best.map(|(_, batch)| batch)
    }

    /// Whether `debt` may be run into for a prompt of `total` tokens: never before a conversation has settled, and
    /// afterwards only what comes back soon.
    fn affords(&self, debt: u128, total: u64, moment: &Moment) -> bool {
        let tariff = &self.rules.tariff;
        // What one request less will cost than without us; a prompt that does not end on a step may lose one.
        let step = if tariff.granule > 1 { tariff.granule } else { 0 };
        let lost = u128::from(step) * u128::from(tariff.write.saturating_sub(tariff.read));
        let gain = u128::from(moment.raw_total.saturating_sub(total)) * u128::from(tariff.read);
        let Some(gain) = gain.checked_sub(lost).filter(|gain| *gain > 0) else { return false };
        let soon = debt * u128::from(self.rules.patience) <= gain * u128::from(moment.request);
        debt == 0 || (moment.request >= self.rules.settled && soon)
    }
}

/// What is known about a request when it is decided on.
#[derive(Debug, Clone, Copy)]
struct Moment {
    request: u64,
    raw_total: u64,
    never: u128,
    /// What it costs if nothing is shortened.
    plain: u128,
    cold: bool,
}

/// The sums of the first 0, 1, 2, … numbers.
fn sums(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut sum = 0;
    let mut sums = vec![0];
    sums.extend(numbers.map(|number| {
        sum += number;
        sum
    }));
    sums
}

#[cfg(test)]
mod tests;

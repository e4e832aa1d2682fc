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
pub enum UsagePattern {
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
    /// Before so many requests nothing is spent ahead of what was saved (30).
    pub settled: u64,
    /// What is spent ahead must come back within this part of the requests so far: 15 means a fifteenth.
    pub patience: u64,
    /// How much may ever be spent ahead, in thousandths of what the conversation would have cost without us (5).
    pub lead: u64,
    /// The last request, where somebody knows it.
    pub ends: Option<u64>,
}

impl Rules {
    /// The usual rules under a tariff.
    pub fn new(tariff: Tariff) -> Rules {
        Rules { tariff, window: 2, newest: 2, full: 80, settled: 30, patience: 15, lead: 5, ends: None }
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
pub fn plan(pieces: &[Piece], turn_at: &[u64], cold: &BTreeSet<u64>, rules: &Rules, usage: UsagePattern) -> Plan {
    let mut play = Play {
        pieces,
        rules,
        shortened: vec![None; pieces.len()],
        sums: vec![0],
        raw_sums: vec![0],
        results: 0,
        open: Vec::new(),
        ours: Cache::default(),
        never: Cache::default(),
        plan: Plan::default(),
    };
    for (request, turn) in (0..).zip(turn_at) {
        play.request(request, *turn, cold.contains(&request), usage);
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
        // A prompt ends anywhere in a step, so half of one is lost on average.
        let found = found.saturating_sub(tariff.granule / 2);
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
    shortened: Vec<Option<u64>>,
    /// The tokens of the first 0, 1, 2, … pieces as they are sent now.
    sums: Vec<u64>,
    /// The same as they would be without us.
    raw_sums: Vec<u64>,
    /// How many results there are by now.
    results: u64,
    /// The results that can be shortened and are not yet, each with how many stand before it.
    open: Vec<(usize, u64)>,
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
    fn request(&mut self, request: u64, turn: u64, cold: bool, usage: UsagePattern) {
        self.arrive(request);
        let count = self.sums.len() - 1;
        let tariff = &self.rules.tariff;
        if cold {
            self.ours.forget();
            self.never.forget();
        }
        let raw_total = self.raw_sums.last().copied().unwrap_or_default();
        let never = tariff.cost(raw_total, self.never.hit(tariff, &self.raw_sums, count));
        self.never.sent(count, count);

        let total = self.sums.last().copied().unwrap_or_default();
        let plain = tariff.cost(total, self.ours.hit(tariff, &self.sums, count));
        let may = self.may_be_shortened(turn, usage);
        let batch = match usage {
            UsagePattern::Never => None,
            UsagePattern::Window | UsagePattern::KeepLast(_) => self.batches(&may).pop(),
            UsagePattern::Pays => self.best(&may, Moment { request, total, raw_total, never, plain, cold }),
        };
        let cost = batch.as_ref().map_or(plain, |batch| batch.cost);
        let same = batch.as_ref().map_or(count, |batch| batch.first);
        if let Some(batch) = batch {
            self.plan.batches += 1;
            self.shorten(may.into_iter().filter(|index| *index >= batch.first).collect(), request);
        }
        self.ours.sent(count, same);
        self.plan.spent += cost;
        self.plan.never += never;
        (self.plan.last, self.plan.last_never) = (cost, never);
        (self.plan.tokens, self.plan.raw_tokens) = (self.sums.last().copied().unwrap_or_default(), raw_total);
        self.plan.deepest_debt = self.plan.deepest_debt.max(self.plan.spent.saturating_sub(self.plan.never));
    }

    /// Takes in what a request carries for the first time.
    fn arrive(&mut self, request: u64) {
        let known = self.sums.len() - 1;
        for (index, piece) in
            self.pieces.iter().enumerate().skip(known).take_while(|(_, piece)| piece.request <= request)
        {
            self.sums.push(self.sums.last().copied().unwrap_or_default() + piece.tokens);
            self.raw_sums.push(self.raw_sums.last().copied().unwrap_or_default() + piece.raw);
            if piece.result {
                if piece.short.is_some_and(|short| short < piece.tokens) {
                    self.open.push((index, self.results));
                }
                self.results += 1;
            }
        }
    }

    /// Shortens these results, oldest first.
    fn shorten(&mut self, batch: Vec<usize>, request: u64) {
        let Some(first) = batch.first().copied() else { return };
        for index in &batch {
            if let Some(shortened) = self.shortened.get_mut(*index) {
                *shortened = Some(request);
            }
        }
        self.open.retain(|(index, _)| batch.binary_search(index).is_err());
        let mut sum = self.sums.get(first).copied().unwrap_or_default();
        let forms = self.pieces.iter().zip(&self.shortened).skip(first);
        for (place, (piece, shortened)) in self.sums.iter_mut().skip(first + 1).zip(forms) {
            sum += if shortened.is_some() { piece.short.unwrap_or(piece.tokens) } else { piece.tokens };
            *place = sum;
        }
    }

    /// The results that may be shortened in this turn and are not yet, oldest first.
    fn may_be_shortened(&self, turn: u64, usage: UsagePattern) -> Vec<usize> {
        let newest = match usage {
            UsagePattern::Never => return Vec::new(),
            UsagePattern::Window => 0,
            UsagePattern::KeepLast(newest) => newest,
            UsagePattern::Pays => self.rules.newest,
        };
        let old = self.results.saturating_sub(newest);
        let left = |index: usize| {
            let made = self.pieces.get(index).map_or(turn, |piece| piece.turn);
            matches!(usage, UsagePattern::KeepLast(_)) || turn.saturating_sub(made) >= self.rules.window
        };
        let open = self.open.iter().take_while(|(_, before)| *before < old);
        open.map(|(index, _)| *index).filter(|index| left(*index)).collect()
    }

    /// The batches that could be made now: from each result on, the newest first.
    fn batches(&self, may: &[usize]) -> Vec<Batch> {
        let total = self.sums.last().copied().unwrap_or_default();
        let mut saved = 0;
        let batch = |first: &usize| {
            let piece = self.pieces.get(*first)?;
            saved += piece.tokens - piece.short?;
            let hit = self.ours.hit(&self.rules.tariff, &self.sums, *first);
            Some(Batch { first: *first, saved, cost: self.rules.tariff.cost(total - saved, hit) })
        };
        may.iter().rev().filter_map(batch).collect()
    }

    /// The batch that is worth most, of those that may be afforded; none if nothing is worth its cost.
    fn best(&self, may: &[usize], moment: Moment) -> Option<Batch> {
        let tariff = &self.rules.tariff;
        let mut batches = self.batches(may);
        // Where nothing is found in the cache anyway, or where there is no room left, the oldest may go with the rest.
        let full = moment.total.saturating_mul(100) >= tariff.context.saturating_mul(self.rules.full);
        if moment.cold || full || !tariff.cached {
            return batches.pop();
        }
        // A conversation is expected to go on for half as long as it has gone on.
        let horizon = match self.rules.ends {
            Some(last) => u128::from(last.saturating_sub(moment.request)),
            None => u128::from((moment.request / 2).max(4)),
        };
        let bank = self.plan.never + moment.never;
        // What can be paid from savings goes by its worth; what is spent ahead goes by how soon it comes back.
        let mut best: Option<(u128, Batch)> = None;
        let mut soonest: Option<(u128, Batch)> = None;
        for batch in batches {
            let gain = horizon * u128::from(batch.saved) * u128::from(tariff.read);
            let value = (gain + moment.plain).saturating_sub(batch.cost);
            let debt = (self.plan.spent + batch.cost).saturating_sub(bank);
            if value == 0 {
                continue;
            } else if debt == 0 {
                if best.as_ref().is_none_or(|(most, _)| value > *most) {
                    best = Some((value, batch));
                }
            } else if let Some(wait) = self.wait(debt, moment.total - batch.saved, &moment)
                && soonest.as_ref().is_none_or(|(least, _)| wait < *least)
            {
                soonest = Some((wait, batch));
            }
        }
        best.or(soonest).map(|(_, batch)| batch)
    }

    /// How long it takes until `debt` has come back, in thousandths of a request, for a prompt of `total` tokens; none
    /// where the conversation has not settled yet, or where it is too much or takes too long.
    fn wait(&self, debt: u128, total: u64, moment: &Moment) -> Option<u128> {
        let gain = u128::from(moment.raw_total.saturating_sub(total)) * u128::from(self.rules.tariff.read);
        let wait = (debt * 1000).checked_div(gain)?;
        let soon = wait * u128::from(self.rules.patience) <= u128::from(moment.request) * 1000;
        let small = debt * 1000 <= self.plan.never * u128::from(self.rules.lead);
        (moment.request >= self.rules.settled && soon && small).then_some(wait)
    }
}

/// What is known about a request when it is decided on.
#[derive(Debug, Clone, Copy)]
struct Moment {
    request: u64,
    total: u64,
    raw_total: u64,
    never: u128,
    /// What it costs if nothing is shortened.
    plain: u128,
    cold: bool,
}

#[cfg(test)]
mod tests;

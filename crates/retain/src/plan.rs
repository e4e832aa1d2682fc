//! When it pays to shorten: a conversation played through from its first request, against a price model.
//!
//! Nothing but the conversation, the prices and the times of its requests decides. So the same beginning always gives
//! the same decisions: what one request shortened, every later one shortens too, byte for byte, without anything being
//! remembered.

mod ledger;

use super::prices::Tariff;
use ledger::Ledger;

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

/// What is known about a request beside its pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestShape {
    /// The turn that was going on.
    pub turn: u64,
    /// How many blocks the prompt had, as the provider counts them.
    pub blocks: u64,
    /// When it was sent, in milliseconds; where nobody knows, right after the one before.
    pub at_ms: Option<u64>,
}

/// How results are chosen for shortening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsagePattern {
    /// None ever is.
    Never,
    /// All that have left the window, at once.
    Window,
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
    /// How many more requests are expected at least (20).
    pub expected: u64,
    /// How much may ever be spent ahead, in ten-thousandths of what the conversation would have cost without
    /// shortening (50).
    pub bound: u64,
    /// The last request, where somebody knows it.
    pub ends: Option<u64>,
}

impl Rules {
    /// The usual rules under a tariff.
    pub fn new(tariff: Tariff) -> Rules {
        Rules { tariff, window: 2, newest: 2, full: 80, expected: 20, bound: 50, ends: None }
    }

    /// How many requests are expected after this one: half as many as there were, since a conversation that has gone
    /// on for long goes on for longer.
    fn horizon(&self, request: u64) -> u64 {
        self.ends.map_or((request / 2).max(self.expected), |last| last.saturating_sub(request))
    }
}

/// What came of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// For each piece, the request that first carried it shortened.
    pub shortened: Vec<Option<u64>>,
    /// What its requests cost, in 10⁻¹² dollars.
    pub spent: u128,
    /// What they would have cost with large results cut and nothing shortened.
    pub alone: u128,
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
}

/// Plays a conversation through, request by request.
pub fn plan(pieces: &[Piece], requests: &[RequestShape], rules: &Rules, usage: UsagePattern) -> Plan {
    let mut play = Play {
        pieces,
        rules,
        shortened: vec![None; pieces.len()],
        arrived: 0,
        results: 0,
        open: Vec::new(),
        ours: Ledger::new(rules.tariff),
        alone: Ledger::new(rules.tariff),
        never: Ledger::new(rules.tariff),
        batches: 0,
        first: None,
        saved: 0,
    };
    // What came before the first time that is known came right before it.
    let mut now_ms = requests.iter().find_map(|request| request.at_ms).unwrap_or(0);
    for (number, request) in (0..).zip(requests) {
        now_ms = request.at_ms.unwrap_or(now_ms).max(now_ms);
        play.request(number, RequestShape { at_ms: Some(now_ms), ..*request }, usage);
    }
    Plan {
        spent: play.ours.spent,
        alone: play.alone.spent,
        never: play.never.spent,
        last: play.ours.last,
        last_never: play.never.last,
        batches: play.batches,
        tokens: play.ours.total(),
        raw_tokens: play.never.total(),
        shortened: play.shortened,
    }
}

struct Play<'p> {
    pieces: &'p [Piece],
    rules: &'p Rules,
    shortened: Vec<Option<u64>>,
    /// How many pieces have come by.
    arrived: usize,
    /// How many results there are by now.
    results: u64,
    /// The results that can be shortened and are not yet, each with how many stand before it.
    open: Vec<(usize, u64)>,
    /// What is sent.
    ours: Ledger,
    /// What would be sent if results were cut and never shortened.
    alone: Ledger,
    /// What would be sent without us.
    never: Ledger,
    batches: u64,
    /// The first request that shortened anything.
    first: Option<u64>,
    /// What was not paid for since it was shortened, in 10⁻¹² dollars, whatever shortening it had cost.
    saved: u128,
}

/// A batch: everything that may be shortened from one piece on.
#[derive(Debug, Clone, Copy)]
struct Batch {
    first: usize,
    saved: u64,
    cost: u128,
}

impl Play<'_> {
    fn request(&mut self, number: u64, shape: RequestShape, usage: UsagePattern) {
        self.arrive(number);
        let all = self.arrived;
        for ledger in [&mut self.never, &mut self.alone, &mut self.ours] {
            ledger.arrives(&shape);
        }
        self.never.send(all);
        self.alone.send(all);
        let may = self.may_be_shortened(shape.turn, usage);
        let batch = match usage {
            UsagePattern::Never => None,
            UsagePattern::Window => self.batches(&may).pop(),
            UsagePattern::Pays => self.best(number, &may),
        };
        if let Some(batch) = batch {
            self.batches += 1;
            self.first.get_or_insert(number);
            self.shorten(may.into_iter().filter(|index| *index >= batch.first).collect(), number);
        }
        self.ours.send(batch.map_or(all, |batch| batch.first));
        let fewer = self.alone.total().saturating_sub(self.ours.total());
        self.saved += u128::from(fewer) * u128::from(self.rules.tariff.reread());
    }

    /// Takes in what a request carries for the first time.
    fn arrive(&mut self, request: u64) {
        let pieces = self.pieces.iter().enumerate().skip(self.arrived);
        for (index, piece) in pieces.take_while(|(_, piece)| piece.request <= request) {
            self.ours.add(piece.tokens);
            self.alone.add(piece.tokens);
            self.never.add(piece.raw);
            self.arrived += 1;
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
        let forms = self.pieces.iter().zip(&self.shortened).skip(first);
        self.ours.replace(first, forms.map(|(piece, shortened)| shortened.and(piece.short).unwrap_or(piece.tokens)));
    }

    /// The results that may be shortened in this turn and are not yet, oldest first.
    fn may_be_shortened(&self, turn: u64, usage: UsagePattern) -> Vec<usize> {
        let newest = match usage {
            UsagePattern::Never => return Vec::new(),
            UsagePattern::Window => 0,
            UsagePattern::Pays => self.rules.newest,
        };
        let old = self.results.saturating_sub(newest);
        let left = |index: &usize| {
            let made = self.pieces.get(*index).map_or(turn, |piece| piece.turn);
            turn.saturating_sub(made) >= self.rules.window
        };
        let open = self.open.iter().take_while(|(_, before)| *before < old);
        open.map(|(index, _)| *index).filter(left).collect()
    }

    /// The batches that could be made now: from each result on, the newest first.
    fn batches(&self, may: &[usize]) -> Vec<Batch> {
        let mut saved = 0;
        let batch = |first: &usize| {
            let piece = self.pieces.get(*first)?;
            saved += piece.tokens - piece.short?;
            Some(Batch { first: *first, saved, cost: self.ours.cost(*first, saved) })
        };
        may.iter().rev().filter_map(batch).collect()
    }

    /// The batch that is worth most, of those that may be afforded; none if nothing is worth its cost.
    fn best(&self, request: u64, may: &[usize]) -> Option<Batch> {
        let tariff = &self.rules.tariff;
        let mut batches = self.batches(may);
        let is_full = self.ours.total().saturating_mul(100) >= tariff.context.saturating_mul(self.rules.full);
        if is_full {
            return batches.pop();
        }
        let plain = self.ours.cost(self.arrived, 0);
        // Where the steps of the cache begin is not known to a token. From the first batch on the two prompts lose
        // parts of steps independently, which adds up like a random walk.
        let walked = self.first.map_or(0, |first| (request - first).isqrt());
        let steps =
            u128::from((1 + walked) * (tariff.granule - 1)) * u128::from(tariff.write.saturating_sub(tariff.read));
        // The provider's own tokenizer counts a little differently, what is spent and what has come back: so a twentieth
        // of the bound is kept back, and a fiftieth of what was saved.
        let most = self.alone.spent + self.alone.spent * u128::from(self.rules.bound) * 19 / 200_000;
        let most = most.saturating_sub(self.saved / 50);
        let later = u128::from(self.rules.horizon(request)) * u128::from(tariff.reread());
        let worth = |batch: &Batch| {
            let gain = later * u128::from(batch.saved);
            let extra = batch.cost.saturating_sub(plain);
            // It must have come back when half of what is expected is over.
            let pays = extra * 2 <= gain && (gain > 0 || batch.cost < plain);
            let fits = self.ours.spent + batch.cost + steps <= most;
            // A prompt that is too small for the cache would cost more with every request.
            let is_cached = !tariff.cached || self.ours.total() - batch.saved >= tariff.minimum * 2;
            (pays && fits && is_cached).then(|| gain + plain - batch.cost.min(gain + plain))
        };
        let valued = batches.iter().filter_map(|batch| Some((worth(batch)?, batch)));
        // Of equal ones the newest, which changes least.
        valued.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, batch)| *batch)
    }
}

#[cfg(test)]
mod tests;

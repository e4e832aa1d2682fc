//! What one way to send a conversation has cost so far, and what the provider's cache holds of it.

use super::RequestShape;
use crate::prices::Tariff;

/// The end of a request, or of the instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct End {
    pieces: usize,
    blocks: u64,
}

/// A beginning of the prompt that the cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CachedPrefix {
    end: End,
    used_ms: u64,
}

/// The tokens that are sent, what was paid for them, and what the cache holds.
#[derive(Debug)]
pub(super) struct Ledger {
    tariff: Tariff,
    /// What all requests cost, in 10⁻¹² dollars.
    pub(super) spent: u128,
    /// What the last one costs.
    pub(super) last: u128,
    /// The tokens of the first 0, 1, 2, … pieces as they are sent now.
    sums: Vec<u64>,
    /// What is in the cache, the shortest first. Where no marks are needed, only the last prompt: every beginning of
    /// it is found.
    entries: Vec<CachedPrefix>,
    /// The ends of all requests.
    ends: Vec<End>,
    now_ms: u64,
}

impl Ledger {
    pub(super) fn new(tariff: Tariff) -> Ledger {
        Ledger { tariff, spent: 0, last: 0, sums: vec![0], entries: Vec::new(), ends: Vec::new(), now_ms: 0 }
    }

    /// Tokens of the prompt.
    pub(super) fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or_default()
    }

    fn sum(&self, pieces: usize) -> u64 {
        self.sums.get(pieces).copied().unwrap_or_default()
    }

    /// A piece is sent for the first time.
    pub(super) fn add(&mut self, tokens: u64) {
        self.sums.push(self.total() + tokens);
    }

    /// The pieces from `first` on have these sizes from now on.
    pub(super) fn replace(&mut self, first: usize, sizes: impl Iterator<Item = u64>) {
        let mut sum = self.sum(first);
        for (place, size) in self.sums.iter_mut().skip(first + 1).zip(sizes) {
            sum += size;
            *place = sum;
        }
    }

    /// A request is about to be sent, with all the pieces that were added.
    pub(super) fn arrives(&mut self, shape: &RequestShape) {
        self.ends.push(End { pieces: self.sums.len() - 1, blocks: shape.blocks });
        self.now_ms = shape.at_ms.unwrap_or(self.now_ms);
        let (now_ms, lifetime_ms) = (self.now_ms, self.tariff.lifetime_ms);
        self.entries.retain(|entry| now_ms.saturating_sub(entry.used_ms) <= lifetime_ms);
    }

    /// What this request costs if its first `same` pieces are as they were, and `saved` tokens less stand behind them.
    pub(super) fn cost(&self, same: usize, saved: u64) -> u128 {
        // A prompt ends anywhere in a step, so half of one is lost on average.
        let read = self.sum(self.found(same).pieces).saturating_sub(self.tariff.granule / 2);
        let read = if read < self.tariff.minimum { 0 } else { read };
        let total = self.total() - saved;
        // What is shortened is older than the last mark.
        let behind = self.last_mark().map_or(total, |mark| self.total() - self.sum(mark.pieces));
        self.tariff.cost(total, read, total.saturating_sub(behind))
    }

    /// The longest beginning that this request finds.
    fn found(&self, same: usize) -> End {
        if !self.tariff.by_mark {
            let last = self.entries.last().map_or(0, |entry| entry.end.pieces);
            return End { pieces: same.min(last), blocks: 0 };
        }
        let lookback = self.tariff.lookback.unwrap_or(u64::MAX);
        let is_near =
            |end: &End| self.marks().any(|mark| mark.blocks >= end.blocks && mark.blocks - end.blocks < lookback);
        let ends = self.entries.iter().rev().map(|entry| entry.end);
        ends.filter(|end| end.pieces <= same).find(is_near).unwrap_or_default()
    }

    /// Where this request is marked, the last mark first.
    fn marks(&self) -> impl Iterator<Item = End> + '_ {
        let depths = (0..8usize).filter(|depth| self.tariff.marks.depths >> depth & 1 == 1);
        let ends = depths.filter_map(|depth| self.ends.get(self.ends.len().checked_sub(depth + 1)?));
        // The instructions are one piece, and all that stands before the first message.
        let blocks = self.ends.first().map_or(0, |end| end.blocks.saturating_sub(1));
        let preamble = self.tariff.marks.preamble.then_some(End { pieces: 1, blocks });
        ends.copied().chain(preamble)
    }

    /// Up to where this request is cached.
    fn last_mark(&self) -> Option<End> {
        if self.tariff.by_mark { self.marks().next() } else { self.ends.last().copied() }
    }

    /// The request is sent, its first `same` pieces as they were.
    pub(super) fn send(&mut self, same: usize) {
        self.last = self.cost(same, 0);
        self.spent += self.last;
        let used_ms = self.now_ms;
        if !self.tariff.by_mark {
            self.entries = self.last_mark().map(|end| CachedPrefix { end, used_ms }).into_iter().collect();
            return;
        }
        let found = self.found(same);
        let used: Vec<End> = self.marks().chain([found]).filter(|end| end.pieces > 0).collect();
        self.entries.retain(|entry| entry.end.pieces <= same);
        for end in used {
            match self.entries.binary_search_by_key(&end.pieces, |entry| entry.end.pieces) {
                Ok(at) => self.entries.get_mut(at).into_iter().for_each(|entry| entry.used_ms = used_ms),
                Err(at) => self.entries.insert(at, CachedPrefix { end, used_ms }),
            }
        }
    }
}

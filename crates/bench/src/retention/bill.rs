//! What a provider charges for a conversation, request by request, from nothing but the prompts that it gets.
//!
//! It shares no code with the planner that it judges: prompts are blocks with a hash and a count of tokens, the cache
//! is a set of beginnings with the time of their last use.

use std::collections::HashMap;

use offcut_core::tokens::{TokenCounter, Tokenizer};
use offcut_retain::prices::Price;

/// What a block takes beside its text, in tokens: its role, its type, its ids.
const FRAME: u64 = 6;

/// A part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) hash: u64,
    pub(super) tokens: u64,
}

/// One request as the provider gets it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prompt {
    pub(super) blocks: Vec<Block>,
    /// How many blocks stand before each of the client's marks.
    pub(super) marks: Vec<usize>,
    /// When it comes, in seconds.
    pub(super) at_s: u64,
}

/// Counts blocks by `o200k`, each text once.
#[derive(Debug, Default)]
pub(super) struct Counter(HashMap<u64, u64>);

impl Counter {
    pub(super) fn block(&mut self, text: &str) -> Block {
        let hash = joined(0, text.as_bytes());
        let tokens = *self.0.entry(hash).or_insert_with(|| Tokenizer::O200k.count(text) + FRAME);
        Block { hash, tokens }
    }
}

/// FNV-1a, so that the figures are the same everywhere.
fn joined(hash: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(hash ^ 0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// What each of the requests costs, in dollars.
pub(super) fn bill(price: &Price, prompts: &[Prompt]) -> Vec<f64> {
    let mut cache = Cache { price, used: HashMap::new() };
    prompts.iter().map(|prompt| cache.charge(prompt) / 1e6).collect()
}

struct Cache<'p> {
    price: &'p Price,
    /// The beginnings that are kept, by their hash, with the time of their last use.
    used: HashMap<u64, u64>,
}

impl Cache<'_> {
    fn charge(&mut self, prompt: &Prompt) -> f64 {
        let (mut hashes, mut sums) = (vec![0], vec![0]);
        for block in &prompt.blocks {
            hashes.push(joined(hashes.last().copied().unwrap_or_default(), &block.hash.to_le_bytes()));
            sums.push(sums.last().copied().unwrap_or_default() + block.tokens);
        }
        let begins = Beginnings { hashes: &hashes, sums: &sums };
        if self.price.lookback.is_some() || self.price.marked {
            self.by_breakpoint(prompt, &begins)
        } else {
            self.by_prefix(prompt, &begins)
        }
    }

    /// Marks say what is written; an entry is looked for at each mark and at the positions before it.
    fn by_breakpoint(&mut self, prompt: &Prompt, begins: &Beginnings<'_>) -> f64 {
        let lookback = usize::try_from(self.price.lookback.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let places = |mark: &usize| (mark.saturating_sub(lookback.saturating_sub(1))..=*mark).rev();
        let is_kept = |place: &usize| *place > 0 && self.is_kept(begins.hash(*place), prompt.at_s);
        let found = prompt.marks.iter().filter_map(|mark| places(mark).find(is_kept)).max().unwrap_or(0);
        for mark in prompt.marks.iter().chain([&found]) {
            if begins.tokens(*mark) >= self.price.minimum.max(1) {
                self.used.insert(begins.hash(*mark), prompt.at_s);
            }
        }
        let last = prompt.marks.iter().max().map_or(0, |mark| begins.tokens(*mark));
        let marked = if last >= self.price.minimum { last } else { 0 };
        let read = begins.tokens(found);
        let rest = begins.all() - marked.max(read);
        self.price.cache_read * read as f64
            + self.price.cache_write.unwrap_or(self.price.input) * marked.saturating_sub(read) as f64
            + self.price.input * rest as f64
    }

    /// The longest beginning that was sent before is found, in whole steps.
    fn by_prefix(&mut self, prompt: &Prompt, begins: &Beginnings<'_>) -> f64 {
        let blocks = prompt.blocks.len();
        let found = (1..=blocks).rev().find(|place| self.is_kept(begins.hash(*place), prompt.at_s)).unwrap_or(0);
        for place in 1..=blocks {
            self.used.insert(begins.hash(place), prompt.at_s);
        }
        let step = self.price.granule.max(1);
        let read = begins.tokens(found) / step * step;
        let read = if read < self.price.minimum { 0 } else { read };
        let write = self.price.cache_write.unwrap_or(self.price.input);
        self.price.cache_read * read as f64 + write * (begins.all() - read) as f64
    }

    fn is_kept(&self, hash: u64, at_s: u64) -> bool {
        self.used.get(&hash).is_some_and(|used| at_s.saturating_sub(*used) <= self.price.lifetime_s)
    }
}

/// The beginnings of a prompt: of 0, 1, 2, … blocks.
struct Beginnings<'b> {
    hashes: &'b [u64],
    sums: &'b [u64],
}

impl Beginnings<'_> {
    fn hash(&self, blocks: usize) -> u64 {
        self.hashes.get(blocks).copied().unwrap_or_default()
    }

    fn tokens(&self, blocks: usize) -> u64 {
        self.sums.get(blocks).copied().unwrap_or_default()
    }

    fn all(&self) -> u64 {
        self.sums.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use offcut_retain::prices::PriceList;

    use super::*;

    fn prompt(sizes: &[u64], marks: &[usize], at_s: u64) -> Prompt {
        let blocks = (1..).zip(sizes).map(|(hash, tokens)| Block { hash: hash * 1000 + tokens, tokens: *tokens });
        Prompt { blocks: blocks.collect(), marks: marks.to_vec(), at_s }
    }

    fn check(name: &str, prompts: &[Prompt], expected: &[f64]) {
        let list = PriceList::built_in();
        let billed: Vec<f64> = bill(list.named(name).unwrap(), prompts).iter().map(|cost| cost * 1e6).collect();
        let rounded = |costs: &[f64]| costs.iter().map(|cost| cost.round()).collect::<Vec<_>>();
        assert_eq!(rounded(&billed), rounded(expected));
    }

    #[test]
    fn marks_are_written_and_found_again_within_their_lifetime() {
        let (first, next) = (prompt(&[2000, 500], &[1, 2], 0), prompt(&[2000, 500, 100], &[1, 3], 60));
        let again = |at_s| prompt(&[2000, 500, 100, 10], &[1, 4], at_s);
        check("claude-sonnet", &[first.clone(), next.clone()], &[2500.0 * 3.75, 2500.0 * 0.3 + 100.0 * 3.75]);
        check("claude-sonnet", &[first.clone(), again(400)], &[2500.0 * 3.75, 2610.0 * 3.75]);
        // Another second block: only the instructions are found.
        let changed = prompt(&[2000, 400, 100], &[1, 3], 60);
        check("claude-sonnet", &[first, changed], &[2500.0 * 3.75, 2000.0 * 0.3 + 500.0 * 3.75]);
    }

    #[test]
    fn what_stands_behind_the_last_mark_is_plain_input_and_so_is_what_is_too_small() {
        check("claude-sonnet", &[prompt(&[2000, 500], &[1], 0)], &[2000.0 * 3.75 + 500.0 * 3.0]);
        check("claude-sonnet", &[prompt(&[500, 500], &[2], 0)], &[1000.0 * 3.0]);
        check("claude-sonnet", &[prompt(&[2000, 500], &[], 0)], &[2500.0 * 3.0]);
    }

    #[test]
    fn an_entry_is_looked_for_at_twenty_positions() {
        let first = prompt(&[2000], &[1], 0);
        let later = |blocks: usize| {
            let sizes: Vec<u64> = [2000].into_iter().chain(std::iter::repeat_n(10, blocks)).collect();
            prompt(&sizes, &[blocks + 1], 0)
        };
        check("claude-sonnet", &[first.clone(), later(19)], &[7500.0, 2000.0 * 0.3 + 190.0 * 3.75]);
        check("claude-sonnet", &[first, later(20)], &[7500.0, 2200.0 * 3.75]);
    }

    #[test]
    fn a_prefix_is_found_in_whole_steps() {
        let (first, next) = (prompt(&[2000, 500], &[], 0), prompt(&[2000, 500, 100], &[], 60));
        check("gpt-5", &[first, next], &[3125.0, 2432.0 * 0.125 + 168.0 * 1.25]);
    }
}

//! Lines that begin as few others do.

use memchr::memchr_iter;

use super::candidate::{BLOCK, Candidate, Promise, WITH_CONTEXT};
use super::kinds::Kinds;
use crate::line::{prefix, template};

/// So much of a document is looked through line by line; behind it one block in eight is.
const EVERYWHERE: u64 = 64 * 1024 * 1024;
const ONE_BLOCK_IN: u64 = 8;

/// Lines shorter than this on average are not counted.
const SHORT: usize = 10;

/// How lines begin.
#[derive(Default)]
pub(crate) struct Beginnings {
    prefixes: Kinds,
    lines: u64,
}

impl Beginnings {
    /// Counts how the lines of a block begin.
    pub(crate) fn gather(&mut self, block: &[u8], at: u64) {
        if at >= EVERYWHERE && !(at / BLOCK as u64).is_multiple_of(ONE_BLOCK_IN) {
            return;
        }
        // Where every line begins in its own way, or lines are mere words, rarity says nothing.
        let lines = memchr_iter(b'\n', block).count();
        if self.prefixes.is_full() || lines * SHORT > block.len() {
            self.lines += lines as u64;
            return;
        }
        let mut start = 0;
        for end in memchr_iter(b'\n', block) {
            self.line(block, start, end + 1, at);
            start = end + 1;
        }
        if start < block.len() {
            self.line(block, start, block.len(), at);
        }
    }

    fn line(&mut self, block: &[u8], start: usize, end: usize, at: u64) {
        self.lines += 1;
        if end - start < 8 {
            return;
        }
        let line = block.get(start..end).unwrap_or(&[]);
        let id = self.prefixes.id(line, |line| {
            let width = prefix::width(line);
            let (hash, taken) = template::prefix_hash(line.get(width..).unwrap_or(line));
            (hash, width + taken)
        });
        if let Some(id) = id {
            self.prefixes.count(id, (at + start as u64, at + end as u64));
        }
    }

    /// Beginnings mean something only where most lines begin alike: then the rare ones tell, and the first two and the
    /// last of the others stand for the rest.
    pub(super) fn finish(self) -> Vec<Candidate> {
        if self.prefixes.is_full() || self.lines / 8 <= self.prefixes.known().count() as u64 {
            return Vec::new();
        }
        let found = self.prefixes.known().flat_map(|(_, known)| {
            let before = if known.count <= 3 { 8 + known.count } else { WITH_CONTEXT + 1 };
            let lines = known.first.into_iter().chain([known.last]);
            lines.map(move |(start, end)| Candidate { start, end, before, promise: Promise::Rare })
        });
        found.collect()
    }
}

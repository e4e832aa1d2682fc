//! Text on its way to everybody who reads it, in blocks that are copied once.

use std::sync::Arc;

use offcut_core::prescan::Prescan;
use offcut_core::text;

/// Whole lines, or a part of one that is longer than a block.
pub(super) type Block = Arc<Vec<u8>>;

/// Fills blocks with the text that comes.
#[derive(Default)]
pub(super) struct Blocks {
    /// The block that is being filled.
    open: String,
    /// Where that starts in the text.
    start: u64,
    /// Blocks that were handed on: one that nobody reads any more is filled again.
    shared: Vec<Block>,
}

impl Blocks {
    /// Takes as much of `piece` as the block has room for, and returns the rest.
    pub(super) fn fill<'p>(&mut self, piece: &'p str) -> &'p str {
        let (now, later) = piece.split_at(text::floor(piece, Prescan::BLOCK.saturating_sub(self.open.len())));
        if self.open.capacity() == 0 {
            self.open = self.empty();
        }
        self.open.push_str(now);
        later
    }

    /// What is in the block that is being filled.
    pub(super) fn open(&self) -> &str {
        &self.open
    }

    /// Where the block starts that is being filled.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Takes the whole lines of the block that is full. The rest begins the next one.
    pub(super) fn take_lines(&mut self) -> String {
        let lines = Prescan::whole_lines(self.open.as_bytes());
        let mut next = self.empty();
        next.push_str(text::slice(&self.open, lines..self.open.len()));
        self.open.truncate(lines);
        self.start += lines as u64;
        std::mem::replace(&mut self.open, next)
    }

    /// Takes all that is left.
    pub(super) fn take_rest(&mut self) -> String {
        self.start += self.open.len() as u64;
        std::mem::take(&mut self.open)
    }

    /// Makes a block of `text` for others to read.
    pub(super) fn share(&mut self, text: String) -> Block {
        let block = Arc::new(text.into_bytes());
        self.shared.push(block.clone());
        block
    }

    /// An empty buffer, where there can be one that was used before.
    fn empty(&mut self) -> String {
        let unread = self.shared.iter().position(|block| Arc::strong_count(block) == 1);
        let buffer = unread.and_then(|at| Arc::try_unwrap(self.shared.swap_remove(at)).ok());
        let mut buffer = buffer.unwrap_or_else(|| Vec::with_capacity(Prescan::BLOCK));
        buffer.clear();
        String::from_utf8(buffer).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole_lines_but_for_lines_that_are_longer() {
        let line = |n: usize| match n {
            9000 => format!("{}\n", "é".repeat(Prescan::BLOCK + 77)),
            n => format!("line {n}{}\n", ".".repeat(n % 91)),
        };
        let text: String = (0..40_000).map(line).collect();
        let (mut blocks, mut seen) = (Blocks::default(), String::new());
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (mut piece, later) = rest.split_at(text::ceil(rest, rest.len().min(100_001)));
            rest = later;
            while !piece.is_empty() {
                piece = blocks.fill(piece);
                if !piece.is_empty() {
                    assert_eq!(blocks.start(), seen.len() as u64);
                    let lines = blocks.take_lines();
                    assert!(lines.len() <= Prescan::BLOCK);
                    assert!(lines.ends_with('\n') || lines.len() > Prescan::BLOCK - 4);
                    seen.push_str(&lines);
                    blocks.share(lines);
                }
            }
        }
        assert!(blocks.shared.len() <= 1, "a block that nobody reads is used again");
        seen.push_str(&blocks.take_rest());
        assert_eq!(blocks.start(), seen.len() as u64);
        assert!(seen == text);
    }
}

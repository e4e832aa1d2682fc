//! The blocks in which a text goes to its draft: each is filled once, and read by all who want it.

use std::collections::VecDeque;
use std::sync::Arc;

use offcut_core::extent::Position;
use offcut_store::SHARED;

/// The block that is being filled, and those before it that may still be read.
#[derive(Default)]
pub(super) struct Blocks {
    open: Vec<u8>,
    /// Where the open block starts in the text.
    start: u64,
    /// How much of the open block the draft has.
    written: usize,
    /// Where in the open block the first piece begins.
    mark: Option<Mark>,
    last: u8,
    /// The blocks before it, in order: as many as the end of the text is kept of, and those that are still read.
    before: VecDeque<Arc<Vec<u8>>>,
}

/// Where a piece begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) position: Position,
    /// Whether a CR before it ends a line, which its place does not count yet.
    pub(super) breaks: bool,
}

impl Blocks {
    /// Begins a piece at `position`: where the first piece begins in the open block, and where this one does.
    pub(super) fn begin(&mut self, position: Position, piece: &str) -> (Mark, Mark) {
        let mark = Mark { position, breaks: self.ends_with_cr() && !piece.starts_with('\n') };
        (*self.mark.get_or_insert(mark), mark)
    }

    pub(super) fn ends_with_cr(&self) -> bool {
        self.last == b'\r'
    }

    /// Fills the open block up, and returns what does not fit.
    pub(super) fn fill<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let (now, later) = piece.split_at(piece.len().min(SHARED - self.open.len()));
        self.open.extend_from_slice(now);
        self.last = now.last().copied().unwrap_or(self.last);
        later
    }

    pub(super) fn is_full(&self) -> bool {
        self.open.len() == SHARED
    }

    /// What the open block holds.
    pub(super) fn open(&self) -> &[u8] {
        &self.open
    }

    /// Where the open block starts.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// What of the open block the draft has not.
    pub(super) fn unwritten(&self) -> &[u8] {
        self.open.get(self.written..).unwrap_or_default()
    }

    /// Notes that the draft has all of the open block.
    pub(super) fn is_written(&mut self) {
        self.written = self.open.len();
    }

    /// Where the first piece begins in the open block.
    pub(super) fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Closes the full block; `window` bytes before the next one stay at hand. Says how much of it the draft has.
    pub(super) fn close(&mut self, window: usize) -> (Arc<Vec<u8>>, usize) {
        let next = self.spare(window).unwrap_or_else(|| Vec::with_capacity(SHARED));
        let block = Arc::new(std::mem::replace(&mut self.open, next));
        self.start += block.len() as u64;
        self.mark = None;
        self.before.push_back(block.clone());
        (block, std::mem::take(&mut self.written))
    }

    /// The oldest block, emptied, if nobody needs it any more.
    fn spare(&mut self, window: usize) -> Option<Vec<u8>> {
        // The block that is about to be closed counts too.
        if self.before.len() * SHARED < window || Arc::strong_count(self.before.front()?) > 1 {
            return None;
        }
        let mut spare = Arc::into_inner(self.before.pop_front()?)?;
        spare.clear();
        Some(spare)
    }

    /// The text before byte `until`, at least `window` bytes of it if there are so many.
    pub(super) fn tail(&self, until: u64, window: usize) -> String {
        let mut end = self.start + self.open.len() as u64;
        let mut parts: Vec<&[u8]> = Vec::new();
        let mut length = 0;
        for block in std::iter::once(&self.open).chain(self.before.iter().rev().map(Arc::as_ref)) {
            let behind = usize::try_from(end.saturating_sub(until)).unwrap_or(usize::MAX).min(block.len());
            end -= block.len() as u64;
            let part = block.get(..block.len() - behind).unwrap_or_default();
            let part = part.get(part.len().saturating_sub(window - length)..).unwrap_or_default();
            length += part.len();
            parts.push(part);
        }
        let bytes = parts.into_iter().rev().collect::<Vec<_>>().concat();
        // It may begin inside of a character.
        let split = bytes.iter().take_while(|&&byte| byte & 0xc0 == 0x80).count();
        std::str::from_utf8(bytes.get(split..).unwrap_or_default()).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end_of_what_came_and_blocks_are_used_again() {
        let piece = "a line with an é in it\n".repeat(3000);
        let (mut blocks, mut text, window) = (Blocks::default(), String::new(), 300_000);
        let mut most = 0;
        for _ in 0..120 {
            let mut rest = piece.as_bytes();
            blocks.begin(Position { byte: text.len() as u64, ..Position::default() }, &piece);
            while !rest.is_empty() {
                rest = blocks.fill(rest);
                if blocks.is_full() {
                    let (block, written) = blocks.close(window);
                    assert_eq!((block.len(), written), (SHARED, 0));
                }
            }
            text.push_str(&piece);
            let tail = blocks.tail(text.len() as u64, window);
            assert!(text.ends_with(&tail) && tail.len() + 3 >= window.min(text.len()), "{}", tail.len());
            most = most.max(blocks.before.len());
        }
        assert_eq!(most, 1);
    }

    #[test]
    fn a_block_that_is_read_is_not_filled_again() {
        let mut blocks = Blocks::default();
        let full = vec![b'x'; SHARED];
        blocks.fill(&full);
        let (held, _) = blocks.close(0);
        for _ in 0..3 {
            blocks.fill(&vec![b'y'; SHARED]);
            blocks.close(0);
        }
        assert!(*held == full);
    }
}

//! A window over bytes that moves forward, one block at a time.

use std::borrow::Cow;
use std::io;

use crate::document::{BLOCK, Document};

/// Bytes that come one block after the other, and only once.
pub trait Blocks {
    /// Appends the next block to `window`, which keeps what is there; says whether there was one.
    fn append_next(&mut self, window: &mut Vec<u8>) -> bool;
}

/// Reads bytes in order, in blocks; a token that is being read stays in the window from its start.
pub(crate) struct Bytes<'a> {
    source: Source<'a>,
    block: Cow<'a, [u8]>,
    start: u64,
    at: usize,
}

/// Where the bytes come from.
enum Source<'a> {
    /// A document, up to a byte of it.
    Document(&'a dyn Document, u64),
    Blocks(&'a mut dyn Blocks),
    /// All of them are in the window.
    Window,
}

impl<'a> Bytes<'a> {
    /// The bytes of `range`.
    pub(crate) fn new(document: &'a dyn Document, range: std::ops::Range<u64>) -> io::Result<Bytes<'a>> {
        let end = range.end.min(document.extent().bytes);
        let start = range.start.min(end);
        let first = if document.text().is_some() { end } else { (start + BLOCK).min(end) };
        let block = document.read_bytes(start..first, Vec::new())?;
        Ok(Bytes { source: Source::Document(document, end), block, start, at: 0 })
    }

    /// The bytes that `blocks` brings.
    pub(crate) fn streamed(blocks: &'a mut dyn Blocks) -> Bytes<'a> {
        let mut block = Vec::new();
        blocks.append_next(&mut block);
        Bytes { source: Source::Blocks(blocks), block: Cow::Owned(block), start: 0, at: 0 }
    }

    /// Bytes that are all there.
    pub(crate) fn whole(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { source: Source::Window, block: Cow::Borrowed(bytes), start: 0, at: 0 }
    }

    /// The position of the next byte.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.start + self.at as u64
    }

    /// What is left of the window, from the next byte on; empty only where a refill is due or at the end.
    #[inline]
    pub(crate) fn window(&self) -> &[u8] {
        self.block.get(self.at..).unwrap_or_default()
    }

    /// The bytes from `from` to the next byte, if they all are in the window.
    #[inline]
    pub(crate) fn since(&self, from: u64) -> Option<&[u8]> {
        let from = usize::try_from(from.checked_sub(self.start)?).ok()?;
        self.block.get(from..self.at)
    }

    /// The bytes from `from` to the end of the window, if that begins no later.
    pub(crate) fn window_from(&self, from: u64) -> &[u8] {
        let from = from.checked_sub(self.start).and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.block.get(from..)).unwrap_or_default()
    }

    /// Goes `count` bytes on; not further than the window.
    #[inline]
    pub(crate) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.block.len());
    }

    /// The next byte, after a refill if that is needed; `None` at the end.
    #[inline]
    pub(crate) fn peek(&mut self, token: u64) -> io::Result<Option<u8>> {
        if let Some(&byte) = self.block.get(self.at) {
            return Ok(Some(byte));
        }
        Ok(if self.refill(token)? { self.block.get(self.at).copied() } else { None })
    }

    /// Makes the window go on from `token` (the start of what is being read) if it is not too far back.
    /// Says whether there is anything left to read.
    pub(crate) fn refill(&mut self, token: u64) -> io::Result<bool> {
        let position = self.position();
        let start = if position - token < BLOCK && token >= self.start { token } else { position };
        match &mut self.source {
            Source::Window => return Ok(false),
            Source::Document(_, end) if position >= *end => return Ok(false),
            Source::Document(document, end) => {
                let used = std::mem::take(&mut self.block);
                let buffer = if let Cow::Owned(buffer) = used { buffer } else { Vec::new() };
                self.block = document.read_bytes(start..(position + BLOCK).min(*end), buffer)?;
            }
            Source::Blocks(blocks) => {
                let window = self.block.to_mut();
                let done = usize::try_from(start - self.start).unwrap_or(usize::MAX);
                window.drain(..done.min(window.len()));
                blocks.append_next(window);
            }
        }
        self.start = start;
        self.at = usize::try_from(position - start).unwrap_or(usize::MAX).min(self.block.len());
        Ok(!self.window().is_empty())
    }
}

//! A window over the bytes of a document that moves forward, one block at a time.

use std::borrow::Cow;
use std::io;

use crate::document::{BLOCK, Document};

/// Reads a range of a document in order, in blocks; a token that is being read stays in the window from its start.
pub(super) struct Bytes<'a> {
    document: &'a dyn Document,
    block: Cow<'a, str>,
    start: u64,
    at: usize,
    end: u64,
}

impl<'a> Bytes<'a> {
    /// The bytes of `range`, which must lie on character borders.
    pub(super) fn new(document: &'a dyn Document, range: std::ops::Range<u64>) -> io::Result<Bytes<'a>> {
        let end = range.end.min(document.extent().bytes);
        let block = match document.text() {
            Some(_) => document.read(range.start.min(end)..end)?,
            None => document.read_around(range.start..(range.start + BLOCK).min(end))?,
        };
        Ok(Bytes { document, block, start: range.start, at: 0, end })
    }

    /// The position of the next byte.
    #[inline]
    pub(super) fn position(&self) -> u64 {
        self.start + self.at as u64
    }

    /// What is left of the window, from the next byte on; empty only where a refill is due or at the end.
    #[inline]
    pub(super) fn window(&self) -> &[u8] {
        self.block.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The bytes from `from` to the next byte, if they all are in the window.
    #[inline]
    pub(super) fn since(&self, from: u64) -> Option<&[u8]> {
        let from = usize::try_from(from.checked_sub(self.start)?).ok()?;
        self.block.as_bytes().get(from..self.at)
    }

    /// Goes `count` bytes on; not further than the window.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.at = (self.at + count).min(self.block.len());
    }

    /// The next byte, after a refill if that is needed; `None` at the end.
    #[inline]
    pub(super) fn peek(&mut self, token: u64) -> io::Result<Option<u8>> {
        if let Some(&byte) = self.block.as_bytes().get(self.at) {
            return Ok(Some(byte));
        }
        Ok(if self.refill(token)? { self.block.as_bytes().get(self.at).copied() } else { None })
    }

    /// Makes the window go on from `token` (the start of what is being read) if it is not too far back.
    /// Says whether there is anything left to read.
    pub(super) fn refill(&mut self, token: u64) -> io::Result<bool> {
        let position = self.position();
        if position >= self.end {
            return Ok(false);
        }
        let start = if position - token < BLOCK && token >= self.start { token } else { position };
        self.block = self.document.read_around(start..(position + BLOCK).min(self.end))?;
        self.start = start;
        self.at = usize::try_from(position - start).unwrap_or(usize::MAX).min(self.block.len());
        Ok(!self.window().is_empty())
    }
}

//! An artifact's text, read in verified blocks of which the last few stay in memory.
//!
//! Every selector reads through [`ArtifactDocument`]: a block is verified once while it is in use, and memory does not grow with
//! the artifact.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use offcut_core::document::Document;
use offcut_core::extent::{Extent, Index};
use offcut_store::{Artifact, BLOCK, StoreError};

use super::RecallError;

/// How many blocks stay in memory: what a scanner has passed is often read again at once.
const CACHED: usize = 8;

/// Reads more than this at once go past the cache, so that one long read does not empty it.
const LONG_READ: u64 = (BLOCK * CACHED / 2) as u64;

/// The text of an open artifact.
#[derive(Debug)]
pub struct ArtifactDocument<'a> {
    artifact: &'a dyn Artifact,
    cache: RefCell<VecDeque<(u64, Rc<[u8]>)>>,
}

impl<'a> ArtifactDocument<'a> {
    /// The text of `artifact`; nothing is read yet.
    pub fn new(artifact: &'a dyn Artifact) -> ArtifactDocument<'a> {
        ArtifactDocument { artifact, cache: RefCell::default() }
    }

    /// The size in bytes.
    pub(super) fn size(&self) -> u64 {
        self.artifact.info().extent.bytes
    }

    /// Block number `number`, whole; empty behind the end.
    pub(super) fn block(&self, number: u64) -> Result<Rc<[u8]>, StoreError> {
        let cached = self.cache.borrow().iter().find(|(at, _)| *at == number).map(|(_, block)| block.clone());
        if let Some(block) = cached {
            return Ok(block);
        }
        let start = number.saturating_mul(BLOCK as u64);
        let block: Rc<[u8]> = self.artifact.read(start..start.saturating_add(BLOCK as u64))?.into();
        let mut cache = self.cache.borrow_mut();
        if cache.len() >= CACHED {
            cache.pop_front();
        }
        cache.push_back((number, block.clone()));
        Ok(block)
    }

    /// The bytes in `range`, cut off at the end of the content.
    pub(super) fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let range = range.start..range.end.min(self.size());
        let length = range.end.saturating_sub(range.start);
        if length > LONG_READ {
            return self.artifact.read(range);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        let mut at = range.start;
        while at < range.end {
            let (number, offset) = (at / BLOCK as u64, (at % BLOCK as u64) as usize);
            let block = self.block(number)?;
            let wanted = offset.saturating_add(usize::try_from(range.end - at).unwrap_or(usize::MAX)).min(block.len());
            let part = block.get(offset..wanted).filter(|part| !part.is_empty()).ok_or_else(|| self.cut_short())?;
            bytes.extend_from_slice(part);
            at += part.len() as u64;
        }
        Ok(bytes)
    }

    /// The text in `range`, which must lie on character borders.
    pub(super) fn text(&self, range: Range<u64>) -> Result<String, RecallError> {
        String::from_utf8(self.bytes(range)?).map_err(|_| RecallError::NotText { media_type: self.media_type() })
    }

    /// Writes the bytes in `range`, a block at a time.
    pub(super) fn copy(&self, range: Range<u64>, out: &mut dyn io::Write) -> Result<(), RecallError> {
        let end = range.end.min(self.size());
        let mut at = range.start;
        while at < end {
            let next = (at / BLOCK as u64 + 1).saturating_mul(BLOCK as u64).min(end);
            let part = self.artifact.read(at..next)?;
            out.write_all(&part).map_err(RecallError::Output)?;
            at = next;
        }
        Ok(())
    }

    /// The border of the character that `byte` points into: the place itself, or the start of that character.
    pub(super) fn floor(&self, byte: u64) -> Result<u64, RecallError> {
        let byte = byte.min(self.size());
        let start = byte.saturating_sub(3);
        let around = self.bytes(start..byte.saturating_add(1))?;
        // The end of the content is a border, and so is every byte that continues no character.
        for back in 0..=byte - start {
            let at = usize::try_from(byte - back - start).unwrap_or(0);
            if around.get(at).is_none_or(|byte| byte & 0xC0 != 0x80) {
                return Ok(byte - back);
            }
        }
        Ok(byte)
    }

    /// The end of the character that starts at `byte`.
    pub(super) fn after(&self, byte: u64) -> Result<u64, RecallError> {
        let around = self.bytes(byte..byte.saturating_add(5))?;
        let width = around.iter().skip(1).take_while(|byte| *byte & 0xC0 == 0x80).count() as u64 + 1;
        Ok((byte + width).min(self.size()))
    }

    /// Whether the content is not text.
    pub(super) fn is_binary(&self) -> bool {
        self.artifact.info().binary
    }

    pub(super) fn media_type(&self) -> String {
        self.artifact.info().media_type.clone()
    }

    fn cut_short(&self) -> StoreError {
        StoreError::Corrupt {
            id: self.artifact.info().id.clone(),
            block: None,
            what: "its content was cut short".to_owned(),
        }
    }
}

impl Document for ArtifactDocument<'_> {
    fn extent(&self) -> &Extent {
        &self.artifact.info().extent
    }

    fn index(&self) -> &Index {
        self.artifact.index()
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        if range.end < range.start || range.end > self.size() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the range lies outside the artifact"));
        }
        let bytes = self.bytes(range).map_err(io::Error::other)?;
        let outside = |_| io::Error::new(io::ErrorKind::InvalidInput, "the range cuts a character");
        String::from_utf8(bytes).map(Cow::Owned).map_err(outside)
    }

    fn text(&self) -> Option<&str> {
        None
    }
}

//! What a large document is known by: which blocks may hold which words, its outline, its lines by kind.
//!
//! It is made in one pass, put aside beside the artifact, and goes with it. A question then reads a few blocks instead of
//! the whole. Each block has a filter of its words, in which a word is never missed and sometimes seen where it is not;
//! all filters together never take more than [`MOST_BYTES`], however large the document is.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use offcut_core::document::Document;
use offcut_core::extent::Position;
use offcut_core::line::LineRules;
use offcut_store::Artifact;
use serde::{Deserialize, Serialize};

use super::outline::Outline;
use super::query::Query;
use super::roles::{Gatherer, Kinds};
use offcut::Offcut;
use offcut::recall::ArtifactDocument;
use offcut::words::{Token, WordSplitter};

/// Documents up to this size are read whole for every question: that is quicker than an index.
pub(super) const SMALL: u64 = 1024 * 1024;

/// The least bytes of a block.
const LEAST_BLOCK: u64 = 16 * 1024;

/// The most blocks.
const MOST_BLOCKS: u64 = 8192;

/// What all filters take at most.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes of a block for each byte of its filter.
const DENSITY: u64 = 8;

/// How much of a document one question reads.
const READ: u64 = 3 * 1024 * 1024;

/// Once so much is to be read, blocks that promise less than [`NEAR`] of what the best one does are left out: most of
/// them only seem to hold a word.
const ENOUGH: u64 = 768 * 1024;
const NEAR: f32 = 0.6;

const MAGIC: &[u8] = b"offcut-index 2\n";

/// What a large document is known by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Index {
    pub(super) outline: Outline,
    pub(super) kinds: Kinds,
    blocks: Vec<Block>,
    /// The filters of all blocks, each of `width` bytes.
    filters: Vec<u8>,
    width: usize,
}

/// Lines that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Block {
    start: u64,
    /// Lines before it.
    line: u64,
}

/// The part of an index that is written as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct IndexHead {
    /// The content that it is about.
    blake3: String,
    /// The room that the outline was made for.
    room: u64,
    width: usize,
    blocks: Vec<(u64, u64)>,
    outline: Outline,
    kinds: Kinds,
}

impl Index {
    /// The index of an artifact: what was put aside, else a new one, which is put aside.
    pub(super) fn of(offcut: &Offcut, artifact: &dyn Artifact, room: u64) -> io::Result<Index> {
        let info = artifact.info();
        let known = artifact.aside().ok().flatten().and_then(|bytes| Index::decode(bytes, &info.blake3, room));
        if let Some(index) = known {
            return Ok(index);
        }
        let index = Index::make(offcut, artifact, room)?;
        let put = index.encode(&info.blake3, room).map(|bytes| artifact.put_aside(&bytes));
        if let Some(Err(error)) = put {
            tracing::debug!(id = %info.id, code = error.code(), "an index could not be put aside");
        }
        Ok(index)
    }

    /// Reads the whole document: its words and lines on one thread, its outline on another.
    fn make(offcut: &Offcut, artifact: &dyn Artifact, room: u64) -> io::Result<Index> {
        std::thread::scope(|scope| {
            let outline = scope.spawn(|| Outline::of(offcut, artifact.info(), &ArtifactDocument::new(artifact), room));
            let source = ArtifactDocument::new(artifact);
            let read = read(&source, offcut.policy().line_rules());
            let outline = outline.join().unwrap_or_else(|_| Err(io::Error::other("the outline could not be made")))?;
            let (blocks, filters, width, kinds) = read?;
            Ok(Index { outline, kinds, blocks, filters, width })
        })
    }

    /// The ranges that are worth reading for a question, in order; each begins at the start of a line.
    pub(super) fn ranges(&self, query: &Query, bytes: u64) -> Vec<Range<u64>> {
        // A block is worth reading for a term if it may hold one of its forms, for a phrase if it may hold all its words.
        let terms =
            query.terms.iter().map(|term| (term.tokens.iter().map(|token| vec![*token]).collect(), term.weight));
        let mut words = WordSplitter::default();
        let phrases = query.phrases.iter().map(|phrase| {
            let mut tokens = Vec::new();
            words.each(phrase.text.as_bytes(), |token| tokens.push(token));
            (vec![tokens], phrase.weight)
        });
        let mut scores = vec![0.0f32; self.blocks.len()];
        for (forms, weight) in terms.chain(phrases) {
            let forms: Vec<Vec<Token>> = forms;
            let has = |at: usize| {
                forms.iter().any(|form| !form.is_empty() && form.iter().all(|token| self.may_have(at, *token)))
            };
            let with: Vec<usize> = (0..self.blocks.len()).filter(|at| has(*at)).collect();
            let (all, found) = (self.blocks.len() as f32, with.len() as f32);
            let rarity = weight * (1.0 + (all - found + 0.5).max(0.0) / (found + 0.5)).ln();
            with.iter().for_each(|at| scores.iter_mut().skip(*at).take(1).for_each(|score| *score += rarity));
        }
        let mut order: Vec<(usize, f32)> = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let end = |at: usize| self.blocks.get(at + 1).map_or(bytes, |next| next.start);
        let mut left = READ;
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let best = order.first().map_or(0.0, |(_, score)| *score);
        for (at, score) in order {
            let Some(block) = self.blocks.get(at) else { continue };
            let size = end(at) - block.start;
            let enough = READ - left >= ENOUGH && score < best * NEAR;
            if (enough || size > left) && !ranges.is_empty() {
                break;
            }
            left = left.saturating_sub(size);
            // A block that is one long line is read as far as the room allows.
            ranges.push(block.start..end(at).min(block.start + READ));
        }
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    fn may_have(&self, block: usize, token: Token) -> bool {
        let filter = self.filters.get(block * self.width..(block + 1) * self.width).unwrap_or_default();
        places(token, self.width).into_iter().all(|(byte, bit)| filter.get(byte).is_some_and(|bits| bits & bit != 0))
    }

    fn encode(&self, blake3: &str, room: u64) -> Option<Vec<u8>> {
        let head = IndexHead {
            blake3: blake3.to_owned(),
            room,
            width: self.width,
            blocks: self.blocks.iter().map(|block| (block.start, block.line)).collect(),
            outline: self.outline.clone(),
            kinds: self.kinds.clone(),
        };
        let json = serde_json::to_vec(&head).ok()?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(json.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&json);
        bytes.extend_from_slice(&self.filters);
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        Some(bytes)
    }

    /// What was put aside; none if it is damaged, of another version, or about something else.
    fn decode(mut bytes: Vec<u8>, blake3: &str, room: u64) -> Option<Index> {
        let (body, hash) = bytes.split_last_chunk::<32>()?;
        if blake3::hash(body).as_bytes() != hash {
            return None;
        }
        let (length, rest) = body.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
        let (json, filters) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let head: IndexHead = serde_json::from_slice(json).ok()?;
        let fits = filters.len() == head.blocks.len().checked_mul(head.width)?;
        if head.blake3 != blake3 || head.room != room || !fits {
            return None;
        }
        // The filters are nearly all of it: they stay where they are.
        let (from, to) = (body.len() - filters.len(), body.len());
        bytes.truncate(to);
        bytes.drain(..from);
        Some(Index {
            outline: head.outline,
            kinds: head.kinds,
            blocks: head.blocks.into_iter().map(|(start, line)| Block { start, line }).collect(),
            filters: bytes,
            width: head.width,
        })
    }

    /// Where the lines of a range begin to be counted.
    pub(super) fn position(&self, start: u64) -> Option<Position> {
        let at = self.blocks.binary_search_by_key(&start, |block| block.start).ok()?;
        self.blocks.get(at).map(|block| Position { byte: block.start, char: 0, line: block.line })
    }
}

type Blocks = (Vec<Block>, Vec<u8>, usize, Kinds);

/// Reads a document's words and lines.
fn read(document: &dyn Document, rules: &Arc<LineRules>) -> io::Result<Blocks> {
    let bytes = document.extent().bytes;
    let block = bytes.div_ceil(MOST_BLOCKS).max(LEAST_BLOCK);
    let width = (block / DENSITY).min(MOST_BYTES / bytes.div_ceil(block).max(1)).max(64);
    let width = usize::try_from(width).unwrap_or(64);
    let (mut blocks, mut filters, mut gatherer) = (Vec::new(), Vec::new(), Gatherer::new(rules));
    let mut words = WordSplitter::default();
    let mut lines = document.lines();
    while let Some(line) = lines.next_line()? {
        let start = line.position.byte;
        let full = blocks.last().is_none_or(|last: &Block| start - last.start >= block);
        if full && line.first {
            blocks.push(Block { start, line: line.position.line });
            filters.resize(filters.len() + width, 0);
        }
        let from = filters.len().saturating_sub(width);
        let filter = filters.get_mut(from..).unwrap_or_default();
        words.each(line.text.as_bytes(), |token| {
            for (byte, bit) in places(token, width) {
                if let Some(bits) = filter.get_mut(byte) {
                    *bits |= bit;
                }
            }
        });
        gatherer.push(&line);
    }
    Ok((blocks, filters, width, gatherer.finish()))
}

/// The two bits of a word in a filter.
fn places(token: Token, width: usize) -> [(usize, u8); 2] {
    let bits = (width as u64 * 8).max(1);
    let second = token.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [token % bits, (second >> 17) % bits].map(|place| ((place / 8) as usize, 1 << (place % 8)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut::Call;

    fn large() -> String {
        let mut lines: Vec<String> =
            (0..60_000).map(|n| format!("2024 worker {n} did its job number {}", n % 97)).collect();
        lines[41_234] = "2024 the flux capacitor overheated".to_owned();
        lines.join("\n")
    }

    fn kept() -> (Offcut, Box<dyn Artifact>) {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let id = offcut.process(Call::new("bash"), large()).unwrap().report.artifact_id.unwrap();
        let artifact = offcut.recall().open(&id).unwrap();
        (offcut, artifact)
    }

    #[test]
    fn a_word_is_never_missed_and_little_is_read_for_it() {
        let (offcut, artifact) = kept();
        let index = Index::of(&offcut, artifact.as_ref(), 3000).unwrap();
        let text = large();
        let place = text.find("flux").unwrap() as u64;
        let ranges = index.ranges(&Query::read("flux capacitor"), text.len() as u64);
        assert!(ranges.iter().any(|range| range.contains(&place)));
        assert!(ranges.iter().map(|range| range.end - range.start).sum::<u64>() < 400_000, "{ranges:?}");
        for range in &ranges {
            let before = text.get(..range.start as usize).unwrap();
            assert_eq!(index.position(range.start).unwrap().line, before.matches('\n').count() as u64);
        }
    }

    #[test]
    fn it_is_put_aside_once_and_read_back_as_it_was() {
        let (offcut, artifact) = kept();
        assert_eq!(artifact.aside().unwrap(), None);
        let made = Index::of(&offcut, artifact.as_ref(), 3000).unwrap();
        let aside = artifact.aside().unwrap().unwrap();
        assert!(aside.len() as u64 <= MOST_BYTES + 1024 * 1024);
        assert_eq!(Index::decode(aside.clone(), &artifact.info().blake3, 3000), Some(made));
        assert_eq!(Index::decode(aside.clone(), &artifact.info().blake3, 2000), None);
        assert_eq!(Index::decode(aside.clone(), "another", 3000), None);
    }

    #[test]
    fn a_damaged_one_is_made_anew() {
        let (offcut, artifact) = kept();
        let made = Index::of(&offcut, artifact.as_ref(), 3000).unwrap();
        let mut aside = artifact.aside().unwrap().unwrap();
        let middle = aside.len() / 2;
        aside[middle] ^= 1;
        artifact.put_aside(&aside).unwrap();
        assert_eq!(Index::of(&offcut, artifact.as_ref(), 3000).unwrap(), made);
        assert_ne!(artifact.aside().unwrap().unwrap(), aside);
    }
}

//! A segment: which of many artifacts hold which terms, so that a question reads a few ranges of it.
//!
//! ```text
//! {blocks: for each term, in order: distance from the term before, how many artifacts, their distances; as varints}
//! {for each block: its first term (4 bytes), where it starts (4), the first 8 bytes of its BLAKE3 hash}
//! {the ids of the artifacts, a line each}
//! {how many blocks (4)} {bytes of the ids (4)} {BLAKE3 of the tail before (32)}
//! ```
//!
//! All numbers are little-endian. What follows the blocks is the tail; its length stands in a segment's name, so that one
//! range request reads it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::id::ArtifactId;

/// The least bytes of a block.
const BLOCK: usize = 4096;

/// What ends a tail: two numbers and a hash.
const FOOTER: usize = 40;

/// An artifact and its terms, in order.
pub(super) type SegmentEntry = (ArtifactId, Vec<u32>);

/// The bytes of a segment, and how many of them are its tail.
pub(super) fn encode(entries: &[SegmentEntry]) -> (Vec<u8>, usize) {
    let mut holders: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, (_, terms)) in (0..).zip(entries) {
        for term in terms {
            holders.entry(*term).or_default().push(number);
        }
    }
    let (mut bytes, mut directory): (Vec<u8>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let mut before = 0;
    for (term, holders) in &holders {
        if directory.last().is_none_or(|(_, start)| bytes.len() - start >= BLOCK) {
            directory.push((*term, bytes.len()));
            before = *term;
        }
        write(&mut bytes, term - before);
        write(&mut bytes, holders.len() as u32);
        let mut last = 0;
        for holder in holders {
            write(&mut bytes, holder - last);
            last = *holder;
        }
        before = *term;
    }
    let blocks = bytes.len();
    let ends = directory.iter().skip(1).map(|(_, start)| *start).chain([blocks]);
    let hashes: Vec<[u8; 8]> =
        directory.iter().zip(ends).map(|((_, start), end)| hash(bytes.get(*start..end).unwrap_or_default())).collect();
    for ((term, start), hash) in directory.iter().zip(hashes) {
        bytes.extend_from_slice(&term.to_le_bytes());
        bytes.extend_from_slice(&(*start as u32).to_le_bytes());
        bytes.extend_from_slice(&hash);
    }
    let ids: String = entries.iter().map(|(id, _)| format!("{id}\n")).collect();
    bytes.extend_from_slice(ids.as_bytes());
    bytes.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(ids.len() as u32).to_le_bytes());
    let hash = blake3::hash(bytes.get(blocks..).unwrap_or_default());
    bytes.extend_from_slice(hash.as_bytes());
    let tail = bytes.len() - blocks;
    (bytes, tail)
}

/// What is known of a segment without its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SegmentTail {
    /// Its artifacts, by number.
    pub(super) artifacts: Vec<ArtifactId>,
    blocks: Vec<BlockEntry>,
    /// Where the last block ends.
    end: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BlockEntry {
    first: u32,
    start: u64,
    hash: [u8; 8],
}

impl SegmentTail {
    /// Reads the tail at the end of `bytes`, which end a segment of `size` bytes; none if it is damaged.
    pub(super) fn decode(bytes: &[u8], size: u64) -> Option<SegmentTail> {
        let (rest, footer) = bytes.split_at_checked(bytes.len().checked_sub(FOOTER)?)?;
        let (numbers, hash) = footer.split_at_checked(8)?;
        let (count, ids) = (number(numbers.get(..4)?)? as usize, number(numbers.get(4..)?)? as usize);
        let length = count.checked_mul(16)?.checked_add(ids)?;
        let tail = rest.get(rest.len().checked_sub(length)?..)?;
        let mut hasher = blake3::Hasher::new();
        if hasher.update(tail).update(numbers).finalize().as_bytes() != hash {
            return None;
        }
        let (directory, ids) = tail.split_at_checked(count * 16)?;
        let blocks = directory.chunks_exact(16).map(|entry| {
            let (first, start) = (number(entry.get(..4)?)?, u64::from(number(entry.get(4..8)?)?));
            Some(BlockEntry { first, start, hash: entry.get(8..)?.try_into().ok()? })
        });
        let blocks = blocks.collect::<Option<Vec<BlockEntry>>>()?;
        let ids = std::str::from_utf8(ids).ok()?;
        let artifacts = ids.lines().map(|id| id.parse().ok()).collect::<Option<Vec<ArtifactId>>>()?;
        Some(SegmentTail { artifacts, blocks, end: size.checked_sub((length + FOOTER) as u64)? })
    }

    /// The range of the block that a term is in, if it is in any.
    pub(super) fn range(&self, term: u32) -> Option<Range<u64>> {
        let at = self.blocks.partition_point(|block| block.first <= term).checked_sub(1)?;
        let end = self.blocks.get(at + 1).map_or(self.end, |next| next.start);
        Some(self.blocks.get(at)?.start..end)
    }

    /// The numbers of the artifacts that hold `term`, by the block at `start`; none if that is damaged.
    pub(super) fn holders(&self, term: u32, start: u64, block: &[u8]) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        self.each(start, block, |seen, holders| {
            if seen == term {
                found = holders;
            }
        })?;
        Some(found)
    }

    /// The artifacts with all their terms, by all the blocks; none if any is damaged.
    pub(super) fn entries(&self, bytes: &[u8]) -> Option<Vec<SegmentEntry>> {
        let mut entries: Vec<SegmentEntry> = self.artifacts.iter().map(|id| (id.clone(), Vec::new())).collect();
        for block in &self.blocks {
            let range = self.range(block.first)?;
            let part = bytes.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)?;
            self.each(block.start, part, |term, holders| {
                for holder in holders {
                    if let Some((_, terms)) = entries.get_mut(holder as usize) {
                        terms.push(term);
                    }
                }
            })?;
        }
        Some(entries)
    }

    /// Tells the terms of the block at `start`, in order, with the artifacts that hold them.
    fn each(&self, start: u64, block: &[u8], mut tell: impl FnMut(u32, Vec<u32>)) -> Option<()> {
        let known = self.blocks.binary_search_by_key(&start, |block| block.start).ok()?;
        let known = self.blocks.get(known)?;
        if hash(block) != known.hash {
            return None;
        }
        let (mut term, mut rest) = (known.first, block);
        while !rest.is_empty() {
            term = term.checked_add(read(&mut rest)?)?;
            let count = read(&mut rest)?;
            let mut holder = 0u32;
            let mut holders = Vec::new();
            for _ in 0..count {
                holder = holder.checked_add(read(&mut rest)?)?;
                holders.push(holder);
            }
            tell(term, holders);
        }
        Some(())
    }
}

fn hash(bytes: &[u8]) -> [u8; 8] {
    let mut short = [0; 8];
    short.iter_mut().zip(blake3::hash(bytes).as_bytes()).for_each(|(to, from)| *to = *from);
    short
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<SegmentEntry> {
        (0..500u32)
            .map(|n| {
                let mut terms: Vec<u32> =
                    (0..60).map(|k| (n + 1).wrapping_mul(2_654_435_761).rotate_left(k) / 7 + 1).collect();
                terms.extend([7, u32::MAX]);
                terms.sort_unstable();
                terms.dedup();
                (format!("art_{}_x{n}", n + 1).parse().unwrap(), terms)
            })
            .collect()
    }

    #[test]
    fn every_term_leads_to_its_artifacts_and_all_of_it_comes_back() {
        let entries = entries();
        let (bytes, length) = encode(&entries);
        let tail = SegmentTail::decode(&bytes[bytes.len() - length..], bytes.len() as u64).unwrap();
        assert!(tail.blocks.len() > 3);
        assert_eq!(tail.entries(&bytes).unwrap(), entries);
        for term in [7, u32::MAX, entries[41].1[20], 8] {
            let range = tail.range(term).unwrap();
            let block = &bytes[range.start as usize..range.end as usize];
            let found = tail.holders(term, range.start, block).unwrap();
            let expected: Vec<u32> = (0..).zip(&entries).filter(|(_, e)| e.1.contains(&term)).map(|(n, _)| n).collect();
            assert_eq!(found, expected, "{term}");
        }
        assert_eq!(tail.range(0), None);
    }

    #[test]
    fn damage_is_told() {
        let (mut bytes, length) = encode(&entries());
        let size = bytes.len() as u64;
        let tail = SegmentTail::decode(&bytes, size).unwrap();
        bytes[3] ^= 1;
        assert_eq!(tail.entries(&bytes), None);
        let at = bytes.len() - length + 5;
        bytes[at] ^= 1;
        assert_eq!(SegmentTail::decode(&bytes, size), None);
        assert_eq!(SegmentTail::decode(&bytes[..30], 30), None);
    }

    #[test]
    fn a_segment_of_nothing_is_one() {
        let (bytes, _) = encode(&[("art_1_a".parse().unwrap(), Vec::new())]);
        let tail = SegmentTail::decode(&bytes, bytes.len() as u64).unwrap();
        assert_eq!((tail.artifacts.len(), tail.range(9)), (1, None));
    }
}

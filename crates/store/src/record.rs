//! The metadata of an artifact as it is stored: what is known about it, its block hashes, its line index.
//!
//! Two lines for people (`head -2` shows them), then numbers, then the hash of all of it:
//!
//! ```text
//! offcut-artifact 1 {length of the JSON} {BLAKE3 of the JSON}
//! {JSON}
//! {hash of each block} {stored length of each block, if compressed} {checkpoints} {BLAKE3 of everything before}
//! ```

use offcut_core::extent::{Index, Position};
use serde::{Deserialize, Serialize};

use crate::artifact::ArtifactInfo;
use crate::blocks::{self, BlockHash};

/// The version of the layout; a store refuses records of a later one.
pub(crate) const VERSION: u32 = 1;

/// How much of a record a listing reads at first: enough for the two lines of nearly every record.
pub(crate) const HEAD: usize = 4096;

const MAGIC: &str = "offcut-artifact";

/// A whole record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) head: RecordHead,
    pub(crate) hashes: Vec<BlockHash>,
    /// The stored length of each block; empty unless the content is compressed.
    pub(crate) lengths: Vec<u32>,
    pub(crate) index: Index,
}

/// The part of a record that a listing needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordHead {
    /// The block size that the hashes are for.
    pub(crate) block_bytes: u64,
    /// The name of the content, beside the record.
    pub(crate) file: String,
    #[serde(flatten)]
    pub(crate) info: ArtifactInfo,
}

impl Record {
    /// The record as bytes.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, String> {
        let json = serde_json::to_vec(&self.head).map_err(|error| error.to_string())?;
        let mut bytes = format!("{MAGIC} {VERSION} {} {}\n", json.len(), blake3::hash(&json).to_hex()).into_bytes();
        bytes.extend_from_slice(&json);
        bytes.push(b'\n');
        for hash in &self.hashes {
            bytes.extend_from_slice(hash);
        }
        for length in &self.lengths {
            bytes.extend_from_slice(&length.to_le_bytes());
        }
        encode_index(&self.index, &mut bytes);
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        Ok(bytes)
    }

    /// Reads a whole record; the error says what is wrong with it.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Record, String> {
        let (body, hash) = bytes.split_last_chunk::<32>().ok_or("its metadata is cut short")?;
        let (head, length) = decode_head(body)?.ok_or("its metadata is cut short")?;
        if blake3::hash(body).as_bytes() != hash {
            return Err("its metadata does not match its hash".to_owned());
        }
        if head.block_bytes != blocks::BLOCK as u64 {
            return Err(format!("its blocks of {} bytes are unknown to this version", head.block_bytes));
        }
        let mut rest = NumberReader { bytes: body.get(length..).unwrap_or_default() };
        let count = usize::try_from(blocks::count(head.info.extent.bytes)).map_err(|_| "its size is impossible")?;
        let hashes = rest.take_all::<32>(count).ok_or("a block hash is missing")?.to_vec();
        let lengths = if head.info.compressed { count } else { 0 };
        let lengths = rest.take_all::<4>(lengths).ok_or("a block length is missing")?;
        let lengths = lengths.iter().copied().map(u32::from_le_bytes).collect();
        let index = decode_index(&mut rest).ok_or("its line index is broken")?;
        Ok(Record { head, hashes, lengths, index })
    }
}

/// The head at the beginning of `bytes` and where it ends; `None` if there are too few bytes to tell.
pub(crate) fn decode_head(bytes: &[u8]) -> Result<Option<(RecordHead, usize)>, String> {
    let Some(end) = bytes.iter().take(160).position(|&byte| byte == b'\n') else {
        return if bytes.len() < 160 { Ok(None) } else { Err("its metadata has no head".to_owned()) };
    };
    let line = bytes.get(..end).and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    let mut words = line.split(' ');
    if words.next() != Some(MAGIC) {
        return Err("its metadata is not a record".to_owned());
    }
    let version = words.next().and_then(|word| word.parse::<u32>().ok()).unwrap_or(u32::MAX);
    if version > VERSION {
        return Err("its metadata was written by a later version".to_owned());
    }
    let length = words.next().and_then(|word| word.parse::<usize>().ok()).ok_or("its metadata has no length")?;
    let hash = words.next().unwrap_or_default();
    let start = end + 1;
    let stop = start.checked_add(length).and_then(|stop| stop.checked_add(1)).ok_or("its metadata has no length")?;
    let Some(json) = bytes.get(start..stop) else { return Ok(None) };
    let json = json.strip_suffix(b"\n").ok_or("its metadata has a broken line")?;
    if blake3::hash(json).to_hex().as_str() != hash {
        return Err("its metadata does not match its hash".to_owned());
    }
    let head = serde_json::from_slice(json).map_err(|error| format!("its metadata cannot be read: {error}"))?;
    Ok(Some((head, stop)))
}

/// Checkpoints as distances from one to the next, all of the same width, so that reading them is one quick pass.
fn encode_index(index: &Index, bytes: &mut Vec<u8>) {
    let steps = || {
        let mut last = Position::default();
        index.checkpoints().iter().flat_map(move |&at| {
            let step = [at.byte - last.byte, at.char.wrapping_sub(last.char), at.line.wrapping_sub(last.line)];
            last = at;
            step
        })
    };
    let narrow = steps().all(|step| u32::try_from(step).is_ok());
    bytes.push(if narrow { 4 } else { 8 });
    bytes.extend_from_slice(&(index.checkpoints().len() as u64).to_le_bytes());
    for step in steps() {
        let wide = step.to_le_bytes();
        bytes.extend(wide.iter().take(if narrow { 4 } else { 8 }));
    }
}

fn decode_index(rest: &mut NumberReader<'_>) -> Option<Index> {
    let width = rest.take::<1>()?;
    let count = u64::from_le_bytes(rest.take()?);
    let size = 3 * u64::from(width[0]);
    if !matches!(width, [4 | 8]) || count.checked_mul(size)? != rest.bytes.len() as u64 {
        return None;
    }
    let count = usize::try_from(count).ok()?;
    let checkpoints = match width {
        [4] => checkpoints(rest.take_all::<12>(count)?, |step| {
            step.as_chunks::<4>().0.iter().map(|&number| u64::from(u32::from_le_bytes(number)))
        }),
        _ => checkpoints(rest.take_all::<24>(count)?, |step| {
            step.as_chunks::<8>().0.iter().map(|&number| u64::from_le_bytes(number))
        }),
    };
    Index::from_checkpoints(checkpoints?)
}

/// The checkpoints that these steps lead to; `numbers` reads the three numbers of a step.
fn checkpoints<'a, const N: usize, I: Iterator<Item = u64>>(
    steps: &'a [[u8; N]],
    numbers: impl Fn(&'a [u8; N]) -> I,
) -> Option<Vec<Position>> {
    let mut at = Position::default();
    let mut checkpoints = Vec::with_capacity(steps.len());
    for step in steps {
        let mut numbers = numbers(step);
        at = Position {
            byte: at.byte.checked_add(numbers.next()?)?,
            char: at.char.wrapping_add(numbers.next()?),
            line: at.line.wrapping_add(numbers.next()?),
        };
        checkpoints.push(at);
    }
    Some(checkpoints)
}

/// What is left to read of the numbers.
struct NumberReader<'a> {
    bytes: &'a [u8],
}

impl<'a> NumberReader<'a> {
    /// The next `count` numbers of `N` bytes each.
    fn take_all<const N: usize>(&mut self, count: usize) -> Option<&'a [[u8; N]]> {
        let (taken, rest) = self.bytes.split_at_checked(count.checked_mul(N)?)?;
        self.bytes = rest;
        Some(taken.as_chunks::<N>().0)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*taken)
    }
}

#[cfg(test)]
mod tests {
    use offcut_core::extent::Extent;

    use super::*;
    use crate::artifact::Source;

    fn record(bytes: u64, compressed: bool, checkpoints: Vec<Position>) -> Record {
        let count = blocks::count(bytes) as usize;
        Record {
            head: RecordHead {
                block_bytes: blocks::BLOCK as u64,
                file: "art_1_a.txt".into(),
                info: ArtifactInfo {
                    id: "art_1_a".parse().unwrap(),
                    session: "s".parse().unwrap(),
                    created_ms: 1,
                    source: Source { tool: "bash".into(), arguments: "{\"command\":\"é\\n\"}".into() },
                    media_type: "text/plain".into(),
                    kind: "log".into(),
                    summary: "a log".into(),
                    extent: Extent { bytes, chars: bytes, lines: 1, longest_line: bytes },
                    tokens: 2,
                    blake3: "ab".into(),
                    stored_bytes: bytes,
                    compressed,
                    binary: false,
                    unfinished: false,
                    trace_id: None,
                    path: None,
                },
            },
            hashes: (0..count).map(|block| [block as u8; 32]).collect(),
            lengths: (0..if compressed { count } else { 0 }).map(|block| block as u32).collect(),
            index: Index::from_checkpoints(checkpoints).unwrap(),
        }
    }

    fn examples() -> Vec<Record> {
        let near = Position { byte: 65_536, char: 65_000, line: 12 };
        let far = Position { byte: 1 << 40, char: 1 << 39, line: 1 << 33 };
        vec![record(0, false, vec![]), record(70_000, false, vec![near]), record(3_000_000, true, vec![near, far])]
    }

    #[test]
    fn a_record_comes_back_as_it_went() {
        for record in examples() {
            let bytes = record.encode().unwrap();
            assert_eq!(Record::decode(&bytes).unwrap(), record);
            assert_eq!(decode_head(&bytes).unwrap().unwrap().0, record.head);
        }
    }

    #[test]
    fn every_flipped_bit_and_every_shorter_record_is_refused() {
        let bytes = record(300_000, false, vec![Position { byte: 65_536, char: 65_000, line: 12 }]).encode().unwrap();
        for at in 0..bytes.len() {
            assert!(Record::decode(&bytes[..at]).is_err(), "cut at {at}");
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(Record::decode(&flipped).is_err(), "flipped at {at}");
        }
        assert!(decode_head(&bytes[..100]).unwrap().is_none(), "too few bytes to tell");
    }

    #[test]
    fn a_record_of_a_later_version_is_refused_as_such() {
        let text = String::from_utf8_lossy(&record(0, false, vec![]).encode().unwrap()).replacen(" 1 ", " 2 ", 1);
        let error = decode_head(text.as_bytes()).unwrap_err();
        assert_eq!(error, "its metadata was written by a later version");
    }
}

//! Cutting a document into chunks that a model can read: of one size, overlapping, at line ends where possible.

use std::io;
use std::ops::Range;

use offcut_core::document::Document;
use offcut_core::text;
use offcut_core::tokens::{TokenCounter, Tokenizer};

use super::error::ExtractError;

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Its bytes, on character borders.
    pub(super) bytes: Range<u64>,
    /// Its lines, 1-based and inclusive.
    pub(super) lines: (u64, u64),
    /// Its tokens; never fewer than it has.
    pub(super) tokens: u64,
}

/// How chunks are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) tokenizer: Tokenizer,
    /// The most tokens of a chunk.
    pub(super) size: u64,
    /// What a chunk has in common with the next, of a hundred.
    pub(super) overlap_percent: u64,
    /// The most chunks.
    pub(super) most: u64,
}

/// A chunk of fewer tokens is not worth a call.
pub(super) const SMALLEST: u64 = 200;

/// A place where a chunk may end.
#[derive(Debug, Clone, Copy, Default)]
struct Border {
    byte: u64,
    /// Lines that begin at or before it, the first one's not counted.
    line: u64,
    /// Whether a line begins here.
    starts_line: bool,
    /// Tokens before it.
    tokens: u64,
}

impl Plan {
    /// The chunks of a document. Reads it once, and stops as soon as there would be too many.
    pub(super) fn chunks(&self, document: &dyn Document) -> Result<Vec<Chunk>, ExtractError> {
        let (borders, grain) = self.borders(document)?;
        let total = borders.last().map_or(0, |border| border.tokens);
        let count = self.count(total, grain);
        if count > self.most {
            return Err(ExtractError::TooManyChunks { chunks: count, most: self.most });
        }
        let overlap = self.overlap_percent as f64 / 100.0;
        // All chunks have one size, so that the last is not tiny.
        let size = total as f64 / (count as f64 - (count - 1) as f64 * overlap);
        let lines = document.extent().lines;
        let chunk = |index: u64| {
            let from = index as f64 * size * (1.0 - overlap);
            let start = match index {
                0 => Border { starts_line: true, ..Border::default() },
                _ => last_before(&borders, from as u64),
            };
            let end = match index + 1 == count {
                true => borders.last().copied().unwrap_or_default(),
                false => first_behind(&borders, (from + size).ceil() as u64),
            };
            let last = if end.starts_line || end.line >= lines { end.line.min(lines) } else { end.line + 1 };
            Chunk {
                bytes: start.byte..end.byte,
                lines: (start.line + 1, last.max(start.line + 1)),
                tokens: end.tokens - start.tokens,
            }
        };
        Ok((0..count).map(chunk).collect())
    }

    /// How many chunks so many tokens make, if chunks may be off by a grain at both ends.
    fn count(&self, tokens: u64, grain: u64) -> u64 {
        if tokens <= self.size {
            return 1;
        }
        let overlap = self.overlap_percent as f64 / 100.0;
        let size = self.size.saturating_sub(2 * grain).max(self.size / 2).max(1) as f64;
        ((tokens as f64 / size - overlap) / (1.0 - overlap)).ceil().max(2.0) as u64
    }

    /// Where chunks may end, and the most tokens between two such places.
    fn borders(&self, document: &dyn Document) -> Result<(Vec<Border>, u64), ExtractError> {
        // Fine enough that chunks come out even, coarse enough that a large document has few of them.
        let grain = usize::try_from((self.size / 16).clamp(16, 4096)).unwrap_or(4096);
        let bound = self.size.saturating_mul(self.most.saturating_add(2));
        let mut borders: Vec<Border> = Vec::new();
        let (mut tokens, mut largest) = (0, 0);
        let mut pending = String::new();
        let mut place = |pending: &mut String, byte: u64, line: u64, starts_line: bool| -> Result<(), ExtractError> {
            let cost = self.tokenizer.count(pending);
            pending.clear();
            tokens += cost;
            largest = largest.max(cost);
            borders.push(Border { byte, line, starts_line, tokens });
            if tokens > bound {
                let chunks = self.count(tokens, largest);
                return Err(ExtractError::TooManyChunks { chunks, most: self.most });
            }
            Ok(())
        };
        let mut lines = document.lines();
        while let Some(line) = lines.next_line()? {
            let number = line.position.line;
            let mut rest = line.text;
            let mut at = line.position.byte;
            // A long line is parted inside, never inside a character.
            while pending.len() + rest.len() > 2 * grain && !rest.is_empty() {
                let room = (2 * grain).saturating_sub(pending.len()).max(4);
                let (now, later) = rest.split_at(text::floor(rest, room).max(text::ceil(rest, 1)));
                pending.push_str(now);
                at += now.len() as u64;
                rest = later;
                if !(rest.is_empty() && line.last) {
                    place(&mut pending, at, number, false)?;
                }
            }
            pending.push_str(rest);
            pending.push_str(line.end);
            at += (rest.len() + line.end.len()) as u64;
            if line.last && (pending.len() >= grain || at == document.extent().bytes) {
                let ended = !line.end.is_empty();
                place(&mut pending, at, number + u64::from(ended), ended)?;
            }
        }
        if !pending.is_empty() {
            let end = document.extent();
            place(&mut pending, end.bytes, end.lines, false)?;
        }
        Ok((borders, largest))
    }
}

/// The last border at or before so many tokens.
fn last_before(borders: &[Border], tokens: u64) -> Border {
    let behind = borders.partition_point(|border| border.tokens <= tokens);
    behind
        .checked_sub(1)
        .and_then(|at| borders.get(at))
        .copied()
        .unwrap_or(Border { starts_line: true, ..Border::default() })
}

/// The first border at or behind so many tokens.
fn first_behind(borders: &[Border], tokens: u64) -> Border {
    let at = borders.partition_point(|border| border.tokens < tokens);
    borders.get(at).or(borders.last()).copied().unwrap_or_default()
}

/// The text of a chunk.
pub(super) fn read(artifact: &dyn offcut_store::Artifact, chunk: &Chunk) -> Result<String, ExtractError> {
    let bytes = artifact.read(chunk.bytes.clone())?;
    let not_text = || io::Error::new(io::ErrorKind::InvalidInput, "the range cuts a character");
    Ok(String::from_utf8(bytes).map_err(|_| not_text())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::document::TextDocument;

    fn plan(size: u64, overlap_percent: u64) -> Plan {
        Plan { tokenizer: Tokenizer::Estimate, size, overlap_percent, most: 1000 }
    }

    fn check(text: &str, plan: Plan) -> Vec<Chunk> {
        let document = TextDocument::new(text);
        let chunks = plan.chunks(&document).unwrap();
        assert_eq!(chunks.first().unwrap().bytes.start, 0);
        assert_eq!(chunks.last().unwrap().bytes.end, text.len() as u64);
        for pair in chunks.windows(2) {
            assert!(pair[1].bytes.start <= pair[0].bytes.end, "no gap: {pair:?}");
            assert!(pair[1].bytes.start > pair[0].bytes.start && pair[1].bytes.end > pair[0].bytes.end, "{pair:?}");
        }
        for chunk in &chunks {
            let words = text.get(chunk.bytes.start as usize..chunk.bytes.end as usize).expect("whole characters");
            assert!(plan.tokenizer.count(words) <= plan.size, "{chunk:?} of {}", plan.size);
            let before = text.get(..chunk.bytes.start as usize).unwrap();
            let first = offcut_core::text::lines(before) + u64::from(before.is_empty() || before.ends_with('\n'));
            assert_eq!(chunk.lines.0, first, "{chunk:?}");
        }
        chunks
    }

    fn lines(count: usize) -> String {
        (0..count).map(|n| format!("line {n} says the same as all others\n")).collect()
    }

    #[test]
    fn what_fits_is_one_chunk() {
        let text = lines(10);
        let chunks = check(&text, plan(100, 10));
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].lines, (1, 10));
        assert_eq!(check(&text, plan(1000, 0)).len(), 1);
    }

    #[test]
    fn chunks_are_balanced_so_that_the_last_is_not_tiny() {
        let text = lines(1000);
        let chunks = check(&text, plan(3000, 10));
        let sizes: Vec<u64> = chunks.iter().map(|chunk| chunk.tokens).collect();
        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        assert!(most - least < most / 5, "{sizes:?}");
    }

    #[test]
    fn neighbours_overlap_by_the_share_that_was_asked_for() {
        let text = lines(4000);
        for percent in [0, 10, 25, 50] {
            let chunks = check(&text, plan(3000, percent));
            let shared = chunks[0].bytes.end - chunks[1].bytes.start;
            let size = chunks[0].bytes.end - chunks[0].bytes.start;
            let share = shared as f64 / size as f64 * 100.0;
            assert!((share - percent as f64).abs() < 13.0, "{share} instead of {percent}");
            assert!(percent > 0 || shared < 600, "{shared}");
        }
    }

    #[test]
    fn chunks_end_at_line_ends_where_possible_and_never_inside_a_character() {
        let text = lines(500);
        for chunk in check(&text, plan(800, 10)) {
            assert!(text.get(..chunk.bytes.end as usize).unwrap().ends_with('\n'));
        }
        check(&"世界é🎉".repeat(4000), plan(400, 10));
        check(&format!("short\n{}\nshort\n{}", "é".repeat(9000), "x".repeat(9000)), plan(300, 50));
    }

    #[test]
    fn real_tokens_count() {
        let text: String = (0..3000).map(|n| format!("{n:x}{} ", n * 7919)).collect();
        check(&text, Plan { tokenizer: Tokenizer::O200k, size: 700, overlap_percent: 10, most: 1000 });
    }

    #[test]
    fn too_many_chunks_are_told_before_everything_is_read() {
        let document = TextDocument::new(lines(100_000));
        let error = Plan { most: 3, ..plan(300, 10) }.chunks(&document).unwrap_err();
        assert!(matches!(error, ExtractError::TooManyChunks { chunks: 4..=100, most: 3 }), "{error:?}");
    }
}

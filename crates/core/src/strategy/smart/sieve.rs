//! A large document's promising places, found in one quick pass in bounded memory.
//!
//! What passes the sieve is looked at as closely as a small document is. Two things pass: lines with a word that
//! tells, up to a number for each shape (and the last of each), and lines whose beginning is rare. Some lines around
//! the first of a shape come along, and so do both ends of the document.
//!
//! A caller who takes in a large text block by block can have it looked through on the way, by a [`Sieve`], and need
//! not read it again.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::Span;
use aho_corasick::packed::{Config, MatchKind, Searcher};
use memchr::{memchr, memchr_iter, memrchr};

use super::Both;
use super::memo::Memo;
use super::tally::Numbers;
use crate::document::Document;
use crate::finder::Finder;
use crate::kind::Kind;
use crate::line::prefix;
use crate::line::template;

/// How much is looked at at a time.
const BLOCK: usize = 1024 * 1024;

/// How much passes, all in all.
const PASSES: u64 = 512 * 1024;

/// How much of each end always passes.
const HEAD: u64 = 16 * 1024;
const TAIL: u64 = 96 * 1024;

/// So much of a document is looked through for rare beginnings line by line; behind it one block in eight is. Words
/// that tell are looked for everywhere.
const RARE_EVERYWHERE: u64 = 64 * 1024 * 1024;
const RARE_BLOCKS: u64 = 8;

/// Shapes and stems that are told apart; later ones are not counted.
const SHAPES: usize = 1 << 16;

/// Lines of one shape that pass.
const OF_A_SHAPE: u32 = 300;

/// Lines of a shape that bring their neighbours along.
const WITH_CONTEXT: u32 = 3;

/// Lines shorter than this on average are not counted.
const SHORT: usize = 10;

/// Lines that are remembered before the best are chosen.
const REMEMBERED: usize = 1 << 16;

/// The words that make a line promising, as programs write them. Four bytes at least: the search is quick by that.
const WORDS: [&str; 37] = [
    "rror",
    "ERROR",
    "fail",
    "Fail",
    "FAIL",
    "xception",
    "fatal",
    "Fatal",
    "FATAL",
    "panic",
    "PANIC",
    "raceback",
    "warn",
    "Warn",
    "WARN",
    "ssert",
    "borted",
    "illed",
    "enied",
    "efused",
    "imed out",
    "not ok",
    "ritical",
    "CRITICAL",
    "LIFECYCLE",
    "xit code",
    "xit status",
    "o space left",
    "✕ ",
    "✗ ",
    " × ",
    "✘ ",
    "❌ ",
    "✖ ",
    "● ",
    "\" 50",
    "ERR!",
];

/// The quickest search, for processors that can do it.
static SEARCHER: LazyLock<Option<Searcher>> =
    LazyLock::new(|| Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(WORDS).build());

/// The search for other processors; it finds the same.
static FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(&WORDS, false));

/// A line that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    start: u64,
    end: u64,
    /// How many of its kind came before it.
    before: u32,
    /// Whether a word made it promising, not only its rarity.
    tells: bool,
}

/// The ranges of `document` that are worth a close look, in order, disjoint, each starting at a line.
pub(super) fn sieve(document: &dyn Document, kind: Kind, both: Both) -> io::Result<Vec<Range<u64>>> {
    let bytes = document.extent().bytes;
    let mut ranges = vec![0..HEAD.min(bytes), bytes.saturating_sub(TAIL)..bytes];
    let found = match kind {
        Kind::Diff => Cow::Owned(marked(document, both, &[b"\ndiff --git ", b"\ncommit ", b"\nIndex: "])?),
        Kind::Markdown => Cow::Owned(marked(document, both, &[b"\n# ", b"\n## ", b"\n### "])?),
        Kind::Search | Kind::Listing => Cow::Borrowed(&[][..]),
        _ => match document.sieved() {
            Some(sieved) => Cow::Borrowed(sieved.found.as_slice()),
            None => Cow::Owned(telling(document, both)?.found),
        },
    };
    let mut left = PASSES - HEAD - TAIL;
    if found.len() < 64 {
        let windows = 48;
        for window in 1..windows {
            let start = bytes / windows * window;
            ranges.push(start..(start + left / windows / 2).min(bytes));
        }
        left /= 2;
    }
    for found in found.iter() {
        let context = found.before < WITH_CONTEXT;
        let start = found.start.saturating_sub(if context { 600 } else { 0 });
        let end = (found.end + if context { 2000 } else { 0 }).min(found.start + 8192).min(bytes);
        let Some(after) = left.checked_sub(end - start) else { break };
        left = after;
        ranges.push(start..end);
    }
    Ok(merged(ranges))
}

/// Overlapping and touching ranges made one, in order.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(before) if range.start <= before.end => before.end = before.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Calls `here` and `aside` with every block of whole lines (a line longer than a block comes in parts) and where it
/// starts. While `aside` still looks at one, the next one is read.
fn blocks(
    document: &dyn Document,
    both: Both,
    mut here: impl FnMut(&[u8], u64),
    mut aside: impl FnMut(&[u8], u64) + Send,
) -> io::Result<()> {
    let bytes = document.extent().bytes;
    let block_at = |at: u64, buffer: Vec<u8>| document.read_bytes(at..(at + BLOCK as u64).min(bytes), buffer);
    let mut block = block_at(0, Vec::new())?;
    let mut spare = Vec::new();
    let mut at = 0;
    while at < bytes {
        let whole = if at + block.len() as u64 >= bytes { block.len() } else { Sieve::whole_lines(&block) };
        let lines = block.get(..whole).unwrap_or(&block);
        let next_at = at + whole.max(1) as u64;
        let mut next = Ok(Cow::Borrowed(&[][..]));
        both(
            &mut || {
                here(lines, at);
                if next_at < bytes {
                    next = block_at(next_at, std::mem::take(&mut spare));
                }
            },
            &mut || aside(lines, at),
        );
        if let Cow::Owned(buffer) = std::mem::replace(&mut block, next?) {
            spare = buffer;
        }
        at = next_at;
    }
    Ok(())
}

/// Lines that begin with one of `marks` (each with its line feed before it), the first of each file in full.
fn marked(document: &dyn Document, both: Both, marks: &[&[u8]]) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    let finders: Vec<_> = marks.iter().map(memchr::memmem::Finder::new).collect();
    let gather = |block: &[u8], at: u64| {
        for finder in &finders {
            for hit in finder.find_iter(block) {
                if found.len() < REMEMBERED {
                    let start = hit + 1;
                    let end =
                        memchr(b'\n', block.get(start..).unwrap_or(&[])).map_or(block.len(), |end| start + end + 1);
                    let before = found.len() as u32 / 100;
                    found.push(Found { start: at + start as u64, end: at + end as u64, before, tells: true });
                }
            }
        }
    };
    blocks(document, both, |_, _| {}, gather)?;
    Ok(found)
}

/// Lines that tell, and lines that are rare.
fn telling(document: &dyn Document, both: Both) -> io::Result<Sieved> {
    let Sieve { mut beginnings, mut words } = Sieve::default();
    blocks(document, both, |block, at| beginnings.gather(block, at), |block, at| words.gather(block, at))?;
    Ok(Sieve { beginnings, words }.finish())
}

/// Looks through a large text for lines that tell, and for lines that are rare.
#[derive(Default)]
pub struct Sieve {
    beginnings: Beginnings,
    words: Words,
}

/// What a [`Sieve`] has found, the most promising first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sieved {
    found: Vec<Found>,
}

impl Sieve {
    /// How much it is given at a time.
    pub const BLOCK: usize = BLOCK;

    /// Whether `smart` wants to know of a large text of this kind what a sieve finds.
    pub fn serves(kind: Kind) -> bool {
        use Kind::{Build, Code, Log, Test, Text, Trace};
        matches!(kind, Log | Test | Build | Trace | Text | Code(_))
    }

    /// How much of a full block the sieve takes: its whole lines, or all of it where no line ends in it. The rest
    /// comes with the next one.
    pub fn whole_lines(block: &[u8]) -> usize {
        memrchr(b'\n', block).map_or(block.len(), |end| end + 1)
    }

    /// Takes in the next block, which starts at byte `at` of the text.
    pub fn push(&mut self, block: &[u8], at: u64) {
        self.beginnings.gather(block, at);
        self.words.gather(block, at);
    }

    /// What was found.
    pub fn finish(self) -> Sieved {
        let mut found = self.words.finish();
        found.extend(self.beginnings.finish());
        found.sort_by_key(|found| (found.before, !found.tells, found.start));
        Sieved { found }
    }
}

/// What is known of a shape or a stem.
#[derive(Debug, Clone, Copy)]
struct Known {
    count: u32,
    first: [(u64, u64); 2],
    last: (u64, u64),
}

/// How lines begin.
#[derive(Default)]
struct Beginnings {
    stems: Kinds,
    lines: u64,
}

/// Lines with a word that tells.
#[derive(Default)]
struct Words {
    found: Vec<Found>,
    shapes: Kinds,
}

/// Lines told apart by a hash, and what is known of each kind.
#[derive(Default)]
struct Kinds {
    known: Vec<Known>,
    numbers: Numbers,
    memo: Memo,
}

impl Kinds {
    /// Whether no more kinds can be told apart.
    fn is_full(&self) -> bool {
        self.known.len() >= SHAPES
    }

    /// Counts a line that lies at `place`, and says how many of its kind came before it; `None` if it is of a new
    /// kind and there is no room for one. `hash` tells its kind, and how much of the line it took to tell.
    fn add(&mut self, line: &[u8], place: (u64, u64), hash: impl FnOnce(&[u8]) -> (u64, usize)) -> Option<u32> {
        let beginning = self.memo.beginning(line);
        let number = match beginning.and_then(|beginning| self.memo.get(beginning)) {
            Some(number) => number,
            None => {
                let (hash, taken) = hash(line);
                let number = if self.is_full() { self.numbers.get(hash)? } else { self.numbers.of(hash) };
                self.memo.set(beginning, taken, number);
                number
            }
        };
        match self.known.get_mut(number as usize) {
            Some(known) => {
                known.count += 1;
                known.last = place;
                if let ([_, second], 2) = (&mut known.first, known.count) {
                    *second = place;
                }
                Some(known.count - 1)
            }
            None => {
                self.known.push(Known { count: 1, first: [place; 2], last: place });
                Some(0)
            }
        }
    }
}

impl Beginnings {
    /// Counts how lines begin.
    fn gather(&mut self, block: &[u8], at: u64) {
        if at >= RARE_EVERYWHERE && !(at / BLOCK as u64).is_multiple_of(RARE_BLOCKS) {
            return;
        }
        // Where every line begins in its own way, or lines are mere words, rarity says nothing.
        let lines = memchr_iter(b'\n', block).count();
        if self.stems.is_full() || lines * SHORT > block.len() {
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
        self.stems.add(line, (at + start as u64, at + end as u64), |line| {
            let width = prefix::width(line);
            let (stem, taken) = template::prefix_hash(line.get(width..).unwrap_or(line));
            (stem, width + taken)
        });
    }

    /// Beginnings mean something only where most lines begin alike: then the rare ones tell, and the first two of the
    /// others stand for the rest.
    fn finish(self) -> Vec<Found> {
        if self.stems.is_full() || self.lines / 8 <= self.stems.known.len() as u64 {
            return Vec::new();
        }
        let found = self.stems.known.iter().flat_map(|known| {
            let before = if known.count <= 3 { 8 + known.count } else { WITH_CONTEXT + 1 };
            let lines = known.first.into_iter().chain([known.last]);
            lines.map(move |(start, end)| Found { start, end, before, tells: false })
        });
        found.collect()
    }
}

impl Words {
    /// Gathers the lines with a word that tells.
    fn gather(&mut self, block: &[u8], at: u64) {
        let Some(searcher) = SEARCHER.as_ref() else {
            let mut from = 0;
            FINDER.each(block, |hit| {
                if hit.start >= from {
                    from = self.tells(block, from, hit.start..hit.end, at);
                }
            });
            return;
        };
        let mut from = 0;
        while let Some(hit) = searcher.find_in(block, Span { start: from, end: block.len() }) {
            from = self.tells(block, from, hit.start()..hit.end(), at);
        }
    }

    /// Gathers the line around `hit`, which starts at or behind `from`, and says where it ends.
    fn tells(&mut self, block: &[u8], from: usize, hit: Range<usize>, at: u64) -> usize {
        let before = block.get(from..hit.start).and_then(|before| memrchr(b'\n', before));
        let start = before.map_or(from, |before| from + before + 1);
        let rest = block.get(hit.end..).unwrap_or(&[]);
        let end = memchr(b'\n', rest).map_or(block.len(), |end| hit.end + end + 1);
        let line = block.get(start..end).unwrap_or(&[]);
        let place = (at + start as u64, at + end as u64);
        let before = self.shapes.add(line, place, |line| {
            let width = prefix::width(line);
            let (shape, taken) = template::template_taking(line.get(width..).unwrap_or(line));
            (shape, width + taken)
        });
        if let Some(before) = before.filter(|&before| before < OF_A_SHAPE)
            && self.found.len() < REMEMBERED
        {
            self.found.push(Found { start: place.0, end: place.1, before, tells: true });
        }
        end
    }

    /// What was gathered, and the last of each kind of which there were too many.
    fn finish(self) -> Vec<Found> {
        let mut found = self.found;
        let last = self.shapes.known.iter().filter(|known| known.count > OF_A_SHAPE).map(|known| known.last);
        found.extend(last.map(|(start, end)| Found { start, end, before: WITH_CONTEXT, tells: true }));
        found
    }
}

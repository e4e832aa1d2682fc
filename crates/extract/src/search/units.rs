//! A document as units that words are found in: its lines, and parts of lines that are too long.

use std::io;
use std::ops::Range;

use offcut_core::document::{Document, DocumentLine};
use offcut_core::extent::Position;
use offcut_core::line::definitions;
use offcut_core::text;

use super::query::Query;
use offcut::words::WordSplitter;

/// A line of more bytes comes in parts.
const LONG: usize = 1000;

/// The bytes of a part of a long line, about.
const PART: usize = 320;

/// A line, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// The 0-based number of its line.
    pub(super) line: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    /// How many words it has.
    pub(super) words: u32,
    /// How many blanks it begins with.
    pub(super) indent: u16,
    /// Whether it is a part of a long line.
    pub(super) part: bool,
    /// How much it looks like the definition of what is asked for, of a hundred.
    pub(super) defines: u8,
}

/// A word or phrase in a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitHit {
    /// The number of the unit.
    pub(super) unit: u32,
    /// The number of the term; behind the terms come the phrases.
    pub(super) term: u16,
    /// How often.
    pub(super) count: u16,
}

/// The units of a document, or of parts of it, and what was found in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Units {
    pub(super) units: Vec<Unit>,
    /// In the order of the units.
    pub(super) hits: Vec<UnitHit>,
    /// For each term, whether it is a key of the data: `"term":`.
    pub(super) keys: Vec<bool>,
}

impl Units {
    /// Looks for the words of `query` in a whole document.
    pub(super) fn find(document: &dyn Document, query: &Query) -> io::Result<Units> {
        let whole = 0..document.extent().bytes;
        Units::find_in(document, query, std::slice::from_ref(&whole), &|_| Ok(Position::default()))
    }

    /// Looks for them in `ranges`, in order, which begin at the start of a line, at the position that is told.
    pub(super) fn find_in(
        document: &dyn Document,
        query: &Query,
        ranges: &[Range<u64>],
        position: &dyn Fn(u64) -> io::Result<Position>,
    ) -> io::Result<Units> {
        let start = |range: &Range<u64>| position(range.start);
        let mut units = Units { keys: vec![false; query.terms.len()], ..Units::default() };
        let mut counts = vec![0u16; query.terms.len()];
        let mut reader = WordSplitter::default();
        for range in ranges {
            let mut lines = document.lines_from(start(range)?);
            while let Some(line) = lines.next_line()? {
                if line.position.byte >= range.end {
                    break;
                }
                units.add_line(query, &line, &mut reader, &mut counts);
            }
        }
        Ok(units)
    }

    fn add_line(&mut self, query: &Query, line: &DocumentLine<'_>, reader: &mut WordSplitter, counts: &mut [u16]) {
        let whole = line.first && line.last && line.text.len() <= LONG;
        let bytes = line.text.as_bytes();
        let indent = bytes.iter().take(200).take_while(|byte| matches!(byte, b' ' | b'\t')).count() as u16;
        let mut at = 0;
        loop {
            let end = if whole { bytes.len() } else { part_end(line.text, at) };
            let words = text::slice(line.text, at..end);
            let closing = if end >= bytes.len() { line.end.len() } else { 0 };
            let start = line.position.byte + at as u64;
            let unit = Unit {
                line: line.position.line,
                start,
                end: start + (words.len() + closing) as u64,
                words: 0,
                indent,
                part: !whole,
                defines: 0,
            };
            self.add(query, unit, words, reader, counts);
            at = end;
            if at >= bytes.len() {
                break;
            }
        }
    }

    fn add(&mut self, query: &Query, mut unit: Unit, words: &str, reader: &mut WordSplitter, counts: &mut [u16]) {
        let number = self.units.len() as u32;
        counts.fill(0);
        let mut any = false;
        unit.words = reader.each(words.as_bytes(), |token| {
            for at in query.terms_of(token) {
                if let Some(count) = counts.get_mut(*at) {
                    *count = count.saturating_add(1);
                    any = true;
                }
            }
        });
        if any {
            let found = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            self.hits.extend(found.map(|(term, &count)| UnitHit { unit: number, term: term as u16, count }));
            if !unit.part {
                let sought = query.terms.iter().zip(counts.iter()).filter(|(term, count)| **count > 0 && !term.meant);
                let sought = sought.filter(|(term, _)| term.weight >= 0.6);
                let best = sought.map(|(term, _)| definitions::defines_name(words, &term.word)).fold(0.0, f32::max);
                unit.defines = (best * 100.0) as u8;
            }
            for ((term, count), key) in query.terms.iter().zip(counts.iter()).zip(self.keys.iter_mut()) {
                *key = *key || *count > 0 && term.meant && is_key(words, &term.word);
            }
        }
        if !query.phrases.is_empty() {
            let lower = words.to_lowercase();
            for (at, phrase) in query.phrases.iter().enumerate() {
                let count = memchr::memmem::find_iter(lower.as_bytes(), phrase.text.as_bytes()).take(100).count();
                if count > 0 {
                    let term = (query.terms.len() + at) as u16;
                    self.hits.push(UnitHit { unit: number, term, count: count as u16 });
                }
            }
        }
        self.units.push(unit);
    }
}

/// Whether `word` stands in quotes before a colon.
fn is_key(words: &str, word: &str) -> bool {
    words
        .split('"')
        .zip(words.split('"').skip(1))
        .any(|(key, behind)| key.eq_ignore_ascii_case(word) && behind.trim_start().starts_with(':'))
}

/// Where a part that begins at `at` ends: behind a sign that parts things, if there is one near.
fn part_end(line: &str, at: usize) -> usize {
    if line.len() - at <= PART + PART / 2 {
        return line.len();
    }
    let end = text::floor(line, at + PART);
    let near = text::slice(line, at + PART / 2..end);
    match near.rfind([',', ';', ' ', '}', '>', ']', '\t']) {
        Some(found) => text::ceil(line, at + PART / 2 + found + 1),
        None => end.max(text::ceil(line, at + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::document::TextDocument;

    fn units(text: &str, asked: &str) -> Units {
        let document = TextDocument::new(text);
        Units::find(&document, &Query::read(asked)).unwrap()
    }

    #[test]
    fn units_make_the_whole() {
        let text = format!("one\r\n\n{}\nlast é", "x".repeat(400) + &"aé,世".repeat(900));
        let found = units(&text, "last");
        let mut at = 0;
        for unit in &found.units {
            assert_eq!(unit.start, at);
            assert!(text.get(unit.start as usize..unit.end as usize).is_some());
            at = unit.end;
        }
        assert_eq!(at, text.len() as u64);
        assert!(found.units.iter().all(|unit| unit.end - unit.start <= 1200));
        assert_eq!(found.units.last().unwrap().line, 3);
        assert_eq!(found.hits.len(), 1);
    }

    #[test]
    fn words_and_phrases_are_counted() {
        let found = units("disk disk full\nother\nDisk Full again\n", "\"disk full\"");
        let seen: Vec<(u32, u16, u16)> = found.hits.iter().map(|hit| (hit.unit, hit.term, hit.count)).collect();
        assert_eq!(seen, [(0, 0, 2), (0, 1, 1), (0, 2, 1), (2, 0, 1), (2, 1, 1), (2, 2, 1)]);
    }
}

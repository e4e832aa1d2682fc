//! A cursor over the rows of a table, and where their cells are.

use std::io;
use std::ops::Range;

use crate::bytes::Bytes;

/// Why a text is not a table.
pub(super) enum Malformed {
    /// A quote at this byte is never closed.
    Quote(u64),
    /// It does not have the shape of one.
    Shape(String),
    /// The text could not be read.
    Unreadable(io::Error),
}

impl From<io::Error> for Malformed {
    fn from(error: io::Error) -> Malformed {
        Malformed::Unreadable(error)
    }
}

/// A row of more cells is refused.
const MOST_COLUMNS: usize = 16_384;
/// Cells are looked for in so many bytes at a time, until all are found that somebody wants.
const STRETCH: usize = 32;

/// A cursor over rows.
pub(super) struct Rows<'a> {
    bytes: Bytes<'a>,
    delimiter: u8,
    /// How many cells the row has that was read last.
    columns: usize,
    /// Where each of them ends, from the row's start; the next one begins behind the delimiter. At least the wanted ones.
    ends: Vec<u64>,
    /// Of how many cells somebody wants to know where they are.
    wanted: usize,
    /// No quote and no carriage return is between the next row and here.
    plain_until: u64,
}

impl<'a> Rows<'a> {
    /// The rows of `bytes`, with such a delimiter between cells.
    pub(super) fn new(bytes: Bytes<'a>, delimiter: u8) -> Rows<'a> {
        Rows { bytes, delimiter, columns: 0, ends: Vec::new(), wanted: usize::MAX, plain_until: 0 }
    }

    /// Has only the first `wanted` cells of each row found from now on; the others are counted, which is quicker.
    pub(super) fn want(&mut self, wanted: usize) {
        self.wanted = wanted;
    }

    /// Finds all cells of the `row` that was read last, if they were not wanted.
    pub(super) fn find_all(&mut self, row: &Range<u64>) {
        if self.ends.len() < self.columns
            && let Some(line) = self.bytes.since(row.start)
        {
            self.ends.clear();
            each_of(line, self.delimiter, |at| self.ends.push(at as u64));
            self.ends.push(line.len() as u64);
        }
    }

    /// The next row that is not empty, without its line end.
    pub(super) fn next(&mut self) -> Result<Option<Range<u64>>, Malformed> {
        while let Some(b'\n' | b'\r') = self.bytes.peek(self.bytes.position())? {
            self.bytes.advance(1);
        }
        let start = self.bytes.position();
        if self.bytes.peek(start)?.is_none() {
            return Ok(None);
        }
        self.ends.clear();
        if let Some(length) = self.near_row() {
            self.bytes.advance(length);
            return Ok(Some(start..start + length as u64));
        }
        self.ends.clear();
        loop {
            if self.bytes.peek(start)? == Some(b'"') {
                self.quoted(start)?;
            }
            let end = self.plain(start)?;
            if self.ends.len() == MOST_COLUMNS {
                return Err(Malformed::Shape(format!("a row of more than {MOST_COLUMNS} cells is not a table")));
            }
            self.ends.push(end - start);
            self.columns = self.ends.len();
            match self.bytes.peek(start)? {
                Some(byte) if byte == self.delimiter => self.bytes.advance(1),
                _ => return Ok(Some(start..end)),
            }
        }
    }

    /// How many cells the row has that was read last.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Where the cell in a column is, from the start of its row, if it was wanted.
    #[inline]
    pub(super) fn cell(&self, column: usize) -> Option<Range<u64>> {
        let end = *self.ends.get(column)?;
        let before = column.checked_sub(1).and_then(|before| self.ends.get(before));
        Some(before.map_or(0, |before| before + 1)..end)
    }

    /// Where the cells are, from the start of their row.
    pub(super) fn cells(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        (0..self.columns()).filter_map(|column| self.cell(column))
    }

    /// What was read from `start` on, if it is still in memory.
    pub(super) fn since(&self, start: u64) -> Option<&[u8]> {
        self.bytes.since(start)
    }

    /// What is in memory from `start` on, also of what was not read yet; nothing if that is no longer all there.
    pub(super) fn window_from(&self, start: u64) -> &[u8] {
        self.bytes.window_from(start)
    }

    /// Where the next byte is.
    pub(super) fn position(&self) -> u64 {
        self.bytes.position()
    }

    /// The cells of a row that lies in the window with its line end, as nearly all do, and how long it is; nothing for any
    /// other, of which some cells may have been noted.
    fn near_row(&mut self) -> Option<usize> {
        let Some(length) = self.near_plain_row() else { return self.near_row_with_quotes() };
        let line = self.bytes.window().get(..length)?;
        let mut rest = line;
        while self.ends.len() < self.wanted {
            // The last cells are those behind the last stretch.
            let (stretch, behind) = rest.split_at_checked(STRETCH).unwrap_or((rest, &[]));
            let from = (length - rest.len()) as u64;
            each_of(stretch, self.delimiter, |at| self.ends.push(from + at as u64));
            rest = behind;
            if rest.is_empty() {
                self.ends.push(length as u64);
                self.columns = self.ends.len();
                return (self.columns <= MOST_COLUMNS).then_some(length);
            }
        }
        self.columns = self.ends.len() + count_of(rest, self.delimiter) + 1;
        (self.columns <= MOST_COLUMNS).then_some(length)
    }

    /// How long the row is that the window begins with, if it has no quotes and its line end is in the window, too. Quotes
    /// and carriage returns are looked for far ahead, so that a row of a table without is only searched for its line feed.
    fn near_plain_row(&mut self) -> Option<usize> {
        let (start, window) = (self.bytes.position(), self.bytes.window());
        loop {
            let plain = usize::try_from(self.plain_until.saturating_sub(start)).unwrap_or(usize::MAX);
            let (stretch, behind) = window.split_at(plain.min(window.len()));
            if let Some(length) = memchr::memchr(b'\n', stretch) {
                return Some(length);
            }
            match behind.first()? {
                b'\r' | b'\n' => return Some(stretch.len()),
                b'"' => return None,
                _ => {}
            }
            let more = memchr::memchr2(b'"', b'\r', behind).unwrap_or(behind.len());
            self.plain_until = start + (stretch.len() + more) as u64;
        }
    }

    fn near_row_with_quotes(&mut self) -> Option<usize> {
        let window = self.bytes.window();
        let mut at = 0;
        while self.ends.len() < MOST_COLUMNS {
            let mut end = at;
            if window.get(at) == Some(&b'"') {
                end += 1;
                loop {
                    end += memchr::memchr(b'"', window.get(end..)?)? + 1;
                    // A doubled quote stands for one.
                    if *window.get(end)? != b'"' {
                        break;
                    }
                    end += 1;
                }
            }
            end += end_of_plain(window.get(end..)?, self.delimiter)?;
            self.ends.push(end as u64);
            self.columns = self.ends.len();
            if window.get(end) != Some(&self.delimiter) {
                return Some(end);
            }
            at = end + 1;
        }
        None
    }

    /// Reads up to the next delimiter or line end.
    fn plain(&mut self, row: u64) -> io::Result<u64> {
        loop {
            let window = self.bytes.window();
            match end_of_plain(window, self.delimiter) {
                Some(at) => {
                    self.bytes.advance(at);
                    return Ok(self.bytes.position());
                }
                None => {
                    let skipped = window.len();
                    self.bytes.advance(skipped);
                    if !self.bytes.refill(row)? {
                        return Ok(self.bytes.position());
                    }
                }
            }
        }
    }

    /// Reads a quoted part with its quotes; a doubled quote inside stands for one.
    fn quoted(&mut self, row: u64) -> Result<(), Malformed> {
        let start = self.bytes.position();
        self.bytes.advance(1);
        loop {
            let window = self.bytes.window();
            match memchr::memchr(b'"', window) {
                Some(at) => {
                    self.bytes.advance(at + 1);
                    if self.bytes.peek(row)? != Some(b'"') {
                        return Ok(());
                    }
                    self.bytes.advance(1);
                }
                None => {
                    let skipped = window.len();
                    self.bytes.advance(skipped);
                    if !self.bytes.refill(row)? {
                        return Err(Malformed::Quote(start));
                    }
                }
            }
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x8080_8080_8080_8080;

/// The top bit of each byte of `word` that is `byte`, and of no other.
#[inline]
fn equal_bytes(word: [u8; 8], byte: u8) -> u64 {
    let word = u64::from_le_bytes(word) ^ (ONES * u64::from(byte));
    !(((word & !TOPS) + !TOPS) | word | !TOPS)
}

/// Calls `each` with the places of `byte` in `line`, eight bytes at a time: cells are too short for a search that is made
/// for long texts.
#[inline]
fn each_of(line: &[u8], byte: u8, mut each: impl FnMut(usize)) {
    let mut tell = |mut found: u64, from: usize| {
        while found != 0 {
            each(from + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    };
    let (words, rest) = line.as_chunks::<8>();
    words.iter().enumerate().for_each(|(nth, word)| tell(equal_bytes(*word, byte), nth * 8));
    match line.last_chunk::<8>() {
        // The last eight bytes, without those that were looked at.
        Some(last) if !rest.is_empty() => {
            tell(equal_bytes(*last, byte) & (u64::MAX << (8 * (8 - rest.len()))), line.len() - 8);
        }
        Some(_) => {}
        None => rest.iter().enumerate().filter(|(_, at)| **at == byte).for_each(|(at, _)| each(at)),
    }
}

/// How often `byte` is in `line`.
#[inline]
fn count_of(line: &[u8], byte: u8) -> usize {
    let (words, rest) = line.as_chunks::<8>();
    let in_rest = rest.iter().filter(|there| **there == byte).count();
    // Each of eight counts has room for as many words as this.
    let in_words = words.chunks(255).map(|words| {
        let counts = words.iter().fold(0, |counts, word| counts + (equal_bytes(*word, byte) >> 7));
        counts.to_le_bytes().iter().map(|count| usize::from(*count)).sum::<usize>()
    });
    in_rest + in_words.sum::<usize>()
}

/// Where in `window` the next delimiter or line end is. Cells are short: a few words at a time are quicker than a search
/// that is made for long texts, which takes over where one is not.
#[inline]
fn end_of_plain(window: &[u8], delimiter: u8) -> Option<usize> {
    const SHORT: usize = 4;
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & TOPS;
    let (words, _) = window.as_chunks::<8>();
    let words = words.get(..SHORT).unwrap_or(words);
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let is = |byte: u8| zero_bytes(word ^ (ONES * u64::from(byte)));
        // A byte above the first that is found may be marked by mistake, never one below it.
        let found = is(delimiter) | is(b'\n') | is(b'\r');
        if found != 0 {
            return Some(at * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let seen = words.len() * 8;
    let rest = window.get(seen..).unwrap_or_default();
    memchr::memchr3(delimiter, b'\n', b'\r', rest).map(|at| seen + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cell_ends_at_the_first_delimiter_or_line_end_wherever_that_is() {
        for length in 0..80 {
            for end in [",", "\n", "\r", "-\u{2c}", ""] {
                let text = format!("{}{end}\r,,\n tail", "é-+.".repeat(40).chars().take(length).collect::<String>());
                let wanted = memchr::memchr3(b',', b'\n', b'\r', text.as_bytes());
                assert_eq!(end_of_plain(text.as_bytes(), b','), wanted, "{text:?}");
            }
        }
        assert_eq!(end_of_plain(b"no end in sight", b';'), None);
    }

    #[test]
    fn delimiters_are_counted_in_lines_of_any_length() {
        for length in (0..100).chain([2039, 2040, 2041, 5000]) {
            let all = ",".repeat(length);
            let some = "a,,b;é,".repeat(length);
            assert_eq!(count_of(all.as_bytes(), b','), length);
            assert_eq!(count_of(some.as_bytes(), b','), 3 * length);
        }
    }

    /// The rows of `text`, which comes in blocks of one size, and their cells, of which so many were wanted at once.
    fn read(text: &str, block: usize, delimiter: u8, wanted: usize) -> Vec<(Range<u64>, Vec<Range<u64>>)> {
        let mut blocks = Pieces(text.as_bytes().chunks(block));
        let mut rows = Rows::new(Bytes::streamed(&mut blocks), delimiter);
        let mut found = Vec::new();
        loop {
            rows.want(wanted);
            match rows.next() {
                Ok(Some(row)) => {
                    let early: Vec<_> = rows.cells().take(wanted).collect();
                    assert!(early.len() >= wanted.min(rows.columns()));
                    rows.find_all(&row);
                    assert!(rows.cells().zip(early).all(|(cell, early)| cell == early));
                    found.push((row, rows.cells().collect()));
                }
                Ok(None) => return found,
                Err(_) => {
                    found.push((0..0, Vec::new()));
                    return found;
                }
            }
        }
    }

    struct Pieces<'a>(std::slice::Chunks<'a, u8>);

    impl crate::bytes::Blocks for Pieces<'_> {
        fn append_next(&mut self, window: &mut Vec<u8>) -> bool {
            self.0.next().inspect(|block| window.extend_from_slice(block)).is_some()
        }
    }

    /// The same, byte by byte.
    fn obvious(text: &str, delimiter: u8) -> Vec<(Range<u64>, Vec<Range<u64>>)> {
        let bytes = text.as_bytes();
        let (mut found, mut at) = (Vec::new(), 0);
        loop {
            while matches!(bytes.get(at), Some(b'\n' | b'\r')) {
                at += 1;
            }
            if at == bytes.len() {
                return found;
            }
            let (row, mut cells, mut cell) = (at, Vec::new(), at);
            loop {
                if bytes.get(at) == Some(&b'"') {
                    at += 1;
                    loop {
                        match bytes.get(at..).unwrap_or_default() {
                            [] => {
                                found.push((0..0, Vec::new()));
                                return found;
                            }
                            [b'"', b'"', ..] => at += 2,
                            [b'"', ..] => break,
                            _ => at += 1,
                        }
                    }
                    at += 1;
                }
                while bytes.get(at).is_some_and(|byte| *byte != delimiter && !matches!(byte, b'\n' | b'\r')) {
                    at += 1;
                }
                cells.push((cell - row) as u64..(at - row) as u64);
                if bytes.get(at) != Some(&delimiter) {
                    found.push((row as u64..at as u64, cells));
                    break;
                }
                at += 1;
                cell = at;
            }
        }
    }

    proptest! {
        #[test]
        fn a_table_has_the_same_cells_however_they_are_looked_for(
            rows in prop::collection::vec("[a-zé;,\t -]{0,40}|(\"([a-z,;\n\r]|\"\"){0,9}\"[,;\t]?|[a-z]{0,5},){0,4}|[a\",]{0,6}", 0..12),
            end in "\n|\r|\r\n|\n\n",
            block in 1..60_usize,
            last_ends: bool,
        ) {
            let text = rows.join(&end) + if last_ends { &end } else { "" };
            for delimiter in *b",;\t|" {
                let wanted = obvious(&text, delimiter);
                for block in [block, text.len().max(1)] {
                    for early in [0, 1, 3, usize::MAX] {
                        let found = read(&text, block, delimiter, early);
                        prop_assert_eq!(&found, &wanted, "{:?} in blocks of {}, {} wanted", text, block, early);
                    }
                }
            }
        }
    }
}

//! Cutting comma- and tab-separated values by row.
//!
//! The header always stays; a row of the same width says how many rows were left out. Quoted cells may hold line
//! ends, and a row whose longest cell is very long is shortened inside that cell.

use std::io;
use std::ops::Range;

use super::census::{Census, Column, Traits, hash};
use super::choose::Chooser;
use super::format::{Format, Short};
use super::numbers;
use super::pieces::Pieces;
use super::room::{place, within};
use super::tree::{Family, Form, Node};
use crate::budget::Budget;
use crate::bytes::{Blocks, Bytes};
use crate::document::Document;
use crate::line::severity;
use crate::notice::counted;
use crate::strategy::{CutContext, CutError, Cutter};
use crate::text;

/// A row longer than this may be shortened inside.
const LONG_ROW: u64 = 400;
/// A row of more cells is refused.
const MOST_COLUMNS: usize = 16_384;
/// So far into a document severe words are searched for.
const SEARCHED: u64 = 64 * 1024 * 1024;
/// So far into it numbers are compared.
const NUMBERED: u64 = 16 * 1024 * 1024;
/// So much of a table's beginning says what separates its cells.
const BEGINNING: usize = 8192;

/// Reads a table that comes only once, for a cut of at most so many characters. Nothing where it is malformed.
pub(super) fn read_stream(blocks: &mut dyn Blocks, tabs: bool, chars: u64) -> Option<Streamed> {
    let mut bytes = Bytes::streamed(blocks);
    let start = if bytes.window().starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    bytes.advance(start);
    let (table, end) = Table::read(bytes, tabs, chars).ok()?;
    Some(Streamed { tabs, body: start as u64..end, chars, table })
}

/// What is known of a table that was read while it came.
#[derive(Debug)]
pub(super) struct Streamed {
    tabs: bool,
    body: Range<u64>,
    chars: u64,
    table: Table,
}

impl Streamed {
    /// The table, if it is of this `body`, read in this way, and if enough was remembered.
    fn of(&self, tabs: bool, body: &Range<u64>, chars: u64) -> Option<&Table> {
        (self.tabs == tabs && self.body == *body && self.chars >= chars).then_some(&self.table)
    }
}

/// Why a text is not a table.
enum Malformed {
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

impl Malformed {
    /// The sentence that names line and column.
    fn no_cut(self, document: &dyn Document) -> CutError {
        match self {
            Malformed::Unreadable(error) => CutError::Unreadable(error),
            Malformed::Shape(why) => CutError::Shape(why),
            Malformed::Quote(byte) => match place(document, byte) {
                Ok(place) => CutError::Shape(format!("malformed CSV at {place}: a quote that is never closed")),
                Err(error) => CutError::Unreadable(error),
            },
        }
    }
}

/// Reads a table whose cells are separated by a tab, or by whatever its first lines show.
/// What is known of it from when it came is not read again.
pub(super) fn prepare<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
    tabs: bool,
    known: Option<&Streamed>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let end = document.extent().bytes;
    let start = if document.read_around(0..end.min(4))?.starts_with('\u{feff}') { 3 } else { 0 };
    let table = match known.and_then(|known| known.of(tabs, &(start..end), context.budget.chars)) {
        Some(table) => table.clone(),
        None => {
            let read = Table::read(Bytes::new(document, start..end)?, tabs, context.budget.chars);
            read.map_err(|malformed| malformed.no_cut(document))?.0
        }
    };
    let root = Node::at(start..table.end, Form::List);
    let names = table.names(document, start)?;
    let about = format!("{} rows; {} columns: {names}", table.family.count, table.columns);
    let mut format = Csv { document, table };
    let settings = context.settings;
    let cut = move |budget: &Budget| {
        within(budget, document, |limit, in_bytes| {
            let shown = Chooser::choose(document, settings, &mut format, root, limit.saturating_sub(2), in_bytes)?;
            let mut pieces = Pieces::default();
            pieces.omit_to(start, "");
            pieces.node(document, &format, &shown, 0)?;
            if end - root.end <= 2 {
                pieces.keep_to(end, "structure");
            }
            pieces.omit_to(end, "");
            let mut cut = pieces.cut("element", document)?;
            cut.about = Some(text::first_chars(&about, 240).to_string());
            Ok(cut)
        })
    };
    Ok(Box::new(cut))
}

/// The delimiter that the first rows have most of, about as many in each; line ends inside quotes end no row.
fn delimiter(start: &[u8]) -> u8 {
    const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
    let mut rows: Vec<[usize; 4]> = vec![[0; 4]];
    let mut quoted = false;
    for &byte in start {
        quoted ^= byte == b'"';
        if !quoted && byte == b'\n' {
            rows.push([0; 4]);
        } else if !quoted && let Some(row) = rows.last_mut() {
            for (count, _) in row.iter_mut().zip(CANDIDATES).filter(|(_, candidate)| *candidate == byte) {
                *count += 1;
            }
        }
    }
    // The last row may be cut off.
    let rows = rows.get(..rows.len().saturating_sub(1).clamp(1, 20)).unwrap_or_default();
    let score = |candidate: usize| {
        let counts = || rows.iter().filter_map(|row| row.get(candidate)).copied();
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        (least > 0, least * 2 >= most, least)
    };
    let best = (0..CANDIDATES.len()).max_by_key(|&candidate| (score(candidate), CANDIDATES.len() - candidate));
    best.and_then(|best| CANDIDATES.get(best)).copied().unwrap_or(b',')
}

/// The rows of a table behind its header.
#[derive(Debug, Clone)]
struct Table {
    family: Family,
    header: Range<u64>,
    columns: usize,
    delimiter: u8,
    /// Where the last row ends.
    end: u64,
}

impl Table {
    /// Reads all of `bytes`, whose cells are separated by tabs or by what their beginning shows; also where they end.
    fn read(bytes: Bytes<'_>, tabs: bool, chars: u64) -> Result<(Table, u64), Malformed> {
        let beginning = bytes.window();
        let beginning = beginning.get(..BEGINNING).unwrap_or(beginning);
        let delimiter = if tabs { b'\t' } else { delimiter(beginning) };
        let most = usize::try_from(chars / 6).unwrap_or(usize::MAX).clamp(64, 4096);
        let mut rows = Rows { bytes, delimiter, cells: Vec::new() };
        let mut census = Census::default();
        census.start(most, most);
        let mut traits = Traits::default();
        let mut header: Option<(Range<u64>, usize)> = None;
        let mut before = 0;
        while let Some(row) = rows.next()? {
            if header.is_none() {
                header = Some((row.clone(), rows.cells.len()));
                before = row.end;
                continue;
            }
            traits.clear();
            traits.shape = rows.cells.len() as u64;
            let bytes = rows.bytes.since(row.start).unwrap_or_default();
            let are_numbered = row.start < NUMBERED;
            for (column, cell) in rows.cells.iter().enumerate() {
                let is_various = census.column(column as u64, column) == Some(Column::Various);
                if is_various && !are_numbered {
                    continue;
                }
                let cell = cell.start.saturating_sub(row.start) as usize..cell.end.saturating_sub(row.start) as usize;
                if let Some(cell) = bytes.get(cell).filter(|cell| cell.len() <= 64) {
                    if !is_various {
                        traits.push(column as u64, hash(cell));
                    }
                    let number = if are_numbered { numbers::parse(cell) } else { None };
                    number.into_iter().for_each(|number| traits.push_number(column as u64, number));
                }
            }
            traits.severity = if row.start < SEARCHED { severity::of(bytes) } else { 0 };
            let form = if row.end - row.start > LONG_ROW { Form::Text } else { Form::Scalar };
            let node = Node { before, index: census.count(), ..Node::at(row.clone(), form) };
            census.add_with(node, &traits);
            before = row.end;
        }
        let Some((header, columns)) = header else { return Err(Malformed::Shape("there are no rows in it".into())) };
        if census.count() == 0 {
            return Err(Malformed::Shape("there is no row behind the header".into()));
        }
        let table = Table { family: census.family(), header, columns, delimiter, end: before };
        Ok((table, rows.bytes.position()))
    }

    fn names(&self, document: &dyn Document, start: u64) -> Result<String, CutError> {
        let header = document.read_around(start..self.header.end.min(start + 400))?;
        let names = header.split(char::from(self.delimiter)).map(|name| name.trim().trim_matches('"'));
        Ok(names.collect::<Vec<_>>().join(", "))
    }
}

/// A cursor over rows.
struct Rows<'a> {
    bytes: Bytes<'a>,
    delimiter: u8,
    /// The cells of the row that was read last.
    cells: Vec<Range<u64>>,
}

impl Rows<'_> {
    /// The next row that is not empty, without its line end.
    fn next(&mut self) -> Result<Option<Range<u64>>, Malformed> {
        while let Some(b'\n' | b'\r') = self.bytes.peek(self.bytes.position())? {
            self.bytes.advance(1);
        }
        let start = self.bytes.position();
        if self.bytes.peek(start)?.is_none() {
            return Ok(None);
        }
        self.cells.clear();
        if let Some(length) = self.near_row() {
            self.bytes.advance(length);
            return Ok(Some(start..start + length as u64));
        }
        self.cells.clear();
        loop {
            let cell = self.bytes.position();
            if self.bytes.peek(start)? == Some(b'"') {
                self.quoted(start)?;
            }
            let end = self.plain(start)?;
            if self.cells.len() == MOST_COLUMNS {
                return Err(Malformed::Shape(format!("a row of more than {MOST_COLUMNS} cells is not a table")));
            }
            self.cells.push(cell..end);
            match self.bytes.peek(start)? {
                Some(byte) if byte == self.delimiter => self.bytes.advance(1),
                _ => return Ok(Some(start..end)),
            }
        }
    }

    /// The cells of a row that lies in the window with its line end, as nearly all do, and how long it is; nothing for any
    /// other, of which some cells may have been noted.
    fn near_row(&mut self) -> Option<usize> {
        let (start, window) = (self.bytes.position(), self.bytes.window());
        let (line, behind) = window.split_at_checked(memchr::memchr3(b'\n', b'\r', b'"', window)?)?;
        if !behind.starts_with(b"\"") {
            let mut cell = start;
            each_of(line, self.delimiter, |at| {
                let end = start + at as u64;
                self.cells.push(cell..end);
                cell = end + 1;
            });
            self.cells.push(cell..start + line.len() as u64);
            return (self.cells.len() <= MOST_COLUMNS).then_some(line.len());
        }
        self.near_row_with_quotes()
    }

    fn near_row_with_quotes(&mut self) -> Option<usize> {
        let (start, window) = (self.bytes.position(), self.bytes.window());
        let mut at = 0;
        while self.cells.len() < MOST_COLUMNS {
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
            self.cells.push(start + at as u64..start + end as u64);
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

/// Calls `each` with the places of `byte` in `line`, eight bytes at a time: cells are too short for a search that is made
/// for long texts.
#[inline]
fn each_of(line: &[u8], byte: u8, mut each: impl FnMut(usize)) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const REST: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (words, rest) = line.as_chunks::<8>();
    for (nth, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word) ^ (ONES * u64::from(byte));
        // The top bit of each byte that was equal, and of no other.
        let mut found = !(((word & REST) + REST) | word | REST);
        while found != 0 {
            each(nth * 8 + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    let last = words.len() * 8;
    rest.iter().enumerate().filter(|(_, at)| **at == byte).for_each(|(at, _)| each(last + at));
}

/// Where in `window` the next delimiter or line end is. Cells are short: a few words at a time are quicker than a search
/// that is made for long texts, which takes over where one is not.
#[inline]
fn end_of_plain(window: &[u8], delimiter: u8) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
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

/// A table as the chooser sees it.
struct Csv<'a> {
    document: &'a dyn Document,
    table: Table,
}

impl Format for Csv<'_> {
    fn family(&mut self, _node: &Node) -> Result<Family, CutError> {
        Ok(self.table.family.clone())
    }

    fn folded(&self, node: &Node, family: &Family) -> String {
        self.gap(node, family, family.count, 0)
    }

    fn frame_stays(&self, _node: &Node) -> bool {
        true
    }

    fn gap(&self, _parent: &Node, _family: &Family, count: u64, _nth: usize) -> String {
        let padding = String::from(char::from(self.table.delimiter)).repeat(self.table.columns.saturating_sub(1));
        format!("... {} omitted ...{padding}", counted(count, "row"))
    }

    fn shorten(&self, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
        let mut rows = Rows {
            bytes: Bytes::new(self.document, node.start..node.end)?,
            delimiter: self.table.delimiter,
            cells: Vec::new(),
        };
        rows.next().map_err(|malformed| malformed.no_cut(self.document))?;
        let longest = rows.cells.iter().max_by_key(|cell| (cell.end - cell.start, u64::MAX - cell.start));
        let Some(cell) = longest.cloned() else { return Ok(None) };
        let others = node.bytes() - (cell.end - cell.start);
        let keep = room.saturating_sub(others).max(60);
        if cell.end - cell.start <= keep + 40 {
            return Ok(None);
        }
        // A cut between a doubled quote would end the cell: only places without quotes around them will do.
        let head = self.document.read_around(cell.start..(cell.start + keep * 2 / 3).max(cell.start + 8))?;
        let tail_from = self.document.position(cell.end - keep / 3)?.byte;
        let tail = self.document.read(tail_from..cell.end)?;
        let clear = |text: &str, at: usize| {
            let bytes = text.as_bytes();
            at > 1 && bytes.get(at - 1) != Some(&b'"') && bytes.get(at) != Some(&b'"')
        };
        let start = head.char_indices().map(|(at, _)| at).rfind(|&at| clear(&head, at));
        let end = tail.char_indices().map(|(at, _)| at).find(|&at| clear(&tail, at));
        let (Some(start), Some(end)) = (start, end) else { return Ok(None) };
        let omit = cell.start + start as u64..tail_from + end as u64;
        if omit.end <= omit.start {
            return Ok(None);
        }
        let omitted = self.document.position(omit.end)?.char - self.document.position(omit.start)?.char;
        Ok(Some(Short { omit, mark: format!("... [{omitted} chars omitted] ...") }))
    }
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

    proptest! {
        #[test]
        fn a_row_has_the_same_cells_however_they_are_looked_for(row in "[a-zé;,\t -]{0,40}", end in "[\n\r]") {
            let text = format!("{row}{end}rest,of;it\n");
            for delimiter in *b",;\t|" {
                let rows = || Rows { bytes: Bytes::whole(text.as_bytes()), delimiter, cells: Vec::new() };
                let (mut at_once, mut one_by_one) = (rows(), rows());
                prop_assert_eq!(at_once.near_row(), one_by_one.near_row_with_quotes());
                prop_assert_eq!(at_once.cells, one_by_one.cells);
            }
        }
    }
}

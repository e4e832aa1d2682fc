//! The lines that a choice is made from: all of a small document's, the promising ones of a large one's.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::budget::Marks;
use crate::document::Document;
use crate::executor::{Executor, Sequential};
use crate::extent::Extent;
use crate::line::prefix;
use crate::line::signals::{self, Signals};
use crate::prescan::Tally;
use crate::text;

/// Documents up to this size are looked at line by line.
const WHOLE_BYTES: u64 = 1024 * 1024;

/// And up to so many lines.
const WHOLE_LINES: u64 = 60_000;

/// From so many rows on it takes less time to have some of them read elsewhere.
const MANY_ROWS: usize = 1000;

/// How many of them are read at a time.
const STRETCH: usize = 256;

/// How much of a line is looked at when it is judged.
const VIEW: usize = 2048;

/// What showing something costs, in the three measures that a budget may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) chars: i64,
    pub(super) bytes: i64,
    pub(super) lines: i64,
}

impl Size {
    pub(super) fn plus(self, other: Size) -> Size {
        Size { chars: self.chars + other.chars, bytes: self.bytes + other.bytes, lines: self.lines + other.lines }
    }

    /// A share of it, rounded down.
    pub(super) fn share(self, share: f64) -> Size {
        let part = |whole: i64| (whole as f64 * share) as i64;
        Size { chars: part(self.chars), bytes: part(self.bytes), lines: part(self.lines) }
    }

    pub(super) fn minus(self, other: Size) -> Size {
        Size { chars: self.chars - other.chars, bytes: self.bytes - other.bytes, lines: self.lines - other.lines }
    }
}

/// A line of the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Where its words start in the table's text.
    at: u32,
    /// How many bytes of its words the table's text holds.
    held: u32,
    /// Where it starts in the document.
    pub(super) byte: u64,
    /// Its bytes in the document, the line end included.
    pub(super) bytes: u64,
    /// Its characters in the document, the line end included.
    pub(super) chars: u64,
    /// The bytes at its beginning, all of them ASCII, that it shares with nearly every line and is shown without.
    pub(super) left_off: u32,
}

impl Row {
    /// The row with its end, as a range of the document's bytes.
    pub(super) fn range(&self) -> Range<u64> {
        self.byte..self.byte + self.bytes
    }

    /// Where what is shown of it starts in the document.
    pub(super) fn shown_from(&self) -> u64 {
        self.byte + u64::from(self.left_off)
    }

    /// The characters that it has where it is shown.
    fn shown_chars(&self) -> u64 {
        self.chars - u64::from(self.left_off)
    }
}

/// The rows, in document order.
pub(in crate::strategy) struct Table<'a> {
    text: Cow<'a, str>,
    rows: Vec<Row>,
    /// How many bytes of each row stand before its body; found when they are first asked for.
    prefixes: OnceLock<Vec<u16>>,
    /// The signals of each row; found when they are first asked for.
    signals: OnceLock<Vec<Signals>>,
    executor: &'a dyn Executor,
    extent: Extent,
    /// What is known of lines that are not among the rows.
    pub(super) tally: Option<Arc<Tally>>,
    /// The most characters of a line that are shown; the budget says.
    pub(super) line_limit: u64,
    /// How gaps are marked; the budget says.
    pub(super) marks: Marks,
}

impl<'a> Table<'a> {
    /// Whether every line of a document of this size is looked at.
    pub(super) fn takes_whole(extent: &Extent) -> bool {
        extent.bytes <= WHOLE_BYTES && extent.lines <= WHOLE_LINES
    }

    /// All lines of `document`, which must be small enough.
    pub(super) fn whole(document: &'a dyn Document, executor: &'a dyn Executor) -> io::Result<Table<'a>> {
        let text = match document.text() {
            Some(text) => Cow::Borrowed(text),
            None => document.read(0..document.extent().bytes)?,
        };
        let mut rows = Vec::with_capacity(usize::try_from(document.extent().lines).unwrap_or(0));
        // Where every character is one byte there is nothing to count.
        let narrow = document.extent().chars == document.extent().bytes;
        for line in text::split(&text) {
            let chars = if narrow { line.text.len() as u64 } else { text::chars(line.text) };
            rows.push(Row {
                at: line.start as u32,
                held: line.text.len() as u32,
                byte: line.start as u64,
                bytes: (line.text.len() + line.end.len()) as u64,
                chars: chars + line.end.len() as u64,
                left_off: 0,
            });
        }
        Ok(Table::of(text, rows, *document.extent(), executor))
    }

    /// The whole lines in `ranges` (in order, disjoint), and the line that a range is inside of where it holds none.
    pub(super) fn within(
        document: &'a dyn Document,
        ranges: &[Range<u64>],
        executor: &'a dyn Executor,
    ) -> io::Result<Table<'a>> {
        let extent = *document.extent();
        let mut joined = String::new();
        let mut rows: Vec<Row> = Vec::new();
        let all: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        for range in ranges {
            // Tiny lines must not fill the memory: a range has room for its share of rows.
            let share = (range.end - range.start).saturating_mul(WHOLE_LINES) / all.max(1) + 100;
            let most = rows.len() + usize::try_from(share).unwrap_or(usize::MAX);
            let floor = rows.last().map_or(0, |row| row.range().end);
            if range.end <= floor {
                continue;
            }
            let start = range.start.max(floor);
            let start = if start == floor { start } else { line_start(document, start)?.max(floor) };
            let part = document.read_around(start..range.end.max(start))?;
            let at_end = start + part.len() as u64 >= extent.bytes;
            let mut first = true;
            // Of too many lines the first count, at the end of the document the last, and of a whole document both.
            let lines = usize::try_from(text::lines(&part)).unwrap_or(usize::MAX);
            let room = most - rows.len();
            let skipped = match (at_end, start) {
                (false, _) => room.min(lines)..lines,
                (true, 0) => room / 2..room / 2 + lines.saturating_sub(room),
                (true, _) => 0..lines.saturating_sub(room),
            };
            for (number, line) in text::split(&part).enumerate() {
                if skipped.contains(&number) {
                    continue;
                }
                let complete = at_end || !line.end.is_empty() && line.range().end < part.len() || line.end == "\n";
                let byte = start + line.start as u64;
                let at = joined.len() as u32;
                if complete {
                    let bytes = (line.text.len() + line.end.len()) as u64;
                    let chars = text::chars(line.text) + line.end.len() as u64;
                    rows.push(Row { at, held: line.text.len() as u32, byte, bytes, chars, left_off: 0 });
                    joined.push_str(line.text);
                } else if first {
                    let here = document.position(byte)?;
                    let end = document.line_start(here.line + 1)?;
                    let shown = text::first_chars(line.text, VIEW as u64);
                    let (bytes, chars) = (end.byte - byte, end.char - here.char);
                    rows.push(Row { at, held: shown.len() as u32, byte, bytes, chars, left_off: 0 });
                    joined.push_str(shown);
                }
                joined.push('\n');
                first = false;
            }
        }
        Ok(Table::of(Cow::Owned(joined), rows, extent, executor))
    }

    /// A table of chosen lines.
    fn of(text: Cow<'a, str>, rows: Vec<Row>, extent: Extent, executor: &'a dyn Executor) -> Table<'a> {
        let (prefixes, signals) = (OnceLock::new(), OnceLock::new());
        let (tally, line_limit, marks) = (None, u64::MAX / 4, Marks::Counts);
        Table { text, rows, prefixes, signals, executor, extent, tally, line_limit, marks }
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The words of all rows, joined; rows do not cross it in another order than their own.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where row `row` starts in [`Table::text`].
    pub(super) fn start(&self, row: usize) -> usize {
        self.rows.get(row).map_or(self.text.len(), |row| row.at as usize)
    }

    /// The words of a row, as far as they are looked at.
    pub(super) fn words(&self, row: usize) -> &str {
        self.rows.get(row).map_or("", |row| {
            let start = row.at as usize;
            text::slice(&self.text, start..start + (row.held as usize).min(VIEW))
        })
    }

    /// What `read` adds to a list for rows, for all of them and in their order. Many rows are read from both ends at
    /// the same time: who is quicker, or has the processor for longer, reads more of them.
    pub(super) fn each<T: Send>(&self, read: impl Fn(Range<usize>, &mut Vec<T>) + Sync) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        if self.len() < MANY_ROWS {
            read(0..self.len(), &mut all);
            return all;
        }
        let unread = Mutex::new(0..self.len().div_ceil(STRETCH));
        let take = |which: fn(&mut Range<usize>) -> Option<usize>| {
            let number = which(&mut unread.lock().unwrap_or_else(PoisonError::into_inner))?;
            Some(number * STRETCH..self.len().min((number + 1) * STRETCH))
        };
        let mut from_end: Vec<Vec<T>> = Vec::new();
        self.executor.join(
            &mut || {
                while let Some(rows) = take(Range::next) {
                    read(rows, &mut all);
                }
            },
            &mut || {
                while let Some(rows) = take(Range::next_back) {
                    let mut part = Vec::with_capacity(rows.len());
                    read(rows, &mut part);
                    from_end.push(part);
                }
            },
        );
        from_end.into_iter().rev().for_each(|part| all.extend(part));
        all
    }

    /// Does both pieces of work, at the same time where there are many rows.
    pub(super) fn both(&self, here: &mut dyn FnMut(), aside: &mut (dyn FnMut() + Send)) {
        if self.len() < MANY_ROWS { Sequential.join(here, aside) } else { self.executor.join(here, aside) }
    }

    /// How many bytes of each row are times and names of jobs, hosts and containers.
    pub(super) fn prefixes(&self) -> &[u16] {
        let width = |row: usize| prefix::width(self.words(row).as_bytes()) as u16;
        self.prefixes.get_or_init(|| self.each(|rows, widths| widths.extend(rows.map(width))))
    }

    /// The words of a row without what stands before its body.
    pub(super) fn body(&self, row: usize) -> &str {
        let width = self.prefixes().get(row).copied().unwrap_or(0);
        self.rows.get(row).map_or("", |row| {
            let start = row.at as usize;
            text::slice(&self.text, start + usize::from(width)..start + (row.held as usize).min(VIEW))
        })
    }

    /// The signals of each row.
    pub(super) fn signals(&self) -> &[Signals] {
        self.signals.get_or_init(|| self.each(|rows, found| self.signals_of(rows, found)))
    }

    /// The signals of some rows; found now where nobody has asked for those of all rows.
    pub(super) fn signals_in(&self, rows: Range<usize>) -> Cow<'_, [Signals]> {
        if let Some(known) = self.signals.get() {
            return Cow::Borrowed(known.get(rows).unwrap_or_default());
        }
        let mut found = Vec::with_capacity(rows.len());
        self.signals_of(rows, &mut found);
        Cow::Owned(found)
    }

    /// Adds the signals of some rows to `found`.
    fn signals_of(&self, rows: Range<usize>, found: &mut Vec<Signals>) {
        let before = found.len();
        found.resize(before + rows.len(), Signals::default());
        let found = found.get_mut(before..).unwrap_or_default();
        let (first, start) = (rows.start, self.start(rows.start));
        let text = text::slice(&self.text, start..self.start(rows.end));
        let mut row = first;
        signals::each(text.as_bytes(), |at, signals| {
            let at = start + at;
            // The words of a row are in no order, and the signs come behind all words.
            if at < self.start(row) {
                row = self.rows.partition_point(|row| row.at as usize <= at).saturating_sub(1);
            }
            while row + 1 < rows.end && self.start(row + 1) <= at {
                row += 1;
            }
            if let Some(known) = found.get_mut(row - first) {
                *known = known.with(signals);
            }
        });
    }

    /// Whether a row is shortened when it is shown.
    pub(super) fn is_long(&self, row: &Row) -> bool {
        row.shown_chars() > self.line_limit + 2
    }

    /// Shows each row without the first of its bytes, so many as `widths` says; all of them where it is empty.
    pub(super) fn leave_off(&mut self, widths: &[u32]) {
        for (at, row) in self.rows.iter_mut().enumerate() {
            // Something of every row is shown: its line end at least.
            row.left_off = widths.get(at).copied().filter(|width| u64::from(*width) < row.bytes).unwrap_or(0);
        }
    }

    /// What showing the row costs.
    pub(super) fn size(&self, row: &Row) -> Size {
        if self.is_long(row) {
            // Two inner gaps at most, each with a mark of its own.
            let marks = 2 * self.marks.inline(row.chars, &self.extent) as i64;
            let chars = self.line_limit as i64 + marks + 2;
            Size { chars, bytes: (chars * 4).min(row.bytes as i64 + marks), lines: 1 }
        } else {
            let bytes = row.bytes as i64 - i64::from(row.left_off);
            Size { chars: row.shown_chars() as i64, bytes, lines: 1 }
        }
    }

    /// Whether all lines of the document are among the rows.
    pub(super) fn is_whole(&self) -> bool {
        Table::takes_whole(&self.extent)
    }

    /// Whether text of the document lies between row `row - 1` and row `row` (or an end of the document).
    pub(super) fn breaks_before(&self, row: usize) -> bool {
        let before = row.checked_sub(1).and_then(|before| self.rows.get(before)).map_or(0, |row| row.range().end);
        self.rows.get(row).map_or(self.extent.bytes, |row| row.byte) != before
    }
}

/// Where the first line starts that begins at or after `byte`, or, where that is far, the line that `byte` is in.
pub(super) fn line_start(document: &dyn Document, byte: u64) -> io::Result<u64> {
    // The byte may lie inside a character: then the reading starts with it.
    for back in 1..5 {
        let from = byte.saturating_sub(back);
        let near = match document.read_around(from..(byte + 4096).min(document.extent().bytes)) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => continue,
            other => other?,
        };
        if let Some(first) = text::split(&near).next()
            && first.range().end < near.len()
        {
            return Ok(from + first.range().end as u64);
        }
        break;
    }
    let line = document.position(byte)?.line;
    Ok(document.line_start(line)?.byte)
}

//! The lines that may still change: a terminal of one line, or of the last few once a program moves its cursor.
//!
//! One character takes one cell. Rows that leave the window at its top are final.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::{memchr, memrchr_iter};

use super::sequence::Command;
use super::{Changes, DEPTH, LIMIT};
use crate::text;

/// How far to the right of a row's end a movement reaches.
const FARTHEST: usize = 512;

/// The rows that are held back, and a cursor.
#[derive(Debug, Clone, Default)]
pub(super) struct Screen {
    rows: VecDeque<ScreenRow>,
    /// The row that the cursor is in; `rows.len()` is a new one below all others.
    at: usize,
    /// The characters of that row, while the cursor is not at its end.
    cells: Vec<char>,
    /// The cell that the cursor is in; `None` while it is behind the last one and `cells` are not in use.
    column: Option<usize>,
    /// Whether the program moves its cursor or erases: then rows are held that have ended already.
    deep: bool,
    /// How many characters at the start of the row are not the program's own: the time that a CI service put there.
    margin: usize,
    /// Whether something was overwritten in the row.
    overwritten: bool,
    /// Whether the state that the row had when the cursor went back is in `states` already.
    noted: bool,
    /// The states of rows that were overwritten, each on a line of its own.
    states: String,
    spare: Vec<String>,
    /// No row that is held has more bytes, but for the one with the cursor.
    longest: usize,
}

#[derive(Debug, Clone, Default)]
struct ScreenRow {
    text: String,
    end: &'static str,
}

impl Screen {
    /// An empty screen that still has to hand out `states`.
    pub(super) fn with_states(states: String) -> Screen {
        Screen { states, ..Screen::default() }
    }

    /// Whether nothing is held, and ended rows would not be.
    pub(super) fn is_idle(&self) -> bool {
        !self.deep && self.rows.is_empty()
    }

    /// How many bytes the row with the cursor has, about.
    pub(super) fn row_len(&self) -> usize {
        if self.column.is_some() { self.cells.len() } else { self.rows.get(self.at).map_or(0, |row| row.text.len()) }
    }

    /// Writes the time that GitHub Actions puts before each line, and returns what follows it.
    pub(super) fn write_margin<'a>(&mut self, part: &'a str) -> &'a str {
        let width = margin(part.as_bytes());
        if width == 0 || self.row_len() > 0 || self.at < self.rows.len().saturating_sub(1) {
            return part;
        }
        let (time, rest) = part.split_at(text::floor(part, width));
        self.row().push_str(time);
        self.margin = time.chars().count();
        rest
    }

    /// Writes `words` where the cursor is.
    pub(super) fn write(&mut self, words: &str, changes: &mut Changes) {
        let Some(mut column) = self.column else {
            self.row().push_str(words);
            return;
        };
        for char in words.chars() {
            while self.cells.len() < column {
                self.cells.push(' ');
            }
            match self.cells.get_mut(column) {
                Some(cell) => {
                    if *cell != char && *cell != ' ' {
                        self.note_overwriting(changes);
                    }
                    if let Some(cell) = self.cells.get_mut(column) {
                        *cell = char;
                    }
                }
                None => self.cells.push(char),
            }
            column += 1;
        }
        self.column = Some(column);
    }

    /// Moves the cursor to a cell of its row, counted from 0.
    pub(super) fn go_to_column(&mut self, column: usize) {
        self.edit();
        self.column = Some((self.margin + column).min(self.cells.len() + FARTHEST));
        self.noted = false;
    }

    /// Moves the cursor back.
    pub(super) fn back(&mut self, cells: usize) {
        self.edit();
        self.column = self.column.map(|column| column.saturating_sub(cells).max(self.margin));
    }

    /// Does what a control sequence says, as far as it moves the cursor or erases.
    pub(super) fn obey(&mut self, command: &Command, changes: &mut Changes, out: &mut String) {
        self.deep = true;
        let count = command.parameter.unwrap_or(1).max(1);
        match command.letter {
            b'A' => self.go_to_row(self.at.saturating_sub(count), false),
            b'F' => self.go_to_row(self.at.saturating_sub(count), true),
            b'B' | b'e' => self.go_to_row(self.at.saturating_add(count), false),
            b'E' => self.go_to_row(self.at.saturating_add(count), true),
            b'C' | b'a' => {
                self.edit();
                let column = self.column.unwrap_or(0).saturating_add(count);
                self.column = Some(column.min(self.cells.len() + FARTHEST));
            }
            b'D' => self.back(count),
            b'G' | b'`' => self.go_to_column(count - 1),
            // A new picture starts. The one before it stays: nothing is lost.
            b'H' | b'f' | b'd' => self.start_over(out),
            b'J' => match command.parameter.unwrap_or(0) {
                0 => self.erase_below(changes),
                2 | 3 => self.start_over(out),
                _ => {}
            },
            b'K' => self.erase(command.parameter.unwrap_or(0), changes),
            b'P' => {
                if let Some(column) = self.column {
                    let end = column.saturating_add(count).min(self.cells.len());
                    self.note_if_seen(column..end, changes);
                    self.cells.drain(column.min(end)..end);
                }
            }
            b'X' => {
                let column = self.column.unwrap_or(usize::MAX);
                self.note_if_seen(column..column.saturating_add(count), changes);
                self.cells.iter_mut().skip(column).take(count).for_each(|cell| *cell = ' ');
            }
            b'@' => {
                if let Some(column) = self.column.filter(|&column| column < self.cells.len()) {
                    let blanks = std::iter::repeat_n(' ', count.min(FARTHEST));
                    self.cells.splice(column..column, blanks);
                }
            }
            _ => {}
        }
    }

    /// Ends the row with the cursor in it, and goes to the next.
    pub(super) fn end_row(&mut self, end: &'static str, out: &mut String) {
        self.store();
        self.margin = 0;
        self.overwritten = false;
        if self.at + 1 < self.rows.len() {
            self.at += 1;
            self.column = Some(0);
            self.noted = false;
            self.load();
            return;
        }
        self.row();
        if let Some(row) = self.rows.back_mut() {
            row.end = end;
        }
        self.at = self.rows.len();
        if end.is_empty() {
            return;
        }
        if !self.deep {
            return self.flush(out);
        }
        while self.rows.len() > DEPTH {
            self.release(out);
        }
        // Most rows are short: only where one is long they may be too much together.
        if self.longest * DEPTH <= LIMIT {
            return;
        }
        let mut bytes: usize = self.rows.iter().map(|row| row.text.len()).sum();
        while bytes > LIMIT {
            bytes -= self.release(out);
        }
        self.longest = self.rows.iter().map(|row| row.text.len()).max().unwrap_or(0);
    }

    /// Takes whole lines in that have nothing to resolve, many at a time; says no (and does nothing) where it cannot.
    pub(super) fn take_lines(&mut self, lines: &str, out: &mut String) -> bool {
        if self.is_idle() {
            out.push_str(lines);
            return true;
        }
        if self.at < self.rows.len() || !self.deep {
            return false;
        }
        // All but the last rows are final at once.
        let bytes = lines.as_bytes();
        let Some(split) = memrchr_iter(b'\n', bytes).nth(DEPTH) else { return false };
        let (done, mut rest) = lines.split_at(split + 1);
        if rest.len() > LIMIT {
            return false;
        }
        self.flush(out);
        out.push_str(done);
        while let Some(at) = memchr(b'\n', rest.as_bytes()) {
            let (line, after) = rest.split_at(at + 1);
            let words = line.trim_end_matches(['\r', '\n']);
            self.row().push_str(words);
            self.end_row(if line.len() - words.len() > 1 { "\r\n" } else { "\n" }, out);
            rest = after;
        }
        true
    }

    /// Lets go of all rows.
    pub(super) fn flush(&mut self, out: &mut String) {
        self.store();
        while !self.rows.is_empty() {
            self.release(out);
        }
        self.at = 0;
        self.longest = 0;
        self.margin = 0;
        self.overwritten = false;
        self.noted = false;
    }

    /// Lets the first row go; returns its size.
    fn release(&mut self, out: &mut String) -> usize {
        let Some(mut row) = self.rows.pop_front() else { return 0 };
        out.push_str(&row.text);
        out.push_str(row.end);
        self.at = self.at.saturating_sub(1);
        let size = row.text.len();
        row.text.clear();
        if self.spare.len() < DEPTH && row.text.capacity() <= 4096 {
            self.spare.push(row.text);
        }
        size
    }

    /// The text of the row with the cursor.
    fn row(&mut self) -> &mut String {
        while self.rows.len() <= self.at {
            let text = self.spare.pop().unwrap_or_default();
            self.rows.push_back(ScreenRow { text, end: "" });
        }
        let at = self.at;
        &mut self.rows[at].text
    }

    /// Makes the cells of the row available, with the cursor where it is.
    fn edit(&mut self) {
        if self.column.is_none() {
            self.load();
            self.column = Some(self.cells.len());
        }
    }

    fn load(&mut self) {
        self.cells.clear();
        if let Some(row) = self.rows.get(self.at) {
            self.cells.extend(row.text.chars());
        }
    }

    /// Writes the cells back; blanks at the end of a row that was overwritten are not seen, so they go.
    fn store(&mut self) {
        if self.column.take().is_some() {
            self.store_cells();
        }
        self.longest = self.longest.max(self.rows.get(self.at).map_or(0, |row| row.text.len()));
    }

    fn store_cells(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        let row = self.row();
        let same = row.chars().eq(cells.iter().copied());
        if !same {
            row.clear();
            let blanks = cells.iter().rev().take_while(|&&cell| cell == ' ').count();
            row.extend(cells.iter().take(cells.len() - blanks));
        }
        self.cells = cells;
    }

    fn go_to_row(&mut self, row: usize, first_column: bool) {
        // In a line with a margin the rows are not the program's, so it cannot move between them.
        if self.margin > 0 {
            return;
        }
        self.edit();
        let column = if first_column { 0 } else { self.column.unwrap_or(0) };
        self.store();
        self.row();
        self.at = row.min(self.rows.len() - 1);
        self.overwritten = false;
        self.noted = false;
        self.load();
        self.column = Some(column);
    }

    fn erase(&mut self, what: usize, changes: &mut Changes) {
        if what == 0 && self.column.is_none() {
            return;
        }
        self.edit();
        let column = self.column.unwrap_or(0);
        let gone = match what {
            0 => column..self.cells.len(),
            1 => self.margin..(column + 1).min(self.cells.len()),
            2 => self.margin..self.cells.len(),
            _ => return,
        };
        self.note_if_seen(gone.clone(), changes);
        self.cells.iter_mut().take(gone.end).skip(gone.start).for_each(|cell| *cell = ' ');
        if what != 1 {
            self.cells.truncate(gone.start);
        }
    }

    fn erase_below(&mut self, changes: &mut Changes) {
        self.erase(0, changes);
        if self.margin > 0 || self.at + 1 >= self.rows.len() {
            return;
        }
        for row in self.rows.iter().skip(self.at + 1).filter(|row| !row.text.is_empty()) {
            changes.overwritten += 1;
            note_state(row.text.chars(), &mut self.states, changes);
        }
        self.rows.truncate(self.at + 1);
        if let Some(row) = self.rows.back_mut() {
            row.end = "";
        }
    }

    /// What was shown so far is final; the cursor starts on a new row.
    fn start_over(&mut self, out: &mut String) {
        if self.margin > 0 {
            return;
        }
        self.store();
        if let Some(row) = self.rows.back_mut()
            && row.end.is_empty()
            && !row.text.is_empty()
        {
            row.end = "\n";
        }
        self.flush(out);
    }

    /// Notes the state of the row before something of it is overwritten.
    fn note_overwriting(&mut self, changes: &mut Changes) {
        changes.overwritten += u64::from(!self.overwritten);
        self.overwritten = true;
        if !self.noted {
            self.noted = true;
            note_state(self.cells.iter().copied(), &mut self.states, changes);
        }
    }

    /// The same where one of these cells is not blank.
    fn note_if_seen(&mut self, cells: Range<usize>, changes: &mut Changes) {
        if self.cells.iter().take(cells.end).skip(cells.start).any(|&cell| cell != ' ') {
            self.note_overwriting(changes);
        }
    }

    /// The states that were overwritten since the last call, each on a line of its own.
    pub(super) fn take_states(&mut self) -> String {
        std::mem::take(&mut self.states)
    }
}

/// Adds the state of a row to `states`, without the blanks at its end.
fn note_state(cells: impl Iterator<Item = char>, states: &mut String, changes: &mut Changes) {
    let start = states.len();
    states.extend(cells);
    states.truncate(states.trim_end_matches(' ').len().max(start));
    changes.overwritten_chars += text::chars(text::slice(states, start..states.len()));
    states.push('\n');
}

/// How wide the time is that GitHub Actions puts before a line (`2022-05-29T16:48:34.6988856Z `), with the names of job
/// and step that its command line tool puts before that; 0 where there is none.
fn margin(line: &[u8]) -> usize {
    let head = line.get(..line.len().min(256)).unwrap_or_default();
    let names = memchr::memchr_iter(b'\t', head).take(2).map(|at| at + 1).last().unwrap_or(0);
    for start in [0, names] {
        let pattern = b"0000-00-00T00:00:00.0000000Z ";
        let Some(time) = head.get(start..start + pattern.len()) else { continue };
        let fits =
            |(byte, expected): (&u8, &u8)| if *expected == b'0' { byte.is_ascii_digit() } else { byte == expected };
        if time.iter().zip(pattern).all(fits) {
            return start + pattern.len();
        }
    }
    0
}

#[cfg(test)]
impl Screen {
    /// How many bytes are held, for the test of the bound.
    pub(super) fn held(&self) -> usize {
        self.rows.iter().map(|row| row.text.len()).sum::<usize>() + 4 * self.cells.len()
    }
}

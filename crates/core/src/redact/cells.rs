//! Cells of rows: whether a name is one, and where the value of its row stands.

use super::heads::below_names_and_values;
use super::scan::Segment;
use super::surroundings::PREFIX;
use crate::byte_set::among;

/// Whether the name at `name` is a cell of a table: a border, or nothing, stands before it.
pub(super) fn table_cell(segment: &Segment<'_>, name: usize) -> bool {
    let (line_start, _) = segment.line(name);
    let before = segment.part(line_start.max(name.saturating_sub(64)), name).trim_ascii();
    // `| **API token** | … |`
    let cell = before.rsplit(|b| *b == b'|').next().unwrap_or_default();
    let word = |b: &u8| b.is_ascii_alphabetic() || among!(*b, b" *");
    cell.iter().all(word) && cell.split(|b| *b == b' ').count() <= 3
}

/// Whether a line is the name that begins at `name` and one word at `value` in a column behind it: a name in capitals, a
/// word that chance made, or what a head says to be names and values.
pub(super) fn is_row_of_two(segment: &Segment<'_>, name: usize, value: usize) -> bool {
    let (line_start, _) = segment.line(name);
    let written = segment.part(name, value).trim_ascii_end();
    let word = segment.part(value, segment.line_end(value)).trim_ascii_end();
    if word.is_empty() || word.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    let ahead = segment.part(line_start.max(name.saturating_sub(PREFIX)), name).trim_ascii();
    let alone = ahead.is_empty() && (written.iter().all(|b| !b.is_ascii_lowercase()) || is_drawn(word));
    alone || !ahead.iter().any(u8::is_ascii_whitespace) && below_names_and_values(segment, name)
}

/// Whether chance made `word`: as long as a key, and with letters and figures.
fn is_drawn(word: &[u8]) -> bool {
    let shape = super::shape::shape(word);
    word.len() >= 16 && shape.digits >= 4 && shape.letters() >= 4 && !word.iter().any(|b| among!(*b, b"/.:,;()"))
}

/// Whether the name at `name` is that of a cookie in a file of them: seven columns, some of them `TRUE` or `FALSE`.
pub(super) fn is_cookie(segment: &Segment<'_>, name: usize) -> bool {
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(PREFIX)), name);
    let mut cells = ahead.split(|b| *b == b'\t').skip(1);
    let flag = |cell: Option<&[u8]>| matches!(cell, Some(b"TRUE" | b"FALSE"));
    flag(cells.next()) && cells.next().is_some() && flag(cells.next()) && ahead.ends_with(b"\t")
}

/// Where the last cell of a row begins whose first is the name of a variable, with words between that say something of it:
/// `DB_PASS`, `False` and the value, joined by tabs.
pub(super) fn last_of_row(segment: &Segment<'_>, name: usize, name_end: usize) -> Option<usize> {
    let name = segment.part(name, name_end);
    let capitals = name.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_');
    let rest = segment.part(name_end + 1, segment.line_end(name_end));
    let last = memchr::memrchr(b'\t', rest).map_or(0, |tab| tab + 1);
    let between = rest.get(..last)?.iter().all(|b| b.is_ascii_alphabetic() || *b == b'\t');
    (capitals && between && last < rest.len()).then_some(name_end + 1 + last)
}

//! Heads of lists whose rows are a name and a value.

use super::borders;
use super::scan::{BACK, Segment};
use crate::byte_set::among;

/// How many rows are between a head and the row that is asked for, at most.
const ROWS: usize = 32;
/// A longer line is no head.
const HEAD: usize = 160;

/// Whether the row at `at` is one of a list of names and values: `Key   Value` or ` name | setting ` is its head.
pub(super) fn below_names_and_values(segment: &Segment<'_>, at: usize) -> bool {
    let heads = |text: &[u8]| {
        let text = text.trim_ascii();
        (text.len() <= HEAD && heads_names_and_values(text)).then_some(())
    };
    told_above(segment, at, heads).is_some()
}

/// Where the value of the row at `name` begins where a head of several columns tells it: `NAME   TYPE   VALUE`. The name
/// is the first of the row.
pub(super) fn value_in_column(segment: &Segment<'_>, name: usize) -> Option<usize> {
    let (start, end) = segment.line(name);
    if segment.part(start, name).iter().any(|b| !b.is_ascii_whitespace()) || end - start > 512 {
        return None;
    }
    let column = |text: &[u8]| Some(text).filter(|text| text.len() <= HEAD).and_then(column_of_values);
    let column = told_above(segment, name, column)?;
    let value = start + column;
    let apart = column > 0 && segment.before(value) == b' ' && segment.byte(value) > b' ' && value < end;
    (apart && value > name).then_some(value)
}

/// What the nearest line above the row at `at` tells that tells anything, up to the beginning of the list. Looks back no
/// further than is kept of any text, so that the answer does not hang on the pieces that it comes in.
fn told_above<T>(segment: &Segment<'_>, at: usize, told: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    let (mut line, _) = segment.line(at);
    let floor = at.checked_sub(BACK);
    for _ in 0..ROWS {
        if line <= segment.low {
            return None;
        }
        let (start, end) = segment.line(line - 1);
        if floor.is_some_and(|floor| start <= floor) {
            return None;
        }
        let text = segment.part(start, end);
        if text.trim_ascii().is_empty() {
            return None;
        }
        let found = told(text);
        if found.is_some() {
            return found;
        }
        line = start;
    }
    None
}

/// Where the column of values begins below a head whose first column is of names.
fn column_of_values(head: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut first = true;
    while let Some(rest) = head.get(at..) {
        at += rest.iter().take_while(|b| **b == b' ').count();
        let rest = head.get(at..)?;
        let length = super::shape::find(rest, b"  ").unwrap_or(rest.len());
        let title = rest.get(..length)?.trim_ascii();
        if title.is_empty() {
            return None;
        }
        if first && !is_one_of(title, NAMES) {
            return None;
        }
        if !first && is_one_of(title, VALUES) {
            return Some(at);
        }
        first = false;
        at += length;
    }
    None
}

/// What the column of names is called.
const NAMES: &[&str] = &[
    "key",
    "name",
    "variable",
    "setting",
    "property",
    "option",
    "parameter",
    "field",
    "config",
    "output",
    "env",
    "secret",
    "attribute",
    "argument",
];

/// What the column of values is called.
const VALUES: &[&str] = &["value", "setting", "values", "content"];

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn heads_names_and_values(line: &[u8]) -> bool {
    // One record after the other, each name with its value.
    if line.starts_with(b"-[ RECORD ") {
        return true;
    }
    let line = &borders::plain(line);
    if column_of_values(line).is_some() {
        return true;
    }
    let first = line.iter().position(|b| b.is_ascii_alphabetic()).and_then(|at| line.get(at..)).unwrap_or_default();
    let word = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (name, rest) = first.split_at(word(first));
    let gap = rest.iter().take_while(|b| among!(**b, b" \t|,")).count();
    let value = rest.get(gap..).unwrap_or_default();
    let value = value.get(..word(value)).unwrap_or_default();
    let pair = gap == 1 && rest.first() == Some(&b',') && rest.len() == 1 + value.len() && first.len() == line.len();
    (pair || gap > 1 || matches!(rest.first(), Some(b'|' | b'\t')))
        && is_one_of(name, NAMES)
        && is_one_of(value, VALUES)
}

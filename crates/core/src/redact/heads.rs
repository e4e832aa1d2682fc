//! Heads of lists whose rows are a name and a value.

use super::scan::{BACK, Segment};
use crate::byte_set::among;

/// How many rows are between a head and the row that is asked for, at most.
const ROWS: usize = 32;

/// Whether the row at `at` is one of a list of names and values: `Key   Value` or ` name | setting ` is its head. Looks
/// back no further than is kept of any text, so that the answer does not hang on the pieces that it comes in.
pub(super) fn below_names_and_values(segment: &Segment<'_>, at: usize) -> bool {
    let (mut line, _) = segment.line(at);
    let floor = at.checked_sub(BACK);
    for _ in 0..ROWS {
        if line <= segment.low {
            return false;
        }
        let (start, end) = segment.line(line - 1);
        if floor.is_some_and(|floor| start <= floor) {
            return false;
        }
        let text = segment.part(start, end).trim_ascii();
        if text.is_empty() {
            return false;
        }
        if text.len() <= 160 && heads_names_and_values(text) {
            return true;
        }
        line = start;
    }
    false
}

fn heads_names_and_values(line: &[u8]) -> bool {
    let first = line.iter().position(|b| b.is_ascii_alphabetic()).and_then(|at| line.get(at..)).unwrap_or_default();
    let word = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (name, rest) = first.split_at(word(first));
    let gap = rest.iter().take_while(|b| among!(**b, b" \t|,")).count();
    let value = rest.get(gap..).unwrap_or_default();
    let value = value.get(..word(value)).unwrap_or_default();
    let is = |word: &[u8], words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    (gap > 1 || matches!(rest.first(), Some(b'|' | b'\t')))
        && is(
            name,
            &[
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
            ],
        )
        && is(value, &["value", "setting", "values", "content"])
}

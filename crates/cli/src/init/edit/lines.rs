//! Adding and removing whole lines.

use super::{Splice, line_end, part};

/// The splice that adds lines behind the line in which `at` is. `lines` has no line end at its end.
pub(super) fn add_after(text: &str, at: usize, lines: &str) -> Splice {
    let newline = line_end(text);
    match part(text, at..text.len()).find('\n') {
        Some(end) => Splice::insert(at + end + 1, format!("{lines}{newline}")),
        None => add_at_end(text, lines),
    }
}

/// The splice that adds lines at the end of the text.
pub(super) fn add_at_end(text: &str, lines: &str) -> Splice {
    let newline = line_end(text);
    let ends_line = text.is_empty() || text.ends_with('\n');
    let written = if ends_line { format!("{lines}{newline}") } else { format!("{newline}{lines}") };
    Splice::insert(text.len(), written)
}

/// The splice that removes the lines from the one with `first` to the one with `last`.
pub(super) fn remove(text: &str, first: usize, last: usize) -> Splice {
    let start = start_of_line(text, first);
    match part(text, last..text.len()).find('\n') {
        Some(end) => Splice::remove(start..last + end + 1),
        // The last line has no end: it takes that of the line before along.
        None => Splice::remove(before_newline(text, start)..text.len()),
    }
}

/// The position before the line end that ends at `start`.
fn before_newline(text: &str, start: usize) -> usize {
    let before = part(text, 0..start);
    before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).unwrap_or(before).len()
}

/// The beginning of the line in which `at` is.
pub(super) fn start_of_line(text: &str, at: usize) -> usize {
    part(text, 0..at).rfind('\n').map_or(0, |newline| newline + 1)
}

/// Whether the line before the one that begins at `start` is there and blank.
pub(super) fn follows_blank(text: &str, start: usize) -> bool {
    let Some(before) = start.checked_sub(1) else { return false };
    let line = start_of_line(text, before);
    part(text, line..before).trim().is_empty()
}

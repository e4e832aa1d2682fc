//! Characters and lines: the one place that knows where text may be cut.
//!
//! A line ends with LF, CRLF or a lone CR, and the end belongs to its line. `""` has no line, `"a"` and `"a\n"` have
//! one, `"a\n\n"` has two. Sizes are characters (Unicode scalar values) unless a name says otherwise.

use std::ops::Range;

use memchr::memchr2;

/// How many characters `text` has.
pub fn chars(text: &str) -> u64 {
    // To see that each byte is a character takes less than to count them.
    if text.is_ascii() { text.len() as u64 } else { text.chars().count() as u64 }
}

/// How many lines `text` has, a last one without an end included.
pub fn lines(text: &str) -> u64 {
    let bytes = text.as_bytes();
    match bytes.last() {
        None => 0,
        Some(b'\n' | b'\r') => line_ends(bytes),
        Some(_) => line_ends(bytes) + 1,
    }
}

/// How many line ends `bytes` has; CRLF is one.
fn line_ends(bytes: &[u8]) -> u64 {
    let feeds = memchr::memchr_iter(b'\n', bytes).count() as u64;
    let lone = memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n')).count() as u64;
    feeds + lone
}

/// `text` without the space around it, as `str::trim` has it; quick where there is none.
#[inline]
pub(crate) fn trim(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if is_plain(bytes.first()) && is_plain(bytes.last()) { text } else { text.trim() }
}

/// `text` without the space before it, as `str::trim_start` has it; quick where there is none.
#[inline]
pub(crate) fn trim_start(text: &str) -> &str {
    if text.as_bytes().first().is_some_and(u8::is_ascii_graphic) { text } else { text.trim_start() }
}

/// The part of `text` in `range`, moved inwards to character borders; never panics.
#[inline]
pub fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range.clone()).unwrap_or_else(|| moved_inwards(text, range))
}

fn moved_inwards(text: &str, range: Range<usize>) -> &str {
    let start = ceil(text, range.start.min(text.len()));
    let end = floor(text, range.end.min(text.len()));
    text.get(start..end.max(start)).unwrap_or("")
}

/// The last character border at or before `at`.
pub fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// The first character border at or after `at`.
pub fn ceil(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at)
}

/// The byte offset behind the first `count` characters, or the length of `text` if it has fewer.
pub fn prefix(text: &str, count: u64) -> usize {
    if count >= text.len() as u64 {
        return text.len();
    }
    text.char_indices().nth(count as usize).map_or(text.len(), |(at, _)| at)
}

/// The byte offset where the last `count` characters begin, or 0 if `text` has fewer.
pub fn suffix(text: &str, count: u64) -> usize {
    match count {
        0 => text.len(),
        _ => text.char_indices().rev().nth(count as usize - 1).map_or(0, |(at, _)| at),
    }
}

/// The first `count` characters of `text`.
pub fn first_chars(text: &str, count: u64) -> &str {
    slice(text, 0..prefix(text, count))
}

/// The last `count` characters of `text`.
pub fn last_chars(text: &str, count: u64) -> &str {
    slice(text, suffix(text, count)..text.len())
}

/// One line of a text: where it starts, its words, and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The byte offset of the line's first character.
    pub start: usize,
    /// The line without its end.
    pub text: &'a str,
    /// `"\n"`, `"\r\n"`, `"\r"`, or `""` for a last line without an end.
    pub end: &'a str,
}

impl Line<'_> {
    /// The line with its end, as a range of bytes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len() + self.end.len()
    }
}

/// The lines of `text`, in order; joined again they are `text`.
pub fn split(text: &str) -> Split<'_> {
    Split { text, at: 0 }
}

/// The iterator of [`split`].
#[derive(Debug, Clone)]
pub struct Split<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Split<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let (words, end) = line_at(self.text, start);
        self.at = end;
        // Lines end at characters of one byte: these are borders.
        let part = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        Some(Line { start, text: part(start..words), end: part(words..end) })
    }
}

/// Where the words of the line that starts at `start` end, and where the line with its end does.
pub(crate) fn line_at(text: &str, start: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    match bytes.get(start..).and_then(|rest| memchr2(b'\n', b'\r', rest)) {
        None => (text.len(), text.len()),
        Some(found) => {
            let words = start + found;
            let crlf = bytes.get(words) == Some(&b'\r') && bytes.get(words + 1) == Some(&b'\n');
            (words, words + 1 + usize::from(crlf))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_their_ends_and_a_last_one_without() {
        let check = |text: &str, expected| assert_eq!(lines(text), expected, "{text:?}");
        check("", 0);
        check("a", 1);
        check("a\n", 1);
        check("a\n\n", 2);
        check("a\nb", 2);
        check("a\r\nb\r\n", 2);
        check("a\rb\r", 2);
        check("a\r\r\nb", 3);
        check("\n\r", 2);
        check("\r\n", 1);
    }

    #[test]
    fn splitting_keeps_every_byte_and_agrees_with_the_count() {
        for text in ["", "a", "a\n", "\n\n", "a\r\nb\rc\nd", "\r\r\n\n", "ä\r\né"] {
            let split: Vec<_> = split(text).collect();
            let joined: String = split.iter().flat_map(|line| [line.text, line.end]).collect();
            assert_eq!(joined, text);
            assert_eq!(split.len() as u64, lines(text), "{text:?}");
        }
    }

    #[test]
    fn characters_are_never_cut() {
        let text = "aé世🎉";
        assert_eq!(chars(text), 4);
        assert_eq!(first_chars(text, 2), "aé");
        assert_eq!(last_chars(text, 2), "世🎉");
        assert_eq!(slice(text, 2..5), "");
        assert_eq!(slice(text, 2..6), "世");
        assert_eq!(first_chars(text, 9), text);
        assert_eq!(last_chars(text, 9), text);
        assert_eq!(last_chars(text, 0), "");
    }
}

//! Command lines that are written as lists of their words: `["mysql", "-p…"]`, `a0="mysql" a1="-p…"`.
//!
//! Such a list is read a second time as the command line that it is, so that all that is known of commands holds for it.

use super::rules::Rules;
use super::scan::{Segment, Span};
use crate::byte_set::among;

/// How far around a place the list is read.
const REACH: usize = 2048;
/// How many words of a list are read.
const WORDS: usize = 64;

/// Adds the secrets of the list around `at`, where the border between two of its words stands; returns where it ends.
pub(super) fn read(segment: &Segment<'_>, rules: &Rules, at: usize, spans: &mut Vec<Span>) -> usize {
    let (line, line_end) = segment.line(at);
    let (low, high) = (line.max(at.saturating_sub(REACH)).max(segment.start), line_end.min(at + REACH));
    let words = words(segment, at, low, high);
    let end = words.last().map_or(at + 1, |(_, end)| end + 1);
    // A command is not that long, and its first word is a name.
    let named = |&(from, to): &(usize, usize)| {
        let name = segment.part(from, to);
        name.len() > 1 && name.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_./-"))
    };
    if words.len() >= WORDS || !words.first().is_some_and(named) {
        return end;
    }
    // The text of the command, and for each of its bytes the place that it has in the segment.
    let (mut text, mut places) = (Vec::new(), Vec::new());
    for &(from, to) in &words {
        text.extend_from_slice(segment.part(from, to));
        text.push(b' ');
        places.extend(from..=to);
    }
    let inner = Segment::new(&text, 0, 0, text.len(), text.len());
    let mut found = Vec::new();
    super::find_in_lines(&inner, rules, &mut found);
    for span in found {
        let place = |at: usize| places.get(at).copied();
        let (Some(start), Some(last)) = (place(span.start), span.end.checked_sub(1).and_then(place)) else { continue };
        // What goes over the border of two words is none of the command's.
        if last - start == span.end - 1 - span.start && start < segment.end {
            spans.push(Span { start, end: last + 1, ..span });
        }
    }
    end
}

/// Where the quote stands that ends the word before the flag whose border begins at `at`: `, "-p`.
pub(super) fn border(segment: &Segment<'_>, at: usize) -> Option<usize> {
    let ahead = segment.part(at.saturating_sub(3).max(segment.start), at + 1);
    let back = ahead.iter().rev().take_while(|b| among!(**b, b", \\")).count();
    let quote = (at + 1).checked_sub(back + 1).filter(|quote| *quote >= segment.start)?;
    among!(segment.byte(quote), b"\"'").then_some(quote)
}

/// The words of the list around `at`, a quote that ends one of them, without their quotes.
fn words(segment: &Segment<'_>, at: usize, low: usize, high: usize) -> Vec<(usize, usize)> {
    let mark = segment.byte(at);
    let slashes = usize::from(segment.before(at) == b'\\');
    let mut words = Vec::new();
    // To the first word.
    let mut close = at;
    let mut first = at;
    while words.len() < WORDS {
        let Some(open) = opening(segment, low, close, mark, slashes) else { break };
        first = open;
        words.push((open, close));
        match border_before(segment, low, open - slashes, mark) {
            Some(before) => close = before,
            None => break,
        }
    }
    let mut open = first;
    words.clear();
    while words.len() < WORDS {
        let rest = segment.part(open, high);
        let Some(close) = closing(rest, mark, slashes) else { break };
        words.push((open + 1, open + close - slashes));
        let behind = segment.part(open + close + 1, high);
        let between = behind.iter().take_while(|b| among!(**b, b", \\")).count();
        let named = behind.get(between..).map_or(0, argument_name);
        let next = open + close + 1 + between + named;
        if between == 0 || between > 4 || segment.byte(next) != mark {
            break;
        }
        open = next;
    }
    words
}

/// How long the name of an audit log's argument at the beginning of `bytes` is: `a1=`.
fn argument_name(bytes: &[u8]) -> usize {
    let digits = bytes.iter().skip(1).take_while(|b| b.is_ascii_digit()).count();
    if bytes.first() == Some(&b'a') && digits > 0 && bytes.get(digits + 1) == Some(&b'=') { digits + 2 } else { 0 }
}

/// Where the quote stands that opens the word which ends at `close`.
fn opening(segment: &Segment<'_>, low: usize, close: usize, mark: u8, slashes: usize) -> Option<usize> {
    let mut at = close;
    loop {
        at = low + memchr::memrchr(mark, segment.part(low, at))?;
        if usize::from(segment.before(at) == b'\\') == slashes {
            return Some(at);
        }
    }
}

/// Where the quote stands that ends the word before the one that opens at `open`, if they are neighbours in a list.
fn border_before(segment: &Segment<'_>, low: usize, open: usize, mark: u8) -> Option<usize> {
    let ahead = segment.part(low, open);
    let name = ahead.iter().rev().take_while(|b| b.is_ascii_digit() || among!(**b, b"a=")).count();
    let ahead = ahead.get(..ahead.len() - name)?;
    let between = ahead.iter().rev().take_while(|b| among!(**b, b", ")).count();
    let ahead = ahead.get(..ahead.len() - between)?;
    ((1..=3).contains(&between) && ahead.last() == Some(&mark)).then(|| low + ahead.len() - 1)
}

/// Where the quote stands that ends the string which opens at the beginning of `bytes`.
fn closing(bytes: &[u8], mark: u8, slashes: usize) -> Option<usize> {
    memchr::memchr_iter(mark, bytes)
        .skip(1)
        .take(16)
        .find(|&at| usize::from(bytes.get(at - 1) == Some(&b'\\')) == slashes)
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn a_list_of_words_is_read_as_a_command() {
        check(
            "{\"argv\":[\"mysql\",\"-uroot\",\"-pqV7xw29TbLm4\",\"shop\"]}\n",
            "{\"argv\":[\"mysql\",\"-uroot\",\"-p[REDACTED: PASSWORD]\",\"shop\"]}\n",
        );
        check(
            "argc=4 a0=\"mysql\" a1=\"-uroot\" a2=\"-pqV7xw29TbLm4\"\n",
            "argc=4 a0=\"mysql\" a1=\"-uroot\" a2=\"-p[REDACTED: PASSWORD]\"\n",
        );
        check(
            "Command '['sshpass', '-p', 'qV7xw29TbLm4', 'ssh', 'h']' returned 1\n",
            "Command '['sshpass', '-p', '[REDACTED: PASSWORD]', 'ssh', 'h']' returned 1\n",
        );
        check(
            "{\"m\":\"[\\\"sshpass\\\",\\\"-p\\\",\\\"qV7xw29TbLm4\\\",\\\"ssh\\\"]\"}\n",
            "{\"m\":\"[\\\"sshpass\\\",\\\"-p\\\",\\\"[REDACTED: PASSWORD]\\\",\\\"ssh\\\"]\"}\n",
        );
    }

    #[test]
    fn lists_without_a_secret_stay() {
        for text in [
            "[\"mysql\",\"-uroot\",\"-P\",\"3306\",\"shop\"]\n",
            "x = ['a', '-', 'b']\n",
            "a0=\"ssh\" a1=\"-p\" a2=\"2222\" a3=\"h\"\n",
            "[\"\",\"-\"]\n",
            "\",\"-\n",
        ] {
            check(text, text);
        }
    }
}

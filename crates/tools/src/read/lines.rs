//! Finding a range of lines in a stream, and how many lines there are, in one pass and little memory.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};
use offcut::Cancel;

use super::CHUNK;

/// How many bytes before a range are kept: a private key's beginning is not further away.
const BEFORE: usize = 16 * 1024;

/// A range of lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRange {
    /// The first line, from 1.
    pub(super) first: u64,
    /// How many lines at most.
    pub(super) lines: u64,
    /// How many bytes of them are worth keeping.
    pub(super) bytes: u64,
}

/// A range that was found.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// Whole lines that stand right before it.
    pub(super) before: Vec<u8>,
    pub(super) lines: Vec<RangeLine>,
    /// The lines of the whole stream.
    pub(super) total: u64,
}

/// A line of the range.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RangeLine {
    /// Its bytes without its LF; only the first ones where it is too long.
    pub(super) bytes: Vec<u8>,
    /// How many bytes it has, without its LF.
    pub(super) length: u64,
    ended: bool,
}

impl RangeLine {
    /// Whether all of it is here.
    pub(super) fn is_whole(&self) -> bool {
        self.bytes.len() as u64 == self.length
    }

    /// How it ends.
    pub(super) fn end(&self) -> &'static str {
        match (self.ended, self.bytes.ends_with(b"\r")) {
            (false, _) => "",
            (true, true) => "\r\n",
            (true, false) => "\n",
        }
    }
}

/// Reads at least one byte, unless the stream is over.
pub(super) fn read_some(source: &mut impl Read, chunk: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Finds the lines that are wanted and counts all; `None` if it was cancelled.
pub(super) fn gather(mut source: impl Read, wanted: &LineRange, cancel: &Cancel) -> io::Result<Option<Gathered>> {
    let mut chunk = vec![0; CHUNK];
    let mut gathered = Gathered::default();
    let mut feeds = Feeds::default();
    let mut open: Option<RangeLine> = None;
    let mut held = 0;
    loop {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let taken = read_some(&mut source, &mut chunk)?;
        let Some(mut rest) = chunk.get(..taken).filter(|bytes| !bytes.is_empty()) else { break };
        let (before, inside) = feeds.skip(rest, wanted.first - 1);
        keep_tail(&mut gathered.before, before);
        rest = inside;
        while !rest.is_empty() && (open.is_some() || more(&gathered, wanted, held)) {
            let mut line = open.take().unwrap_or_default();
            let (words, ended, after) = split_line(rest);
            let room = usize::try_from(wanted.bytes.saturating_sub(held)).unwrap_or(usize::MAX);
            line.bytes.extend_from_slice(words.get(..words.len().min(room)).unwrap_or_default());
            held += words.len() as u64;
            line.length += words.len() as u64;
            rest = after;
            if ended {
                line.ended = true;
                gathered.lines.push(line);
                feeds.count(1, b'\n');
            } else {
                feeds.count(0, b' ');
                open = Some(line);
            }
        }
        feeds.pass(rest);
    }
    gathered.lines.extend(open);
    gathered.total = feeds.lines();
    let whole = match gathered.before.len() < BEFORE {
        true => 0,
        false => memchr(b'\n', &gathered.before).map_or(0, |at| at + 1),
    };
    gathered.before.drain(..whole);
    Ok(Some(gathered))
}

/// Hands the bytes of the lines that are wanted to `out`, until that wants no more; false if it was cancelled.
pub(super) fn pass(
    mut source: impl Read,
    wanted: &LineRange,
    cancel: &Cancel,
    out: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<bool> {
    let mut chunk = vec![0; CHUNK];
    let (mut before, mut inside) = (Feeds::default(), Feeds::default());
    loop {
        if cancel.is_cancelled() {
            return Ok(false);
        }
        let taken = read_some(&mut source, &mut chunk)?;
        let Some(rest) = chunk.get(..taken).filter(|bytes| !bytes.is_empty()) else { return Ok(true) };
        let (_, rest) = before.skip(rest, wanted.first - 1);
        let (lines, after) = inside.skip(rest, wanted.lines);
        if !out(lines) || !after.is_empty() {
            return Ok(true);
        }
    }
}

fn more(gathered: &Gathered, wanted: &LineRange, held: u64) -> bool {
    (gathered.lines.len() as u64) < wanted.lines && held < wanted.bytes
}

/// The first line of `bytes`, whether it ends there, and what follows.
fn split_line(bytes: &[u8]) -> (&[u8], bool, &[u8]) {
    match memchr(b'\n', bytes).and_then(|at| bytes.split_at_checked(at)) {
        Some((words, after)) => (words, true, after.get(1..).unwrap_or_default()),
        None => (bytes, false, &[]),
    }
}

/// Keeps the last bytes of what was passed over.
fn keep_tail(kept: &mut Vec<u8>, passed: &[u8]) {
    let tail = passed.get(passed.len().saturating_sub(BEFORE)..).unwrap_or_default();
    let over = (kept.len() + tail.len()).saturating_sub(BEFORE);
    kept.drain(..over.min(kept.len()));
    kept.extend_from_slice(tail);
}

/// Counts line feeds.
#[derive(Debug, Default)]
struct Feeds {
    seen: u64,
    /// The last byte that came, if one did.
    last: Option<u8>,
}

impl Feeds {
    /// The part of `bytes` up to the `upto`-th line feed of the stream, and what follows it.
    fn skip<'a>(&mut self, bytes: &'a [u8], upto: u64) -> (&'a [u8], &'a [u8]) {
        let missing = upto.saturating_sub(self.seen);
        let Some(nth) = missing.checked_sub(1) else { return (&[], bytes) };
        let at = usize::try_from(nth).ok().and_then(|nth| memchr_iter(b'\n', bytes).nth(nth));
        match at.and_then(|at| bytes.split_at_checked(at + 1)) {
            Some((before, after)) => {
                self.count(missing, b'\n');
                (before, after)
            }
            None => {
                self.pass(bytes);
                (bytes, &[])
            }
        }
    }

    fn pass(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last() {
            self.count(memchr_iter(b'\n', bytes).count() as u64, *last);
        }
    }

    fn count(&mut self, feeds: u64, last: u8) {
        self.seen += feeds;
        self.last = Some(last);
    }

    /// The lines so far, a last one without an end included.
    fn lines(&self) -> u64 {
        self.seen + u64::from(self.last.is_some_and(|last| last != b'\n'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, first: u64, lines: u64, bytes: u64) -> (String, Vec<(String, u64)>, u64) {
        let wanted = LineRange { first, lines, bytes };
        let Gathered { before, lines, total } = gather(text.as_bytes(), &wanted, &Cancel::new()).unwrap().unwrap();
        let lines =
            lines.iter().map(|line| (String::from_utf8_lossy(&line.bytes).into_owned() + line.end(), line.length));
        (String::from_utf8(before).unwrap(), lines.collect(), total)
    }

    #[test]
    fn a_range_is_found_and_all_lines_are_counted() {
        let text = "a\nb\nc\r\nd";
        assert_eq!(
            found(text, 2, 2, 99),
            ("a\n".to_owned(), vec![("b\n".to_owned(), 1), ("c\r\r\n".to_owned(), 2)], 4)
        );
        assert_eq!(found(text, 4, 9, 99).1, [("d".to_owned(), 1)]);
        assert_eq!(found(text, 5, 9, 99).1, []);
        assert_eq!(found("", 1, 9, 99).2, 0);
        assert_eq!(found("\n\n", 1, 9, 99).1, [("\n".to_owned(), 0), ("\n".to_owned(), 0)]);
    }

    #[test]
    fn what_is_too_long_is_measured_and_not_held() {
        let text = "x".repeat(500_000) + "\nnext\n";
        let (_, lines, total) = found(&text, 1, 9, 100);
        assert_eq!(lines, [("x".repeat(100) + "\n", 500_000)]);
        assert_eq!(total, 2);
    }

    #[test]
    fn lines_far_into_the_stream_are_found_with_what_stands_before_them() {
        let text: String = (1..=200_000).map(|n| format!("line {n}\n")).collect();
        let (before, lines, total) = found(&text, 150_000, 2, 1000);
        assert_eq!(lines, [("line 150000\n".to_owned(), 11), ("line 150001\n".to_owned(), 11)]);
        assert_eq!(total, 200_000);
        assert!(before.starts_with("line ") && before.ends_with("line 149999\n") && before.len() <= BEFORE);
    }

    #[test]
    fn a_range_passes_through_as_it_is() {
        let passed = |text: &str, first, lines| {
            let mut out = Vec::new();
            let wanted = LineRange { first, lines, bytes: 0 };
            let done = pass(text.as_bytes(), &wanted, &Cancel::new(), &mut |bytes| {
                out.extend_from_slice(bytes);
                true
            });
            assert!(done.unwrap());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(passed("a\nb\nc\nd", 2, 2), "b\nc\n");
        assert_eq!(passed("a\nb\nc\nd", 4, u64::MAX), "d");
        assert_eq!(passed("a\nb", 1, u64::MAX), "a\nb");
    }
}

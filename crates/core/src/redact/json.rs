//! Taking secrets out of a JSON text while it streams by.
//!
//! A [`JsonRedactor`] reads JSON as a parser would: every string is looked at by what it says, not by how it is
//! escaped, and together with the name that it stands under. Bytes without a secret are handed on as they came, and
//! what was JSON stays JSON. It does not need well-formed input, has no limit on nesting, and holds back at most a few
//! hundred kilobytes; time grows in proportion to the input. What stands outside of strings and is no JSON is treated
//! as plain text, so that a broken text is no way around it.
//!
//! ```
//! use offcut_core::redact::{JsonKeys, JsonRedactor, Redactor, Rules};
//!
//! let mut redactor = JsonRedactor::new(Redactor::new(Rules::builtin()), JsonKeys::default());
//! let mut out = Vec::new();
//! redactor.push(br#"{"n":1, "password":"hunter22"}"#, &mut |part| out.extend_from_slice(part));
//! redactor.finish(&mut |part| out.extend_from_slice(part));
//! assert_eq!(out, br#"{"n":1, "password":"[REDACTED: PASSWORD]"}"#);
//! ```

mod escape;
mod long;
mod value;

use std::ops::Range;

use memchr::{memchr2, memchr3};

use super::{Counts, Redactor};
use long::Long;
use value::Value;

/// From this many bytes on what is held back is handed on, between two values.
const BATCH: usize = 64 * 1024;

/// A string of more bytes is redacted in parts.
const LARGE: usize = 64 * 1024;

/// A longer key is no name that says anything of its value.
const LONGEST_KEY: usize = 128;

/// The members of a protocol's objects that are not looked at, by their keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonKeys {
    /// Values that a peer compares or decrypts: ids, cursors, signatures.
    pub opaque: &'static [&'static str],
    /// The largest depth at which a key means that; the members of the outermost object have depth 1.
    pub opaque_depth: u64,
    /// Base64 of pictures, sounds and files. A value that is anything else is looked at.
    pub media: &'static [&'static str],
}

/// Redacts one stream of JSON.
#[derive(Debug)]
pub struct JsonRedactor {
    /// Makes the redactors of single values.
    redactor: Redactor,
    keys: JsonKeys,
    counts: Counts,
    state: State,
    depth: u64,
    /// Bytes that were not handed on yet.
    raw: Vec<u8>,
    /// The values in `raw`, in order.
    values: Vec<Value>,
    /// What all of them say, for one look at them together.
    batch: String,
    /// The string that ended last, while it is not known whether it is a key.
    last: Option<Range<usize>>,
    /// The key of the value that comes; empty where there is none.
    key: Vec<u8>,
    long: Option<Long>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// In a string that begins here in `raw`, behind its quote; `true` right behind a backslash.
    Text(usize, bool),
    /// In something without quotes that begins here in `raw`.
    Bare(usize),
    /// In a string, or in something without quotes, that is redacted in parts; `true` right behind a backslash.
    Long(bool),
    LongBare,
}

impl JsonRedactor {
    /// A redactor for one text, by the rules of `redactor`.
    pub fn new(redactor: Redactor, keys: JsonKeys) -> JsonRedactor {
        JsonRedactor {
            redactor,
            keys,
            counts: Counts::new(),
            state: State::Outside,
            depth: 0,
            raw: Vec::new(),
            values: Vec::new(),
            batch: String::new(),
            last: None,
            key: Vec::new(),
            long: None,
        }
    }

    /// Takes bytes in and hands what is final by now to `out`, in order and in pieces.
    pub fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        let mut rest = bytes;
        while let Some((first, behind)) = rest.split_first() {
            rest = match self.state {
                State::Outside => {
                    self.outside(*first, out);
                    behind
                }
                State::Text(start, escaped) => self.text(rest, start, escaped, out),
                State::Bare(start) => self.bare(rest, start, out),
                State::Long(escaped) => self.long_text(rest, escaped, out),
                State::LongBare => self.long_bare(rest, out),
            };
        }
    }

    /// Hands on what was held back. The text is over.
    pub fn finish(&mut self, out: &mut dyn FnMut(&[u8])) {
        match self.state {
            State::Text(start, _) => self.end_value(start, true),
            State::Bare(start) => self.end_value(start, false),
            State::Long(_) | State::LongBare => self.end_long(out),
            State::Outside => {}
        }
        self.flush(out);
        self.state = State::Outside;
    }

    /// How many secrets of each kind were found so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    fn outside(&mut self, byte: u8, out: &mut dyn FnMut(&[u8])) {
        self.raw.push(byte);
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => {
                self.last = None;
                self.state = State::Text(self.raw.len(), false);
            }
            b':' => self.name_the_next(),
            b'{' | b'[' | b'}' | b']' | b',' => {
                match byte {
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.key.clear();
                self.last = None;
                if self.raw.len() >= BATCH {
                    self.flush(out);
                }
            }
            _ => {
                self.last = None;
                self.state = State::Bare(self.raw.len() - 1);
            }
        }
    }

    /// The string before a colon is the name of what follows.
    fn name_the_next(&mut self) {
        self.key.clear();
        let key = self.last.take().and_then(|range| self.raw.get(range));
        self.key.extend(key.filter(|key| key.len() <= LONGEST_KEY && !key.contains(&b'\\')).unwrap_or_default());
    }

    /// Goes on in a string; what is left behind its end, or nothing.
    fn text<'b>(&mut self, rest: &'b [u8], start: usize, escaped: bool, out: &mut dyn FnMut(&[u8])) -> &'b [u8] {
        let skip = usize::from(escaped);
        let found = memchr2(b'"', b'\\', rest.get(skip..).unwrap_or_default()).map(|at| at + skip);
        let end = found.unwrap_or(rest.len());
        let (inside, behind) = rest.split_at(end);
        self.raw.extend_from_slice(inside);
        let left = match behind.split_first() {
            None => {
                self.state = State::Text(start, false);
                behind
            }
            Some((b'\\', left)) => {
                self.raw.push(b'\\');
                self.state = State::Text(start, true);
                left
            }
            Some((_, left)) => {
                self.end_value(start, true);
                self.last = Some(start..self.raw.len());
                self.raw.push(b'"');
                self.state = State::Outside;
                return left;
            }
        };
        if self.raw.len() - start > LARGE {
            self.begin_long(start, out);
        }
        left
    }

    /// Goes on in something without quotes.
    fn bare<'b>(&mut self, rest: &'b [u8], start: usize, out: &mut dyn FnMut(&[u8])) -> &'b [u8] {
        let end = bare_end(rest);
        let (inside, behind) = rest.split_at(end.unwrap_or(rest.len()));
        self.raw.extend_from_slice(inside);
        if end.is_some() {
            self.end_value(start, false);
            self.state = State::Outside;
        } else if self.raw.len() - start > LARGE {
            self.begin_long(start, out);
        }
        behind
    }

    /// A value has ended: it is looked at with the others of its batch.
    fn end_value(&mut self, start: usize, quoted: bool) {
        let range = start..self.raw.len();
        let inner = self.raw.get(range.clone()).unwrap_or_default();
        let opaque = self.depth <= self.keys.opaque_depth && is_one_of(&self.key, self.keys.opaque);
        if opaque || (is_one_of(&self.key, self.keys.media) && value::is_media(inner)) {
            return;
        }
        let value = Value { range, key: String::from_utf8_lossy(&self.key).into_owned(), quoted };
        if value.write(inner, &mut self.batch) {
            self.values.push(value);
        }
    }

    /// Looks at the values that were held back, and hands them on.
    fn flush(&mut self, out: &mut dyn FnMut(&[u8])) {
        let raw = std::mem::take(&mut self.raw);
        let values = std::mem::take(&mut self.values);
        let batch = std::mem::take(&mut self.batch);
        self.last = None;
        let mut at = 0;
        if !batch.is_empty() && self.redactor.finds_any(&batch) {
            for value in values {
                let inner = raw.get(value.range.clone()).unwrap_or_default();
                let Some(new) = value.redacted(inner, &self.redactor, &mut self.counts) else { continue };
                out(raw.get(at..value.range.start).unwrap_or_default());
                out(&new);
                at = value.range.end;
            }
        }
        if let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
            out(rest);
        }
    }

    // ── Values that are too long to be held ──────────────────────────────────────────────────────────────────────

    /// The value that begins at `start` is redacted in parts from here on.
    fn begin_long(&mut self, start: usize, out: &mut dyn FnMut(&[u8])) {
        let begun = self.raw.split_off(start);
        self.flush(out);
        let quoted = matches!(self.state, State::Text(..));
        let opaque = self.depth <= self.keys.opaque_depth && is_one_of(&self.key, self.keys.opaque);
        let media = is_one_of(&self.key, self.keys.media) && value::is_media(&begun);
        let mut long = match opaque {
            true => Long::opaque(),
            false => Long::new(self.redactor.again(), quoted, media),
        };
        long.push(&begun, out);
        self.long = Some(long);
        self.state = match self.state {
            State::Text(_, escaped) => State::Long(escaped),
            _ => State::LongBare,
        };
    }

    fn long_text<'b>(&mut self, rest: &'b [u8], escaped: bool, out: &mut dyn FnMut(&[u8])) -> &'b [u8] {
        let skip = usize::from(escaped);
        let found = memchr2(b'"', b'\\', rest.get(skip..).unwrap_or_default()).map(|at| at + skip);
        let is_escape = found.is_some_and(|at| rest.get(at) == Some(&b'\\'));
        let end = found.map_or(rest.len(), |at| at + usize::from(is_escape));
        let (inside, behind) = rest.split_at(end);
        if let Some(long) = &mut self.long {
            long.push(inside, out);
        }
        self.state = State::Long(is_escape);
        match behind.split_first() {
            Some((b'"', left)) if !is_escape => {
                self.end_long(out);
                self.raw.push(b'"');
                left
            }
            _ => behind,
        }
    }

    fn long_bare<'b>(&mut self, rest: &'b [u8], out: &mut dyn FnMut(&[u8])) -> &'b [u8] {
        let end = bare_end(rest);
        let (inside, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if let Some(long) = &mut self.long {
            long.push(inside, out);
        }
        if end.is_some() {
            self.end_long(out);
        }
        behind
    }

    fn end_long(&mut self, out: &mut dyn FnMut(&[u8])) {
        if let Some(mut long) = self.long.take() {
            long.finish(out);
            add(&mut self.counts, &long.counts());
        }
        self.state = State::Outside;
    }
}

/// Where something without quotes ends.
fn bare_end(rest: &[u8]) -> Option<usize> {
    let first = memchr3(b'"', b'}', b']', rest);
    let second = memchr3(b',', b'{', b'[', rest.get(..first.unwrap_or(rest.len())).unwrap_or_default());
    second.or(first)
}

fn is_one_of(key: &[u8], keys: &[&str]) -> bool {
    !key.is_empty() && keys.iter().any(|known| known.as_bytes() == key)
}

fn add(counts: &mut Counts, more: &Counts) {
    for (kind, count) in more {
        *counts.entry(kind.clone()).or_default() += count;
    }
}

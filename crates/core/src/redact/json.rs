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

use memchr::memchr3;

use super::{Counts, Redactor};
use crate::json::{Lexeme, LexemePart, Lexer};
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
    lexer: Lexer,
    state: State,
    /// Where the value that is being read begins in `raw`, a string behind its quote.
    start: usize,
    /// The same value, once it is too long to be held: it is redacted in parts.
    long: Option<Long>,
    depth: u64,
    /// Bytes that were not handed on yet.
    raw: Vec<u8>,
    /// The values in `raw`, in order.
    values: Vec<Held>,
    /// The names that they stand under.
    names: String,
    /// What all of them say, for one look at them together.
    batch: String,
    /// The string that ended last, while it is not known whether it is a key.
    last: Option<Range<usize>>,
    /// The key of the value that comes; empty where there is none.
    key: String,
}

/// A value that was not handed on yet.
#[derive(Debug)]
struct Held {
    /// Where it stands in `raw`; a string without its quotes.
    range: Range<usize>,
    /// Where its name stands in `names`.
    key: Range<usize>,
    quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// In a string.
    Text,
    /// In plain text: a number, a literal, or what is no JSON. It goes on up to a quote, a bracket or a comma.
    Plain,
}

impl JsonRedactor {
    /// A redactor for one text, by the rules of `redactor`.
    pub fn new(redactor: Redactor, keys: JsonKeys) -> JsonRedactor {
        JsonRedactor {
            redactor,
            keys,
            counts: Counts::new(),
            lexer: Lexer::stopping_at_escapes(),
            state: State::Outside,
            start: 0,
            long: None,
            depth: 0,
            raw: Vec::new(),
            values: Vec::new(),
            names: String::new(),
            batch: String::new(),
            last: None,
            key: String::new(),
        }
    }

    /// Takes bytes in and hands what is final by now to `out`, in order and in pieces.
    pub fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.state == State::Plain {
                self.plain(&mut rest, out);
            } else if let Some(piece) = self.lexer.next(&mut rest) {
                match piece.lexeme {
                    Lexeme::Text => self.text(piece, out),
                    _ => self.between(piece, out),
                }
            }
        }
        if self.state != State::Outside && self.is_too_long() {
            self.begin_long(out);
        }
    }

    /// Hands on what was held back. The text is over.
    pub fn finish(&mut self, out: &mut dyn FnMut(&[u8])) {
        self.end_value(out);
        self.flush(out);
        self.lexer = Lexer::stopping_at_escapes();
    }

    /// How many secrets of each kind were found so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    fn between(&mut self, piece: LexemePart<'_>, out: &mut dyn FnMut(&[u8])) {
        match piece.lexeme {
            Lexeme::Mark(mark @ (b'{' | b'[' | b'}' | b']' | b',' | b':')) => {
                self.raw.push(mark);
                self.mark(mark, out);
            }
            Lexeme::Word | Lexeme::Mark(_) if piece.begins => {
                self.last = None;
                (self.state, self.start) = (State::Plain, self.raw.len());
                self.raw.extend_from_slice(piece.bytes);
            }
            // White space, or the end of a word where plain text has ended.
            _ => self.raw.extend_from_slice(piece.bytes),
        }
    }

    fn mark(&mut self, mark: u8, out: &mut dyn FnMut(&[u8])) {
        let last = self.last.take();
        self.key.clear();
        match mark {
            // The string before a colon is the name of what follows.
            b':' => {
                let key = last.and_then(|range| self.raw.get(range)).unwrap_or_default();
                if key.len() <= LONGEST_KEY && !key.contains(&b'\\') {
                    escape::push_lossy(key, &mut self.key);
                }
                return;
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.raw.len() >= BATCH {
            self.flush(out);
        }
    }

    /// Begins a string, or goes on in it.
    fn text(&mut self, piece: LexemePart<'_>, out: &mut dyn FnMut(&[u8])) {
        if piece.begins {
            self.raw.push(b'"');
            (self.state, self.start) = (State::Text, self.raw.len());
        }
        self.hold(piece.inside(), out);
        if piece.ends {
            self.end_value(out);
            self.raw.push(b'"');
        } else if self.is_too_long() {
            self.begin_long(out);
        }
    }

    /// Goes on in plain text.
    fn plain(&mut self, rest: &mut &[u8], out: &mut dyn FnMut(&[u8])) {
        let (inside, behind) = rest.split_at(plain_end(rest));
        self.hold(inside, out);
        if !behind.is_empty() {
            self.end_value(out);
        }
        *rest = behind;
    }

    /// Takes the next bytes of a value.
    fn hold(&mut self, inside: &[u8], out: &mut dyn FnMut(&[u8])) {
        match &mut self.long {
            Some(long) => long.push(inside, out),
            None => self.raw.extend_from_slice(inside),
        }
    }

    /// Whether the value that goes on is too long to be held.
    fn is_too_long(&self) -> bool {
        self.long.is_none() && self.raw.len() - self.start > LARGE
    }

    /// The value that goes on is redacted in parts from here on.
    fn begin_long(&mut self, out: &mut dyn FnMut(&[u8])) {
        let begun = self.raw.split_off(self.start);
        self.flush(out);
        let media = is_one_of(&self.key, self.keys.media) && value::is_media(&begun);
        let mut long = match self.is_opaque() {
            true => Long::opaque(),
            false => Long::new(self.redactor.again(), self.state == State::Text, media),
        };
        long.push(&begun, out);
        self.long = Some(long);
    }

    /// A value has ended: it is looked at with the others of its batch, where that was not done in parts.
    fn end_value(&mut self, out: &mut dyn FnMut(&[u8])) {
        let quoted = match std::mem::replace(&mut self.state, State::Outside) {
            State::Outside => return,
            State::Text => true,
            State::Plain => false,
        };
        if let Some(long) = &mut self.long {
            long.finish(out);
            add(&mut self.counts, &long.counts());
            self.long = None;
            return;
        }
        let range = self.start..self.raw.len();
        let inner = self.raw.get(range.clone()).unwrap_or_default();
        self.last = quoted.then(|| range.clone());
        if self.is_opaque() || (is_one_of(&self.key, self.keys.media) && value::is_media(inner)) {
            return;
        }
        if (Value { inner, key: &self.key, quoted }).write(&mut self.batch) {
            let key = self.names.len()..self.names.len() + self.key.len();
            self.names.push_str(&self.key);
            self.values.push(Held { range, key, quoted });
        }
    }

    fn is_opaque(&self) -> bool {
        self.depth <= self.keys.opaque_depth && is_one_of(&self.key, self.keys.opaque)
    }

    /// Looks at the values that were held back, and hands them on.
    fn flush(&mut self, out: &mut dyn FnMut(&[u8])) {
        let raw = std::mem::take(&mut self.raw);
        let values = std::mem::take(&mut self.values);
        let (names, batch) = (std::mem::take(&mut self.names), std::mem::take(&mut self.batch));
        self.last = None;
        let mut at = 0;
        if !batch.is_empty() && self.redactor.finds_any(&batch) {
            for Held { range, key, quoted } in values {
                let inner = raw.get(range.clone()).unwrap_or_default();
                let value = Value { inner, key: names.get(key).unwrap_or_default(), quoted };
                let Some(new) = value.redacted(&self.redactor, &mut self.counts) else { continue };
                out(raw.get(at..range.start).unwrap_or_default());
                out(&new);
                at = range.end;
            }
        }
        if let Some(rest) = raw.get(at..).filter(|rest| !rest.is_empty()) {
            out(rest);
        }
    }
}

/// How much plain text is searched at a time.
const STRETCH: usize = 256;

/// Where plain text ends.
fn plain_end(rest: &[u8]) -> usize {
    // Behind a number or a literal it ends at once.
    if matches!(rest.first(), Some(b'"' | b'}' | b']' | b',' | b'{' | b'[')) {
        return 0;
    }
    let end_in = |stretch: &[u8]| {
        let first = memchr3(b'"', b'}', b']', stretch);
        let second = memchr3(b',', b'{', b'[', stretch.get(..first.unwrap_or(stretch.len())).unwrap_or_default());
        second.or(first)
    };
    let found = rest.chunks(STRETCH).enumerate().find_map(|(at, stretch)| Some(at * STRETCH + end_in(stretch)?));
    found.unwrap_or(rest.len())
}

fn is_one_of(key: &str, keys: &[&str]) -> bool {
    !key.is_empty() && keys.contains(&key)
}

fn add(counts: &mut Counts, more: &Counts) {
    for (kind, count) in more {
        *counts.entry(kind.clone()).or_default() += count;
    }
}

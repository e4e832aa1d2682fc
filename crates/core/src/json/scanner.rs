//! Reading JSON token by token, in constant memory and without recursion.
//!
//! The grammar of RFC 8259 is checked on the way, everywhere: brackets, commas, colons, strings with their escapes,
//! numbers and literals. What is nested costs one bit a level.

use std::fmt;
use std::io;

use super::near::{begins_with, near_number, plain_string_bytes};
use crate::bytes::Bytes;
use crate::document::Document;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// `[`
    OpenArray,
    /// `{`
    OpenObject,
    /// `]` or `}`
    Close,
    /// A member's name, without its colon.
    Key,
    /// A string value.
    Text,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
}

/// A token and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpannedToken {
    /// What it is.
    pub token: Token,
    /// Its first byte.
    pub start: u64,
    /// The byte behind its last.
    pub end: u64,
}

/// Why a text is not JSON, and where.
#[derive(Debug)]
pub enum Malformed {
    /// The grammar is broken at this byte.
    At(u64, &'static str),
    /// The text could not be read.
    Unreadable(io::Error),
}

impl From<io::Error> for Malformed {
    fn from(error: io::Error) -> Malformed {
        Malformed::Unreadable(error)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::At(byte, why) => write!(f, "byte {byte}: {why}"),
            Malformed::Unreadable(error) => error.fmt(f),
        }
    }
}

/// What is said of a value that something follows.
pub(crate) const FOLLOWED: &str = "something follows the end of the value";

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrClose,
    KeyOrClose,
    Key,
    CommaOrClose,
    Nothing,
}

/// The tokens of JSON texts, in order.
pub struct Scanner<'a> {
    bytes: Bytes<'a>,
    /// One bit a level: set for an object.
    levels: Vec<u64>,
    depth: usize,
    expect: Expect,
    /// Whether another text may follow the first (NDJSON).
    many: bool,
}

// The loop over tokens is where the time of a large document goes. What it is made of is compiled into it, so that a
// token is not handed through memory from one function to the next.
impl<'a> Scanner<'a> {
    /// Reads the one JSON text that `text` is.
    pub fn whole(text: &'a str) -> Scanner<'a> {
        Scanner::of(Bytes::whole(text.as_bytes()), false)
    }

    /// Reads the one JSON text in `range`.
    pub(crate) fn one(document: &'a dyn Document, range: std::ops::Range<u64>) -> io::Result<Scanner<'a>> {
        Ok(Scanner::of(Bytes::new(document, range)?, false))
    }

    /// Reads one JSON text, or `many` that white space separates.
    pub(crate) fn of(bytes: Bytes<'a>, many: bool) -> Scanner<'a> {
        Scanner { bytes, levels: Vec::new(), depth: 0, expect: Expect::Value, many }
    }

    /// Where the next byte is.
    pub(crate) fn position(&self) -> u64 {
        self.bytes.position()
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether everything was read: what is wrong then is that more is missing.
    pub(crate) fn at_end(&mut self) -> io::Result<bool> {
        let position = self.bytes.position();
        Ok(self.bytes.peek(position)?.is_none())
    }

    /// What is left of the window, from the next byte on.
    pub(crate) fn window(&self) -> &[u8] {
        self.bytes.window()
    }

    /// Goes `count` bytes on, over values that are whole and what separates them: what may come next stays the same.
    pub(crate) fn skip_values(&mut self, count: usize) {
        self.bytes.advance(count);
    }

    /// The bytes of a token, if it was short enough to stay in the window.
    pub(crate) fn bytes_since(&self, start: u64) -> Option<&[u8]> {
        self.bytes.since(start)
    }

    /// The next token; `None` at the end of a text that is whole.
    #[inline(always)]
    pub fn next_token(&mut self) -> Result<Option<SpannedToken>, Malformed> {
        loop {
            let Some(byte) = self.skip_space()? else {
                return match self.expect {
                    Expect::Nothing => Ok(None),
                    Expect::Value if self.many && self.depth == 0 => Ok(None),
                    _ => Err(Malformed::At(self.bytes.position(), "the text ends inside a value")),
                };
            };
            let start = self.bytes.position();
            match (self.expect, byte) {
                (Expect::CommaOrClose, b',') => {
                    self.bytes.advance(1);
                    self.expect = if self.in_object() { Expect::Key } else { Expect::Value };
                }
                (Expect::CommaOrClose | Expect::KeyOrClose | Expect::ValueOrClose, b'}' | b']') => {
                    return self.close(byte, start).map(Some);
                }
                (Expect::Key | Expect::KeyOrClose, b'"') => return self.key(start).map(Some),
                (Expect::Value | Expect::ValueOrClose, _) => return self.value(byte, start).map(Some),
                (Expect::Nothing, _) if self.many => self.expect = Expect::Value,
                (Expect::Nothing, _) => return Err(Malformed::At(start, FOLLOWED)),
                (Expect::CommaOrClose, _) => return Err(Malformed::At(start, "expected a comma or a closing bracket")),
                (Expect::Key | Expect::KeyOrClose, _) => {
                    return Err(Malformed::At(start, "expected a name in double quotes"));
                }
            }
        }
    }

    /// The next token, if it is the name that is `expected`, which is given in its quotes and with a colon behind it;
    /// else nothing is read. Quicker than [`Scanner::next_token`], which finds the same.
    #[inline(always)]
    pub(crate) fn expected_name(&mut self, expected: &[u8]) -> Option<SpannedToken> {
        let window = self.bytes.window();
        let comma = match self.expect {
            Expect::CommaOrClose if window.first() == Some(&b',') && self.in_object() => 1,
            Expect::KeyOrClose => 0,
            _ => return None,
        };
        let rest = window.get(comma..)?;
        let space = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
        if expected.is_empty() || !begins_with(rest.get(space..)?, expected) {
            return None;
        }
        let start = self.bytes.position() + (comma + space) as u64;
        self.bytes.advance(comma + space + expected.len());
        self.expect = Expect::Value;
        Some(SpannedToken { token: Token::Key, start, end: start + expected.len() as u64 - 1 })
    }

    #[inline]
    fn in_object(&self) -> bool {
        self.depth > 0
            && self.levels.get((self.depth - 1) / 64).is_some_and(|bits| bits >> ((self.depth - 1) % 64) & 1 == 1)
    }

    #[inline(always)]
    fn open(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.levels.len() {
            self.levels.push(0);
        }
        if let Some(bits) = self.levels.get_mut(word) {
            *bits = *bits & !(1 << bit) | u64::from(object) << bit;
        }
        self.depth += 1;
        self.expect = if object { Expect::KeyOrClose } else { Expect::ValueOrClose };
    }

    #[inline(always)]
    fn close(&mut self, byte: u8, start: u64) -> Result<SpannedToken, Malformed> {
        if (byte == b'}') != self.in_object() {
            return Err(Malformed::At(start, "a closing bracket of the wrong kind"));
        }
        self.bytes.advance(1);
        self.depth -= 1;
        self.after_value();
        Ok(SpannedToken { token: Token::Close, start, end: start + 1 })
    }

    #[inline(always)]
    fn after_value(&mut self) {
        self.expect = if self.depth == 0 { Expect::Nothing } else { Expect::CommaOrClose };
    }

    #[inline(always)]
    fn key(&mut self, start: u64) -> Result<SpannedToken, Malformed> {
        let end = self.string(start)?;
        // The colon is looked for at once, but the window still holds the key where it can.
        let found = SpannedToken { token: Token::Key, start, end };
        if self.bytes.window().first() == Some(&b':') {
            self.bytes.advance(1);
            self.expect = Expect::Value;
            return Ok(found);
        }
        loop {
            match self.bytes.peek(start)? {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.bytes.advance(1),
                Some(b':') => break,
                _ => return Err(Malformed::At(self.bytes.position(), "expected a colon after a name")),
            }
        }
        self.bytes.advance(1);
        self.expect = Expect::Value;
        Ok(found)
    }

    #[inline(always)]
    fn value(&mut self, byte: u8, start: u64) -> Result<SpannedToken, Malformed> {
        let token = match byte {
            b'{' | b'[' => {
                self.bytes.advance(1);
                self.open(byte == b'{');
                let token = if byte == b'{' { Token::OpenObject } else { Token::OpenArray };
                return Ok(SpannedToken { token, start, end: start + 1 });
            }
            b'"' => {
                self.string(start)?;
                Token::Text
            }
            b'-' | b'0'..=b'9' => {
                self.number(start)?;
                Token::Number
            }
            b't' => self.word(b"true", start)?,
            b'f' => self.word(b"false", start)?,
            b'n' => self.word(b"null", start)?,
            _ => return Err(Malformed::At(start, "expected a value")),
        };
        self.after_value();
        Ok(SpannedToken { token, start, end: self.bytes.position() })
    }

    #[inline]
    fn skip_space(&mut self) -> Result<Option<u8>, Malformed> {
        // Mostly there is none, or one space.
        match *self.bytes.window() {
            [byte, ..] if byte > b' ' => Ok(Some(byte)),
            [b' ', byte, ..] if byte > b' ' => {
                self.bytes.advance(1);
                Ok(Some(byte))
            }
            _ => self.skip_more_space(),
        }
    }

    fn skip_more_space(&mut self) -> Result<Option<u8>, Malformed> {
        loop {
            let window = self.bytes.window();
            match window.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
                Some(at) => {
                    let byte = window.get(at).copied();
                    self.bytes.advance(at);
                    return Ok(byte);
                }
                None => {
                    let skipped = window.len();
                    self.bytes.advance(skipped);
                    if !self.bytes.refill(self.bytes.position())? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Reads a string that starts at the next byte; where it ends.
    #[inline(always)]
    fn string(&mut self, start: u64) -> Result<u64, Malformed> {
        self.bytes.advance(1);
        loop {
            let window = self.bytes.window();
            let plain = plain_string_bytes(window);
            let stop = window.get(plain).copied();
            self.bytes.advance(plain);
            match stop {
                Some(b'"') => {
                    self.bytes.advance(1);
                    return Ok(self.bytes.position());
                }
                Some(b'\\') => {
                    self.bytes.advance(1);
                    self.escape(start)?;
                }
                Some(_) => return Err(Malformed::At(self.bytes.position(), "a control character inside a string")),
                None => {
                    if !self.bytes.refill(start)? {
                        return Err(Malformed::At(self.bytes.position(), "the text ends inside a string"));
                    }
                }
            }
        }
    }

    fn escape(&mut self, start: u64) -> Result<(), Malformed> {
        match self.bytes.peek(start)? {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.bytes.advance(1),
            Some(b'u') => {
                self.bytes.advance(1);
                for _ in 0..4 {
                    match self.bytes.peek(start)? {
                        Some(byte) if byte.is_ascii_hexdigit() => self.bytes.advance(1),
                        _ => return Err(Malformed::At(self.bytes.position(), "expected four hexadecimal digits")),
                    }
                }
            }
            _ => return Err(Malformed::At(self.bytes.position(), "an unknown escape inside a string")),
        }
        Ok(())
    }

    fn number(&mut self, start: u64) -> Result<(), Malformed> {
        if let Some(end) = near_number(self.bytes.window()) {
            self.bytes.advance(end);
            return Ok(());
        }
        if self.bytes.peek(start)? == Some(b'-') {
            self.bytes.advance(1);
        }
        match self.bytes.peek(start)? {
            Some(b'0') => self.bytes.advance(1),
            _ => self.digits(start)?,
        }
        if self.bytes.peek(start)? == Some(b'.') {
            self.bytes.advance(1);
            self.digits(start)?;
        }
        if matches!(self.bytes.peek(start)?, Some(b'e' | b'E')) {
            self.bytes.advance(1);
            if matches!(self.bytes.peek(start)?, Some(b'+' | b'-')) {
                self.bytes.advance(1);
            }
            self.digits(start)?;
        }
        match self.bytes.peek(start)? {
            None | Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}') => Ok(()),
            Some(_) => Err(Malformed::At(self.bytes.position(), "a number is followed by something else")),
        }
    }

    fn digits(&mut self, start: u64) -> Result<(), Malformed> {
        let mut any = false;
        while matches!(self.bytes.peek(start)?, Some(b'0'..=b'9')) {
            self.bytes.advance(1);
            any = true;
        }
        if any { Ok(()) } else { Err(Malformed::At(self.bytes.position(), "expected a digit")) }
    }

    fn word(&mut self, word: &[u8], start: u64) -> Result<Token, Malformed> {
        let window = self.bytes.window();
        if window.starts_with(word) && matches!(window.get(word.len()), Some(b',' | b']' | b'}' | b'\n')) {
            self.bytes.advance(word.len());
            return Ok(Token::Word);
        }
        for &expected in word {
            if self.bytes.peek(start)? != Some(expected) {
                return Err(Malformed::At(start, "expected a value"));
            }
            self.bytes.advance(1);
        }
        match self.bytes.peek(start)? {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => Err(Malformed::At(start, "expected a value")),
            _ => Ok(Token::Word),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All tokens, with `expected` tried at each; and where the text breaks the grammar.
    fn tokens(text: &str, expected: &str) -> (Vec<SpannedToken>, Option<String>) {
        let (mut scanner, mut tokens) = (Scanner::whole(text), Vec::new());
        loop {
            let found = match scanner.expected_name(expected.as_bytes()) {
                Some(found) => Ok(Some(found)),
                None => scanner.next_token(),
            };
            match found {
                Ok(Some(found)) => tokens.push(found),
                Ok(None) => return (tokens, None),
                Err(malformed) => return (tokens, Some(malformed.to_string())),
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_grammar(number in "-?[0-9.eE+-]{1,7}") {
            let is_sound = serde_json::from_str::<serde::de::IgnoredAny>(&number).is_ok();
            for text in [number.clone(), format!("[{number}]"), format!("[{number} , 1]"), format!("{{\"a\":{number}}}")] {
                prop_assert_eq!(tokens(&text, "").1.is_none(), is_sound, "{}", text);
            }
            let followed = format!("[{number}x]");
            prop_assert!(tokens(&followed, "").1.is_some());
        }

        #[test]
        fn a_name_is_read_the_same_whether_it_is_expected_or_not(
            parts in prop::collection::vec(r#"\{|\[|\}|\]|,|:|"a"|"abc"|"a long name":|"a":|"abc":| |\n|1|"#, 0..30),
            expected in r#""a":|"abc":|"a long name":|"longer than sixteen":"#,
        ) {
            let text = parts.concat();
            prop_assert_eq!(tokens(&text, &expected), tokens(&text, ""));
            let records = format!("[{{{expected}1}}{parts}, {{ {expected} 2,{expected}{{{expected}3}}}}]", parts = parts.concat());
            prop_assert_eq!(tokens(&records, &expected), tokens(&records, ""));
            let sound = format!("[{{{expected}1}}, {{ {expected} 2,\n  {expected}{{{expected}3}}, \"b\": 0}}]");
            prop_assert_eq!(tokens(&sound, &expected), tokens(&sound, ""));
            prop_assert_eq!(tokens(&sound, "").1, None);
        }
    }
}

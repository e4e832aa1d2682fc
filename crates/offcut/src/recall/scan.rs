//! Finding the borders of JSON values in bytes, without building a tree.
//!
//! The scanner knows strings, brackets and separators. It does not check what stands inside a scalar: whoever shows a
//! value parses it first.

use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use offcut_store::BLOCK;

use super::RecallError;
use super::document::ArtifactDocument;

/// How deep brackets may be nested; the parser of trees stops earlier.
const DEEPEST: usize = 512;

/// The longest key of an object that is read, in bytes.
const LONGEST_KEY: u64 = 1024 * 1024;

/// Bytes that can be had in chunks.
pub(super) trait Chunks {
    /// The chunk that holds `at`, and where it starts; it may be empty only at the end.
    fn chunk(&self, at: u64) -> Result<(u64, Rc<[u8]>), RecallError>;
}

impl Chunks for ArtifactDocument<'_> {
    fn chunk(&self, at: u64) -> Result<(u64, Rc<[u8]>), RecallError> {
        let number = at / BLOCK as u64;
        Ok((number * BLOCK as u64, self.block(number)?))
    }
}

/// A part that is in memory already.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) start: u64,
    pub(super) bytes: Rc<[u8]>,
}

impl Chunks for Held {
    fn chunk(&self, _at: u64) -> Result<(u64, Rc<[u8]>), RecallError> {
        Ok((self.start, self.bytes.clone()))
    }
}

/// How the children of a value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One JSON value.
    Value,
    /// Values one after another, which count as the members of an array (NDJSON).
    Records,
}

/// A member of an array or object.
#[derive(Debug)]
pub(super) struct Child {
    /// Its name, in an object.
    pub(super) key: Option<String>,
    /// Its number, from 0.
    pub(super) index: u64,
    /// Where it stands.
    pub(super) span: Range<u64>,
}

/// Visits the children of the value in `span`, in order, until the visitor breaks. A scalar has none.
pub(super) fn children(
    chunks: &dyn Chunks,
    span: Range<u64>,
    form: Form,
    visit: &mut dyn FnMut(Child) -> Result<ControlFlow<()>, RecallError>,
) -> Result<(), RecallError> {
    let mut cursor = Cursor::new(chunks, span);
    cursor.skip_space()?;
    let close = match (form, cursor.peek()?) {
        (Form::Records, _) => None,
        (Form::Value, Some(b'[')) => Some(b']'),
        (Form::Value, Some(b'{')) => Some(b'}'),
        (Form::Value, _) => return Ok(()),
    };
    if close.is_some() {
        cursor.advance(1);
        cursor.skip_space()?;
    }
    let mut index = 0;
    while cursor.peek()? != close {
        if close.is_some() && index > 0 {
            cursor.expect(b',')?;
            cursor.skip_space()?;
        }
        let key = if close == Some(b'}') { Some(cursor.key()?) } else { None };
        let start = cursor.at;
        cursor.skip_value()?;
        let child = Child { key, index, span: start..cursor.at };
        if visit(child)?.is_break() {
            return Ok(());
        }
        index += 1;
        cursor.skip_space()?;
    }
    if close.is_some() {
        cursor.advance(1);
    }
    cursor.skip_space()?;
    if cursor.peek()?.is_some() { Err(cursor.malformed("the end of the document")) } else { Ok(()) }
}

/// A place in bytes that arrive in chunks.
struct Cursor<'a> {
    chunks: &'a dyn Chunks,
    chunk: Rc<[u8]>,
    chunk_start: u64,
    at: u64,
    end: u64,
}

impl<'a> Cursor<'a> {
    fn new(chunks: &'a dyn Chunks, span: Range<u64>) -> Cursor<'a> {
        Cursor { chunks, chunk: Rc::from([]), chunk_start: span.start, at: span.start, end: span.end }
    }

    /// What is left of the current chunk; empty only at the end.
    fn rest(&mut self) -> Result<&[u8], RecallError> {
        if self.at >= self.end {
            return Ok(&[]);
        }
        let offset = |start: u64, at: u64| at.checked_sub(start).and_then(|offset| usize::try_from(offset).ok());
        if offset(self.chunk_start, self.at).is_none_or(|offset| offset >= self.chunk.len()) {
            (self.chunk_start, self.chunk) = self.chunks.chunk(self.at)?;
        }
        let from = offset(self.chunk_start, self.at).unwrap_or(usize::MAX);
        let to = offset(self.chunk_start, self.end).unwrap_or(usize::MAX).min(self.chunk.len());
        Ok(self.chunk.get(from..to).unwrap_or_default())
    }

    fn peek(&mut self) -> Result<Option<u8>, RecallError> {
        Ok(self.rest()?.first().copied())
    }

    fn advance(&mut self, bytes: u64) {
        self.at += bytes;
    }

    fn malformed(&self, expected: &str) -> RecallError {
        RecallError::NotJson { why: format!("expected {expected} at byte {}", self.at.min(self.end)) }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), RecallError> {
        if self.peek()? != Some(wanted) {
            return Err(self.malformed(&format!("`{}`", char::from(wanted))));
        }
        self.advance(1);
        Ok(())
    }

    /// Goes on to the first byte for which `stop` holds; says whether there was one.
    fn skip_until(&mut self, stop: impl Fn(u8) -> bool) -> Result<bool, RecallError> {
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Ok(false);
            }
            let (passed, found) = match rest.iter().position(|&byte| stop(byte)) {
                Some(passed) => (passed, true),
                None => (rest.len(), false),
            };
            self.advance(passed as u64);
            if found {
                return Ok(true);
            }
        }
    }

    fn skip_space(&mut self) -> Result<(), RecallError> {
        self.skip_until(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).map(|_| ())
    }

    fn skip_string(&mut self) -> Result<(), RecallError> {
        self.expect(b'"')?;
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Err(self.malformed("the end of a string"));
            }
            match memchr::memchr2(b'"', b'\\', rest) {
                None => {
                    let passed = rest.len() as u64;
                    self.advance(passed);
                }
                Some(found) if rest.get(found) == Some(&b'"') => {
                    self.advance(found as u64 + 1);
                    return Ok(());
                }
                Some(found) => self.advance(found as u64 + 2),
            }
        }
    }

    fn skip_value(&mut self) -> Result<(), RecallError> {
        match self.peek()? {
            Some(b'"') => self.skip_string(),
            Some(b'[' | b'{') => self.skip_brackets(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'.') => self
                .skip_until(|byte| !matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'.'))
                .map(|_| ()),
            _ => Err(self.malformed("a value")),
        }
    }

    fn skip_brackets(&mut self) -> Result<(), RecallError> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            if !self.skip_until(|byte| matches!(byte, b'"' | b'[' | b']' | b'{' | b'}'))? {
                return Err(self.malformed("a closing bracket"));
            }
            match self.peek()? {
                Some(b'"') => self.skip_string()?,
                Some(bracket @ (b'[' | b'{')) => {
                    if open.len() >= DEEPEST {
                        let why = format!("nested deeper than {DEEPEST} levels at byte {}", self.at);
                        return Err(RecallError::NotJson { why });
                    }
                    open.push(if bracket == b'[' { b']' } else { b'}' });
                    self.advance(1);
                }
                found => {
                    if open.pop() != found {
                        return Err(self.malformed("another bracket"));
                    }
                    self.advance(1);
                    if open.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The name of a member, and on behind its colon.
    fn key(&mut self) -> Result<String, RecallError> {
        let start = self.at;
        self.skip_string()?;
        if self.at - start > LONGEST_KEY {
            let why = format!("the key at byte {start} has more than {LONGEST_KEY} bytes");
            return Err(RecallError::NotJson { why });
        }
        let mut raw = Vec::new();
        let mut reader = Cursor::new(self.chunks, start..self.at);
        loop {
            let rest = reader.rest()?;
            if rest.is_empty() {
                break;
            }
            raw.extend_from_slice(rest);
            let passed = rest.len() as u64;
            reader.advance(passed);
        }
        let key = serde_json::from_slice(&raw)
            .map_err(|_| RecallError::NotJson { why: format!("the key at byte {start} is not a string") })?;
        self.skip_space()?;
        self.expect(b':')?;
        self.skip_space()?;
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str, form: Form) -> Result<Vec<(Option<String>, String)>, RecallError> {
        let held = Held { start: 0, bytes: text.as_bytes().into() };
        let mut found = Vec::new();
        children(&held, 0..text.len() as u64, form, &mut |child| {
            let span = child.span.start as usize..child.span.end as usize;
            assert_eq!(child.index, found.len() as u64);
            found.push((child.key, text.get(span).unwrap().to_owned()));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    #[test]
    fn members_are_found_by_their_borders() {
        let values = |text: &str, form| -> Vec<String> {
            listed(text, form).unwrap().into_iter().map(|(_, value)| value).collect()
        };
        assert_eq!(values(r#" [1, "a,]\"", [2,[3]] , {"x":1} ,null]"#, Form::Value).len(), 5);
        assert_eq!(values("{\"a\\u0062\": [1 ,2], \"c\": -1.5e3}\n", Form::Value), ["[1 ,2]", "-1.5e3"]);
        assert_eq!(listed("{\"a\\u0062\": 1}", Form::Value).unwrap()[0].0.as_deref(), Some("ab"));
        assert_eq!(values("{\"a\":1}\n\n[2]\r\n3", Form::Records), ["{\"a\":1}", "[2]", "3"]);
        assert!(values("[]", Form::Value).is_empty() && values("12", Form::Value).is_empty());
        assert!(values("", Form::Records).is_empty());
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        let why = |text: &str| listed(text, Form::Value).unwrap_err().to_string();
        assert!(why("[1 2]").starts_with("not JSON: expected `,` at byte 3"));
        assert!(why("[1,").starts_with("not JSON: expected a value at byte 3"));
        assert!(why("[\"a").starts_with("not JSON: expected the end of a string at byte 3"));
        assert!(why("[[1}]").starts_with("not JSON: expected another bracket at byte 3"));
        assert!(why("[1] x").starts_with("not JSON: expected the end of the document at byte 4"));
        assert!(why("{1:2}").starts_with("not JSON: expected `\"` at byte 1"));
        assert!(why(&"[".repeat(5000)).starts_with("not JSON: nested deeper than 512 levels"));
    }
}

//! Finding the borders of JSON values in bytes, without building a tree.
//!
//! The cursor knows lexemes, brackets and separators. It does not check what stands inside a scalar: whoever shows a
//! value parses it first.

use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use offcut_core::json::{Lexeme, Lexer};
use offcut_store::BLOCK;

use super::RecallError;
use super::document::ArtifactDocument;

/// How deep brackets may be nested; the parser of trees stops earlier.
const DEEPEST: usize = 512;

/// The longest key of an object that is read, in bytes.
const LONGEST_KEY: usize = 1024 * 1024;

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
    let mut next = cursor.next()?;
    let close = match (form, next) {
        (Form::Records, _) => None,
        (Form::Value, Some(Lexeme::Mark(b'['))) => Some(Lexeme::Mark(b']')),
        (Form::Value, Some(Lexeme::Mark(b'{'))) => Some(Lexeme::Mark(b'}')),
        (Form::Value, _) => return Ok(()),
    };
    if close.is_some() {
        next = cursor.next()?;
    }
    let mut index = 0;
    while next != close {
        if close.is_some() && index > 0 {
            cursor.expect(next, b',')?;
            next = cursor.next()?;
        }
        let mut key = None;
        if close == Some(Lexeme::Mark(b'}')) {
            key = Some(cursor.key(next)?);
            next = cursor.next()?;
        }
        let start = cursor.start;
        cursor.skip_value(next)?;
        let child = Child { key, index, span: start..cursor.at };
        if visit(child)?.is_break() {
            return Ok(());
        }
        index += 1;
        next = cursor.next()?;
    }
    if close.is_some() && cursor.next()?.is_some() {
        return Err(cursor.malformed("the end of the document"));
    }
    Ok(())
}

/// Reads lexemes of bytes that arrive in chunks.
struct Cursor<'a> {
    chunks: &'a dyn Chunks,
    chunk: Rc<[u8]>,
    /// What is left of the chunk.
    left: Range<usize>,
    lexer: Lexer,
    /// The last piece of a lexeme that was read.
    piece: Range<usize>,
    /// Whether the lexeme goes on behind it.
    goes_on: bool,
    /// Where the piece starts.
    start: u64,
    /// Where the next piece starts.
    at: u64,
    end: u64,
}

impl<'a> Cursor<'a> {
    fn new(chunks: &'a dyn Chunks, span: Range<u64>) -> Cursor<'a> {
        let (start, end) = (span.start, span.end);
        let lexer = Lexer::default();
        Cursor { chunks, chunk: Rc::from([]), left: 0..0, lexer, piece: 0..0, goes_on: false, start, at: start, end }
    }

    /// The lexeme that begins behind white space, as far as the chunk has it.
    fn next(&mut self) -> Result<Option<Lexeme>, RecallError> {
        loop {
            let lexeme = self.piece()?;
            if lexeme != Some(Lexeme::Space) {
                return Ok(lexeme);
            }
        }
    }

    /// What the next piece belongs to; `None` at the end.
    fn piece(&mut self) -> Result<Option<Lexeme>, RecallError> {
        self.start = self.at;
        if self.left.is_empty() && self.at < self.end {
            let (start, chunk) = self.chunks.chunk(self.at)?;
            let offset = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(chunk.len());
            self.left = offset(self.at)..offset(self.end);
            self.chunk = chunk;
        }
        let mut rest = self.chunk.get(self.left.clone()).unwrap_or_default();
        let Some(piece) = self.lexer.next(&mut rest) else { return Ok(None) };
        let behind = self.left.start + piece.bytes.len();
        self.piece = self.left.start..behind;
        self.left.start = behind;
        self.at += piece.bytes.len() as u64;
        self.goes_on = !piece.ends;
        Ok(Some(piece.lexeme))
    }

    fn malformed(&self, expected: &str) -> RecallError {
        RecallError::NotJson { why: format!("expected {expected} at byte {}", self.start) }
    }

    fn expect(&self, found: Option<Lexeme>, wanted: u8) -> Result<(), RecallError> {
        if found == Some(Lexeme::Mark(wanted)) {
            return Ok(());
        }
        Err(self.malformed(&format!("`{}`", char::from(wanted))))
    }

    /// Goes on to the end of the string or the word whose first piece was read.
    fn complete(&mut self, lexeme: Lexeme) -> Result<(), RecallError> {
        while self.goes_on {
            match (self.piece()?, lexeme) {
                (Some(_), _) => {}
                (None, Lexeme::Word) => return Ok(()),
                (None, _) => return Err(self.malformed("the end of a string")),
            }
        }
        Ok(())
    }

    fn skip_value(&mut self, first: Option<Lexeme>) -> Result<(), RecallError> {
        match first {
            Some(lexeme @ (Lexeme::Text | Lexeme::Word)) => self.complete(lexeme),
            Some(Lexeme::Mark(b'[' | b'{')) => self.skip_brackets(first),
            _ => Err(self.malformed("a value")),
        }
    }

    fn skip_brackets(&mut self, first: Option<Lexeme>) -> Result<(), RecallError> {
        let mut open: Vec<u8> = Vec::new();
        let mut next = first;
        loop {
            match next {
                Some(Lexeme::Text) => self.complete(Lexeme::Text)?,
                Some(Lexeme::Mark(bracket @ (b'[' | b'{'))) => {
                    if open.len() >= DEEPEST {
                        let why = format!("nested deeper than {DEEPEST} levels at byte {}", self.start);
                        return Err(RecallError::NotJson { why });
                    }
                    open.push(if bracket == b'[' { b']' } else { b'}' });
                }
                Some(Lexeme::Mark(bracket @ (b']' | b'}'))) => {
                    if open.pop() != Some(bracket) {
                        return Err(self.malformed("another bracket"));
                    }
                    if open.is_empty() {
                        return Ok(());
                    }
                }
                Some(_) => {}
                None => return Err(self.malformed("a closing bracket")),
            }
            next = self.piece()?;
        }
    }

    /// The name of a member, and on behind its colon.
    fn key(&mut self, first: Option<Lexeme>) -> Result<String, RecallError> {
        if first != Some(Lexeme::Text) {
            return Err(self.malformed("`\"`"));
        }
        let start = self.start;
        let mut raw = Vec::new();
        loop {
            if raw.len() <= LONGEST_KEY {
                raw.extend_from_slice(self.chunk.get(self.piece.clone()).unwrap_or_default());
            }
            if !self.goes_on {
                break;
            }
            if self.piece()?.is_none() {
                return Err(self.malformed("the end of a string"));
            }
        }
        if raw.len() > LONGEST_KEY {
            let why = format!("the key at byte {start} has more than {LONGEST_KEY} bytes");
            return Err(RecallError::NotJson { why });
        }
        let key = serde_json::from_slice(&raw)
            .map_err(|_| RecallError::NotJson { why: format!("the key at byte {start} is not a string") })?;
        let colon = self.next()?;
        self.expect(colon, b':')?;
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A text in chunks of so many bytes.
    struct Parts<'t>(&'t str, usize);

    impl Chunks for Parts<'_> {
        fn chunk(&self, at: u64) -> Result<(u64, Rc<[u8]>), RecallError> {
            let number = at as usize / self.1;
            let chunk = self.0.as_bytes().chunks(self.1).nth(number).unwrap_or_default();
            Ok(((number * self.1) as u64, chunk.into()))
        }
    }

    fn listed(text: &str, form: Form) -> Result<Vec<(Option<String>, String)>, RecallError> {
        listed_in(&Held { start: 0, bytes: text.as_bytes().into() }, text, form)
    }

    fn listed_in(chunks: &dyn Chunks, text: &str, form: Form) -> Result<Vec<(Option<String>, String)>, RecallError> {
        let mut found = Vec::new();
        children(chunks, 0..text.len() as u64, form, &mut |child| {
            let span = child.span.start as usize..child.span.end as usize;
            assert_eq!(child.index, found.len() as u64);
            found.push((child.key, text.get(span).unwrap().to_owned()));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    proptest! {
        #[test]
        fn any_text_has_the_same_members_in_any_chunks(
            parts in prop::collection::vec(r#"[{}\[\],:" \n$\\]|"[a-z]{0,3}"|"[a-z]":|"a\\"b"|-1.5|null|x"#, 0..24),
            size in 1..9_usize,
        ) {
            let parts = parts.concat();
            for text in [format!("[{parts}]"), format!("{{{parts}}}"), format!("[{{\"a\":[{parts}]}}]"), parts] {
                for form in [Form::Value, Form::Records] {
                    let told = |found: Result<Vec<_>, RecallError>| found.map_err(|error| error.to_string());
                    let whole = told(listed(&text, form));
                    prop_assert_eq!(told(listed_in(&Parts(&text, size), &text, form)), whole, "{}", text);
                }
            }
        }
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

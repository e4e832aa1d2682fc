//! Reading XML and HTML tag by tag, in constant memory.
//!
//! XML must be well-formed in its tags: every one closed by its own name, one root. HTML is read as browsers do, as
//! far as it matters here: void elements, raw text, closing tags that are implied or missing.

use std::ops::Range;

use crate::bytes::Bytes;
use crate::document::Document;
use crate::line::severity;
use crate::strategy::CutError;
use crate::strategy::element::markup::attributes;
use crate::strategy::element::room::place;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A start tag.
    Open,
    /// A tag without content: `<br/>`, or a void element of HTML.
    Empty,
    /// An end tag.
    Close,
    /// Text that is not white space alone; its range is trimmed.
    Text,
    /// `<!-- … -->`
    Comment,
    /// `<![CDATA[ … ]]>`
    Data,
    /// `<? … ?>`
    Instruction,
    /// `<!DOCTYPE … >`
    Doctype,
}

/// A token, where it is, and its name if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkupToken {
    pub(super) token: Token,
    pub(super) range: Range<u64>,
    /// The name of a tag; in lower case in HTML.
    pub(super) name: String,
    /// How severe its words are.
    pub(super) severity: u32,
}

/// Texts up to this length are compared with each other.
const COMPARED: usize = 64;
/// The elements of HTML that have no end tag.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// The elements of HTML whose content is not markup.
const RAW: [&str; 5] = ["script", "style", "textarea", "title", "noscript"];
/// A name longer than this is cut off.
const LONGEST_NAME: usize = 128;

/// The tokens of a range of a document.
pub(super) struct Scanner<'a> {
    document: &'a dyn Document,
    bytes: Bytes<'a>,
    html: bool,
    raw: Option<String>,
}

impl<'a> Scanner<'a> {
    /// Reads `range`.
    pub(super) fn new(document: &'a dyn Document, range: Range<u64>, html: bool) -> Result<Scanner<'a>, CutError> {
        Ok(Scanner { document, bytes: Bytes::new(document, range)?, html, raw: None })
    }

    /// The refusal of what is not well-formed at `byte`.
    pub(super) fn malformed(&self, byte: u64, why: &str) -> CutError {
        let format = if self.html { "HTML" } else { "XML" };
        match place(self.document, byte) {
            Ok(place) => CutError::Shape(format!("malformed {format} at {place}: {why}")),
            Err(error) => CutError::Unreadable(error),
        }
    }

    /// The words of a short text that was just read.
    pub(super) fn words(&self, found: &MarkupToken) -> Option<&[u8]> {
        let length = usize::try_from(found.range.end - found.range.start).ok().filter(|length| *length <= COMPARED)?;
        self.bytes.since(found.range.start)?.get(..length)
    }

    /// The tag that began at `start` and was read last, if all of it is at hand.
    pub(super) fn tag_since(&self, start: u64) -> Option<&[u8]> {
        self.bytes.since(start)
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<MarkupToken>, CutError> {
        loop {
            let start = self.bytes.position();
            let Some(byte) = self.bytes.peek(start)? else { return Ok(None) };
            if let Some(name) = self.raw.take() {
                if let Some(found) = self.raw_text(&name)? {
                    return Ok(Some(found));
                }
            } else if byte == b'<' && (!self.html || self.at_tag()?) {
                return self.tag(start).map(Some);
            } else if let Some(found) = self.text(start)? {
                return Ok(Some(found));
            }
        }
    }

    /// Whether a `<` starts a tag; in HTML it may be text.
    fn at_tag(&mut self) -> Result<bool, CutError> {
        let start = self.bytes.position();
        self.reach(start, 2)?;
        Ok(matches!(self.bytes.window().get(1), Some(b'/' | b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z')))
    }

    /// Makes sure that `count` bytes are in the window, if there are as many.
    fn reach(&mut self, start: u64, count: usize) -> Result<(), CutError> {
        if self.bytes.window().len() < count {
            self.bytes.refill(start)?;
        }
        Ok(())
    }

    /// Text up to the next tag; `None` if it is white space alone.
    fn text(&mut self, start: u64) -> Result<Option<MarkupToken>, CutError> {
        let mut first = None;
        let mut last = start;
        let mut severity = 0;
        // A `<` that starts no tag is text.
        let mut skip = usize::from(self.bytes.peek(start)? == Some(b'<'));
        loop {
            let window = self.bytes.window();
            let from = skip.min(window.len());
            skip = 0;
            let rest = window.get(from..).unwrap_or_default();
            let found = memchr::memchr(b'<', rest);
            let length = from + found.unwrap_or(rest.len());
            let part = window.get(..length).unwrap_or_default();
            let at = self.bytes.position();
            if first.is_none() {
                first = part.iter().position(|byte| !byte.is_ascii_whitespace()).map(|offset| at + offset as u64);
            }
            if let Some(offset) = part.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
                last = at + offset as u64 + 1;
            }
            severity = severity.max(severity::of(part));
            self.bytes.advance(length);
            if found.is_some() && (!self.html || self.at_tag()?) {
                break;
            }
            if found.is_some() {
                skip = 1;
            } else if !self.bytes.refill(self.bytes.position())? {
                break;
            }
        }
        Ok(first.map(|first| MarkupToken { token: Token::Text, range: first..last, name: String::new(), severity }))
    }

    /// The content of a raw element up to its end tag; `None` if it is empty.
    fn raw_text(&mut self, name: &str) -> Result<Option<MarkupToken>, CutError> {
        let start = self.bytes.position();
        loop {
            let window = self.bytes.window();
            match memchr::memmem::find(window, b"</") {
                Some(at) => {
                    self.bytes.advance(at);
                    let position = self.bytes.position();
                    self.reach(position, name.len() + 3)?;
                    let tag = self.bytes.window().get(2..2 + name.len()).unwrap_or_default();
                    if tag.eq_ignore_ascii_case(name.as_bytes()) {
                        break;
                    }
                    self.bytes.advance(2);
                }
                None => {
                    // The two bytes may lie on either side of the window's end.
                    let length = window.len().saturating_sub(1);
                    self.bytes.advance(length);
                    let position = self.bytes.position();
                    let had = self.bytes.window().len();
                    if !self.bytes.refill(position)? || self.bytes.window().len() <= had {
                        let rest = self.bytes.window().len();
                        self.bytes.advance(rest);
                        break;
                    }
                }
            }
        }
        let end = self.bytes.position();
        let found = MarkupToken { token: Token::Text, range: start..end, name: name.into(), severity: 0 };
        Ok((end > start).then_some(found))
    }

    fn tag(&mut self, start: u64) -> Result<MarkupToken, CutError> {
        self.reach(start, 9)?;
        let window = self.bytes.window();
        let found = |token, range| MarkupToken { token, range, name: String::new(), severity: 0 };
        if window.starts_with(b"<!--") {
            let end = self.until(start, 4, b"-->", "a comment that is never closed")?;
            return Ok(found(Token::Comment, start..end));
        }
        if window.starts_with(b"<![CDATA[") {
            let end = self.until(start, 9, b"]]>", "a CDATA section that is never closed")?;
            return Ok(found(Token::Data, start..end));
        }
        if window.starts_with(b"<?") {
            let close: &[u8] = if self.html { b">" } else { b"?>" };
            let end = self.until(start, 2, close, "an instruction that is never closed")?;
            return Ok(found(Token::Instruction, start..end));
        }
        if window.starts_with(b"<!") {
            return self.doctype(start);
        }
        let close = window.get(1) == Some(&b'/');
        self.bytes.advance(if close { 2 } else { 1 });
        let name = self.name(start)?;
        let empty = self.rest_of_tag(start)?;
        let range = start..self.bytes.position();
        let severity = match self.tag_since(start) {
            Some(tag) if !close && self.html => severity::of(tag),
            Some(tag) if !close => attributes::severity(tag),
            _ => 0,
        };
        let token = match (close, empty) {
            (true, _) => Token::Close,
            (false, true) if !self.html => Token::Empty,
            (false, _) if self.html && VOID.contains(&name.as_str()) => Token::Empty,
            (false, _) => Token::Open,
        };
        if self.html && token == Token::Open && RAW.contains(&name.as_str()) {
            self.raw = Some(name.clone());
        }
        Ok(MarkupToken { token, range, name, severity })
    }

    fn name(&mut self, start: u64) -> Result<String, CutError> {
        let mut name = Vec::new();
        while let Some(byte) = self.bytes.peek(start)? {
            if byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'<' | b'"' | b'\'' | b'=') {
                break;
            }
            if name.len() < LONGEST_NAME {
                name.push(if self.html { byte.to_ascii_lowercase() } else { byte });
            }
            self.bytes.advance(1);
        }
        let starts_well =
            name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..));
        if !starts_well && !self.html {
            return Err(self.malformed(start, "a tag without a name"));
        }
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// Reads attributes and the closing bracket; says whether the tag closes itself.
    fn rest_of_tag(&mut self, start: u64) -> Result<bool, CutError> {
        let mut slash = false;
        loop {
            let Some(byte) = self.bytes.peek(start)? else {
                return Err(self.malformed(start, "a tag that is never closed"));
            };
            self.bytes.advance(1);
            match byte {
                b'>' => return Ok(slash),
                b'"' | b'\'' => self.quoted(byte, start)?,
                b'<' if !self.html => return Err(self.malformed(self.bytes.position() - 1, "`<` inside a tag")),
                _ => {}
            }
            slash = byte == b'/';
        }
    }

    fn quoted(&mut self, quote: u8, start: u64) -> Result<(), CutError> {
        loop {
            let window = self.bytes.window();
            if let Some(at) = memchr::memchr(quote, window) {
                if !self.html && memchr::memchr(b'<', window.get(..at).unwrap_or_default()).is_some() {
                    return Err(self.malformed(self.bytes.position(), "`<` inside an attribute"));
                }
                self.bytes.advance(at + 1);
                return Ok(());
            }
            let length = window.len();
            self.bytes.advance(length);
            if !self.bytes.refill(start)? {
                return Err(self.malformed(start, "a quote inside a tag that is never closed"));
            }
        }
    }

    /// Reads on to the end of `close`.
    fn until(&mut self, start: u64, opening: usize, close: &[u8], why: &str) -> Result<u64, CutError> {
        self.bytes.advance(opening);
        loop {
            let window = self.bytes.window();
            if let Some(at) = memchr::memmem::find(window, close) {
                self.bytes.advance(at + close.len());
                return Ok(self.bytes.position());
            }
            let length = window.len().saturating_sub(close.len() - 1);
            self.bytes.advance(length);
            let had = self.bytes.window().len();
            let more = self.bytes.refill(self.bytes.position())?;
            if !more || self.bytes.window().len() <= had {
                return Err(self.malformed(start, why));
            }
        }
    }

    /// Reads `<!DOCTYPE … >` with its internal subset in square brackets.
    fn doctype(&mut self, start: u64) -> Result<MarkupToken, CutError> {
        let mut inside = 0;
        loop {
            let Some(byte) = self.bytes.peek(start)? else {
                return Err(self.malformed(start, "a declaration that is never closed"));
            };
            self.bytes.advance(1);
            match byte {
                b'[' => inside += 1,
                b']' => inside -= 1,
                b'"' | b'\'' if !self.html || inside == 0 => {
                    while self.bytes.peek(start)?.is_some_and(|other| other != byte) {
                        self.bytes.advance(1);
                    }
                    self.bytes.advance(1);
                }
                b'>' if inside <= 0 => break,
                _ => {}
            }
        }
        let range = start..self.bytes.position();
        Ok(MarkupToken { token: Token::Doctype, range, name: String::new(), severity: 0 })
    }
}

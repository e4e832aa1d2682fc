//! The cleaned, redacted text of an output, readable many times.
//!
//! A small document lies in memory, a large one in its artifact's staging file; strategies do not know which.
//! Reading costs no more memory than one block, however often it is done.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use crate::extent::{Extent, Index, Meter, Position};
use crate::text;

/// How much of a document is read at a time.
pub const BLOCK: u64 = 256 * 1024;

/// Text that was taken in.
pub trait Document {
    /// How big it is.
    fn extent(&self) -> &Extent;

    /// Where its lines are.
    fn index(&self) -> &Index;

    /// The text in `range` (bytes). The range must lie inside the document and on character borders, else the
    /// result is an error; so is a part that cannot be read.
    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>>;

    /// The whole text, where it lies in memory.
    fn text(&self) -> Option<&str>;

    /// The bytes in `range`, or in a beginning of it, for one who goes over all of them in order: `buffer` is used again
    /// for what does not lie in memory. Neither end need be a character border.
    fn read_bytes(&self, range: Range<u64>, mut buffer: Vec<u8>) -> io::Result<Cow<'_, [u8]>> {
        buffer.clear();
        for back in 0..4 {
            match self.read(range.start..range.end.saturating_sub(back).max(range.start)) {
                Err(error) if error.kind() == io::ErrorKind::InvalidInput && back < 3 => {}
                text => {
                    buffer.extend_from_slice(text?.as_bytes());
                    break;
                }
            }
        }
        Ok(Cow::Owned(buffer))
    }
}

impl dyn Document + '_ {
    /// The lines, from the first.
    pub fn lines(&self) -> Lines<'_> {
        Lines::new(self, Position::default())
    }

    /// The lines from `position` on, which must be the start of a line (or a place inside a long one).
    pub fn lines_from(&self, position: Position) -> Lines<'_> {
        Lines::new(self, position)
    }

    /// The position of `byte`, moved back to a character border; costs at most one stride of reading.
    pub fn position(&self, byte: u64) -> io::Result<Position> {
        let byte = byte.min(self.extent().bytes);
        let known = self.index().before_byte(byte);
        let chunk = self.read_around(known.byte..byte)?;
        let mut meter = Meter::default();
        meter.push(&chunk);
        let mut end = meter.position();
        // A CR at the end of what was read starts a line here unless a LF follows.
        if chunk.ends_with('\r') && byte < self.extent().bytes {
            let next = self.read_around(byte..byte + 1)?;
            end.line += u64::from(!next.starts_with('\n'));
        } else if chunk.ends_with('\r') {
            end.line += 1;
        }
        Ok(Position { byte: known.byte + end.byte, char: known.char + end.char, line: known.line + end.line })
    }

    /// Where line `line` (0-based) starts; the end of the document if it has fewer lines.
    pub fn line_start(&self, line: u64) -> io::Result<Position> {
        if line >= self.extent().lines {
            return self.position(self.extent().bytes);
        }
        let known = self.index().before_line(line);
        let mut lines = self.lines_from(known);
        while let Some(found) = lines.next_line()? {
            if found.position.line >= line && (found.first || found.position.line > known.line) {
                return Ok(found.position);
            }
        }
        self.position(self.extent().bytes)
    }

    /// Where character `char` starts; the end of the document if it has fewer.
    pub fn char_start(&self, char: u64) -> io::Result<Position> {
        if char >= self.extent().chars {
            return self.position(self.extent().bytes);
        }
        let known = self.index().before_char(char);
        let chunk = self.read_around(known.byte..(known.byte + (char - known.char) * 4).min(self.extent().bytes))?;
        self.position(known.byte + text::prefix(&chunk, char - known.char) as u64)
    }

    /// Like `read`, but with an end that is moved to a character border (back, or on if nothing would be left).
    pub fn read_around(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        let limit = self.extent().bytes;
        let range = range.start.min(limit)..range.end.min(limit);
        for back in 0..4 {
            let end = range.end.saturating_sub(back).max(range.start);
            match self.read(range.start..end) {
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => continue,
                other => return other,
            }
        }
        self.read(range)
    }
}

/// A line of a document, or a part of one that is longer than a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentLine<'a> {
    /// Where it starts; `position.line` is its 0-based number.
    pub position: Position,
    /// Its words, without the line end.
    pub text: &'a str,
    /// `"\n"`, `"\r\n"`, `"\r"` or `""`.
    pub end: &'a str,
    /// Whether the line begins here (false for a later part of a long line).
    pub first: bool,
    /// Whether the line ends here (false where more parts follow).
    pub last: bool,
}

impl DocumentLine<'_> {
    /// The line with its end, as a range of bytes.
    pub fn range(&self) -> Range<u64> {
        self.position.byte..self.position.byte + (self.text.len() + self.end.len()) as u64
    }
}

/// A cursor over the lines of a document.
///
/// Lines longer than [`BLOCK`] arrive in parts, so memory never depends on the input.
pub struct Lines<'a> {
    document: &'a dyn Document,
    block: Cow<'a, str>,
    block_start: u64,
    at: usize,
    position: Position,
    inside: bool,
}

impl<'a> Lines<'a> {
    fn new(document: &'a dyn Document, position: Position) -> Lines<'a> {
        let (block, block_start) = match document.text() {
            Some(text) => (Cow::Borrowed(text), 0),
            None => (Cow::Borrowed(""), position.byte),
        };
        let at = usize::try_from(position.byte - block_start).unwrap_or(usize::MAX).min(block.len());
        Lines { document, block, block_start, at, position, inside: false }
    }

    /// The next line, or `None` at the end.
    pub fn next_line(&mut self) -> io::Result<Option<DocumentLine<'_>>> {
        let total = self.document.extent().bytes;
        if self.position.byte >= total {
            return Ok(None);
        }
        let (mut words, mut end) = text::line_at(&self.block, self.at);
        // The line may go on behind the block; so may a line end whose CR is the block's last byte.
        let block_end = self.block_start + self.block.len() as u64;
        if end == self.block.len() && block_end < total && self.document.text().is_none() {
            self.refill(total)?;
            (words, end) = text::line_at(&self.block, self.at);
        }
        let block_end = self.block_start + self.block.len() as u64;
        let in_memory = self.document.text().is_some();
        let mut last = end > words || block_end >= total;
        if !in_memory && end == self.block.len() && block_end < total && self.block.ends_with('\r') {
            // Only a line of one block's length can get here: its CR goes with the next part.
            words = end - 1;
            end = words;
            last = false;
        }
        if in_memory && end - self.at > BLOCK as usize {
            let limit = text::floor(&self.block, self.at + BLOCK as usize);
            if limit < words {
                words = limit;
                end = limit;
                last = false;
            }
        }
        let position = self.position;
        let first = !self.inside;
        let start = self.at;
        self.at = end;
        self.inside = !last;
        let text = text::slice(&self.block, start..words);
        let line_end = text::slice(&self.block, words..end);
        self.position.byte += (end - start) as u64;
        self.position.char += text::chars(text) + line_end.len() as u64;
        self.position.line += u64::from(last && !line_end.is_empty());
        Ok(Some(DocumentLine { position, text, end: line_end, first, last }))
    }

    fn refill(&mut self, total: u64) -> io::Result<()> {
        let start = self.block_start + self.at as u64;
        self.block = self.document.read_around(start..(start + BLOCK).min(total))?;
        self.block_start = start;
        self.at = 0;
        Ok(())
    }
}

/// Finds positions in ascending order, at the cost of one pass over the strides that they lie in.
pub struct Walker<'a> {
    document: &'a dyn Document,
    at: Position,
    starts_line: bool,
}

impl<'a> Walker<'a> {
    /// A walker at the beginning.
    pub fn new(document: &'a dyn Document) -> Walker<'a> {
        Walker { document, at: Position::default(), starts_line: true }
    }

    /// Walks on to `byte`, which must lie on a character border and not before the last one. The second value says
    /// whether a line starts there (the end of the document counts as one if its last line has an end).
    pub fn walk_to(&mut self, byte: u64) -> io::Result<(Position, bool)> {
        let known = self.document.index().before_byte(byte);
        if known.byte > self.at.byte {
            self.at = known;
            self.starts_line = false;
        }
        while self.at.byte < byte {
            let chunk = self.document.read_around(self.at.byte..byte.min(self.at.byte + BLOCK))?;
            if chunk.is_empty() {
                return Err(not_on_a_border(&(self.at.byte..byte)));
            }
            let mut meter = Meter::default();
            meter.push(&chunk);
            let passed = meter.position();
            self.at.byte += passed.byte;
            self.at.char += passed.char;
            self.at.line += passed.line;
            self.starts_line = chunk.ends_with('\n');
            if chunk.ends_with('\r') {
                let next = self.document.read_around(self.at.byte..self.at.byte + 1)?;
                self.starts_line = !next.starts_with('\n');
                self.at.line += u64::from(self.starts_line);
            }
        }
        Ok((self.at, self.starts_line))
    }
}

/// A document in memory.
#[derive(Debug, Clone)]
pub struct TextDocument {
    text: String,
    extent: Extent,
    index: Index,
}

impl TextDocument {
    /// The document of `text`, measured.
    pub fn new(text: impl Into<String>) -> TextDocument {
        let text = text.into();
        let mut meter = Meter::default();
        meter.push(&text);
        let (extent, index) = meter.finish();
        TextDocument { text, extent, index }
    }

    /// The document of a text that was measured already.
    pub fn measured(text: String, extent: Extent, index: Index) -> TextDocument {
        TextDocument { text, extent, index }
    }
}

impl Document for TextDocument {
    fn extent(&self) -> &Extent {
        &self.extent
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        let end = usize::try_from(range.end).unwrap_or(usize::MAX);
        self.text.get(start..end).map(Cow::Borrowed).ok_or_else(|| not_on_a_border(&range))
    }

    fn text(&self) -> Option<&str> {
        Some(&self.text)
    }

    fn read_bytes(&self, range: Range<u64>, _buffer: Vec<u8>) -> io::Result<Cow<'_, [u8]>> {
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        let end = usize::try_from(range.end).unwrap_or(usize::MAX);
        self.text.as_bytes().get(start..end).map(Cow::Borrowed).ok_or_else(|| not_on_a_border(&range))
    }
}

/// The error of a range that does not lie inside a document, on character borders.
pub fn not_on_a_border(range: &Range<u64>) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("bytes {}-{} do not lie inside the document on character borders", range.start, range.end),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document that is not in memory as far as its readers can tell.
    struct Elsewhere(TextDocument);

    impl Document for Elsewhere {
        fn extent(&self) -> &Extent {
            self.0.extent()
        }

        fn index(&self) -> &Index {
            self.0.index()
        }

        fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
            Ok(Cow::Owned(self.0.read(range)?.into_owned()))
        }

        fn text(&self) -> Option<&str> {
            None
        }
    }

    fn sample() -> String {
        let mut text = String::new();
        for n in 0..40_000 {
            text.push_str(["wörld ", "a\n", "🎉\r\n", "b\rc", "\n"][n % 5]);
        }
        text.push_str(&"x".repeat(700_000));
        text.push_str("\r\n");
        text.push_str(&"é".repeat(200_000));
        text.push('\r');
        text
    }

    #[test]
    fn lines_from_a_file_and_from_memory_are_the_lines_of_the_text() {
        let text = sample();
        let memory = TextDocument::new(text.clone());
        let elsewhere = Elsewhere(memory.clone());
        for document in [&memory as &dyn Document, &elsewhere] {
            let mut lines = document.lines();
            let mut joined = String::new();
            let mut starts = 0;
            let mut expected = Position::default();
            while let Some(line) = lines.next_line().unwrap() {
                assert_eq!(line.position, expected);
                starts += u64::from(line.first);
                joined.push_str(line.text);
                joined.push_str(line.end);
                expected.byte = joined.len() as u64;
                expected.char += text::chars(line.text) + line.end.len() as u64;
                expected.line += u64::from(line.last && !line.end.is_empty());
            }
            assert!(joined == text);
            assert_eq!(starts, memory.extent().lines);
        }
    }

    #[test]
    fn positions_and_line_starts_agree_with_a_plain_count() {
        let text = sample();
        let document = TextDocument::new(text.clone());
        let document: &dyn Document = &document;
        let starts: Vec<usize> = text::split(&text).map(|line| line.start).collect();
        for line in [0, 1, 2, 3, 999, 17_000, starts.len() - 2, starts.len() - 1] {
            let position = document.line_start(line as u64).unwrap();
            assert_eq!((position.line, position.byte), (line as u64, starts[line] as u64));
        }
        for byte in (0..text.len()).step_by(30_011) {
            let position = document.position(byte as u64).unwrap();
            let before = text.get(..position.byte as usize).unwrap();
            assert!(position.byte <= byte as u64 && byte as u64 - position.byte < 4);
            assert_eq!(position.char, before.chars().count() as u64);
            assert_eq!(position.line, starts.iter().skip(1).filter(|&&s| s <= position.byte as usize).count() as u64);
            assert_eq!(document.char_start(position.char).unwrap(), position);
        }
    }
}

//! Reading YAML by its lines and indentation: where the entries of a block sequence or mapping begin.

use std::ops::Range;

use crate::document::{Document, Lines};
use crate::strategy::CutError;
use crate::text;

/// A line, as far as its structure goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlLine {
    /// With its end.
    pub(super) range: Range<u64>,
    /// Spaces before its first other character.
    pub(super) indent: u64,
    /// Those of them that lie in the range.
    pub(super) spaces: u64,
    /// Its words from the first that is not a space; of a very long line only the beginning.
    pub(super) words: String,
}

impl YamlLine {
    /// Whether it holds nothing but a comment or nothing at all.
    pub(super) fn is_idle(&self) -> bool {
        self.words.is_empty() || self.words.starts_with('#')
    }

    /// Whether it starts or ends a document.
    pub(super) fn is_marker(&self) -> bool {
        self.indent == 0 && is_marker(&self.words)
    }
}

/// Whether a line starts with `---` or `...` as a document marker.
fn is_marker(words: &str) -> bool {
    let rest = words.strip_prefix("---").or_else(|| words.strip_prefix("..."));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// How much of a line is looked at.
const LOOKED_AT: usize = 4096;

/// A cursor over the lines of a range.
pub(super) struct YamlLines<'a> {
    lines: Lines<'a>,
    end: u64,
    column: u64,
}

impl<'a> YamlLines<'a> {
    /// The lines of `range`. Its start may lie within a line: what is before it then counts as indentation.
    pub(super) fn new(document: &'a dyn Document, range: Range<u64>) -> Result<YamlLines<'a>, CutError> {
        let position = document.position(range.start)?;
        let line = document.line_start(position.line)?;
        Ok(YamlLines { lines: document.lines_from(position), end: range.end, column: position.byte - line.byte })
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<YamlLine>, CutError> {
        let mut found: Option<YamlLine> = None;
        while let Some(part) = self.lines.next_line()? {
            let range = part.range();
            if range.start >= self.end {
                break;
            }
            let last = part.last;
            match &mut found {
                Some(line) => line.range.end = range.end.min(self.end),
                None => {
                    let spaces = part.text.len() - part.text.trim_start_matches(' ').len();
                    let indent = self.column + spaces as u64;
                    self.column = 0;
                    let words = text::slice(part.text, spaces..spaces + LOOKED_AT).trim_end().to_string();
                    found = Some(YamlLine {
                        range: range.start..range.end.min(self.end),
                        indent,
                        spaces: spaces as u64,
                        words,
                    });
                }
            }
            if last {
                break;
            }
        }
        Ok(found)
    }
}

/// What a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YamlEntry {
    /// An element of a sequence; its content starts after so many bytes.
    Item(usize),
    /// A member of a mapping; its value starts after so many bytes, and its name has so many.
    Member { name: usize, value: usize },
}

/// What `words` (from the first that is not a space) begin, if anything.
pub(super) fn entry(words: &str) -> Option<YamlEntry> {
    if words == "-" {
        return Some(YamlEntry::Item(1));
    }
    if let Some(rest) = words.strip_prefix("- ") {
        return Some(YamlEntry::Item(2 + (rest.len() - rest.trim_start_matches(' ').len())));
    }
    if words.starts_with(['[', '{', '|', '>', '%', '@', '`', '#', '&', '!', '?', ',', ']', '}']) {
        return None;
    }
    let name = match words.as_bytes().first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let mut escaped = false;
            let close = words.bytes().enumerate().skip(1).find(|&(_, byte)| {
                let closes = byte == quote && !escaped;
                escaped = quote == b'"' && byte == b'\\' && !escaped;
                closes
            });
            close?.0 + 1
        }
        _ => {
            let bytes = words.as_bytes();
            let mut colons = memchr::memchr_iter(b':', bytes);
            let colon = colons.find(|&at| matches!(bytes.get(at + 1), None | Some(b' ' | b'\t')))?;
            // A comment ends the line before its colon is reached.
            let comment = memchr::memmem::find(bytes, b" #");
            if comment.is_some_and(|comment| comment < colon) {
                return None;
            }
            colon
        }
    };
    let rest = words.as_bytes().get(name..).unwrap_or_default();
    let spaces = rest.iter().take_while(|&&byte| byte == b' ').count();
    let after = name + spaces;
    if words.as_bytes().get(after) != Some(&b':') {
        return None;
    }
    matches!(words.as_bytes().get(after + 1), None | Some(b' ' | b'\t'))
        .then_some(YamlEntry::Member { name, value: after + 1 })
}

/// How many bytes of `rest` (what follows a dash or a colon) are anchors and tags with the spaces around them.
pub(super) fn properties(rest: &str) -> usize {
    let mut length = 0;
    let mut words = rest;
    loop {
        let trimmed = words.trim_start_matches([' ', '\t']);
        if !trimmed.starts_with(['&', '!']) {
            return length;
        }
        let word = trimmed.find([' ', '\t']).unwrap_or(trimmed.len());
        let used = words.len() - trimmed.len() + word;
        length += used;
        words = words.get(used..).unwrap_or_default();
    }
}

/// What follows the dash or the colon of an entry, comments and properties aside.
pub(super) fn content(rest: &str) -> &str {
    let rest = rest.get(properties(rest)..).unwrap_or_default().trim();
    if rest.starts_with('#') { "" } else { rest }
}

//! Adding to and removing from a list of items between brackets, separated by commas: JSON, and what YAML and TOML
//! have of the same kind.

use std::ops::Range;

use super::tree::Node;
use super::{Format, Splice, line_end, part};

/// The items between a pair of brackets.
#[derive(Debug)]
pub(super) struct Bracketed<'a> {
    text: &'a str,
    format: Format,
    /// What is between the brackets.
    inner: Range<usize>,
    items: Vec<Range<usize>>,
}

/// How a new item is written.
pub(super) struct NewItem<'a> {
    /// On one line.
    pub(super) inline: String,
    /// In lines, the first at its place, the others with this indentation.
    pub(super) in_lines: &'a dyn Fn(&str) -> String,
    /// Whether it should stand on a line of its own between brackets that are still empty.
    pub(super) expands: bool,
    /// One step of indentation.
    pub(super) unit: &'a str,
}

impl<'a> Bracketed<'a> {
    /// The items of an object or array with brackets.
    pub(super) fn of(text: &'a str, format: Format, node: &Node) -> Bracketed<'a> {
        let inner = node.span.start + 1..node.span.end.saturating_sub(1);
        Bracketed { text, format, inner, items: node.items() }
    }

    /// The splices that add an item at the end.
    pub(super) fn add(&self, item: &NewItem<'_>) -> Vec<Splice> {
        let newline = line_end(self.text);
        let Some((at, last)) = self.items.iter().enumerate().next_back() else { return self.add_first(item, newline) };
        let comma = self.comma_after(last.end);
        if !self.is_on_own_line(at) {
            return match comma {
                Some(comma) => vec![Splice::insert(comma + 1, format!(" {},", item.inline))],
                None => vec![Splice::insert(last.end, format!(", {}", item.inline))],
            };
        }
        let indent = self.indent_of(last.start).map_or_else(|| self.outer_indent() + item.unit, str::to_owned);
        let written = format!("{newline}{indent}{}", (item.in_lines)(&indent));
        match comma {
            Some(comma) => vec![Splice::insert(self.line_rest(comma + 1), written + ",")],
            None => vec![Splice::insert(last.end, ","), Splice::insert(self.line_rest(last.end), written)],
        }
    }

    fn add_first(&self, item: &NewItem<'_>, newline: &str) -> Vec<Splice> {
        let at = self.after_comments(self.inner.start, self.inner.end);
        let rest = part(self.text, at..self.inner.end);
        let has_lines = part(self.text, self.inner.clone()).contains('\n');
        if !item.expands && !has_lines {
            return vec![Splice::insert(at, item.inline.clone())];
        }
        let outer = self.outer_indent();
        let indent = format!("{outer}{}", item.unit);
        let written = format!("{newline}{indent}{}", (item.in_lines)(&indent));
        if rest.contains('\n') {
            return vec![Splice::insert(at, written)];
        }
        vec![Splice { range: at..self.inner.end, text: format!("{written}{newline}{outer}") }]
    }

    /// The splices that remove an item: the inverse of [`Bracketed::add`] where it was the last one.
    pub(super) fn remove(&self, at: usize) -> Vec<Splice> {
        let Some(item) = self.items.get(at) else { return Vec::new() };
        let own_line = self.is_on_own_line(at);
        let comma = self.comma_after(item.end);
        let before = at.checked_sub(1).and_then(|before| self.items.get(before));
        let comma_before = before.and_then(|before| self.comma_after(before.end));
        let start = match (own_line, comma_before) {
            (true, Some(comma)) => self.after_comments(comma + 1, item.start),
            (true, None) => self.after_comments(self.inner.start, item.start),
            (false, Some(comma)) => comma + 1,
            (false, None) => item.start,
        };
        match (comma, comma_before) {
            // One on the same line as the next goes with the space behind it.
            (Some(comma), None) if !own_line => {
                let space = part(self.text, comma + 1..self.inner.end).chars().take_while(|c| *c == ' ').count();
                vec![Splice::remove(start..comma + 1 + space)]
            }
            (Some(comma), _) => vec![Splice::remove(start..comma + 1)],
            (None, Some(before)) if own_line => {
                vec![Splice::remove(before..before + 1), Splice::remove(start..item.end)]
            }
            (None, Some(before)) => vec![Splice::remove(before..item.end)],
            (None, None) => vec![Splice::remove(start..item.end)],
        }
    }

    /// The splice that adds items at the beginning.
    pub(super) fn add_front(&self, new: &[String]) -> Splice {
        let joined = new.join(", ");
        let Some(first) = self.items.first() else { return Splice::insert(self.inner.start, joined) };
        match self.indent_of(first.start) {
            Some(indent) if self.is_on_own_line(0) => {
                Splice::insert(first.start, format!("{joined},{}{indent}", line_end(self.text)))
            }
            _ => Splice::insert(first.start, joined + ", "),
        }
    }

    /// The splice that removes the first `count` items: the inverse of [`Bracketed::add_front`].
    pub(super) fn remove_front(&self, count: usize) -> Splice {
        let start = self.items.first().map_or(self.inner.start, |first| first.start);
        let end = match (self.items.get(count), self.items.last()) {
            (Some(next), _) => next.start,
            (None, Some(last)) => self.comma_after(last.end).map_or(last.end, |comma| comma + 1),
            (None, None) => start,
        };
        Splice::remove(start..end)
    }

    /// Whether nothing but comments stands before an item on its line.
    fn is_on_own_line(&self, at: usize) -> bool {
        let from = match at.checked_sub(1).and_then(|before| self.items.get(before)) {
            Some(before) => before.end,
            None => self.inner.start,
        };
        self.items.get(at).is_some_and(|item| part(self.text, from..item.start).contains('\n'))
    }

    /// The white space before an item; `None` where something else is before it on its line.
    fn indent_of(&self, start: usize) -> Option<&'a str> {
        let line = part(self.text, 0..start).rfind('\n').map_or(0, |newline| newline + 1);
        let before = part(self.text, line..start);
        before.trim().is_empty().then_some(before)
    }

    /// The indentation of the line with the opening bracket.
    fn outer_indent(&self) -> String {
        let before = part(self.text, 0..self.inner.start);
        let line = before.rfind('\n').map_or(before, |newline| part(before, newline + 1..before.len()));
        line.chars().take_while(|c| [' ', '\t'].contains(c)).collect()
    }

    /// The comma behind an item, comments left out.
    fn comma_after(&self, end: usize) -> Option<usize> {
        let mut at = end;
        while at < self.inner.end {
            match self.comment_at(at) {
                Some(comment) => at = comment,
                None if part(self.text, at..at + 1) == "," => return Some(at),
                None if part(self.text, at..self.inner.end).starts_with(char::is_whitespace) => at += 1,
                None => return None,
            }
        }
        None
    }

    /// The end of the comments that begin on this line; `at` itself where there are none.
    fn line_rest(&self, at: usize) -> usize {
        let (mut end, mut next) = (at, at);
        while next < self.inner.end {
            if let Some(comment) = self.comment_at(next) {
                (end, next) = (comment, comment);
            } else if [" ", "\t"].contains(&part(self.text, next..next + 1)) {
                next += 1;
            } else {
                break;
            }
        }
        end
    }

    /// The end of the last comment in a range that holds nothing but comments and space; its start if there is none.
    fn after_comments(&self, start: usize, limit: usize) -> usize {
        let (mut end, mut next) = (start, start);
        while next < limit {
            match self.comment_at(next) {
                Some(comment) => (end, next) = (comment, comment),
                None => next += 1,
            }
        }
        end
    }

    /// Where the comment that begins at `at` ends; the line end after a line's comment is not part of it.
    fn comment_at(&self, at: usize) -> Option<usize> {
        let rest = part(self.text, at..self.text.len());
        let line = || at + rest.find('\n').map_or(rest.len(), |end| part(rest, 0..end).trim_end_matches('\r').len());
        match self.format {
            Format::Json if rest.starts_with("//") => Some(line()),
            Format::Json if rest.starts_with("/*") => Some(at + rest.find("*/").map_or(rest.len(), |end| end + 2)),
            Format::Toml | Format::Yaml if rest.starts_with('#') => Some(line()),
            Format::Json | Format::Toml | Format::Yaml => None,
        }
    }
}

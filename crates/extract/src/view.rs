//! A document as a model that looks around in it sees it: in lines that can be read.
//!
//! JSON whose lines are very long is seen as if it were written with one member a line. Nothing is stored for that: the
//! view is made while it is read, in bounded memory.

use std::ops::ControlFlow;

use offcut_core::document::Document;
use offcut_core::text;

use super::error::ExtractError;
use offcut::recall::ArtifactDocument;

/// A line of more bytes is seen in parts.
const LONGEST: usize = 64 * 1024;

/// How a pretty view is explained.
const EXPLAINED: &str = "the document is JSON in very long lines; you see it with one member a line, and line numbers are those of this view";

/// Lines of a document.
pub(super) struct View<'a> {
    source: ArtifactDocument<'a>,
    pretty: bool,
}

/// A line of a view, or a part of a very long one.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewLine<'a> {
    /// Its number, 1-based.
    pub(super) line: u64,
    pub(super) text: &'a str,
    /// Whether the line begins here.
    pub(super) first: bool,
}

type Visit<'v> = dyn FnMut(ViewLine<'_>) -> ControlFlow<()> + 'v;

impl<'a> View<'a> {
    /// The view of an artifact; `pretty` if it is JSON that nobody could read in lines.
    pub(super) fn new(source: ArtifactDocument<'a>, pretty: bool) -> View<'a> {
        View { source, pretty }
    }

    /// What is to be known of it, where that is anything.
    pub(super) fn about(&self) -> Option<&'static str> {
        self.pretty.then_some(EXPLAINED)
    }

    /// How many lines it has, where that is known without reading it.
    pub(super) fn lines(&self) -> Option<u64> {
        (!self.pretty).then(|| self.source.extent().lines)
    }

    /// Visits the lines from number `from` on, until the visitor breaks.
    pub(super) fn rows(&self, from: u64, visit: &mut Visit<'_>) -> Result<(), ExtractError> {
        if self.pretty { self.pretty_rows(from, visit) } else { self.plain_rows(from, visit) }
    }

    fn plain_rows(&self, from: u64, visit: &mut Visit<'_>) -> Result<(), ExtractError> {
        let document: &dyn Document = &self.source;
        let mut lines = document.lines_from(document.line_start(from.saturating_sub(1))?);
        while let Some(line) = lines.next_line()? {
            if visit(ViewLine { line: line.position.line + 1, text: line.text, first: line.first }).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn pretty_rows(&self, from: u64, visit: &mut Visit<'_>) -> Result<(), ExtractError> {
        let document: &dyn Document = &self.source;
        let mut printer = Printer { line: 1, first: true, ..Printer::default() };
        let mut lines = document.lines();
        let mut visit = |row: ViewLine<'_>| if row.line >= from { visit(row) } else { ControlFlow::Continue(()) };
        while let Some(line) = lines.next_line()? {
            if printer.push(line.text, &mut visit).is_break() {
                return Ok(());
            }
            // Between records of NDJSON a line ends as well.
            if line.last && printer.depth == 0 && !printer.in_string && printer.end_line(&mut visit).is_break() {
                return Ok(());
            }
        }
        if !printer.out.trim().is_empty() {
            let _ = printer.end_line(&mut visit);
        }
        Ok(())
    }
}

/// Writes JSON with one member a line, as it comes.
#[derive(Debug, Default)]
struct Printer {
    out: String,
    line: u64,
    first: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Whether a bracket was opened and nothing has followed yet.
    opened: bool,
}

impl Printer {
    fn push(&mut self, text: &str, visit: &mut Visit<'_>) -> ControlFlow<()> {
        for sign in text.chars() {
            if self.in_string {
                self.out.push(sign);
                (self.in_string, self.escaped) = match (self.escaped, sign) {
                    (true, _) => (true, false),
                    (false, '\\') => (true, true),
                    (false, '"') => (false, false),
                    (false, _) => (true, false),
                };
                if self.out.len() >= LONGEST {
                    self.part(visit)?;
                }
                continue;
            }
            let opened = std::mem::take(&mut self.opened);
            match sign {
                ' ' | '\t' | '\n' | '\r' => self.opened = opened,
                '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if !opened {
                        self.next_line(visit)?;
                    }
                    self.out.push(sign);
                }
                _ => {
                    if opened {
                        self.next_line(visit)?;
                    }
                    self.out.push(sign);
                    match sign {
                        '{' | '[' => {
                            self.depth += 1;
                            self.opened = true;
                        }
                        ',' => self.next_line(visit)?,
                        ':' => self.out.push(' '),
                        '"' => self.in_string = true,
                        _ => {}
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends the line, and begins the next with its indent.
    fn next_line(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.end_line(visit)?;
        self.out.extend(std::iter::repeat_n("  ", self.depth.min(100)));
        ControlFlow::Continue(())
    }

    fn end_line(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        if self.first && self.out.trim().is_empty() {
            self.out.clear();
            return ControlFlow::Continue(());
        }
        self.part(visit)?;
        self.line += 1;
        self.first = true;
        ControlFlow::Continue(())
    }

    fn part(&mut self, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let flow =
            visit(ViewLine { line: self.line, text: text::slice(&self.out, 0..self.out.len()), first: self.first });
        self.out.clear();
        self.first = false;
        flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(json: &str) -> String {
        let mut printer = Printer { line: 1, first: true, ..Printer::default() };
        let mut lines: Vec<String> = Vec::new();
        let mut visit = |row: ViewLine<'_>| {
            assert!(!row.first || row.line == lines.len() as u64 + 1);
            if row.first {
                lines.push(row.text.to_owned())
            } else {
                lines.last_mut().unwrap().push_str(row.text)
            }
            ControlFlow::Continue(())
        };
        let _ = printer.push(json, &mut visit);
        let _ = printer.end_line(&mut visit);
        lines.join("\n")
    }

    #[test]
    fn json_is_seen_with_one_member_a_line_and_its_words_as_they_are() {
        assert_eq!(
            printed(r#"{"a":[1,{"b":"x, [y] \"z\""}],"c":{},"d":[ ]}"#),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x, [y] \\\"z\\\"\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}"
        );
        assert_eq!(printed("12"), "12");
    }

    #[test]
    fn a_very_long_string_comes_in_parts() {
        let json = format!("[\"{}\",1]", "é".repeat(LONGEST));
        let lines: Vec<String> = printed(&json).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1].chars().count(), LONGEST + 5);
    }
}

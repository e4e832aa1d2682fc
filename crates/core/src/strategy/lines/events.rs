//! Search results as JSON, an event a line, as `rg --json` and `ag`-like tools print them: cut like other search
//! results, but with marks that leave the lines parseable.

use std::borrow::Cow;

use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::notice::counted;
use crate::strategy::CutError;
use crate::strategy::lines::score::search_line::SearchLine;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::KeptRows;
use crate::text;

/// How much of a document is looked at to know what it is, in bytes.
const LOOKED_AT: u64 = 4096;

/// Whether `document` holds search results as JSON.
pub(super) fn are_events(document: &dyn Document) -> bool {
    let start = document.read_around(0..LOOKED_AT).unwrap_or_default();
    let mut lines = text::split(&start).map(|line| line.text);
    lines.next().is_some_and(is_event) && lines.next().is_some_and(is_event)
}

/// Whether a line is an event of a search.
pub(super) fn is_event(line: &str) -> bool {
    ["begin", "match", "context", "end", "summary"].into_iter().any(|name| is(line, name))
}

fn is(line: &str, name: &str) -> bool {
    let behind = line.strip_prefix("{\"type\":").map(|line| line.trim_start_matches(' '));
    let behind = behind.and_then(|line| line.strip_prefix('"')).and_then(|line| line.strip_prefix(name));
    behind.is_some_and(|line| line.starts_with('"'))
}

/// What an event says.
pub(super) fn line_of(line: &str) -> SearchLine<'_> {
    let path = string_behind(line, "\"path\":");
    match () {
        () if is(line, "match") => SearchLine::Match(path, unescaped(string_behind(line, "\"lines\":").unwrap_or(""))),
        // A path is in every match of its file; these only frame them.
        () if is(line, "context") || is(line, "begin") || is(line, "end") => SearchLine::Context(path),
        () if is(line, "summary") || line.starts_with('{') && line.contains("\"type\":\"summary\"") => {
            SearchLine::Summary
        }
        () if line.trim().is_empty() => SearchLine::Break,
        () => SearchLine::Other,
    }
}

/// The string in `"key":{"text":"…"}` or `"key":"…"`, as it is written.
fn string_behind<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, value) = line.split_once(key)?;
    let value = value.strip_prefix("{\"text\":").unwrap_or(value).strip_prefix('"')?;
    let mut from = 0;
    loop {
        let at = from + value.get(from..)?.find(['"', '\\'])?;
        if value.as_bytes().get(at) == Some(&b'"') {
            return value.get(..at);
        }
        from = at + 2;
    }
}

/// The words of a JSON string, as far as it matters to tell what they are.
fn unescaped(text: &str) -> Cow<'_, str> {
    let text = text.strip_suffix("\\n").unwrap_or(text);
    if text.contains('\\') { Cow::Owned(text.replace("\\t", "\t").replace("\\\"", "\"")) } else { Cow::Borrowed(text) }
}

/// The cut that shows the lines of `kept` whole, and a string that counts where lines are missing.
pub(super) fn cut(document: &dyn Document, table: &Table<'_>, kept: &[KeptRows]) -> Result<Cut, CutError> {
    let mut pieces = Vec::new();
    let (mut at, mut line, mut omitted) = (0, 0, 0);
    let mut gap = |pieces: &mut Vec<Piece>, to: u64, lines: u64| {
        pieces.push(Piece::omit_silently(at_of(pieces)..to));
        pieces.push(Piece::Insert(format!("\"... {} omitted ...\"\n", counted(lines, "line"))));
        omitted += lines;
    };
    for kept in kept {
        let rows = table.rows().get(kept.rows.clone()).unwrap_or(&[]);
        for row in rows {
            let number = document.position(row.byte)?.line;
            if row.byte > at {
                gap(&mut pieces, row.byte, number - line);
            }
            pieces.push(Piece::keep(row.range(), kept.why));
            at = row.range().end;
            line = number + 1;
        }
    }
    let extent = document.extent();
    if at < extent.bytes {
        gap(&mut pieces, extent.bytes, extent.lines - line);
    }
    let mut cut = Cut::of("smart", pieces, extent)?;
    cut.omitted_elements = Some(omitted);
    cut.parses = true;
    Ok(cut)
}

/// Where the pieces so far end.
fn at_of(pieces: &[Piece]) -> u64 {
    pieces.iter().rev().find_map(Piece::range).map_or(0, |range| range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_without_a_parser() {
        let line = r#"{"type":"match","data":{"path":{"text":"a/b\"c.ts"},"lines":{"text":"\tclass \"X\" {\n"},"line_number":3}}"#;
        assert_eq!(line_of(line), SearchLine::Match(Some("a/b\\\"c.ts"), "\tclass \"X\" {".into()));
        assert_eq!(line_of(r#"{"type":"begin","data":{"path":{"text":"a"}}}"#), SearchLine::Context(Some("a")));
        assert_eq!(line_of(r#"{"data":{"stats":{}},"type":"summary"}"#), SearchLine::Summary);
        assert_eq!(line_of(r#"{"type":"match","data":{"lines":{"text":"cut off"#), SearchLine::Match(None, "".into()));
        assert_eq!(line_of("warning: x"), SearchLine::Other);
        assert!(is_event(r#"{"type": "summary"}"#) && !is_event(r#"{"type":"matches"}"#) && !is_event("{}"));
    }
}

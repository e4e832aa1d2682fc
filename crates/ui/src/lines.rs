//! Lines of a document as rows of a table, with those that the model saw marked.

use std::io;

use maud::{Markup, html};
use offcut_core::document::Document;
use offcut_core::text;

use crate::format::thousands;

/// The most characters of a line that a page shows.
const WIDTH: u64 = 2000;

/// A line as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownLine {
    /// Its number, 1-based.
    pub(crate) number: u64,
    /// Its beginning.
    pub(crate) words: String,
    /// How many bytes of it are not shown.
    pub(crate) more: u64,
}

/// At most `count` lines from line `first` (1-based) on. Costs what it reads, wherever in the document that is.
pub(crate) fn read(document: &dyn Document, first: u64, count: u64) -> io::Result<Vec<ShownLine>> {
    let mut shown: Vec<ShownLine> = Vec::new();
    if first > document.extent().lines {
        return Ok(shown);
    }
    let mut lines = document.lines_from(document.line_start(first.saturating_sub(1))?);
    while let Some(line) = lines.next_line()? {
        let number = line.position.line + 1;
        if number >= first.saturating_add(count) {
            break;
        }
        match shown.last_mut().filter(|last| last.number == number) {
            // A line that is longer than a block comes in parts.
            Some(last) => last.more += line.text.len() as u64,
            None => {
                let words = text::first_chars(line.text, WIDTH);
                let more = (line.text.len() - words.len()) as u64;
                shown.push(ShownLine { number, words: words.to_owned(), more });
            }
        }
    }
    Ok(shown)
}

/// Rows of lines; those in `kept` are marked as seen by the model.
pub(crate) fn rows(lines: &[ShownLine], kept: &[(u64, u64)]) -> Markup {
    html! { @for line in lines { (row(line, is_kept(kept, line.number))) } }
}

fn row(line: &ShownLine, kept: bool) -> Markup {
    html! {
        tr.kept[kept] data-line=(line.number) {
            td.line { (line.number) }
            td.words { code { (line.words) } @if line.more > 0 { span.note { " … " (thousands(line.more)) " more bytes" } } }
        }
    }
}

/// What the model saw: the kept ranges, and between them gaps that open. `address` is where lines come from.
pub(crate) fn seen(document: &dyn Document, kept: &[(u64, u64)], address: &str, most: u64) -> io::Result<Markup> {
    let total = document.extent().lines;
    let mut parts: Vec<Markup> = Vec::new();
    let (mut next, mut room) = (1, most);
    for (first, last) in kept.iter().map(|(first, last)| (*first, (*last).min(total))) {
        if first < next || last < first {
            continue;
        }
        parts.push(gap(next, first - 1, address));
        let count = (last - first + 1).min(room);
        parts.push(rows(&read(document, first, count)?, &[(first, last)]));
        room -= count;
        next = first + count;
        if room == 0 {
            break;
        }
    }
    parts.push(gap(next, total, address));
    Ok(html! { @for part in parts { (part) } })
}

/// A row for the lines `first` to `last`, which opens on a click; nothing where there are none.
fn gap(first: u64, last: u64, address: &str) -> Markup {
    html! {
        @if first <= last {
            tr.gap {
                td.line { "⋯" }
                td { a data-open=(address) data-first=(first) data-last=(last) href={(address) "?first=" (first)} {
                    @if first == last { "line " (thousands(first)) " not shown" }
                    @else { (thousands(last - first + 1)) " lines not shown (" (thousands(first)) "–" (thousands(last)) ")" }
                } }
            }
        }
    }
}

fn is_kept(kept: &[(u64, u64)], number: u64) -> bool {
    let at = kept.partition_point(|(_, last)| *last < number);
    kept.get(at).is_some_and(|(first, _)| *first <= number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::document::TextDocument;

    #[test]
    fn lines_are_numbered_escaped_and_marked() {
        let document = TextDocument::new("one\n<script>alert(1)</script>\nthree\n");
        let lines = read(&document, 2, 5).unwrap();
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 3]);
        let drawn = rows(&lines, &[(3, 3)]).into_string();
        assert!(drawn.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !drawn.contains("<script"), "{drawn}");
        assert_eq!(drawn.matches("class=\"kept\"").count(), 1);
        assert_eq!(read(&document, 9, 5).unwrap(), []);
    }

    #[test]
    fn a_long_line_is_shown_by_its_beginning() {
        let document = TextDocument::new("é".repeat(300_000) + "\nnext\n");
        let lines = read(&document, 1, 2).unwrap();
        let [long, next] = lines.as_slice() else { panic!("{} lines", lines.len()) };
        assert_eq!((long.words.chars().count() as u64, long.more), (WIDTH, 600_000 - 2 * WIDTH));
        assert_eq!(next.words, "next");
    }

    #[test]
    fn what_the_model_saw_has_gaps_between_its_ranges() {
        let text: String = (1..=100).map(|number| format!("line {number}\n")).collect();
        let document = TextDocument::new(text);
        let drawn = seen(&document, &[(1, 2), (50, 50), (99, 300)], "/lines", 1000).unwrap().into_string();
        assert!(drawn.contains("47 lines not shown (3–49)") && drawn.contains("48 lines not shown (51–98)"), "{drawn}");
        assert_eq!(drawn.matches("data-line").count(), 5);
        let short = seen(&document, &[(1, 50)], "/lines", 10).unwrap().into_string();
        assert!(short.contains("90 lines not shown (11–100)"), "{short}");
    }
}

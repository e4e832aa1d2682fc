//! Formats that carry data: JSON, markup, YAML, tables, Markdown.

use super::Samples;
use crate::json::{Lexeme, Lexer};
use crate::kind::{Classification, Kind};
use crate::line::columns;
use crate::text;

/// What a scan of brackets and quotes finds at the beginning of a text.
#[derive(Debug, PartialEq, Eq)]
enum Scan {
    /// One value, ending at this byte.
    Closed(usize),
    /// A value that goes on behind the text.
    Open,
    /// No JSON.
    Broken,
}

/// JSON or NDJSON, where the samples bear a scan.
pub(super) fn json(samples: &Samples<'_>) -> Option<Classification> {
    let head = samples.head.trim_start();
    if !head.starts_with(['{', '[']) {
        return json_behind_other_lines(samples);
    }
    match scan(head.as_bytes()) {
        Scan::Broken => None,
        Scan::Open if samples.whole => Some(Classification::new(Kind::Json, 0.6, "JSON that ends too early")),
        Scan::Open => Some(Classification::new(Kind::Json, 0.95, "one JSON value")),
        Scan::Closed(end) => {
            let rest = text::slice(head, end..head.len()).trim_start();
            if rest.is_empty() && samples.rest.trim().is_empty() {
                return Some(Classification::new(Kind::Json, 1.0, "one JSON value"));
            }
            let values = samples.lines().filter(|line| !line.trim().is_empty());
            let mut total = 0usize;
            let mut fitting = 0usize;
            for line in values {
                let line = line.trim();
                total += 1;
                fitting +=
                    usize::from(line.starts_with(['{', '[']) && scan(line.as_bytes()) == Scan::Closed(line.len()));
            }
            if fitting >= 2 && fitting * 10 >= total * 9 {
                return Some(Classification::new(Kind::Ndjson, 0.97, "a JSON value a line"));
            }
            None
        }
    }
}

/// One JSON value with a few lines before it, as where warnings and data share a terminal.
fn json_behind_other_lines(samples: &Samples<'_>) -> Option<Classification> {
    let start = text::slice(&samples.head, 0..4096);
    let at = ["\n{", "\n["].iter().filter_map(|opening| start.find(opening)).min()?;
    let value = text::slice(&samples.head, at + 1..samples.head.len());
    let fits = match scan(value.as_bytes()) {
        Scan::Broken => false,
        Scan::Open => !samples.whole,
        Scan::Closed(end) => end * 2 > samples.head.len() && text::slice(value, end..value.len()).trim().is_empty(),
    };
    (fits && value.len() > 2 * at)
        .then(|| Classification::new(Kind::Json, 0.6, "one JSON value behind a few other lines"))
}

/// Follows brackets, quotes and what may stand between them.
fn scan(bytes: &[u8]) -> Scan {
    let (mut lexer, mut rest) = (Lexer::default(), bytes);
    let mut open: Vec<u8> = Vec::new();
    // Whether a value, a key or a closing bracket may come; after a value only `,`, `:` or a closing bracket may.
    let mut after_value = false;
    while let Some(piece) = lexer.next(&mut rest) {
        after_value = match piece.lexeme {
            Lexeme::Space => after_value,
            Lexeme::Mark(bracket @ (b'{' | b'[')) if !after_value && open.len() < 4096 => {
                open.push(bracket);
                false
            }
            Lexeme::Mark(bracket @ (b'}' | b']')) => {
                if open.pop() != Some(if bracket == b'}' { b'{' } else { b'[' }) {
                    return Scan::Broken;
                }
                if open.is_empty() {
                    return Scan::Closed(bytes.len() - rest.len());
                }
                true
            }
            Lexeme::Mark(b',') if after_value => false,
            Lexeme::Mark(b':') if after_value && open.last() == Some(&b'{') => false,
            Lexeme::Text if !after_value => piece.ends,
            Lexeme::Word if !after_value && may_be_scalar(piece.bytes, rest.is_empty()) => true,
            Lexeme::Text | Lexeme::Word | Lexeme::Mark(_) => return Scan::Broken,
        };
    }
    Scan::Open
}

/// Whether a word is a number or a literal, as far as its letters tell; where it is cut off it may be the beginning of one.
fn may_be_scalar(word: &[u8], cut_off: bool) -> bool {
    let number = word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'e' | b'E' | b'.' | b'+' | b'-'));
    let begins = matches!(word.first(), Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n'));
    let lower = word.iter().all(|byte| *byte == b'E' || !byte.is_ascii_uppercase());
    begins && lower && (cut_off || number || matches!(word, b"true" | b"false" | b"null"))
}

/// XML or HTML.
pub(super) fn markup(samples: &Samples<'_>) -> Option<Classification> {
    let head = samples.head.trim_start();
    if !head.starts_with('<') {
        return None;
    }
    let start = text::first_chars(head, 600).to_ascii_lowercase();
    if start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.contains("<html") && start.starts_with("<?xml")
    {
        return Some(Classification::new(Kind::Html, 0.98, "an HTML document"));
    }
    if start.starts_with("<?xml") || start.starts_with("<!doctype") {
        return Some(Classification::new(Kind::Xml, 0.98, "an XML declaration"));
    }
    let opens = memchr::memchr_iter(b'<', head.as_bytes()).count();
    let closes = memchr::memmem::find_iter(head.as_bytes(), b"</").count()
        + memchr::memmem::find_iter(head.as_bytes(), b"/>").count();
    let named = start.as_bytes().get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'!');
    if !named || start.starts_with("<?php") || closes * 3 < opens || opens < 2 || opens * 400 < head.len() {
        return None;
    }
    let html = ["<div", "<body", "<head", "<table", "<p>", "<span", "<ul", "<a href", "<h1", "<script"];
    let kind = if html.iter().any(|tag| start.contains(tag)) { Kind::Html } else { Kind::Xml };
    Some(Classification::new(kind, 0.85, "elements that open and close"))
}

/// A table in columns: nearly every line is a row below a header.
pub(super) fn columns(samples: &Samples<'_>) -> Option<Classification> {
    let (rows, others) = columns::shares(samples.lines());
    let clear = rows >= 4 && rows * 10 >= (rows + others) * 7;
    clear.then(|| Classification::new(Kind::Table, 0.85, "rows below the names of their columns"))
}

/// CSV or TSV: the same number of fields in nearly every line.
pub(super) fn table(samples: &Samples<'_>) -> Option<Classification> {
    for (separator, kind, name) in [
        (b'\t', Kind::Tsv, "tab-separated fields"),
        (b',', Kind::Csv, "comma-separated fields"),
        (b';', Kind::Csv, "fields between semicolons"),
    ] {
        let mut lines = samples.lines().filter(|line| !line.is_empty()).take(400);
        let first = lines.next().map_or(0, |line| separators(line.as_bytes(), separator));
        if first == 0 {
            continue;
        }
        let others = lines.map(|line| separators(line.as_bytes(), separator));
        let counts: Vec<usize> = std::iter::once(first).chain(others).collect();
        let same = counts.iter().filter(|&&count| count == first).count();
        let spaced = samples.head.lines().take(50).filter(|line| line.contains(", ")).count();
        let prose = match separator {
            b',' => spaced * 2 > counts.len().min(50),
            // Statements end so.
            b';' => first < 2 || samples.head.lines().take(50).any(|line| line.trim_end().ends_with(';')),
            _ => false,
        };
        if counts.len() >= 3 && same * 20 >= counts.len() * 17 && !prose {
            let confidence = if first >= 2 { 0.9 } else { 0.7 };
            return Some(Classification::new(kind, confidence, name));
        }
    }
    None
}

/// CSV or TSV for certain: the names of three columns or more, and as many fields in every other line. So it is told
/// from a log even where every row has a time.
pub(super) fn headed_table(samples: &Samples<'_>) -> Option<Classification> {
    let found = table(samples).filter(|found| found.confidence >= 0.9)?;
    let mut lines = samples.lines().filter(|line| !line.is_empty());
    let head = lines.next()?;
    let separator = [b'\t', b',', b';'].into_iter().find(|separator| head.as_bytes().contains(separator))?;
    let names: Vec<&[u8]> = head.as_bytes().split(|byte| *byte == separator).map(<[u8]>::trim_ascii).collect();
    let is_name = |name: &&[u8]| {
        let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
        name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            && name.len() <= 40
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ()%/".contains(byte))
    };
    let distinct = names.iter().enumerate().all(|(at, name)| !names.iter().take(at).any(|known| known == name));
    let whole = lines.take(400).filter(|line| separators(line.as_bytes(), separator) + 1 != names.len()).count() <= 1;
    (names.iter().all(is_name) && distinct && whole).then_some(found)
}

/// How many separators stand outside quotes.
fn separators(line: &[u8], separator: u8) -> usize {
    if memchr::memchr(b'"', line).is_none() {
        return memchr::memchr_iter(separator, line).count();
    }
    let mut quoted = false;
    let mut count = 0;
    for &byte in line {
        quoted ^= byte == b'"';
        count += usize::from(byte == separator && !quoted);
    }
    count
}

/// YAML: keys and list items, indented.
pub(super) fn yaml(samples: &Samples<'_>) -> Option<Classification> {
    let (mut total, mut keys, mut items, mut code) = (0u32, 0u32, 0u32, 0u32);
    // What goes on with a value is indented further than its key.
    let (mut broken, mut indent) = (0u32, 0);
    // The indentation of the key whose value is the text below it, as `key: |` says.
    let mut block = None;
    for line in samples.lines() {
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        let own = line.len() - line.trim_start().len();
        if block.is_some_and(|key| own > key) {
            continue;
        }
        block = opens_block(words).then_some(own);
        total += 1;
        let entry = words.strip_prefix("- ").unwrap_or(words);
        let (is_item, is_key) = (words.starts_with("- ") || words == "-", is_key(entry));
        items += u32::from(is_item);
        keys += u32::from(is_key);
        if is_item || is_key {
            indent = own;
        } else {
            let closes = words.starts_with(['}', ']', '"', '\'', '|']) || words.starts_with("---") || words == "...";
            broken += u32::from(own <= indent && !closes);
        }
        code += u32::from(words.ends_with([';', '{']));
    }
    let marked = samples.head.starts_with("---\n")
        || samples.head.starts_with("apiVersion:")
        || samples.head.starts_with("%YAML");
    let share = (keys + items / 2) * 10;
    if total >= 2
        && code * 20 < total
        && broken * 25 <= total
        && keys >= 2
        && (share >= total * 6 || marked && share >= total * 3)
    {
        return Some(Classification::new(Kind::Yaml, if marked { 0.95 } else { 0.75 }, "keys and list items"));
    }
    None
}

/// Whether the text below is the value: `key: |`, `key: >-`, `- |2`.
fn opens_block(words: &str) -> bool {
    let Some(last) = words.rsplit(' ').next() else { return false };
    let mut marks = last.chars();
    last.len() < words.len()
        && marks.next().is_some_and(|mark| mark == '|' || mark == '>')
        && marks.all(|mark| mark == '-' || mark == '+' || mark.is_ascii_digit())
}

/// Whether `entry` starts with `key:` as YAML has it.
fn is_key(entry: &str) -> bool {
    let Some((key, value)) = entry.split_once(':') else { return false };
    let plain = |char: char| char.is_alphanumeric() || "_-./\"'$ ".contains(char);
    !key.is_empty()
        && key.len() <= 60
        && key.chars().all(plain)
        && key.split(' ').count() <= 3
        && (value.is_empty() || value.starts_with(' '))
}

/// From so many rows on, a table is more than a part of a text.
const LONG_TABLE: u32 = 40;

/// Markdown: headings, lists, fences, links.
pub(super) fn markdown(samples: &Samples<'_>) -> Option<Classification> {
    let (mut total, mut headings, mut fences, mut items, mut links) = (0u32, 0u32, 0u32, 0u32, 0u32);
    let mut cells = 0u32;
    // `# ` may begin a comment; `## ` and more at the very beginning of a line hardly ever do.
    let mut sections = 0u32;
    let mut before = "";
    for line in samples.lines() {
        let words = line.trim_start();
        if !words.is_empty() {
            total += 1;
            let level = words.bytes().take_while(|&byte| byte == b'#').count();
            let set_off = before.trim().is_empty() && !(level > 1 && words.ends_with('#'));
            headings += u32::from((1..=6).contains(&level) && words.as_bytes().get(level) == Some(&b' ') && set_off);
            headings += u32::from(underlines(line, before));
            // A box that is drawn with `##` is a comment of a script.
            let boxed = level < words.len() && words.ends_with('#');
            sections += u32::from((2..=6).contains(&level) && line.as_bytes().get(level) == Some(&b' ') && !boxed);
            fences += u32::from(is_fence(line));
            items += u32::from(
                words.starts_with("- ")
                    || words.starts_with("* ")
                    || words.starts_with("1. ")
                    || words.starts_with("| "),
            );
            links += u32::from(marked(words.as_bytes()));
            cells += u32::from(words.starts_with('|'));
        }
        before = line;
    }
    // A long table below a heading is a table.
    if cells >= LONG_TABLE && cells * 10 >= total * 9 {
        return None;
    }
    let signs = headings * 3 + fences * 2 + items + links * 2;
    let kinds = [headings, fences, items, links].iter().filter(|count| **count > 0).count();
    if sections >= 3 && sections * 100 >= total && items + links + fences > 0 {
        return Some(Classification::new(Kind::Markdown, 0.9, "sections with headings"));
    }
    if headings >= 1 && kinds >= 2 && signs * 5 >= total {
        return Some(Classification::new(Kind::Markdown, 0.85, "headings, lists and links"));
    }
    (headings + fences >= 2 && kinds >= 2).then(|| Classification::new(Kind::Markdown, 0.6, "headings"))
}

/// The lines of a text that stand in no fenced block: what is fenced is quoted, so its language is not the text's.
pub(super) fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    text::split(text).map(|line| line.text).filter(move |line| {
        is_inside ^= is_fence(line);
        !is_inside && !is_fence(line)
    })
}

/// Whether a line opens or closes a fenced block.
fn is_fence(line: &str) -> bool {
    let words = line.trim_start();
    words.starts_with("```") || words.starts_with("~~~")
}

/// Whether a line of `=` or `-` makes a heading of the line above it: that begins at the left, and is about as long. What
/// a table's column is called stands in the middle of a longer one.
fn underlines(line: &str, above: &str) -> bool {
    let title = above.trim_start();
    let indented = above.len() - title.len();
    line.len() >= 3
        && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
        && !title.is_empty()
        && indented < 4
        && line.len() <= title.len() * 2 + 8
}

/// Whether a line has a link or a word in bold. Stars that draw a box around a comment are neither.
fn marked(words: &[u8]) -> bool {
    let bold = |at: usize| {
        let opens = at == 0 || words.get(at - 1).is_some_and(|byte| !byte.is_ascii_alphanumeric() && *byte != b'*');
        opens
            && words.get(at + 2).is_some_and(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'*' | b'/' | b')'))
    };
    memchr::memchr2_iter(b'*', b']', words).any(|at| match words.get(at..at + 2) {
        Some(b"](") => true,
        Some(b"**") => bold(at),
        _ => false,
    })
}

/// Whether the content can be what the file's name says.
pub(super) fn agrees(kind: Kind, samples: &Samples<'_>) -> bool {
    match kind {
        Kind::Markdown => markdown(samples).is_some(),
        Kind::Yaml => yaml(samples).is_some(),
        Kind::Csv | Kind::Tsv => table(samples).is_some_and(|found| found.kind == kind),
        Kind::Json => samples.head.trim_start().starts_with(['{', '[']),
        Kind::Ndjson => samples.lines().filter(|line| !line.is_empty()).all(|line| line.starts_with(['{', '['])),
        Kind::Xml | Kind::Html => samples.head.trim_start().starts_with('<'),
        _ => false,
    }
}

//! Search results: every file at least once, definitions before uses, the rest spread evenly.

use std::collections::HashMap;

use super::Reading;
use super::fill::Unit;
use super::notes::{Notes, Style};
use super::paths;
use super::shape::{Counts, Hash};
use super::table::Table;
use crate::text;

/// A line of search results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    /// The path above its matches.
    File(&'a str),
    /// A match: its file where the line names it, and the line's words.
    Match(Option<&'a str>, &'a str),
    /// A line around a match.
    Context(Option<&'a str>),
    /// `--`, an empty line.
    Break,
    /// Something else: a message, a count.
    Other,
}

/// What the lines of search results are worth.
pub(super) fn read(table: &Table<'_>) -> Reading {
    let mut notes = Notes::new(Style::Places);
    let mut name = 0;
    let counts = forms(table);
    let all = counts.values().sum::<u32>().max(1) as f32;
    let mut file = 0;
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut units = Vec::with_capacity(table.len());
    for row in 0..table.len() {
        let line = table.words(row);
        let next = table.words(row + 1);
        let mut counted = false;
        let (worth, why) = match line_of(line, next) {
            Line::File(path) => {
                file = Hash::of(path.as_bytes());
                name = notes.name(path);
                (60.0, "file header")
            }
            Line::Match(path, words) => {
                file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                name = path.map_or(name, |path| notes.name(path));
                counted = true;
                let before = seen.entry(file).or_default();
                let rare = counts.get(&form(words)).copied().unwrap_or(1).max(1) as f32;
                let worth = (if *before == 0 { 26.0 } else { 9.0 }) * (all / rare.max(8.0)).powf(0.25);
                *before += 1;
                if paths::defines(words) { (worth + 75.0, "definition") } else { (worth, "match") }
            }
            Line::Context(path) => {
                file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                (1.4, "context")
            }
            Line::Break => {
                notes.push(0);
                continue;
            }
            Line::Other => (6.0, "rare line"),
        };
        notes.push(if counted { name } else { 0 });
        let fade = if why == "match" { 0.93 } else { 0.97 };
        let key = if why == "context" { file ^ 1 } else { file };
        units.push(Unit { rows: row as u32..row as u32 + 1, worth, key, stem: 0, stem_fade: 1.0, fade, why });
    }
    Reading { units, notes, by_novelty: false }
}

/// How often matches of each form occur: a rare one tells more.
fn forms(table: &Table<'_>) -> Counts {
    let mut counts = Counts::default();
    for row in 0..table.len() {
        if let Line::Match(_, words) = line_of(table.words(row), "") {
            *counts.entry(form(words)).or_default() += 1;
        }
    }
    counts
}

/// What a matching line begins with: a call, a keyword, a mark such as `FIXME:`.
fn form(words: &str) -> u64 {
    let start = words.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = start.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(start.len());
    Hash::of(text::slice(start, 0..end).as_bytes())
}

fn line_of<'a>(line: &'a str, next: &str) -> Line<'a> {
    if line.trim().is_empty() || line == "--" {
        return Line::Break;
    }
    if let Some((_, words)) = numbered(line, ':') {
        return Line::Match(None, words);
    }
    if numbered(line, '-').is_some() {
        return Line::Context(None);
    }
    // `path:12:words`, `path-12-words`; a Windows path has a colon of its own.
    let skip = usize::from(line.as_bytes().get(1) == Some(&b':')) * 2;
    for (at, byte) in line.bytes().enumerate().skip(skip).take(300) {
        if byte == b':' || byte == b'-' {
            let (path, rest) = line.split_at(at);
            let rest = rest.get(1..).unwrap_or("");
            if let Some((_, words)) = numbered(rest, byte as char) {
                return if byte == b':' { Line::Match(Some(path), words) } else { Line::Context(Some(path)) };
            }
            if byte == b':' && at > 0 && path_like(path) && !rest.starts_with("//") {
                return Line::Match(Some(path), rest);
            }
        }
    }
    if path_like(line) && (numbered(next, ':').is_some() || numbered(next, '-').is_some()) {
        return Line::File(line);
    }
    if path_like(line) {
        return Line::Match(Some(line), "");
    }
    Line::Other
}

/// The number and the words of `12:words`.
fn numbered(line: &str, mark: char) -> Option<(&str, &str)> {
    let (number, words) = line.split_once(mark)?;
    (!number.is_empty() && number.len() < 9 && number.bytes().all(|b| b.is_ascii_digit())).then_some((number, words))
}

fn path_like(text: &str) -> bool {
    !text.is_empty() && text.len() < 260 && !text.contains([' ', '\t', '(', '"']) && text.contains(['/', '.', '\\'])
}

//! Search results: every file at least once, definitions before uses, the rest spread by how much a file has.

use std::borrow::Cow;
use std::collections::HashMap;

use super::events;
use super::fill::Unit;
use super::notes::{Notes, Style};
use super::scored::Scored;
use super::table::Table;
use crate::hash::{Counts, Hash, Plain};
use crate::line::definitions;
use crate::text;

/// A line of search results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// The path above its matches.
    File(&'a str),
    /// A match: its file where the line names it, and the line's words.
    Match(Option<&'a str>, Cow<'a, str>),
    /// A line around a match.
    Context(Option<&'a str>),
    /// `--`, an empty line.
    Break,
    /// What sums the search up.
    Summary,
    /// Something else: a message, a count.
    Other,
}

/// What the lines of search results are worth.
pub(super) fn read(table: &Table<'_>) -> Scored {
    let lines = lines(table);
    let counts = Spread::of(&lines);
    let mut notes = Notes::new(Style::Places);
    let (mut name, mut file) = (0, 0);
    let mut seen = Counts::default();
    let mut units = Vec::with_capacity(lines.len());
    for (row, line) in lines.iter().enumerate() {
        let mut counted = false;
        let mut stem = 0;
        let (worth, why) = match line {
            Line::File(path) => {
                file = Hash::of(path.as_bytes());
                name = notes.name(path);
                (600.0, "file header")
            }
            Line::Match(path, words) => {
                file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                name = path.map_or(name, |path| notes.name(path));
                counted = true;
                let before = seen.entry(file).or_default();
                *before += 1;
                let worth = counts.rarity(words) * if *before == 1 { 180.0 } else { 130.0 };
                stem = Hash::of(words.trim().as_bytes()) | 1;
                if definitions::is_definition(words) { (worth + 750.0, "definition") } else { (worth, "match") }
            }
            Line::Context(path) => {
                file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                (14.0, "context")
            }
            Line::Break => {
                notes.push(0);
                continue;
            }
            Line::Summary => (500.0, "summary"),
            Line::Other => (60.0, "rare line"),
        };
        notes.push(if counted { name } else { 0 });
        let fade = if why == "match" { counts.fade(file) } else { 0.97 };
        let key = if why == "context" { file ^ 1 } else { file };
        units.push(Unit { rows: row as u32..row as u32 + 1, worth, key, stem, stem_fade: 0.8, fade, why });
    }
    Scored::of_units(units, notes)
}

fn lines<'t>(table: &'t Table<'_>) -> Vec<Line<'t>> {
    let events = events::is_event(table.words(0));
    let line = |row: usize| match events {
        true => events::line_of(table.words(row)),
        false => line_of(table.words(row), table.words(row + 1)),
    };
    (0..table.len()).map(line).collect()
}

/// How matches are spread: over files, and over forms.
struct Spread {
    files: HashMap<u64, u32, Plain>,
    forms: Counts,
    all: f32,
}

impl Spread {
    fn of(lines: &[Line<'_>]) -> Spread {
        let (mut files, mut forms) = (Counts::default(), Counts::default());
        let (mut file, mut all) = (0, 0);
        for line in lines {
            match line {
                Line::File(path) => file = Hash::of(path.as_bytes()),
                Line::Match(path, words) => {
                    file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                    *files.entry(file).or_default() += 1;
                    *forms.entry(form(words)).or_default() += 1;
                    all += 1;
                }
                Line::Context(_) | Line::Break | Line::Summary | Line::Other => {}
            }
        }
        Spread { files, forms, all: all.max(1) as f32 }
    }

    /// How much more a match of a rare form tells.
    fn rarity(&self, words: &str) -> f32 {
        let alike = self.forms.get(&form(words)).copied().unwrap_or(1).max(8) as f32;
        (self.all / alike).max(1.0).powf(0.25)
    }

    /// What each match that is shown of a file leaves of the next one's worth: a file with four times as many matches
    /// shows twice as many of them.
    fn fade(&self, file: u64) -> f32 {
        let count = self.files.get(&file).copied().unwrap_or(1).max(1) as f32;
        (-1.0 / count.sqrt()).exp()
    }
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
        return Line::Match(None, words.into());
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
                return if byte == b':' { Line::Match(Some(path), words.into()) } else { Line::Context(Some(path)) };
            }
            if byte == b':' && at > 0 && path_like(path) {
                return Line::Match(Some(path), rest.into());
            }
        }
    }
    if path_like(line) && (numbered(next, ':').is_some() || numbered(next, '-').is_some()) {
        return Line::File(line);
    }
    if path_like(line) {
        return Line::Match(Some(line), "".into());
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

//! Search results: every file at least once, the definition of what was searched for before its uses, the rest spread
//! by how much a file has.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::hash::{Counts, Hash, Plain};
use crate::line::signals::Signals;
use crate::line::{definitions, template};
use crate::strategy::Settings;
use crate::strategy::lines::events;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::score::search_line::SearchLine;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::search as weights;
use crate::text;

/// Weighs the lines of search results.
pub(in crate::strategy::lines) struct SearchResults;

impl Scorer for SearchResults {
    fn score(&self, table: &Table<'_>, _: &Settings) -> Scored {
        let lines = lines(table);
        let counts = Spread::of(&lines);
        let definitions = Definitions::of(&lines);
        let signals = table.signals();
        let tells = |row: usize| signals.get(row).is_some_and(|signals| signals.has(Signals::TROUBLE));
        let is_match = |row: &usize| matches!(lines.get(*row), Some(SearchLine::Match(..)));
        let troubled = (0..lines.len()).filter(|row| is_match(row) && tells(*row)).count();
        let stands_out = counts.are_findings && troubled as f32 <= counts.all * weights::MOST_TROUBLED;
        let mut labels = GapLabels::new(Style::Places);
        let (mut name, mut file) = (0, 0);
        let mut seen = Counts::default();
        let mut units = Vec::with_capacity(lines.len());
        for (row, line) in lines.iter().enumerate() {
            let mut counted = false;
            let mut prefix = 0;
            let (worth, why) = match line {
                SearchLine::File(path) => {
                    file = Hash::of(path.as_bytes());
                    name = labels.name(path);
                    (weights::FILE, "file header")
                }
                SearchLine::Match(path, words) => {
                    file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                    name = path.map_or(name, |path| labels.name(path));
                    counted = true;
                    let before = seen.entry(file).or_default();
                    *before += 1;
                    let first = weights::FIRST_MATCH * counts.weight(file);
                    let worth = counts.rarity(words) * if *before == 1 { first } else { weights::MATCH };
                    prefix = counts.alike(words) | 1;
                    let worth = if stands_out && tells(row) { worth + weights::TROUBLED } else { worth };
                    match definitions.worth(words) {
                        gain if gain < weights::DEFINITION / 2.0 => (worth + gain, "match"),
                        // Where it is known what was searched for, no match of a rare form comes before this.
                        gain if definitions.name.is_some() => (worth + gain * counts.rarest(), "definition"),
                        gain => (worth + gain, "definition"),
                    }
                }
                SearchLine::Context(path) => {
                    file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                    (weights::CONTEXT, "context")
                }
                SearchLine::Break => {
                    labels.push(0);
                    continue;
                }
                SearchLine::Summary => (weights::SUMMARY, "summary"),
                SearchLine::Other if tells(row) => {
                    prefix = template::template(table.words(row).trim()).0 | 1;
                    (weights::TROUBLE, "message")
                }
                SearchLine::Other => (weights::OTHER, "rare line"),
            };
            labels.push(if counted { name } else { 0 });
            let fade = if why == "match" { counts.fade(file) } else { weights::FADE };
            let key = if why == "context" { file ^ 1 } else { file };
            let prefix_fade = if counts.are_findings { weights::SAME_FINDING } else { weights::SAME_WORDS };
            units.push(Unit { prefix, prefix_fade, ..Unit::row(row, worth, key, fade, why) });
        }
        Scored { floor: weights::FLOOR, ..Scored::of_units(units, labels) }
    }
}

fn lines<'t>(table: &'t Table<'_>) -> Vec<SearchLine<'t>> {
    let events = events::is_event(table.words(0));
    let line = |row: usize| match events {
        true => events::line_of(table.words(row)),
        false => line_of(table.words(row), table.words(row + 1)),
    };
    let mut lines: Vec<SearchLine<'t>> = (0..table.len()).map(line).collect();
    // What stands behind the last match sums the search up: how many matches, in how many files.
    let is_behind = |line: &&mut SearchLine<'_>| matches!(line, SearchLine::Other | SearchLine::Break);
    for line in lines.iter_mut().rev().take_while(is_behind).filter(|line| **line == SearchLine::Other).take(SUMMARY) {
        *line = SearchLine::Summary;
    }
    lines
}

/// A search is summed up in so many lines at most.
const SUMMARY: usize = 12;

/// Which matches define what was searched for.
struct Definitions<'t> {
    /// What was searched for, where it is a name that some match defines.
    name: Option<&'t str>,
}

impl<'t> Definitions<'t> {
    fn of(lines: &'t [SearchLine<'_>]) -> Definitions<'t> {
        let found = || {
            lines.iter().filter_map(|line| if let SearchLine::Match(_, words) = line { Some(&**words) } else { None })
        };
        let is_defined =
            |name: &&str| found().any(|words| defined(words, name) >= DEFINES || defines_longer(words, name));
        let name = searched(found()).filter(is_defined);
        Definitions { name }
    }

    /// What a match gains that defines something: most if it is what was searched for.
    fn worth(&self, words: &str) -> f32 {
        match self.name {
            Some(name) => match defined(words, name) {
                share if share >= DEFINES => weights::DEFINITION * share,
                _ if !definitions::is_definition(words) => 0.0,
                _ if defines_longer(words, name) => weights::LONGER_DEFINITION,
                _ => weights::OTHER_DEFINITION,
            },
            None if definitions::is_definition(words) => weights::DEFINITION,
            None => 0.0,
        }
    }
}

/// From this on a line counts as the definition of a name.
const DEFINES: f32 = 0.6;

/// How many matches are looked at to know what was searched for.
const LOOKED_AT: usize = 300;

/// How much a line looks like the definition of `name`; one that begins with the name, or with its type, at the very
/// left is C's.
fn defined(words: &str, name: &str) -> f32 {
    let found = definitions::defines_name(words, name);
    let ends = words.trim_end();
    let left = words.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && ends.ends_with([')', ',', '{']);
    let (before, behind) = words.split_once(name).unwrap_or((words, ""));
    // The type of an argument or of what is returned is used.
    let lead = before.trim_end();
    if lead.ends_with([':', '<', '|', '&']) && !lead.ends_with("::") || lead.ends_with("->") {
        return 0.0;
    }
    let typed = before.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_* ".contains(&byte))
        && !before.trim_start().starts_with("return");
    if left && typed && behind.starts_with('(') && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return found.max(LEFTMOST);
    }
    found
}

/// How much a line looks like a definition that has a name and its arguments at the very left, and does not end there.
const LEFTMOST: f32 = 0.85;

/// Whether a line defines a name that `part` is a part of: `def dijkstra_path(` where `dijkstra` was searched for.
fn defines_longer(words: &str, part: &str) -> bool {
    let code = words.trim();
    definitions::definition(code, "").is_some_and(|(_, name)| name.contains(part))
}

/// What was searched for: the longest word, or part of a name, that nearly all matches have.
fn searched<'t>(found: impl Iterator<Item = &'t str> + Clone) -> Option<&'t str> {
    // Spread over all of them: what the first files use may not be what was searched for.
    let every = found.clone().count().div_ceil(LOOKED_AT).max(1);
    let looked_at = || found.clone().step_by(every);
    let all = looked_at().count();
    let mut tried = BTreeSet::new();
    let mut best: Option<(&str, usize)> = None;
    // A match that lacks it, such as one line of a match over several, must not be the only one that is asked.
    for word in looked_at().step_by(all.div_ceil(ASKED).max(1)).flat_map(parts) {
        if best.is_some_and(|(name, _)| word.len() < name.len()) || !tried.insert(word) {
            continue;
        }
        let count = looked_at().filter(|words| words.contains(word)).count();
        let is_better = best.is_none_or(|(name, most)| word.len() > name.len() || count > most);
        if count >= 2 && count * 10 >= all * 9 && is_better {
            best = Some((word, count));
        }
    }
    best.map(|(name, _)| name)
}

/// The words of a line, and the parts of names that are written as several words.
fn parts(words: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    words.split(move |c| !is_part(c)).filter(|word| word.len() >= 3).flat_map(|word| {
        let starts = word.char_indices().zip(word.chars().skip(1)).filter_map(|((at, c), next)| {
            let behind = at + c.len_utf8();
            (c == '_' || c.is_lowercase() && next.is_uppercase()).then_some(behind)
        });
        let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
        let ends = starts.iter().skip(1).copied().chain([word.len()]).collect::<Vec<_>>();
        let spans = starts.iter().flat_map(|&start| ends.iter().map(move |&end| start..end)).collect::<Vec<_>>();
        let part = move |span: Range<usize>| text::slice(word, span).trim_matches('_');
        spans.into_iter().filter(|span| span.start < span.end).map(part).filter(|part| part.len() >= 3)
    })
}

/// How many matches, from all over them, are asked for words that all others may have.
const ASKED: usize = 12;

/// How matches are spread: over files, and over forms.
struct Spread {
    files: HashMap<u64, u32, Plain>,
    forms: Counts,
    all: f32,
    /// Whether the lines are findings of a linter, not matches of a search: they say few things again and again.
    are_findings: bool,
}

impl Spread {
    fn of(lines: &[SearchLine<'_>]) -> Spread {
        let are_findings = are_findings(lines);
        let (mut files, mut forms) = (Counts::default(), Counts::default());
        let (mut file, mut all) = (0, 0);
        for line in lines {
            match line {
                SearchLine::File(path) => file = Hash::of(path.as_bytes()),
                SearchLine::Match(path, words) => {
                    file = path.map_or(file, |path| Hash::of(path.as_bytes()));
                    *files.entry(file).or_default() += 1;
                    *forms.entry(form(words, are_findings)).or_default() += 1;
                    all += 1;
                }
                SearchLine::Context(_) | SearchLine::Break | SearchLine::Summary | SearchLine::Other => {}
            }
        }
        Spread { files, forms, all: all.max(1) as f32, are_findings }
    }

    /// The same for matches of which one is enough.
    fn alike(&self, words: &str) -> u64 {
        if self.are_findings { finding(words) } else { Hash::of(words.trim().as_bytes()) }
    }

    /// How much more a match of a rare form tells.
    fn rarity(&self, words: &str) -> f32 {
        let alike =
            self.forms.get(&form(words, self.are_findings)).copied().unwrap_or(1).max(weights::RARE_FORM) as f32;
        (self.all / alike).max(1.0).powf(weights::RARITY)
    }

    /// How much more a match of the rarest form tells.
    fn rarest(&self) -> f32 {
        (self.all / weights::RARE_FORM as f32).max(1.0).powf(weights::RARITY)
    }

    /// How much more the first match of a file is worth, the more matches it has.
    fn weight(&self, file: u64) -> f32 {
        let count = self.files.get(&file).copied().unwrap_or(1).max(1) as f32;
        1.0 + weights::DOUBLED * count.log2()
    }

    /// What each match that is shown of a file leaves of the next one's worth: a file with four times as many matches
    /// shows twice as many of them.
    fn fade(&self, file: u64) -> f32 {
        let count = self.files.get(&file).copied().unwrap_or(1).max(1) as f32;
        (-1.0 / count.sqrt()).exp()
    }
}

/// Whether the matches say so few things that a linter must have found them.
fn are_findings(lines: &[SearchLine<'_>]) -> bool {
    let (mut templates, mut all) = (Counts::default(), 0);
    let words = lines.iter().filter_map(|line| if let SearchLine::Match(_, words) = line { Some(words) } else { None });
    for words in words.filter(|words| !words.trim().is_empty()) {
        *templates.entry(finding(words)).or_default() += 1;
        all += 1;
    }
    let says = templates.len();
    all >= weights::LEAST_FINDINGS && says >= weights::LEAST_SAID && says * weights::FINDINGS_A_TEMPLATE <= all
}

/// What a finding says, wherever it was found.
fn finding(words: &str) -> u64 {
    template::finding(words).unwrap_or_else(|| template::template(words.trim()).0)
}

/// What a matching line begins with: a call, a keyword, a mark such as `FIXME:`; of a finding, what it says.
fn form(words: &str, is_finding: bool) -> u64 {
    if is_finding {
        return finding(words);
    }
    let start = words.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = start.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(start.len());
    Hash::of(text::slice(start, 0..end).as_bytes())
}

fn line_of<'a>(line: &'a str, next: &str) -> SearchLine<'a> {
    if line.trim().is_empty() || line == "--" {
        return SearchLine::Break;
    }
    if let Some((_, words)) = numbered(line, ':') {
        return SearchLine::Match(None, words.into());
    }
    if numbered(line, '-').is_some() {
        return SearchLine::Context(None);
    }
    // `path:12:words`, `path-12-words`; a Windows path has a colon of its own.
    let skip = usize::from(line.as_bytes().get(1) == Some(&b':')) * 2;
    for (at, byte) in line.bytes().enumerate().skip(skip).take(300) {
        if byte == b':' || byte == b'-' {
            let (path, rest) = line.split_at(at);
            let rest = rest.get(1..).unwrap_or("");
            if let Some((_, words)) = numbered(rest, byte as char) {
                return if byte == b':' {
                    SearchLine::Match(Some(path), words.into())
                } else {
                    SearchLine::Context(Some(path))
                };
            }
            if byte == b':' && at > 0 && path_like(path) {
                return SearchLine::Match(Some(path), rest.into());
            }
        }
    }
    if path_like(line) && (numbered(next, ':').is_some() || numbered(next, '-').is_some()) {
        return SearchLine::File(line);
    }
    if path_like(line) {
        return SearchLine::Match(Some(line), "".into());
    }
    SearchLine::Other
}

/// The number and the words of `12:words`.
fn numbered(line: &str, mark: char) -> Option<(&str, &str)> {
    let (number, words) = line.split_once(mark)?;
    (!number.is_empty() && number.len() < 9 && number.bytes().all(|b| b.is_ascii_digit())).then_some((number, words))
}

fn path_like(text: &str) -> bool {
    !text.is_empty() && text.len() < 260 && !text.contains([' ', '\t', '(', '"']) && text.contains(['/', '.', '\\'])
}

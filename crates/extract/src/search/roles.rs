//! The lines that are of the kind that a question means.
//!
//! A document's lines are told by what they are (an error, a summary, a definition, …) once, and the best of each kind are
//! kept; a question then picks the kinds that it means.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

use offcut_core::document::{Document, DocumentLine};
use offcut_core::line::steps::StepFinder;
use offcut_core::line::{self, LineRules, definitions};
use offcut_core::text;
use serde::{Deserialize, Serialize};

use super::intent::Intents;

/// The most lines of a kind that are kept.
const MOST: usize = 300;

/// How much of a line is judged, in bytes.
const REACH: usize = 600;

/// Lines at the end that tell how it came out, at least.
const VERDICT: u64 = 8;

/// What they are worth more.
const BY_END: f32 = 1.3;

/// The kind of the lines with which a step begins that failed, and what they are worth.
const FAILED_STEP: &str = "failed step";
const STEP_WORTH: f32 = 100.0;

/// What a line is worth more inside a step that failed.
const BY_STEP: f32 = 1.3;

/// Lines that steps are looked for in.
const STEPPED: u64 = 2_000_000;

/// The most shapes that are told apart; lines of further ones count as rare.
const SHAPES: usize = 100_000;

/// A line of a kind that may be meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RoleHit {
    /// The 0-based number of the line.
    pub(super) line: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    /// What seeing it is worth.
    pub(super) worth: f32,
    /// A hash of what is left of it without the parts that vary.
    pub(super) shape: u64,
    /// How many lines have this shape.
    pub(super) count: u32,
}

/// The best lines of each kind, by its name, in document order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Kinds {
    best: BTreeMap<Cow<'static, str>, Vec<RoleHit>>,
    /// How many lines there are of each.
    totals: BTreeMap<Cow<'static, str>, u64>,
}

/// Reads lines, and keeps the best of each kind.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    kinds: Kinds,
    history: History,
    shapes: HashMap<u64, (u32, RoleHit)>,
    rules: Arc<LineRules>,
    last_line: u64,
    steps: StepFinder,
}

impl Gatherer {
    /// A gatherer that tells lines by `rules`.
    pub(super) fn new(rules: &Arc<LineRules>) -> Gatherer {
        Gatherer { rules: rules.clone(), ..Gatherer::default() }
    }

    /// Takes a line in; later parts of a long one are passed over.
    pub(super) fn push(&mut self, line: &DocumentLine<'_>) {
        let words = text::slice(line.text, 0..REACH);
        if line.first && line.position.line < STEPPED {
            self.steps.push(words);
        }
        let subject = line.first && self.history.is_subject(words);
        if !line.first || words.trim().is_empty() {
            return;
        }
        self.last_line = line.position.line;
        let shape = shape(words);
        let bytes = line.range();
        let (start, end) = (bytes.start, bytes.end);
        let mut hit = RoleHit { line: line.position.line, start, end, worth: 10.0, shape, count: 1 };
        let room = self.shapes.len() < SHAPES;
        let times = match self.shapes.get_mut(&shape) {
            Some((count, _)) => {
                *count += 1;
                *count
            }
            None if room => {
                self.shapes.insert(shape, (1, hit.clone()));
                1
            }
            None => 1,
        };
        // Of many of one shape the first ones tell it.
        let fade = 0.97f32.powi(times.min(60) as i32 - 1);
        let score = line::score(words, &self.rules);
        let role = score.role.reason().map(|why| (why, score.worth));
        let others = [
            ("duration", 40.0, tells_duration as fn(&str) -> bool),
            ("definition", 20.0, definitions::is_definition_shown),
        ];
        let others = others.into_iter().filter(|(_, _, is)| is(words)).map(|(why, worth, _)| (why, worth));
        let heading = (subject || is_path(words)).then_some(("heading", 20.0));
        let others = others.chain(heading);
        for (why, worth) in role.into_iter().chain(others) {
            hit.worth = worth.max(1.0) * fade;
            let kept = self.kinds.best.entry(Cow::Borrowed(why)).or_default();
            *self.kinds.totals.entry(Cow::Borrowed(why)).or_default() += 1;
            kept.push(hit.clone());
            if kept.len() >= 4 * MOST {
                thin(kept, MOST);
            }
        }
    }

    /// The best lines of each kind, and those whose shape is rare. What stands near the end tells how it came out.
    pub(super) fn finish(mut self) -> Kinds {
        let near = self.last_line.saturating_sub((self.last_line / 50).max(VERDICT));
        let late = self.kinds.best.values_mut().flatten().filter(|line| line.line >= near);
        late.for_each(|line| line.worth *= BY_END);
        self.failed_steps();
        for line in self.kinds.best.values_mut().flatten() {
            line.count = self.shapes.get(&line.shape).map_or(1, |(count, _)| *count);
        }
        let mut rare: Vec<RoleHit> = self
            .shapes
            .into_values()
            .map(|(count, line)| RoleHit { worth: 10.0 / (count as f32).sqrt(), count, ..line })
            .collect();
        rare.sort_by_key(|line| line.start);
        self.kinds.best.insert(Cow::Borrowed("rare"), rare);
        self.kinds.best.values_mut().for_each(|lines| thin(lines, MOST));
        self.kinds
    }
}

impl Gatherer {
    /// Lifts the lines of the steps that failed, and tells where those begin.
    fn failed_steps(&mut self) {
        let steps = std::mem::take(&mut self.steps).finish();
        let mut begins = Vec::new();
        for step in steps.failed() {
            let lines = step.lines.start as u64..step.lines.end as u64;
            let inside = self.kinds.best.values_mut().flatten().filter(|hit| lines.contains(&hit.line));
            inside.for_each(|hit| hit.worth *= BY_STEP);
            let commands = self.kinds.best.get("command").into_iter().flatten();
            begins.extend(commands.filter(|hit| lines.contains(&hit.line)).take(2).cloned());
        }
        begins.iter_mut().for_each(|hit| hit.worth = STEP_WORTH);
        self.kinds.best.insert(Cow::Borrowed(FAILED_STEP), begins);
    }
}

impl Kinds {
    /// The kinds of a document's lines.
    pub(super) fn of(document: &dyn Document, rules: &Arc<LineRules>) -> io::Result<Kinds> {
        let mut gatherer = Gatherer::new(rules);
        let mut lines = document.lines();
        while let Some(line) = lines.next_line()? {
            gatherer.push(&line);
        }
        Ok(gatherer.finish())
    }

    /// How many lines there are of the kinds that are counted by themselves, where `intents` mean them.
    pub(super) fn counted_by(&self, intents: Intents) -> Vec<(&'static str, u64)> {
        let kinds = [
            ("failing test", "that name a failing test", Intents::FAILURE),
            ("warning", "with a warning", Intents::WARNING),
        ];
        let meant = kinds.into_iter().filter(|(_, _, meaning)| intents.has(*meaning));
        meant.filter_map(|(kind, told, _)| Some((told, *self.totals.get(kind)?))).collect()
    }

    /// The lines that `intents` mean, the best first.
    pub(super) fn meant_by(&self, intents: Intents) -> Vec<RoleHit> {
        let wanted = |why: &str| match why {
            "duration" => intents.has(Intents::DURATION),
            "definition" => intents.has(Intents::DEFINITION),
            "heading" => intents.has(Intents::STRUCTURE),
            "rare" => intents.has(Intents::RARE),
            FAILED_STEP => intents.has(Intents::COMMAND),
            role => intents.means(role),
        };
        let rare = intents.has(Intents::RARE);
        // What is asked for because it is rare must be; anything else only loses a little by being frequent.
        let fade = |line: &RoleHit| match rare {
            true => (line.count as f32).sqrt(),
            false => 1.0 + (line.count as f32).log2() / 10.0,
        };
        let mut groups: BTreeMap<u8, Vec<RoleHit>> = BTreeMap::new();
        for (why, lines) in self.best.iter().filter(|(why, _)| wanted(why)) {
            let lines = lines.iter().map(|line| RoleHit { worth: line.worth / fade(line), ..line.clone() });
            groups.entry(group(why)).or_default().extend(lines);
        }
        // Where different things are meant each gets its share: the best line of one counts nearly as much as that of
        // another, and each further one less.
        let several = groups.len() > 1;
        let mut found: Vec<RoleHit> = Vec::new();
        for mut lines in groups.into_values() {
            best_first(&mut lines);
            let lift = (100.0 / lines.first().map_or(1.0, |line| line.worth.max(1.0))).sqrt();
            let ranked = lines.into_iter().enumerate().map(|(at, line)| match several {
                true => RoleHit { worth: line.worth * lift / (1.0 + at as f32 / 16.0), ..line },
                false => line,
            });
            found.extend(ranked);
        }
        best_first(&mut found);
        found
    }
}

/// Kinds of lines that answer the same sort of question.
fn group(why: &str) -> u8 {
    match why {
        "failing test" | "error" | "expected and found" => 0,
        "summary" | "exit code" => 1,
        "location" | "stack trace" => 2,
        "warning" => 3,
        "command" => 4,
        "duration" => 5,
        "definition" => 6,
        "heading" => 7,
        FAILED_STEP => 9,
        _ => 8,
    }
}

fn best_first(lines: &mut [RoleHit]) {
    lines.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.start.cmp(&b.start)));
}

/// Keeps the best, in document order.
fn thin(found: &mut Vec<RoleHit>, most: usize) {
    if found.len() > most {
        best_first(found);
        found.truncate(most);
        found.sort_by_key(|line| line.start);
    }
}

/// Whether a line is a path and nothing else, as searches and listings head what belongs to it.
fn is_path(line: &str) -> bool {
    let path = line.strip_suffix(':').unwrap_or(line);
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@');
    (3..=200).contains(&path.len()) && path.contains('/') && path.chars().all(plain)
}

/// Finds the subjects of commits, which stand behind their date and an empty line.
#[derive(Debug, Default)]
struct History {
    dated: bool,
    parted: bool,
}

impl History {
    fn is_subject(&mut self, line: &str) -> bool {
        let subject = self.parted && line.starts_with("    ") && !line.trim().is_empty();
        self.parted = self.dated && line.trim().is_empty();
        self.dated = line.starts_with("Date: ");
        subject
    }
}

/// Words that stand beside a time that something took.
const TOOK: [&str; 8] = ["time", "took", "elapsed", "duration", " in ", "finished", "real", "wall"];

/// Units of time, as they stand behind a number.
const UNITS: [&str; 14] =
    ["s", "ms", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "m", "h", "us", "µs"];

/// Whether a line tells how long something took: a number with a unit of time, and a word for it.
fn tells_duration(line: &str) -> bool {
    let has_digit = line.bytes().any(|byte| byte.is_ascii_digit());
    if !has_digit || line.len() > 300 {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    if !TOOK.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let words = || lower.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '[' | ']'));
    let number =
        |word: &str| word.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':')).count();
    words().zip(words().skip(1).chain([""])).any(|(word, next)| {
        let digits = number(word);
        let rest = text::slice(word, digits..word.len()).trim_end_matches(['.', '=', ';']);
        let minutes = rest.starts_with('m') && rest.ends_with('s');
        digits > 0 && (UNITS.contains(&rest) || minutes || rest.is_empty() && UNITS.contains(&next))
    })
}

/// A hash of a line in which numbers, paths and quoted texts are masked: lines of one template share it. Where a linter
/// put a code in brackets at the end, the code alone tells the sort.
pub(super) fn shape(line: &str) -> u64 {
    let last = line.trim_end().rsplit(' ').next().unwrap_or("");
    if last.len() > 2 && last.len() < 40 && last.starts_with('[') && last.ends_with(']') {
        return masked(last);
    }
    masked(line)
}

fn masked(line: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut push = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for word in line.split_ascii_whitespace().take(24) {
        let varies = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'/' | b'\\' | b'_');
        match word.as_bytes().first() {
            Some(b'"' | b'\'' | b'`' | 0xe2) => push(b'q'),
            Some(b'[') => word.bytes().filter(|byte| !byte.is_ascii_digit()).for_each(&mut push),
            _ if word.bytes().any(varies) => push(b'0'),
            _ => word.bytes().for_each(&mut push),
        }
        push(b' ');
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::document::TextDocument;

    fn found(text: &str, asked: &str) -> Vec<u64> {
        let kinds = Kinds::of(&TextDocument::new(text), &Arc::default()).unwrap();
        kinds.meant_by(Intents::read(asked)).iter().map(|line| line.line + 1).collect()
    }

    #[test]
    fn lines_are_found_by_what_they_are() {
        let text = "start\nerror: disk full\nall fine\n12 passed, 3 failed in 4.2s\nProcess exited with code 3\n";
        assert_eq!(found(text, "the error").first(), Some(&2));
        assert_eq!(found(text, "summary").first(), Some(&4));
        assert!(found(text, "exit code").contains(&5));
        assert_eq!(found(text, "users of redis"), [0; 0]);
    }

    #[test]
    fn the_step_that_failed_stands_before_the_others() {
        let steps =
            |n: usize| format!("2026-01-01T00:00:0{n}.0Z ##[group]Run make {n}\nok {n}\n##[endgroup]\nworking\n");
        let text = (1..6).map(steps).collect::<String>() + "##[error]Process completed with exit code 2.\n" + &steps(7);
        assert_eq!(found(&text, "which step failed?").first(), Some(&17));
    }

    #[test]
    fn durations_are_told_from_other_numbers() {
        for line in
            ["Total time: 56.226 s", "took 300ms", "finished in 2m30s", "real 0m2.643s", "Ran 3 tests in 0.001s"]
        {
            assert!(tells_duration(line), "{line}");
        }
        for line in ["time is short", "port 8080 in use", "12 users"] {
            assert!(!tells_duration(line), "{line}");
        }
    }

    #[test]
    fn what_is_rare_stands_before_what_is_frequent() {
        let text = "a: ok 1\n".repeat(50) + "b: strange thing\n" + &"a: ok 2\n".repeat(50);
        assert_eq!(found(&text, "rare events").first(), Some(&51));
    }

    #[test]
    fn headings_are_paths_alone_and_subjects_of_commits() {
        let log = "commit 1\nAuthor: A\nDate:   now\n\n    Fix the parser\n\n    It was broken.\n\ncommit 2\n";
        assert_eq!(found(log, "commit subjects"), [5]);
        assert_eq!(found("src/a.rs\n12: let x\nlib/b:\nc.rs d.rs\n", "file headings"), [1, 3]);
    }

    #[test]
    fn errors_of_one_code_have_one_shape() {
        assert_eq!(shape("a.py:3: error: x is not y [attr-defined]"), shape("b.py:9: error: other [attr-defined]"));
        assert_ne!(shape("a.py:3: error: x [one]"), shape("a.py:3: error: x [two]"));
        assert_eq!(shape("took 3 ms for /a/b"), shape("took 77 ms for /c"));
    }
}

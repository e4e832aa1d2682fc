//! What an output looks like: its kind, how sure we are, and why.
//!
//! Content decides. The tool's name and arguments break ties and name the language of code, so the same bytes get the
//! same kind whatever command printed them. Only samples are looked at (the beginning, the end, a few windows between),
//! so the cost does not grow with the document.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::io;

use crate::document::Document;
use crate::kind::{Classification, Kind, Language};
use crate::line::{FAILED_RUN, LineRules, classify_line, evidence_of_failed_run, git, prefix, signals};
use crate::text;

mod code;
mod data;
mod hint;
mod marks;
mod places;
mod starts;

/// What is known about an output before it is looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Its arguments: JSON, or a command line.
    pub arguments: &'a str,
    /// The kind, where the caller knows it.
    pub forced: Option<Kind>,
    /// The rules for lines; the built-in ones alone where there are none.
    pub rules: Option<&'a LineRules>,
}

/// Bytes looked at in the beginning.
const HEAD: u64 = 20 * 1024;

/// Bytes looked at in the end.
const TAIL: u64 = 16 * 1024;

/// Bytes of each window between the two, and how many there are.
const WINDOW: u64 = 4 * 1024;
const WINDOWS: u64 = 3;

/// The parts of a document that are looked at.
struct Samples<'a> {
    /// The beginning; the whole document if it is small.
    head: Cow<'a, str>,
    /// Whole lines from the middle and the end.
    rest: String,
    /// Whether `head` is the whole document.
    whole: bool,
}

/// What `document` looks like. Costs a few reads and a scan of at most 48 KiB.
pub fn classify(document: &dyn Document, hints: &Hints<'_>) -> io::Result<Classification> {
    if let Some(kind) = hints.forced {
        return Ok(Classification::new(kind, 1.0, "given by the caller"));
    }
    let samples = Samples::of(document)?;
    Ok(decide(&samples, hints))
}

impl<'a> Samples<'a> {
    fn of(document: &'a dyn Document) -> io::Result<Samples<'a>> {
        let total = document.extent().bytes;
        if total <= HEAD + TAIL {
            let head = document.read(0..total)?;
            return Ok(Samples { head, rest: String::new(), whole: true });
        }
        let mut head = document.read_around(0..HEAD)?;
        // The last line is cut off by the sample; a very long one stays all the same.
        if let Some(at) = memchr::memrchr(b'\n', head.as_bytes()).filter(|&at| at * 2 > head.len()) {
            match &mut head {
                Cow::Borrowed(head) => *head = text::slice(head, 0..at + 1),
                Cow::Owned(head) => head.truncate(at + 1),
            }
        }
        let mut rest = String::new();
        let between = total - HEAD - TAIL;
        for window in 1..=WINDOWS {
            let start = HEAD + between / (WINDOWS + 1) * window;
            add_lines(document, start, start + WINDOW.min(between / (WINDOWS + 1)), &mut rest)?;
        }
        add_lines(document, total - TAIL, total, &mut rest)?;
        Ok(Samples { head, rest, whole: false })
    }

    fn lines(&self) -> impl Iterator<Item = &str> + Clone {
        text::split(&self.head).chain(text::split(&self.rest)).map(|line| line.text)
    }
}

/// Appends the whole lines between `start` and `end`; nothing where there is no line end.
fn add_lines(document: &dyn Document, start: u64, end: u64, out: &mut String) -> io::Result<()> {
    let window = window(document, start, end)?;
    let first = memchr::memchr(b'\n', window.as_bytes()).map_or(window.len(), |at| at + 1);
    let last = memchr::memrchr(b'\n', window.as_bytes()).map_or(first, |at| at + 1);
    let last = if end == document.extent().bytes { window.len() } else { last };
    out.push_str(text::slice(&window, first..last.max(first)));
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    Ok(())
}

/// The text from `start`, or from the character that `start` lies in, to `end`.
fn window(document: &dyn Document, start: u64, end: u64) -> io::Result<Cow<'_, str>> {
    for back in 0..4 {
        match document.read_around(start.saturating_sub(back)..end) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
            window => return window,
        }
    }
    document.read_around(document.position(start)?.byte..end)
}

fn decide(samples: &Samples<'_>, hints: &Hints<'_>) -> Classification {
    if samples.head.trim().is_empty() {
        return Classification::new(Kind::Text, 1.0, "empty");
    }
    let hint = hint::Hint::of(hints);
    // Formats with a grammar of their own come first: they can be checked, not only guessed at.
    // Components of pages begin as pages do; by its name such a file is code.
    let is_page = |found: &Classification| found.kind != Kind::Html || hint.language.is_none();
    if let Some(found) = data::json(samples).or_else(|| data::markup(samples).filter(is_page)) {
        return found;
    }
    let builtin = LineRules::default();
    let rules = hints.rules.unwrap_or(&builtin);
    let marks = marks::Marks::of(samples, rules);
    if let Some(found) = marks.diff() {
        return found;
    }
    if let Some(form) = git::form(samples.lines()) {
        return Classification::new(Kind::Git, 0.95, form.name());
    }
    if let Some(found) = data::headed_table(samples) {
        return found;
    }
    let code = LazyCell::new(|| code::language(samples.lines()));
    let markdown = LazyCell::new(|| data::markdown(samples));
    let clear = |found: &&Classification| found.confidence >= 0.9 || found.confidence >= 0.8 && marks.is_quiet();
    if marks.timed_share() < 0.1
        && let Some(found) = markdown.as_ref().filter(clear)
        && hint.language.is_none()
        && data::yaml(samples).is_none()
        && (code.share < 0.15 || code::share(data::outside_fences(&samples.head)) < 0.15)
    {
        return found.clone();
    }
    if let Some(kind) = hint.file
        && !matches!(kind, Kind::Code(_))
        && marks.timed_share() < 0.3
        && data::agrees(kind, samples)
    {
        return Classification::new(kind, 0.9, "by its file name, and the content agrees");
    }
    // A file that was read by name is what its name says, where nothing in it speaks against that.
    let named = |timed: f32, share: f32| hint.language.filter(|_| marks.timed_share() < timed && code.share >= share);
    let by_name =
        |language| Classification::new(Kind::Code(language), 0.9, "a source file by its name and its content");
    if let Some(language) = named(0.1, 0.1) {
        return by_name(language);
    }
    if let Some(found) = marks.report() {
        return found;
    }
    if let Some(language) = named(0.3, 0.03) {
        return by_name(language);
    }
    if !marks.lists_paths()
        && !marks.names_places()
        && let Some(found) = data::columns(samples)
    {
        return found;
    }
    if let Some(found) = marks.lines(hint.command) {
        return found;
    }
    // A guess at data gives way where lines tell of a run that failed.
    let failed = LazyCell::new(|| tells_of_failed_run(samples, rules));
    if let Some(found) = data::table(samples).filter(|found| found.confidence >= 0.9 || !*failed) {
        return found;
    }
    let language = hint.language.or(code.language);
    if code.share >= 0.6 || code.share >= code::ENOUGH && language.is_some() {
        let confidence = if language.is_some() { 0.5 + code.share.min(0.4) } else { 0.4 };
        let language = language.unwrap_or(Language::Other);
        return Classification::new(Kind::Code(language), confidence, "lines of source code");
    }
    if let Some(found) = data::yaml(samples).filter(|found| found.confidence >= 0.9 || !*failed) {
        return found;
    }
    if let Some(found) = marks.weak(hint.command) {
        return found;
    }
    if *failed {
        return Classification::new(Kind::Log, 0.6, "lines that tell of a failed run");
    }
    if let Some(found) = markdown.as_ref() {
        return found.clone();
    }
    if let Some(kind) = hint.command.or(hint.file) {
        return Classification::new(kind, 0.4, "by the command; the content says nothing");
    }
    Classification::new(Kind::Text, 0.5, "nothing else fits")
}

/// Whether lines say so, as test runners, compilers and shells write it.
fn tells_of_failed_run(samples: &Samples<'_>, rules: &LineRules) -> bool {
    let mut evidence = 0;
    samples.lines().any(|line| {
        let body = prefix::body(line);
        let signals = signals::of_line(body);
        if !signals.is_empty() {
            evidence += evidence_of_failed_run(classify_line(body, signals, rules));
        }
        evidence >= FAILED_RUN
    })
}

#[cfg(test)]
mod tests;

//! Lossless forms of lines: runs of equal ones, a common beginning, groups by file and by folder.

use super::Compact;
use crate::text;

/// The text itself: what the forms of lines must give back.
pub(super) fn itself(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A text without its last line end, and that: what follows it is not a line, and is not counted as one.
pub(super) fn without_end(text: &str) -> (&str, &str) {
    text.strip_suffix('\n').map_or((text, ""), |body| (body, "\n"))
}

/// What the header says of line ends that were changed.
const WITH_LINE_FEEDS: &str = "LF for CRLF";

/// Lines that all end with CRLF, with LF.
pub(super) fn line_feeds(shown: &str, _handle: &str) -> Option<Compact> {
    let text = shown.replace("\r\n", "\n");
    (text.len() < shown.len()).then(|| Compact { text, done: WITH_LINE_FEEDS.to_owned() })
}

pub(super) fn undo_line_feeds(made: &Compact, _handle: &str) -> Option<String> {
    Some(made.text.replace('\n', "\r\n"))
}

/// A run of fewer equal lines is shown as it is.
const SHORTEST_RUN: usize = 3;

/// And so are fewer lines that count.
const SHORTEST_COUNT: usize = 4;

/// Runs of equal lines as one line and how often it follows again, and runs of lines that count as the first, the last
/// and how many stand between them.
pub(super) fn runs(text: &str, handle: &str) -> Option<Compact> {
    let (body, end) = without_end(text);
    let all: Vec<&str> = body.split('\n').collect();
    let mut shown: Vec<String> = Vec::new();
    let (mut repeats, mut counts, mut at) = (false, false, 0);
    while let Some(line) = all.get(at) {
        let rest = all.get(at..).unwrap_or_default();
        let run = rest.iter().take_while(|other| *other == line).count();
        let counted = if run == 1 { counting(rest) } else { 0 };
        shown.push((*line).to_owned());
        if run >= SHORTEST_RUN {
            repeats = true;
            shown.push(format!("[{handle} +{}]", run - 1));
            at += run;
        } else if counted >= SHORTEST_COUNT {
            counts = true;
            shown.push(format!("[{handle} +{} counting on]", counted - 2));
            at += counted - 1;
        } else {
            at += 1;
        }
    }
    let said = [
        repeats.then(|| format!("[{handle} +N] repeats the line above N times")),
        counts.then(|| format!("[{handle} +N counting on] are N lines that count from the one above to the one below")),
    ];
    let done = said.into_iter().flatten().collect::<Vec<_>>().join("; ");
    (shown.len() < all.len()).then(|| Compact { text: shown.join("\n") + end, done })
}

/// How many of the first lines count: they differ in one number only, which is one more each time.
fn counting(lines: &[&str]) -> usize {
    let Some((first, second)) = lines.first().zip(lines.get(1)) else { return 0 };
    let Some((before, from, behind)) = differing(first, second) else { return 0 };
    let counts = |(line, nth): (&&str, u64)| {
        from.checked_add(nth).is_some_and(|number| {
            line.len() == before.len() + digits(number) + behind.len()
                && number_of(line, before, behind) == Some(number)
        })
    };
    lines.iter().zip(0..).take_while(|line| counts(*line)).count()
}

/// What stands before and behind the one number of `line` that `other` has another in place of, and the number.
fn differing<'a>(line: &'a str, other: &str) -> Option<(&'a str, u64, &'a str)> {
    let same = line.bytes().zip(other.bytes()).take_while(|(one, another)| one == another).count();
    let is_digit = |at: usize| line.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let start = (0..same).rev().find(|at| !is_digit(*at)).map_or(0, |at| at + 1);
    let end = (start..line.len()).find(|at| !is_digit(*at)).unwrap_or(line.len());
    let number = text::slice(line, start..end);
    let plain = number == "0" || !number.starts_with('0');
    Some((text::slice(line, 0..start), number.parse().ok().filter(|_| plain)?, text::slice(line, end..line.len())))
}

/// The number between `before` and `behind`.
fn number_of(line: &str, before: &str, behind: &str) -> Option<u64> {
    line.strip_prefix(before)?.strip_suffix(behind)?.parse().ok()
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

pub(super) fn undo_runs(made: &Compact, handle: &str) -> Option<String> {
    let start = format!("[{handle} +");
    let mut lines: Vec<String> = Vec::new();
    let (body, end) = without_end(&made.text);
    let mut shown = body.split('\n').peekable();
    while let Some(line) = shown.next() {
        let Some(said) = line.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']')) else {
            lines.push(line.to_owned());
            continue;
        };
        match said.strip_suffix(" counting on") {
            None => {
                let last = lines.last()?.clone();
                lines.extend(std::iter::repeat_n(last, said.parse().ok()?));
            }
            Some(between) => {
                let between: u64 = between.parse().ok()?;
                let (first, last) = (lines.last()?.clone(), shown.peek()?);
                let (before, from, behind) = differing(&first, last)?;
                let to = number_of(last, before, behind).filter(|to| to.checked_sub(from) == between.checked_add(1))?;
                lines.extend((from + 1..to).map(|number| format!("{before}{number}{behind}")));
            }
        }
    }
    Some(lines.join("\n") + end)
}

/// A common beginning of fewer characters is not worth a sentence.
const SHORTEST_PREFIX: usize = 6;

/// Every line without what all lines begin with, which the header says.
pub(super) fn prefix(shown: &str, _handle: &str) -> Option<Compact> {
    let body = shown.strip_suffix('\n')?;
    let mut lines = body.split('\n');
    let first = lines.next()?;
    let common = lines.fold(first.len(), |common, line| {
        let same = first.bytes().zip(line.bytes()).take_while(|(one, other)| one == other).count();
        common.min(same)
    });
    let common = text::slice(first, 0..text::floor(first, common));
    // A quote would end early what the header quotes.
    if common.len() < SHORTEST_PREFIX || common.contains(['`', '\r']) {
        return None;
    }
    let short: Vec<&str> = body.split('\n').map(|line| text::slice(line, common.len()..line.len())).collect();
    Some(Compact { text: short.join("\n") + "\n", done: format!("{WITHOUT}{common}`") })
}

/// What the header says of a beginning that was left off.
const WITHOUT: &str = "each line without its beginning `";

pub(super) fn undo_prefix(made: &Compact, _handle: &str) -> Option<String> {
    let prefix = made.done.strip_prefix(WITHOUT)?.strip_suffix('`')?;
    let lines: Vec<String> = made.text.strip_suffix('\n')?.split('\n').map(|line| format!("{prefix}{line}")).collect();
    Some(lines.join("\n") + "\n")
}

/// Search results, each file's path once above its lines: `12:text`.
pub(super) fn by_file(shown: &str, _handle: &str) -> Option<Compact> {
    let mut grouped = String::new();
    let mut open: Option<&str> = None;
    for line in shown.strip_suffix('\n')?.split('\n') {
        let (path, rest) = line.split_once(':')?;
        if !starts_numbered(rest) || path.is_empty() || starts_numbered(path) {
            return None;
        }
        if open != Some(path) {
            grouped.push_str(path);
            grouped.push('\n');
            open = Some(path);
        }
        grouped.push_str(rest);
        grouped.push('\n');
    }
    Some(Compact { text: grouped, done: "matches below the path of their file".to_owned() })
}

pub(super) fn undo_by_file(made: &Compact, _handle: &str) -> Option<String> {
    let mut text = String::new();
    let mut path = None;
    for line in made.text.strip_suffix('\n')?.split('\n') {
        match path.filter(|_| starts_numbered(line)) {
            Some(path) => text.push_str(&format!("{path}:{line}\n")),
            None => path = Some(line),
        }
    }
    Some(text)
}

/// Whether a line begins with a number and a colon.
fn starts_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line.as_bytes().get(digits) == Some(&b':')
}

/// Paths, those of a folder behind it on one line.
pub(super) fn by_folder(shown: &str, _handle: &str) -> Option<Compact> {
    let mut grouped: Vec<String> = Vec::new();
    let mut open: Option<&str> = None;
    for line in shown.strip_suffix('\n')?.split('\n') {
        let (folder, name) = line.rsplit_once('/').filter(|(_, name)| !name.is_empty())?;
        if line.contains([' ', '\r', '\t']) {
            return None;
        }
        match grouped.last_mut().filter(|_| open == Some(folder)) {
            Some(group) => {
                group.push(' ');
                group.push_str(name);
            }
            None => grouped.push(format!("{folder}/ {name}")),
        }
        open = Some(folder);
    }
    Some(Compact { text: grouped.join("\n") + "\n", done: "paths with those of a folder behind it".to_owned() })
}

pub(super) fn undo_by_folder(made: &Compact, _handle: &str) -> Option<String> {
    let mut text = String::new();
    for line in made.text.strip_suffix('\n')?.split('\n') {
        let mut words = line.split(' ');
        let folder = words.next()?;
        for name in words {
            text.push_str(&format!("{folder}{name}\n"));
        }
    }
    Some(text)
}

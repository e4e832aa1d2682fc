//! Lossless forms of lines: runs of equal ones, a common beginning, groups by file and by folder.

use super::Compact;
use crate::text;

/// The text itself: what the forms of lines must give back.
pub(super) fn itself(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A run of fewer equal lines is shown as it is.
const SHORTEST_RUN: usize = 3;

/// Runs of equal lines as one line and how often it follows again.
pub(super) fn runs(text: &str, handle: &str) -> Option<Compact> {
    let all: Vec<&str> = text.split('\n').collect();
    let mut shown: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(line) = all.get(at) {
        let run = all.iter().skip(at).take_while(|other| *other == line).count();
        shown.push((*line).to_owned());
        match run {
            SHORTEST_RUN.. => shown.push(format!("[{handle} +{}]", run - 1)),
            _ => shown.extend(std::iter::repeat_n((*line).to_owned(), run - 1)),
        }
        at += run;
    }
    let done = format!("[{handle} +N] repeats the line above N times");
    (shown.len() < all.len()).then(|| Compact { text: shown.join("\n"), done })
}

pub(super) fn undo_runs(made: &Compact, handle: &str) -> Option<String> {
    let start = format!("[{handle} +");
    let mut lines: Vec<&str> = Vec::new();
    for line in made.text.split('\n') {
        match line.strip_prefix(&start).and_then(|rest| rest.strip_suffix(']')) {
            Some(times) => lines.extend(std::iter::repeat_n(*lines.last()?, times.parse().ok()?)),
            None => lines.push(line),
        }
    }
    Some(lines.join("\n"))
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

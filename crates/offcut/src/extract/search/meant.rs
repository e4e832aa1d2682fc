//! The lines that are of the kind that a question means.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Range;

use offcut_core::document::Document;
use offcut_core::strategy::smart::line_role;
use offcut_core::text;

use super::intent::Intents;

/// The most lines that are kept while a document is read.
const MOST: usize = 4000;

/// The most lines that are handed on.
const BEST: usize = 400;

/// How much of a line is judged, in bytes.
const REACH: usize = 600;

/// A line of the kind that is meant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Meant {
    /// The 0-based number of the line.
    pub(super) line: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    /// What seeing it is worth.
    pub(super) worth: f32,
    /// Why: lines of one kind compete with each other before they do with others.
    pub(super) why: &'static str,
    /// A hash of what is left of it without the parts that vary.
    pub(super) shape: u64,
}

/// The lines in `ranges` that `intents` mean, the best first.
pub(super) fn lines(document: &dyn Document, intents: Intents, ranges: &[Range<u64>]) -> io::Result<Vec<Meant>> {
    let mut found: Vec<Meant> = Vec::new();
    let mut counts: HashMap<u64, u32> = HashMap::new();
    if !intents.means_lines() {
        return Ok(found);
    }
    for range in ranges {
        let mut lines = document.lines_from(document.position(range.start)?);
        while let Some(line) = lines.next_line()? {
            if line.position.byte >= range.end {
                break;
            }
            let words = text::slice(line.text, 0..REACH);
            if !line.first || words.trim().is_empty() {
                continue;
            }
            let (worth, why) = worth(words, intents);
            let shape = if intents.has(Intents::RARE) { code(words) } else { shape(words) };
            *counts.entry(shape).or_default() += 1;
            if worth > 0.0 {
                let bytes = line.range();
                found.push(Meant { line: line.position.line, start: bytes.start, end: bytes.end, worth, why, shape });
            }
            if found.len() >= 2 * MOST {
                thin(&mut found, MOST);
            }
        }
    }
    let rare = intents.has(Intents::RARE);
    let mut seen: HashMap<u64, u32> = HashMap::new();
    for line in &mut found {
        let count = counts.get(&line.shape).copied().unwrap_or(1) as f32;
        // What is asked for because it is rare must be; anything else only loses a little by being frequent.
        line.worth /= if rare { count.sqrt() } else { 1.0 + count.log2() / 10.0 };
        // Of many of one shape the first ones tell it.
        let before = seen.entry(line.shape).or_default();
        *before += 1;
        line.worth *= 0.97f32.powi((*before).min(60) as i32);
    }
    // Each kind that is meant gets its share: its best line counts nearly as much as that of any other.
    let mut most: BTreeMap<&'static str, f32> = BTreeMap::new();
    for line in &found {
        let best = most.entry(line.why).or_default();
        *best = best.max(line.worth);
    }
    for line in &mut found {
        line.worth *= (100.0 / most.get(line.why).copied().unwrap_or(100.0).max(1.0)).sqrt();
    }
    thin(&mut found, BEST);
    found.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.start.cmp(&b.start)));
    Ok(found)
}

/// Keeps the best, in document order.
fn thin(found: &mut Vec<Meant>, most: usize) {
    if found.len() > most {
        found.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.start.cmp(&b.start)));
        found.truncate(most);
        found.sort_by_key(|line| line.start);
    }
}

/// What a line is worth to somebody who means this, and why; 0 if it is not of that kind.
fn worth(line: &str, intents: Intents) -> (f32, &'static str) {
    let none = (0.0, "");
    let when = |meant: Intents, is: fn(&str) -> bool, worth: f32, why: &'static str| {
        if intents.has(meant) && is(line) { (worth, why) } else { none }
    };
    let role = line_role(line).filter(|(why, _)| intents.means(why)).map_or(none, |(why, worth)| (worth.max(1.0), why));
    let others = [
        when(Intents::DURATION, tells_duration, 40.0, "duration"),
        when(Intents::DEFINITION, super::definition::is_definition, 20.0, "definition"),
        when(Intents::STRUCTURE, is_heading, 15.0, "heading"),
        when(Intents::RARE, |_| true, 10.0, "rare"),
    ];
    others.into_iter().fold(role, |best, next| if next.0 > best.0 { next } else { best })
}

/// Whether a line is the heading of a section, as Markdown, INI files and many tools write it.
fn is_heading(line: &str) -> bool {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    let marked = (1..=6).contains(&hashes) && line.as_bytes().get(hashes) == Some(&b' ');
    let bracketed = line.starts_with('[') && line.trim_end().ends_with(']') && !line.contains(['{', ',', ':']);
    marked || bracketed
}

/// What tells errors of one sort: the code in brackets at the end of a line, where linters put it, else its shape.
fn code(line: &str) -> u64 {
    let last = line.trim_end().rsplit(' ').next().unwrap_or("");
    if last.len() > 2 && last.starts_with('[') && last.ends_with(']') { shape(last) } else { shape(line) }
}

/// Whether a line tells how long something took: a number with a unit of time, and a word for it.
fn tells_duration(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let said = ["time", "took", "elapsed", "duration", " in ", "finished", "real", "wall"];
    if !said.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let bytes = lower.as_bytes();
    let units =
        ["s", "ms", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "m", "h", "us", "µs"];
    lower.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '[' | ']')).enumerate().any(|(_, word)| {
        let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':')).count();
        let rest = word.get(digits..).unwrap_or("");
        digits > 0
            && (units.contains(&rest.trim_end_matches(['.', '='])) || rest.starts_with('m') && rest.ends_with('s'))
    }) || units.iter().skip(2).any(|unit| {
        lower
            .match_indices(&format!(" {unit}"))
            .any(|(at, _)| at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_digit))
    }) || lower.contains(" s") && lower.trim_end().ends_with(" s")
}

/// A hash of a line in which numbers, paths and quoted texts are masked: lines of one template share it.
pub(super) fn shape(line: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut push = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for word in line.split_ascii_whitespace().take(24) {
        let first = word.as_bytes().first().copied().unwrap_or(b' ');
        let varies =
            word.bytes().any(|byte| byte.is_ascii_digit()) || word.contains(['/', '\\', '_']) && !word.starts_with('[');
        if matches!(first, b'"' | b'\'' | b'`' | b'\xe2') {
            push(b'q');
        } else if varies {
            push(b'0');
        } else {
            word.bytes().for_each(&mut push);
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
        let document = TextDocument::new(text);
        let lines = lines(&document, Intents::read(asked), &[0..text.len() as u64]).unwrap();
        lines.iter().map(|line| line.line + 1).collect()
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
}

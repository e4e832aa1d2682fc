//! The lines that tell, kept in memory from an output that no disk takes.
//!
//! What is kept is bounded, however long the output is: lines that tell of a failure or how something ended, the first
//! of each template with the lines around them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use offcut_core::extent::{Meter, Position};
use offcut_core::line::{self, LineRules, Role};
use offcut_core::text;

use super::sparse::Part;

/// How much is looked at at a time. Blocks end where lines do.
const BLOCK: usize = 1024 * 1024;

/// How much is kept, in bytes.
const MOST: usize = 3 * 1024 * 1024;

/// Lines of one template that are kept with the lines around them.
const WITH_CONTEXT: u32 = 3;

/// Lines of one template that are kept at all.
const OF_A_TEMPLATE: u32 = 20;

/// Templates that are told apart.
const TEMPLATES: usize = 1 << 14;

/// Lines before and behind one that tells, and the bytes that they may have together.
const BEFORE: usize = 4;
const BEHIND: usize = 12;
const AROUND: usize = 2048;

/// How much of a line is looked at.
const REACH: usize = 4096;

/// A longer line is not kept.
const LONGEST: usize = 64 * 1024;

/// Takes a text in and keeps what tells in it.
#[derive(Debug, Default)]
pub(super) struct Highlights {
    /// What is known of lines.
    rules: Arc<LineRules>,
    /// What has come and was not looked at. Behind the first block it begins with the last character of the block
    /// before, so that a part always knows that a line starts in it.
    block: String,
    /// Where that starts in the text.
    at: Position,
    parts: Vec<Part>,
    kept: usize,
    templates: BTreeMap<u64, u32>,
}

impl Highlights {
    /// Nothing yet; lines are told by `rules`.
    pub(super) fn new(rules: Arc<LineRules>) -> Highlights {
        Highlights { rules, ..Highlights::default() }
    }

    /// Takes the next piece in.
    pub(super) fn push(&mut self, piece: &str) {
        let mut rest = piece;
        while !rest.is_empty() {
            let room = BLOCK.saturating_sub(self.block.len());
            let (now, later) = rest.split_at(text::floor(rest, room));
            self.block.push_str(now);
            rest = later;
            if !rest.is_empty() {
                self.look(false);
            }
        }
    }

    /// Goes on at another place of the text, in whose line the next piece begins; what lies between was not seen.
    pub(super) fn go_on_at(&mut self, position: Position) {
        self.look(true);
        self.block.clear();
        self.at = position;
    }

    /// The parts that were kept, in order and disjoint. The first character of each only says that a line starts behind
    /// it, but for one at the very beginning.
    pub(super) fn finish(mut self) -> Vec<Part> {
        self.look(true);
        self.parts
    }

    /// Looks through the whole lines of the block, or all of it at the `end`.
    fn look(&mut self, end: bool) {
        let block = std::mem::take(&mut self.block);
        let whole = whole_lines(&block);
        // A line that is longer than the block is looked through in parts: the line end before it is no whole line.
        let is_part = text::floor(&block, whole.saturating_sub(1)) == 0;
        let whole = if end || is_part { block.len() } else { whole };
        let lines: Vec<text::Line<'_>> = text::split(text::slice(&block, 0..whole)).collect();
        // The first line is but the character before the block.
        let first = usize::from(self.at.byte > 0);
        let mut counted = Counted { block: &block, byte: 0, position: self.at };
        for at in first..lines.len() {
            let line = lines.get(at).map_or("", |line| line.text);
            let words = text::slice(line, 0..text::floor(line, REACH));
            if line.len() > LONGEST || !tells(words, &self.rules) {
                continue;
            }
            let times = self.times(words);
            if times > OF_A_TEMPLATE {
                continue;
            }
            let (from, to) = if times > WITH_CONTEXT { (at, at) } else { around(&lines, at, first) };
            if let (Some(from), Some(to)) = (lines.get(from), lines.get(to)) {
                self.keep(&mut counted, from.range().start, to.range().end);
            }
        }
        let kept_back = text::floor(&block, whole.saturating_sub(1));
        self.at = counted.up_to(kept_back);
        self.block = text::slice(&block, kept_back..block.len()).to_owned();
    }

    /// How many lines of this template there were, this one included; very many where there are too many templates.
    fn times(&mut self, words: &str) -> u32 {
        let mut hasher = DefaultHasher::new();
        words.chars().filter(|c| c.is_alphabetic()).for_each(|c| c.hash(&mut hasher));
        let template = hasher.finish();
        let full = self.templates.len() >= TEMPLATES;
        match self.templates.get_mut(&template) {
            Some(times) => {
                *times = times.saturating_add(1);
                *times
            }
            None if full => u32::MAX,
            None => {
                self.templates.insert(template, 1);
                1
            }
        }
    }

    /// Keeps a range of the block, from the end of the line before it.
    fn keep(&mut self, counted: &mut Counted<'_>, start: usize, end: usize) {
        let block = counted.block;
        let lead = text::floor(block, start.saturating_sub(1));
        let from = self.at.byte + lead as u64;
        let until = self.parts.last().map_or(0, Part::end);
        let missing = usize::try_from(until.saturating_sub(from)).unwrap_or(usize::MAX);
        let (fresh, joins) = match self.parts.last_mut() {
            Some(last) if from <= until => (text::slice(block, lead.saturating_add(missing).min(end)..end), Some(last)),
            _ => (text::slice(block, lead..end), None),
        };
        if self.kept + fresh.len() > MOST {
            return;
        }
        self.kept += fresh.len();
        match joins {
            Some(last) => last.text.push_str(fresh),
            None => self.parts.push(Part { start: counted.up_to(lead), text: fresh.to_owned() }),
        }
    }
}

/// A block, and the position of a place in it up to which lines and characters were counted.
struct Counted<'a> {
    block: &'a str,
    byte: usize,
    position: Position,
}

impl Counted<'_> {
    /// The position of byte `at`, which does not lie before the one that was asked for last.
    fn up_to(&mut self, at: usize) -> Position {
        let (before, behind) = self.block.split_at(at);
        let mut meter = Meter::default();
        meter.push(text::slice(before, self.byte..at));
        let passed = meter.position();
        let ended = before.ends_with('\r') && !behind.starts_with('\n') && at > self.byte;
        self.byte = at;
        self.position.byte += passed.byte;
        self.position.char += passed.char;
        self.position.line += passed.line + u64::from(ended);
        self.position
    }
}

/// Whether a line tells of a failure, or of how something ended.
fn tells(words: &str, rules: &LineRules) -> bool {
    matches!(
        line::score(words, rules).role,
        Role::FailedTest | Role::Error | Role::Message | Role::Summary | Role::ProcessExit
    )
}

/// The first and the last of the lines around one that tells.
fn around(lines: &[text::Line<'_>], at: usize, first: usize) -> (usize, usize) {
    let start = |nth: usize| lines.get(nth).map_or(0, |line| line.range().start);
    let end = |nth: usize| lines.get(nth).map_or(0, |line| line.range().end);
    let (mut from, mut to) = (at, at);
    while from > first && at - from < BEFORE && start(at) - start(from - 1) <= AROUND / 4 {
        from -= 1;
    }
    while to + 1 < lines.len() && to - at < BEHIND && end(to + 1) - end(at) <= AROUND {
        to += 1;
    }
    (from, to)
}

/// How much of a block is whole lines; all of it where no line ends in it. A CR at its end may still become a CRLF.
fn whole_lines(block: &str) -> usize {
    let words = block.strip_suffix('\r').unwrap_or(block);
    memchr::memrchr2(b'\n', b'\r', words.as_bytes()).map_or(words.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use offcut_core::document::{Document, TextDocument};

    use super::*;

    /// More than a block of noise with a few lines that tell.
    fn log(end: &str) -> String {
        let line = |n: usize| match n {
            7 => format!("error: the first thing went wrong{end}"),
            12_000 => format!("error: cannot open `/srv/é/data`{end}"),
            12_001 => format!("  the file is locked{end}"),
            n if n % 3 == 0 => format!("error: retry {n}{end}"),
            n => format!("worker {n} did its work, and all is well with it{end}"),
        };
        (0..26_000).map(line).collect()
    }

    fn kept(text: &str, size: usize) -> Vec<Part> {
        let mut highlights = Highlights::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(text::ceil(rest, size.min(rest.len())));
            highlights.push(now);
            rest = later;
        }
        highlights.finish()
    }

    #[test]
    fn lines_that_tell_are_kept_with_their_places_in_any_chunking() {
        for end in ["\n", "\r\n", "\r"] {
            let log = log(end);
            let parts = kept(&log, log.len());
            let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
            assert!(joined.contains("the first thing") && joined.contains("/srv/é/data") && joined.contains("locked"));
            assert!(joined.matches("retry").count() <= 60 && joined.len() < MOST);
            let document = TextDocument::new(log.as_str());
            let document: &dyn Document = &document;
            for part in &parts {
                let from = usize::try_from(part.start.byte).unwrap();
                assert!(log.get(from..).unwrap().starts_with(&part.text));
                assert_eq!(part.start, document.position(part.start.byte).unwrap(), "{:?}", end);
            }
            for size in [7001, 65_537] {
                assert!(kept(&log, size) == parts, "in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_line_longer_than_a_block_is_passed_over() {
        for (filler, end) in [("x", "\n"), ("é", "\n"), ("✗", "\r\n"), ("y ", "\r")] {
            let long = filler.repeat(5 * BLOCK / 2);
            let mut highlights = Highlights::default();
            for piece in ["quiet", end, &long, end, "error: it went wrong", end, &long, end, "error: again", end] {
                highlights.push(piece);
            }
            let kept: String = highlights.finish().iter().map(|part| part.text.as_str()).collect();
            assert!(kept.contains("error: it went wrong") && kept.contains("error: again"), "{end:?} {}", kept.len());
            assert!(!kept.contains(&filler.repeat(LONGEST)), "{end:?}");
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let word = |n: usize| (0..8).map(|at| char::from(b'a' + ((n >> (at * 2)) % 26) as u8)).collect::<String>();
        let log: String = (0..18_000).map(|n| format!("error: {} {}\n", word(n * 31), "x".repeat(200))).collect();
        let parts = kept(&log, 100_000);
        let bytes: usize = parts.iter().map(|part| part.text.len()).sum();
        assert!(bytes <= MOST && bytes > MOST / 4, "{bytes}");
    }
}

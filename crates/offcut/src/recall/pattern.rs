//! The lines that a regular expression matches.
//!
//! The engine takes time in proportion to the text, whatever the pattern. Lines are matched one at a time and without
//! their ends; a line of up to [`LONGEST_LINE`] bytes is matched as a whole. A longer one is matched in overlapping
//! windows, so that a match longer than [`OVERLAP`] may be missed and `$` may hold at the end of a window.

use std::collections::VecDeque;

use offcut_core::document::Document;
use offcut_core::notice::inline_marker;
use offcut_core::text;
use regex::{Regex, RegexBuilder};

use super::RecallError;
use super::document::ArtifactDocument;
use super::request::MOST_CONTEXT;

/// The longest line that is matched as a whole, in bytes.
const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// How much two windows of a longer line have in common, in bytes.
const OVERLAP: usize = 64 * 1024;

/// The longest regular expression that is taken, in bytes.
const LONGEST_PATTERN: usize = 4096;

/// The memory that a compiled regular expression, and its cache, may take.
const COMPILED: usize = 4 * 1024 * 1024;

/// What is searched for, and where.
#[derive(Debug)]
pub(super) struct Search {
    pattern: Regex,
    context: usize,
    /// Lines are shortened to this many characters.
    pub(super) width: u64,
    /// The first line that is searched, 1-based.
    pub(super) first: u64,
    /// The last line that is searched.
    pub(super) last: u64,
}

/// A line of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResultLine {
    /// Its number, 1-based.
    pub(super) line: u64,
    /// Whether it matches; else it is context.
    pub(super) hit: bool,
    /// Its words, shortened around the match if it is long.
    pub(super) words: String,
    /// Whether it was shortened.
    pub(super) shortened: bool,
}

impl ResultLine {
    /// The entry as it is shown: `12: a match`, `13- a line beside it`.
    pub(super) fn written(&self) -> String {
        format!("{}{} {}\n", self.line, if self.hit { ':' } else { '-' }, self.words)
    }
}

/// Compiles a regular expression within its limits.
pub(super) fn compile(pattern: &str) -> Result<Regex, RecallError> {
    let bad = |why: String| RecallError::BadPattern { why };
    if pattern.is_empty() {
        return Err(bad("it is empty: give a regular expression, such as `error|warning`".to_owned()));
    }
    if pattern.len() > LONGEST_PATTERN {
        return Err(bad(format!("it has {} bytes, at most {LONGEST_PATTERN} are taken", pattern.len())));
    }
    let built = RegexBuilder::new(pattern).size_limit(COMPILED).dfa_size_limit(COMPILED).nest_limit(100).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => bad("it is too large when compiled: use smaller repetitions".to_owned()),
        other => {
            let said = other.to_string();
            let why = said.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let escaped = regex::escape(pattern);
            if escaped.len() <= 200 && !escaped.contains('\n') {
                bad(format!("{why}; to find the text as it stands, use `{escaped}`"))
            } else {
                bad(why)
            }
        }
    })
}

impl Search {
    /// A search in lines `first` to `last`.
    pub(super) fn new(pattern: &str, context: u64, lines: (u64, u64), width: u64) -> Result<Search, RecallError> {
        let (first, last) = lines;
        Ok(Search { pattern: compile(pattern)?, context: context.min(MOST_CONTEXT) as usize, width, first, last })
    }

    /// Hands every line of the result to `show` until that has enough, and counts all matches.
    pub(super) fn run(
        &self,
        source: &ArtifactDocument<'_>,
        show: &mut dyn FnMut(ResultLine) -> Result<bool, RecallError>,
    ) -> Result<u64, RecallError> {
        let document: &dyn Document = source;
        let start = document.line_start(self.first.saturating_sub(1)).map_err(RecallError::unwrapped)?;
        let mut lines = document.lines_from(start);
        let mut before: VecDeque<ResultLine> = VecDeque::new();
        let (mut hits, mut wanted, mut after) = (0u64, true, 0usize);
        let mut line = LongLine::default();
        while let Some(part) = lines.next_line().map_err(RecallError::unwrapped)? {
            let number = part.position.line + 1;
            if number > self.last {
                break;
            }
            let (last, whole) = (part.last, part.first && part.last);
            let found = if whole {
                self.pattern.find(part.text).map(|found| MatchedPart::of(part.text, found.range(), 0, self.width))
            } else {
                line.push(self, part.text);
                if !last {
                    continue;
                }
                line.search(self);
                line.hit.take()
            };
            let hit = found.is_some();
            hits += u64::from(hit);
            if wanted && (hit || after > 0 || self.context > 0) {
                let entry = match (found, whole) {
                    (Some(hit), true) => hit.entry(number, text::chars(part.text)),
                    (Some(hit), false) => hit.entry(number, line.chars()),
                    (None, true) => {
                        MatchedPart::of(part.text, 0..0, 0, self.width).context(number, text::chars(part.text))
                    }
                    (None, false) => line.head(self.width).context(number, line.chars()),
                };
                if hit {
                    after = self.context;
                    for entry in before.drain(..) {
                        wanted = wanted && show(entry)?;
                    }
                    wanted = wanted && show(entry)?;
                } else if after > 0 {
                    after -= 1;
                    wanted = show(entry)?;
                } else {
                    if before.len() >= self.context {
                        before.pop_front();
                    }
                    before.push_back(entry);
                }
            }
            line = LongLine::default();
        }
        Ok(hits)
    }
}

/// The part of a line that is shown.
#[derive(Debug)]
struct MatchedPart {
    /// Characters of the line before it.
    before: u64,
    words: String,
}

impl MatchedPart {
    /// At most `width` characters around `range`, of a text that has `dropped` characters of its line before it.
    fn of(line: &str, range: std::ops::Range<usize>, dropped: u64, width: u64) -> MatchedPart {
        if text::chars(line) <= width && dropped == 0 {
            return MatchedPart { before: 0, words: line.to_owned() };
        }
        // A quarter of the room goes to what leads up to the match.
        let lead = text::slice(line, 0..range.start);
        let start = text::suffix(lead, width / 4);
        let rest = text::slice(line, start..line.len());
        // Near the end of the line the room that is left goes to the front.
        let spare = width.saturating_sub(text::chars(rest).min(width));
        let start = text::suffix(lead, width / 4 + spare).min(start);
        let words = text::first_chars(text::slice(line, start..line.len()), width).to_owned();
        MatchedPart { before: dropped + text::chars(text::slice(line, 0..start)), words }
    }

    fn entry(self, line: u64, chars: u64) -> ResultLine {
        ResultLine { hit: true, ..self.context(line, chars) }
    }

    fn context(self, line: u64, chars: u64) -> ResultLine {
        let after = chars.saturating_sub(self.before + text::chars(&self.words));
        let shortened = self.before > 0 || after > 0;
        let mut words = String::new();
        if self.before > 0 {
            words.push_str(inline_marker(self.before).trim_start());
        }
        words.push_str(&self.words);
        if after > 0 {
            words.push_str(inline_marker(after).trim_end());
        }
        ResultLine { line, hit: false, words, shortened }
    }
}

/// A line that arrives in parts.
#[derive(Debug, Default)]
struct LongLine {
    window: String,
    /// Characters of the line before the window.
    dropped: u64,
    /// The beginning of the line, once the window has left it.
    head: Option<String>,
    hit: Option<MatchedPart>,
}

impl LongLine {
    fn push(&mut self, search: &Search, part: &str) {
        self.window.push_str(part);
        if self.window.len() > LONGEST_LINE {
            self.search(search);
            if self.head.is_none() {
                self.head = Some(text::first_chars(&self.window, search.width).to_owned());
            }
            let keep = text::floor(&self.window, self.window.len() - OVERLAP);
            self.dropped += text::chars(text::slice(&self.window, 0..keep));
            self.window.drain(..keep);
        }
    }

    fn search(&mut self, search: &Search) {
        if self.hit.is_some() {
            return;
        }
        // Behind the first window `^` must not hold, so the search begins after the window's first character.
        let from = if self.dropped == 0 { 0 } else { text::ceil(&self.window, 1) };
        let found = search.pattern.find_at(&self.window, from);
        self.hit = found.map(|found| MatchedPart::of(&self.window, found.range(), self.dropped, search.width));
    }

    fn chars(&self) -> u64 {
        self.dropped + text::chars(&self.window)
    }

    fn head(&self, width: u64) -> MatchedPart {
        match &self.head {
            Some(head) => MatchedPart { before: 0, words: head.clone() },
            None => MatchedPart { before: 0, words: text::first_chars(&self.window, width).to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shortened_around_its_match() {
        let line = format!("{}NEEDLE{}", "a".repeat(1000), "b".repeat(1000));
        let entry = MatchedPart::of(&line, 1000..1006, 0, 40).entry(7, 2006);
        assert_eq!(
            entry.written(),
            "7: ... [990 chars omitted] ... aaaaaaaaaaNEEDLEbbbbbbbbbbbbbbbbbbbbbbbb ... [976 chars omitted] ...\n"
        );
        let entry = MatchedPart::of("short", 0..2, 0, 40).context(8, 5);
        assert_eq!(entry.written(), "8- short\n");
        let entry = MatchedPart::of(&"é".repeat(50), 98..100, 0, 10).entry(1, 50);
        assert_eq!(entry.words, format!("... [40 chars omitted] ... {}", "é".repeat(10)));
    }

    #[test]
    fn a_bad_pattern_is_refused_with_what_would_be_right() {
        let why = |pattern: &str| compile(pattern).unwrap_err().to_string();
        assert_eq!(why("main("), "bad pattern: unclosed group; to find the text as it stands, use `main\\(`");
        assert!(why("(?=x)").starts_with("bad pattern: look-around, including look-ahead and look-behind, is not"));
        assert_eq!(why(r"\w{900}{900}"), "bad pattern: it is too large when compiled: use smaller repetitions");
        assert!(why("").starts_with("bad pattern: it is empty"));
        assert_eq!(why(&"a".repeat(5000)), "bad pattern: it has 5000 bytes, at most 4096 are taken");
    }
}

//! Searching one file.

use std::io;
use std::path::Path;

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use offcut::Cancel;

use super::Bounds;

/// How much memory a line may take.
const LONGEST_SEARCHED: usize = 64 << 20;

/// Searches files one after the other.
pub(super) struct Search<'a> {
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    bounds: Bounds,
    cancel: &'a Cancel,
}

/// What was found in one file.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) lines: Vec<HitLine>,
    pub(super) matches: u64,
    /// Whether the file is not text; then it is only named.
    pub(super) binary: bool,
    /// Whether there is more than what is here.
    pub(super) more: bool,
    /// About how much memory they take, in bytes.
    pub(super) held: usize,
}

/// A line of a file that is to be shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HitLine {
    pub(super) number: u64,
    pub(super) is_match: bool,
    /// The line without its end, as far as it can be shown.
    pub(super) bytes: Vec<u8>,
    /// Whether the line is longer than that.
    pub(super) longer: bool,
}

impl Hits {
    pub(super) fn is_empty(&self) -> bool {
        self.matches == 0
    }

    /// Leaves the first `matches` matches and the lines around them.
    pub(super) fn keep(&mut self, matches: u64, context: u64) {
        let (mut seen, mut last) = (0, 0);
        self.lines.retain(|line| {
            seen += u64::from(line.is_match);
            if line.is_match && seen <= matches {
                last = line.number;
            }
            let near = seen < matches || line.number <= last.saturating_add(context);
            seen <= matches && (line.is_match || near)
        });
        self.more |= self.matches > matches;
        self.matches = self.matches.min(matches);
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(matcher: &'a RegexMatcher, bounds: Bounds, cancel: &'a Cancel) -> Search<'a> {
        let context = usize::try_from(bounds.context).unwrap_or(usize::MAX);
        let searcher = SearcherBuilder::new()
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::convert(0))
            .heap_limit(Some(LONGEST_SEARCHED))
            .build();
        Search { matcher, searcher, bounds, cancel }
    }

    /// What there is in the file at `path`.
    pub(super) fn file(&mut self, path: &Path) -> io::Result<Hits> {
        let mut taken = MatchSink { hits: Hits::default(), bounds: self.bounds, cancel: self.cancel };
        self.searcher.search_path(self.matcher, path, &mut taken)?;
        let mut hits = taken.hits;
        if hits.binary {
            return Ok(Hits { binary: true, matches: hits.matches.min(1), ..Hits::default() });
        }
        let (held, context) = (hits.matches - u64::from(hits.more), self.bounds.context);
        hits.keep(held, context);
        Ok(hits)
    }
}

/// Takes what a searcher finds.
struct MatchSink<'a> {
    hits: Hits,
    bounds: Bounds,
    cancel: &'a Cancel,
}

impl MatchSink<'_> {
    fn line(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        // Enough for the characters that are shown, and for seeing a secret that begins among them.
        let most = usize::try_from(self.bounds.chars).unwrap_or(usize::MAX).saturating_mul(4).saturating_add(2048);
        let kept = bytes.get(..bytes.len().min(most)).unwrap_or_default();
        self.hits.held += kept.len() + size_of::<HitLine>();
        self.hits.lines.push(HitLine {
            number: number.unwrap_or_default(),
            is_match,
            bytes: kept.to_vec(),
            longer: kept.len() < bytes.len(),
        });
    }
}

impl Sink for MatchSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.hits.matches += 1;
        if self.hits.binary {
            return Ok(false);
        }
        // One more than is shown is enough to know that there are more.
        if self.hits.matches > self.bounds.matches || self.hits.held > super::HELD {
            self.hits.more = true;
            return Ok(false);
        }
        self.line(found.line_number(), found.bytes(), true);
        Ok(!self.cancel.is_cancelled())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        if !self.hits.binary {
            self.line(context.line_number(), context.bytes(), false);
        }
        Ok(!self.cancel.is_cancelled())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.hits.binary = true;
        // It is enough to know that there is a match.
        Ok(self.hits.matches == 0)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.hits.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

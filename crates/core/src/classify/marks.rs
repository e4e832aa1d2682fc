//! Marks of programs' output, counted line by line: times and levels, test results, compilers, traces, hunks, paths.

use std::iter::Peekable;

use super::Samples;
use super::places::{has_ending, is_mode, is_path, location, prefixed, surrounds};
use crate::finder::Hit;
use crate::kind::{Classification, Kind};
use crate::line::entries::path_entry;
use crate::line::signals::Signals;
use crate::line::{LineRules, View, Vote, votes};
use crate::text;

/// How often each mark was seen.
#[derive(Debug, Default)]
pub(super) struct Marks {
    lines: u32,
    timed: u32,
    levels: u32,
    /// Lines that only a test runner writes.
    tests: u32,
    /// Lines that sum a test run up.
    verdicts: u32,
    builds: u32,
    frames: u32,
    traces: u32,
    hunks: u32,
    /// Whether the first line belongs to a diff or to the commit above it.
    starts_as_diff: bool,
    files: u32,
    changed: u32,
    found: u32,
    located: u32,
    /// Lines around matches.
    around: u32,
    /// Lines that begin with the name of a file, and those that begin with the same as the one before.
    prefixed: u32,
    again: u32,
    /// Those whose file has an ending: a name without one may be that of a package, a task or a service.
    ending: u32,
    numbered: u32,
    paths: u32,
    /// Paths behind columns.
    entries: u32,
    modes: u32,
    branches: u32,
    ci: u32,
}

/// Levels stand near the start of a line.
const LEVEL_REACH: usize = 80;

/// What a line speaks for.
#[derive(Debug, Default)]
struct Votes {
    test: bool,
    summary: bool,
    /// Sums tests up if there is a number in the line.
    counted: bool,
    build: bool,
    frame: bool,
    trace: bool,
    level: bool,
    ci: bool,
}

impl Votes {
    /// Takes a vote in; `at` so many bytes behind the beginning of its line.
    fn add(&mut self, vote: Vote, numbered: bool, at: usize) {
        match vote {
            Vote::Test => self.test = true,
            Vote::TestSummary if numbered => self.counted = true,
            Vote::TestSummary => self.summary = true,
            Vote::Build => self.build = true,
            Vote::Frame => self.frame = true,
            Vote::Trace => self.trace = true,
            Vote::Level => self.level |= at < LEVEL_REACH,
            Vote::Ci => self.ci = true,
        }
    }
}

impl Marks {
    pub(super) fn of(samples: &Samples<'_>, rules: &LineRules) -> Marks {
        let mut marks = Marks::default();
        for sample in [samples.head.as_ref(), samples.rest.as_str()] {
            let mut found = Vec::new();
            votes::each_part(sample.as_bytes(), |hit| found.push(hit));
            let mut hits = found.iter().copied().peekable();
            let mut file: Option<&[u8]> = None;
            for line in text::split(sample) {
                marks.count(line, &mut hits, rules);
                let before = file;
                file = prefixed(line.text.as_bytes());
                marks.prefixed += u32::from(file.is_some());
                marks.again += u32::from(file.is_some() && file == before);
                marks.ending += u32::from(file.is_some_and(has_ending));
            }
        }
        marks
    }

    /// Counts the marks of a line; `hits` are the parts in it and behind it.
    fn count(&mut self, whole: text::Line<'_>, hits: &mut Peekable<impl Iterator<Item = Hit>>, rules: &LineRules) {
        let (line, in_ci) = without_ci_time(whole.text);
        let words = line.trim_start();
        let start = whole.start + whole.text.len() - words.len();
        let words = words.trim_end();
        let head = text::slice(words, 0..160);
        let mut votes = Votes::default();
        while let Some(hit) = hits.next_if(|hit| hit.start < whole.range().end) {
            if hit.start >= start
                && hit.end <= start + head.len()
                && let Some((vote, numbered)) = votes::of_part(hit)
            {
                votes.add(vote, numbered, hit.start - start);
            }
        }
        if words.is_empty() {
            return;
        }
        self.lines += 1;
        if self.lines == 1 {
            let starts = ["diff ", "--- ", "Index: ", "commit ", "From ", "index "];
            self.starts_as_diff = starts.iter().any(|start| line.starts_with(start));
        }
        let view = View::new(line, words, Signals::NONE);
        votes::each_vote(&view, |vote| votes.add(vote, false, 0));
        rules.own_votes(&view, |vote| votes.add(vote, false, 0));
        self.ci += u32::from(in_ci || votes.ci);
        let bytes = words.as_bytes();
        let first = bytes.first().copied().unwrap_or(0);
        let timed = has_time(head.as_bytes());
        self.timed += u32::from(timed);
        self.levels += u32::from(votes.level);
        let counted = votes.counted && words.len() < 160 && bytes.iter().any(u8::is_ascii_digit);
        let summary = counted || votes.summary;
        self.verdicts += u32::from(summary);
        self.tests += u32::from(votes.test || summary);
        self.builds += u32::from(votes.build);
        self.frames += u32::from(votes.frame);
        self.traces += u32::from(votes.trace);
        match line.as_bytes().first() {
            Some(b'@') => self.hunks += u32::from(line.starts_with("@@ -") && words.contains(" @@")),
            Some(b'd') => self.files += u32::from(line.starts_with("diff --git ")),
            Some(b'I') => self.files += u32::from(line.starts_with("Index: ")),
            Some(b'+') => {
                self.files += u32::from(line.starts_with("+++ "));
                self.changed += 1;
            }
            Some(b'-' | b' ') => self.changed += 1,
            _ => {}
        }
        match location(bytes) {
            Some(true) => self.located += 1,
            Some(false) => self.found += 1,
            None => {}
        }
        self.around += u32::from(surrounds(line.as_bytes()));
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        self.numbered += u32::from(
            digits > 0
                && digits < 7
                && matches!(line.as_bytes().get(digits), Some(b':' | b'-'))
                && !line.as_bytes().get(digits + 1).is_some_and(u8::is_ascii_digit)
                && !timed,
        );
        self.paths += u32::from(is_path(words));
        self.entries += u32::from(path_entry(words).is_some_and(|entry| !timed || entry.size > 0));
        self.modes += u32::from(is_mode(bytes) || words.starts_with("total ") && words.len() < 16);
        self.branches += u32::from(match first {
            0xe2 => words.starts_with(['├', '└', '│']),
            b'|' => words.starts_with("|-- "),
            b'`' => words.starts_with("`-- "),
            _ => false,
        });
    }

    /// The share of lines that bear a time.
    pub(super) fn timed_share(&self) -> f32 {
        self.share(self.timed)
    }

    fn share(&self, count: u32) -> f32 {
        count as f32 / self.lines.max(1) as f32
    }

    /// A diff: hunks below file names.
    pub(super) fn diff(&self) -> Option<Classification> {
        let body = self.share(self.changed + self.files + self.hunks);
        let undisturbed = self.verdicts == 0 && self.share(self.builds) < 0.05;
        let clear =
            self.hunks >= 1 && self.files >= 1 && body > 0.7 && self.ci == 0 && (self.starts_as_diff || undisturbed);
        clear.then(|| Classification::new(Kind::Diff, 0.97, "file headers and hunks"))
    }

    /// Whether a text with headings and without times is no program's report.
    pub(super) fn is_quiet(&self) -> bool {
        self.ci == 0 && self.share(self.tests) < 0.1 && self.share(self.builds) < 0.1
    }

    /// The output of a test runner, a build, or a CI job.
    pub(super) fn report(&self) -> Option<Classification> {
        let ci = self.share(self.ci) > 0.5 || self.ci > 20;
        let tests = self.share(self.tests);
        if self.verdicts >= 1
            && (self.tests >= 3 || tests > 0.2)
            && (tests > 0.05 || !ci)
            && tests * 3.0 > self.share(self.builds)
        {
            return Some(Classification::new(Kind::Test, 0.9, "results of tests and their summary"));
        }
        if tests > 0.4 && self.tests >= 3 {
            return Some(Classification::new(Kind::Test, 0.8, "results of tests"));
        }
        if ci {
            return Some(Classification::new(Kind::Build, 0.9, "the log of a CI job"));
        }
        if self.verdicts >= 1 && self.tests >= 2 && self.share(self.builds) < 0.1 && self.lines < 400 {
            return Some(Classification::new(Kind::Test, 0.7, "the summary of a test run"));
        }
        let builds = self.share(self.builds);
        if builds > 0.15 && self.builds >= 3 && self.timed_share() < 0.5 || builds > 0.5 {
            return Some(Classification::new(Kind::Build, 0.85, "messages of compilers and build tools"));
        }
        None
    }

    /// Whether most lines are entries of directories or archives.
    pub(super) fn lists_paths(&self) -> bool {
        self.share(self.modes) > 0.4 || self.share(self.entries) > 0.8 && self.lines >= 4
    }

    /// Whether many lines begin with a place in a file, as matches of searches and findings of linters do.
    pub(super) fn names_places(&self) -> bool {
        self.share(self.found + self.located + self.around) > 0.3
    }

    /// Kinds that show in the shape of most lines.
    pub(super) fn lines(&self, command: Option<Kind>) -> Option<Classification> {
        if self.timed >= 2 && self.levels >= 2 && self.share(self.timed + self.frames) > 0.3 && self.frames > 0 {
            return Some(Classification::new(Kind::Log, 0.8, "times, levels and stack traces"));
        }
        if self.builds >= 3 && self.frames > 0 && self.timed_share() < 0.3 && self.share(self.builds) > 0.03 {
            return Some(Classification::new(Kind::Build, 0.7, "messages of build tools and stack traces"));
        }
        if self.share(self.frames + self.traces) > 0.3 && self.traces + self.frames >= 2 && self.timed_share() < 0.3 {
            return Some(Classification::new(Kind::Trace, 0.85, "frames of a stack trace"));
        }
        if self.share(self.located) > 0.5 && command != Some(Kind::Search) {
            return Some(Classification::new(Kind::Build, 0.75, "messages with file, line and column"));
        }
        if self.share(self.found + self.located + self.around) > 0.6 && self.lines >= 2 {
            return Some(Classification::new(Kind::Search, 0.9, "file, line and text"));
        }
        let are_files = self.ending * 2 > self.prefixed || command == Some(Kind::Search);
        if self.share(self.prefixed) > 0.6 && self.again * 3 > self.prefixed && are_files && self.lines >= 4 {
            return Some(Classification::new(Kind::Search, 0.8, "file and text"));
        }
        if self.share(self.modes) > 0.4 || self.share(self.branches) > 0.6 {
            return Some(Classification::new(Kind::Listing, 0.9, "entries of directories"));
        }
        if self.share(self.paths) > 0.8 && self.lines >= 3 {
            return Some(Classification::new(Kind::Listing, 0.85, "one path a line"));
        }
        if self.share(self.entries) > 0.8 && self.lines >= 4 {
            return Some(Classification::new(Kind::Listing, 0.85, "a path behind columns"));
        }
        let results = self.found.max(self.prefixed).max(self.numbered) + self.around;
        if command == Some(Kind::Search) && self.share(results) > 0.3 && self.lines >= 3 {
            return Some(Classification::new(Kind::Search, 0.8, "a search, and files or numbers before most lines"));
        }
        if self.share(self.numbered) > 0.6 && self.lines >= 3 {
            return Some(Classification::new(Kind::Search, 0.8, "numbered lines below file names"));
        }
        if self.timed_share() > 0.5 || self.timed_share() > 0.15 && self.levels >= 2 && self.lines >= 4 {
            return Some(Classification::new(Kind::Log, 0.9, "lines with times"));
        }
        if self.share(self.levels) > 0.5 {
            return Some(Classification::new(Kind::Log, 0.8, "lines with levels"));
        }
        None
    }

    /// What a few marks, or a command and any mark, suggest.
    pub(super) fn weak(&self, command: Option<Kind>) -> Option<Classification> {
        if self.builds >= 2 && (self.share(self.builds) > 0.04 || command == Some(Kind::Build)) {
            return Some(Classification::new(Kind::Build, 0.55, "a few messages of build tools"));
        }
        if self.traces >= 1 && self.frames >= 1 && self.timed == 0 {
            return Some(Classification::new(Kind::Trace, 0.6, "a stack trace among other lines"));
        }
        if self.levels >= 2 && self.share(self.levels) > 0.1 || self.timed_share() > 0.15 {
            return Some(Classification::new(Kind::Log, 0.55, "some lines with levels or times"));
        }
        (self.share(self.located) > 0.2).then(|| Classification::new(Kind::Build, 0.55, "places in files"))
    }
}

/// `line` without the time that GitHub Actions puts before it, and whether there was one.
fn without_ci_time(line: &str) -> (&str, bool) {
    let line = line.trim_start_matches('\u{feff}');
    let bytes = line.as_bytes();
    let head = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let start = memchr::memchr_iter(b'Z', head).find(|at| head.get(at + 1) == Some(&b' ')).unwrap_or(0);
    if start < 27 || bytes.get(start - 8) != Some(&b'.') || bytes.get(start - 17) != Some(&b'T') {
        return (line, false);
    }
    (text::slice(line, start + 2..line.len()), true)
}

/// Whether there is a time of day or a date near the start: `12:34:56`, `2026-11-15T`, `Nov 15 12:34`.
fn has_time(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(90)).unwrap_or_default();
    memchr::memchr_iter(b':', head).any(|at| {
        let digit = |at: usize| head.get(at).is_some_and(u8::is_ascii_digit);
        at >= 2
            && digit(at - 1)
            && digit(at - 2)
            && digit(at + 1)
            && digit(at + 2)
            && head.get(at + 3) == Some(&b':')
            && digit(at + 4)
    })
}

//! Lines with a word or a sign that tells how something went.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

use super::candidate::{Candidate, Promise, WITH_CONTEXT};
use super::kinds::Kinds;
use crate::hash::Hash;
use crate::line::signals::{self, Signals};
use crate::line::{LineRules, Role, Severity, classify_line, prefix, template};

/// Lines of one kind that pass.
const OF_A_KIND: u32 = 300;

/// Lines of each promise that are remembered before the best are chosen.
const REMEMBERED: usize = 1 << 16;

/// How much of a line is looked at to know what it promises.
const VIEW: usize = 2048;

/// How the status of a request that a server failed at stands in its log, behind the request.
static SERVER_ERROR: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\" 50"));

/// Lines that tell.
#[derive(Default)]
pub(crate) struct Telling {
    found: Vec<Candidate>,
    kinds: Kinds,
    /// What the lines of each kind promise, and whether that hangs on what tells them apart.
    promises: Vec<(Promise, bool)>,
    /// How many were remembered of each promise.
    remembered: [usize; Promise::COUNT],
    /// The rules by which lines are told.
    pub(super) rules: Arc<LineRules>,
}

impl Telling {
    /// Gathers the lines of a block that tell.
    pub(crate) fn gather(&mut self, block: &[u8], at: u64) {
        let mut from = 0;
        signals::each_word(block, |hit, signals| {
            if hit >= from && signals.has(Signals::TELLING) {
                from = self.line(block, line_around(block, from, hit), at);
            }
        });
        self.gather_wordless(block, at, signals::signs(block));
        self.gather_wordless(block, at, SERVER_ERROR.find_iter(block));
        self.gather_wordless(block, at, levels(block));
        let rules = self.rules.clone();
        self.gather_wordless(block, at, rules.own_hits(block));
    }

    /// Gathers the lines around `hits` that have no word that tells: those with one are gathered already.
    fn gather_wordless(&mut self, block: &[u8], at: u64, hits: impl Iterator<Item = usize>) {
        let mut from = 0;
        for hit in hits {
            if hit < from {
                continue;
            }
            let line = line_around(block, from, hit);
            let mut worded = false;
            let words = block.get(line.clone()).unwrap_or_default();
            signals::each_word(words, |_, signals| worded |= signals.has(Signals::TELLING));
            from = if worded { line.end } else { self.line(block, line, at) };
        }
    }

    /// Takes a line in, and says where it ends.
    fn line(&mut self, block: &[u8], range: Range<usize>, at: u64) -> usize {
        let line = block.get(range.clone()).unwrap_or_default();
        let place = (at + range.start as u64, at + range.end as u64);
        let id = self.kinds.id(line, |line| {
            let width = prefix::width(line);
            let (hash, taken) = template::template_taking(line.get(width..).unwrap_or(line));
            (hash, width + taken)
        });
        match id {
            Some(id) => {
                let (id, promise) = self.promise(id, line);
                let before = self.kinds.count(id, place);
                if before < OF_A_KIND {
                    self.remember(place, before, promise);
                }
            }
            // Too many kinds to count: what tells by itself passes all the same.
            None => match promise_of(line, &self.rules).0 {
                Promise::Tells => self.remember(place, 0, Promise::Tells),
                Promise::Mentions | Promise::Rare | Promise::Counts => {}
            },
        }
        range.end
    }

    /// What a line of a kind promises. Where that hangs on its figures (`0 failed`, `status=1`), those that promise
    /// something else are a kind of their own.
    fn promise(&mut self, id: u32, line: &[u8]) -> (u32, Promise) {
        let Some(&(promise, varies)) = self.promises.get(id as usize) else {
            let (promise, varies) = promise_of(line, &self.rules);
            self.note(id, promise, varies);
            return (id, promise);
        };
        let now = if varies { promise_of(line, &self.rules).0 } else { promise };
        if now == promise {
            return (id, promise);
        }
        let other = self.kinds.id_of(Hash::of(&[&id.to_le_bytes()[..], &[now as u8]].concat()));
        if let Some(other) = other {
            self.note(other, now, false);
        }
        (other.unwrap_or(id), now)
    }

    /// Remembers what the lines of a kind promise.
    fn note(&mut self, id: u32, promise: Promise, varies: bool) {
        let id = id as usize;
        self.promises.resize(self.promises.len().max(id + 1), (promise, varies));
        self.promises.get_mut(id).into_iter().for_each(|known| *known = (promise, varies));
    }

    fn remember(&mut self, (start, end): (u64, u64), before: u32, promise: Promise) {
        if let Some(count) = self.remembered.get_mut(promise as usize)
            && *count < REMEMBERED
        {
            *count += 1;
            self.found.push(Candidate { start, end, before, promise });
        }
    }

    /// What was gathered, and the last of each kind of which there were too many.
    pub(super) fn finish(self) -> Vec<Candidate> {
        let mut found = self.found;
        let last = self.kinds.known().filter(|(_, known)| known.count > OF_A_KIND);
        found.extend(last.map(|(id, known)| {
            let promise = self.promises.get(id).map_or(Promise::Tells, |(promise, _)| *promise);
            Candidate { start: known.last.0, end: known.last.1, before: WITH_CONTEXT, promise }
        }));
        found
    }
}

/// Where lines begin with a letter that may stand for a grave level, as in `E0115 10:00:00` and `E   assert`.
fn levels(block: &[u8]) -> impl Iterator<Item = usize> {
    let starts = std::iter::once(0).chain(memchr_iter(b'\n', block).map(|end| end + 1));
    starts.filter(|&start| matches!(block.get(start..), Some([b'E' | b'F', b' ' | b'0'..=b'9', ..])))
}

/// The line around byte `hit`, which lies at or behind `from`.
fn line_around(block: &[u8], from: usize, hit: usize) -> Range<usize> {
    let before = block.get(from..hit).and_then(|before| memrchr(b'\n', before));
    let start = before.map_or(from, |before| from + before + 1);
    let end = block.get(hit..).and_then(|rest| memchr(b'\n', rest)).map_or(block.len(), |end| hit + end + 1);
    start..end
}

/// What a line promises, and whether another line of its kind may promise something else.
fn promise_of(line: &[u8], rules: &LineRules) -> (Promise, bool) {
    let line = line.get(..VIEW).unwrap_or(line);
    let line = std::str::from_utf8(line).unwrap_or_else(|error| {
        line.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or_default()
    });
    let body = prefix::body(line);
    let found = signals::of_line(body);
    let score = classify_line(body, found, rules);
    let varies = matches!(score.role, Role::Summary | Role::ProcessExit);
    let promise = match (score.role, score.severity) {
        (Role::Plain | Role::Boilerplate | Role::Frame | Role::Command, _) if !found.has(Signals::TROUBLE) => {
            Promise::Counts
        }
        (Role::Pass | Role::Blank, _) | (Role::Summary, Severity::Negligible) => Promise::Counts,
        (Role::Plain | Role::Boilerplate, _) | (_, Severity::Negligible) => Promise::Mentions,
        _ => Promise::Tells,
    };
    (promise, varies)
}

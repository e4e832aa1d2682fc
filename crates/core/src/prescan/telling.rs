//! Lines with a word or a sign that tells how something went.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};

use super::candidate::{Candidate, Promise, WITH_CONTEXT};
use super::kinds::Kinds;
use super::tally::{Counted, Counts, Tally};
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

/// What a line tells.
#[derive(Debug, Clone, Copy)]
struct LineTelling {
    promise: Promise,
    counted: Option<Counted>,
    /// Whether another line of its kind may tell something else.
    varies: bool,
}

/// Lines that tell.
#[derive(Default)]
pub(crate) struct Telling {
    found: Vec<Candidate>,
    kinds: Kinds,
    /// What is known of the lines of each kind.
    told: Vec<LineTelling>,
    tally: Tally,
    /// Whether a line had a carriage return inside: then lines may end with them, and are not counted.
    lone_returns: bool,
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
                let line = line_around(block, from, hit);
                from = line.end;
                let start = at + line.start as u64;
                if let Some(counted) = self.line(block, line, at) {
                    self.tally.add(start, counted);
                }
            }
        });
        // A line may have several of these.
        let mut counted = Vec::new();
        self.gather_wordless(block, at, signals::signs(block), &mut counted);
        self.gather_wordless(block, at, SERVER_ERROR.find_iter(block), &mut counted);
        self.gather_wordless(block, at, levels(block), &mut counted);
        let rules = self.rules.clone();
        self.gather_wordless(block, at, rules.own_hits(block), &mut counted);
        counted.sort_unstable_by_key(|(start, _)| *start);
        counted.dedup_by_key(|(start, _)| *start);
        counted.into_iter().for_each(|(start, counted)| self.tally.add(start, counted));
    }

    /// Gathers the lines around `hits` that have no word that tells: those with one are gathered already.
    fn gather_wordless(
        &mut self,
        block: &[u8],
        at: u64,
        hits: impl Iterator<Item = usize>,
        counted: &mut Vec<(u64, Counted)>,
    ) {
        let mut from = 0;
        for hit in hits {
            if hit < from {
                continue;
            }
            let line = line_around(block, from, hit);
            from = line.end;
            let mut worded = false;
            let words = block.get(line.clone()).unwrap_or_default();
            signals::each_word(words, |_, signals| worded |= signals.has(Signals::TELLING));
            if !worded {
                let start = at + line.start as u64;
                counted.extend(self.line(block, line, at).map(|as_what| (start, as_what)));
            }
        }
    }

    /// Takes a line in, and says what it counts as.
    fn line(&mut self, block: &[u8], range: Range<usize>, at: u64) -> Option<Counted> {
        let line = block.get(range.clone()).unwrap_or_default();
        let place = (at + range.start as u64, at + range.end as u64);
        let id = self.kinds.id(line, |line| {
            let width = prefix::width(line);
            let (hash, taken) = template::template_taking(line.get(width..).unwrap_or(line));
            (hash, width + taken)
        });
        let told = match id {
            Some(id) => {
                let (id, told) = self.told(id, line);
                let before = self.kinds.count(id, place);
                if before < OF_A_KIND {
                    self.remember(place, before, told.promise);
                }
                told
            }
            // Too many kinds to count: what tells by itself passes all the same.
            None => {
                let told = told(line, &self.rules);
                if told.promise == Promise::Tells {
                    self.remember(place, 0, Promise::Tells);
                }
                told
            }
        };
        if told.counted.is_some() {
            let words = line.strip_suffix(b"\n").unwrap_or(line);
            self.lone_returns |= memchr(b'\r', words.strip_suffix(b"\r").unwrap_or(words)).is_some();
        }
        told.counted
    }

    /// What a line of a kind tells. Where that hangs on its figures (`0 failed`, `status=1`), those that promise
    /// something else are a kind of their own.
    fn told(&mut self, id: u32, line: &[u8]) -> (u32, LineTelling) {
        let Some(&known) = self.told.get(id as usize) else {
            let told = told(line, &self.rules);
            self.note(id, told);
            return (id, told);
        };
        let now = if known.varies { told(line, &self.rules) } else { known };
        if now.promise == known.promise {
            return (id, now);
        }
        let other = self.kinds.id_of(Hash::of(&[&id.to_le_bytes()[..], &[now.promise as u8]].concat()));
        if let Some(other) = other {
            self.note(other, LineTelling { varies: false, ..now });
        }
        (other.unwrap_or(id), now)
    }

    /// Remembers what the lines of a kind tell.
    fn note(&mut self, id: u32, told: LineTelling) {
        let id = id as usize;
        self.told.resize(self.told.len().max(id + 1), told);
        self.told.get_mut(id).into_iter().for_each(|known| *known = told);
    }

    /// The failing tests, errors and warnings among the whole lines of `block`.
    pub(crate) fn counts_of(block: &[u8], rules: Arc<LineRules>) -> Counts {
        let mut telling = Telling { rules, ..Telling::default() };
        telling.gather(block, 0);
        telling.tally.all()
    }

    fn remember(&mut self, (start, end): (u64, u64), before: u32, promise: Promise) {
        if let Some(count) = self.remembered.get_mut(promise as usize)
            && *count < REMEMBERED
        {
            *count += 1;
            self.found.push(Candidate { start, end, before, promise });
        }
    }

    /// What was gathered, and the last of each kind of which there were too many; and what was counted.
    pub(super) fn finish(self) -> (Vec<Candidate>, Option<Tally>) {
        let mut found = self.found;
        let last = self.kinds.known().filter(|(_, known)| known.count > OF_A_KIND);
        found.extend(last.map(|(id, known)| {
            let promise = self.told.get(id).map_or(Promise::Tells, |told| told.promise);
            Candidate { start: known.last.0, end: known.last.1, before: WITH_CONTEXT, promise }
        }));
        (found, (!self.lone_returns).then_some(self.tally))
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

/// What a line tells by its words.
fn told(line: &[u8], rules: &LineRules) -> LineTelling {
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
    LineTelling { promise, counted: Counted::of(&score), varies }
}

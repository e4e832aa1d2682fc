//! How many failing tests, errors and warnings lie where in a large text, in bounded memory.
//!
//! Lines are counted where they start, in stretches of equal size; a longer text has longer ones. What is asked for is
//! seldom a whole number of them, so whoever asks counts the lines at both ends anew.

use std::ops::Range;

use crate::line::{LineScore, Role, Severity};

/// The bytes of a stretch, as a power of two, while a text has no more than [`STRETCHES`] of them.
const BITS: u32 = 16;

/// How many stretches are counted; beyond that they become twice as long.
const STRETCHES: usize = 1 << 14;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    FailedTest,
    Error,
    Warning,
}

impl Counted {
    /// What a line counts as.
    pub(crate) fn of(score: &LineScore) -> Option<Counted> {
        match (score.role, score.severity) {
            (Role::FailedTest, Severity::Critical) => Some(Counted::FailedTest),
            (Role::Error | Role::Message, severity) if severity >= Severity::Medium => Some(Counted::Error),
            (Role::Warning, _) => Some(Counted::Warning),
            _ => None,
        }
    }
}

/// How many there are of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) failed_tests: u64,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
}

impl Counts {
    fn of(counted: [u32; 3]) -> Counts {
        let [failed_tests, errors, warnings] = counted.map(u64::from);
        Counts { failed_tests, errors, warnings }
    }

    /// Both together.
    pub(crate) fn plus(self, other: Counts) -> Counts {
        Counts {
            failed_tests: self.failed_tests + other.failed_tests,
            errors: self.errors + other.errors,
            warnings: self.warnings + other.warnings,
        }
    }
}

/// Counts by where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    bits: u32,
    stretches: Vec<[u32; 3]>,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { bits: BITS, stretches: Vec::new() }
    }
}

impl Tally {
    /// Counts a line that starts at byte `at`.
    pub(super) fn add(&mut self, at: u64, counted: Counted) {
        while at >> self.bits >= STRETCHES as u64 {
            self.lengthen();
        }
        let stretch = (at >> self.bits) as usize;
        if stretch >= self.stretches.len() {
            self.stretches.resize(stretch + 1, [0; 3]);
        }
        if let Some(count) = self.stretches.get_mut(stretch).and_then(|counts| counts.get_mut(counted as usize)) {
            *count += 1;
        }
    }

    fn lengthen(&mut self) {
        let joined = |pair: &[[u32; 3]]| pair.iter().fold([0; 3], |sum, counts| add(sum, *counts));
        self.stretches = self.stretches.chunks(2).map(joined).collect();
        self.bits += 1;
    }

    /// The lines that start in the stretches that lie in `range`, and the bytes of these; none if no whole one does.
    pub(crate) fn within(&self, range: &Range<u64>) -> Option<(Counts, Range<u64>)> {
        let (first, end) = (range.start.div_ceil(1 << self.bits), range.end >> self.bits);
        if first >= end {
            return None;
        }
        let at = |stretch: u64| usize::try_from(stretch).unwrap_or(usize::MAX).min(self.stretches.len());
        let counted = self.stretches.get(at(first)..at(end)).unwrap_or_default();
        Some((
            Counts::of(counted.iter().fold([0; 3], |sum, counts| add(sum, *counts))),
            first << self.bits..end << self.bits,
        ))
    }

    /// All that were counted.
    pub(crate) fn all(&self) -> Counts {
        Counts::of(self.stretches.iter().fold([0; 3], |sum, counts| add(sum, *counts)))
    }
}

fn add(one: [u32; 3], other: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = one;
    let [d, e, f] = other;
    [a.saturating_add(d), b.saturating_add(e), c.saturating_add(f)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_counted_where_its_lines_start() {
        let mut tally = Tally::default();
        for line in 0..10_000u64 {
            tally.add(line * 1000, if line % 10 == 0 { Counted::Error } else { Counted::Warning });
        }
        let (counts, bytes) = tally.within(&(70_000..5_000_000)).unwrap();
        assert_eq!(bytes, 2 << 16..76 << 16);
        let inside = |line: &u64| bytes.contains(&(line * 1000));
        let errors = (0..10_000).step_by(10).filter(inside).count() as u64;
        let all = (0..10_000).filter(inside).count() as u64;
        assert_eq!(counts, Counts { failed_tests: 0, errors, warnings: all - errors });
        assert_eq!(tally.within(&(70_000..100_000)), None);
        assert_eq!(tally.all(), Counts { failed_tests: 0, errors: 1000, warnings: 9000 });
    }

    #[test]
    fn a_long_text_takes_no_more_room() {
        let mut tally = Tally::default();
        let lines = 50_000u64;
        (0..lines).for_each(|line| tally.add(line << 17, Counted::FailedTest));
        assert!(tally.stretches.len() <= STRETCHES);
        assert_eq!(tally.all().failed_tests, lines);
        let (counts, bytes) = tally.within(&(1..lines << 17)).unwrap();
        assert_eq!(counts.failed_tests, (bytes.end - bytes.start) >> 17);
    }
}

//! What was found in all files: the first in the order of their paths, whatever the order in which they come in.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::search::Hits;
use super::{Bounds, HELD};

/// Matches by file. Holds as many files as can be shown, and one more match, to know whether there are more.
#[derive(Debug)]
pub(super) struct MatchesByFile {
    bounds: Bounds,
    files: BTreeMap<Vec<u8>, Hits>,
    matches: u64,
    held: usize,
    /// Whether files were left out because there was no room for them.
    dropped: bool,
}

/// Whether no file behind the last one that was found matters any more.
#[derive(Debug, Default)]
pub(super) struct Full(AtomicBool);

impl Full {
    /// Looks whether it is so now.
    pub(super) fn set(&self, found: &MatchesByFile) {
        if found.is_full() {
            self.0.store(true, Ordering::Release);
        }
    }

    /// Whether a file with this key need not be looked into.
    pub(super) fn is_behind(&self, found: &Mutex<MatchesByFile>, key: impl FnOnce() -> Vec<u8>) -> bool {
        self.0.load(Ordering::Acquire) && {
            let key = key();
            found.lock().last_key().is_some_and(|last| key.as_slice() > last)
        }
    }
}

impl MatchesByFile {
    pub(super) fn new(bounds: Bounds) -> MatchesByFile {
        MatchesByFile { bounds, files: BTreeMap::new(), matches: 0, held: 0, dropped: false }
    }

    /// Takes what was found in the file with this key.
    pub(super) fn add(&mut self, key: Vec<u8>, hits: Hits) {
        if hits.is_empty() {
            return;
        }
        self.matches += weight(&hits);
        self.held += hits.held;
        self.files.insert(key, hits);
        while let Some(last) = self.files.last_entry() {
            let (matches, held) = (self.matches - weight(last.get()), self.held - last.get().held);
            if matches <= self.bounds.matches && held < HELD {
                break;
            }
            last.remove();
            (self.matches, self.held, self.dropped) = (matches, held, true);
        }
    }

    /// Whether there are more matches than are shown.
    pub(super) fn is_over(&self) -> bool {
        self.matches > self.bounds.matches
    }

    /// Whether nothing behind the last file can be shown.
    pub(super) fn is_full(&self) -> bool {
        self.is_over() || self.held >= HELD
    }

    /// Whether matches are missing because they would have taken too much memory.
    pub(super) fn is_short(&self) -> bool {
        !self.is_over() && (self.dropped || self.held >= HELD)
    }

    fn last_key(&self) -> Option<&[u8]> {
        self.files.last_key_value().map(|(key, _)| key.as_slice())
    }

    /// The key of the last file that was looked into for certain, where not all were.
    pub(super) fn upto(&self) -> Option<&[u8]> {
        self.last_key().filter(|_| self.is_full() || self.dropped)
    }

    /// The files with the matches that are shown, in order.
    pub(super) fn shown(self) -> Vec<(Vec<u8>, Hits)> {
        let mut left = self.bounds.matches;
        let mut shown = Vec::new();
        for (key, mut hits) in self.files {
            if left == 0 {
                break;
            }
            hits.keep(left, self.bounds.context);
            left -= hits.matches;
            shown.push((key, hits));
        }
        shown
    }
}

/// How many matches there are at least.
fn weight(hits: &Hits) -> u64 {
    hits.matches + u64::from(hits.more)
}

#[cfg(test)]
mod tests {
    use super::super::search::HitLine;
    use super::*;

    fn hits(numbers: &[u64], more: bool) -> Hits {
        let line = |number: &u64| HitLine { number: *number, is_match: true, bytes: Vec::new(), longer: false };
        Hits { lines: numbers.iter().map(line).collect(), matches: numbers.len() as u64, more, ..Hits::default() }
    }

    fn shown(found: MatchesByFile) -> Vec<(String, Vec<u64>)> {
        let numbers = |hits: Hits| hits.lines.iter().map(|line| line.number).collect();
        found.shown().into_iter().map(|(key, hits)| (String::from_utf8(key).unwrap(), numbers(hits))).collect()
    }

    #[test]
    fn the_first_matches_stay_whatever_the_order_of_arrival() {
        let bounds = Bounds { matches: 3, chars: 10, context: 0 };
        for order in [["a", "b", "c", "d"], ["d", "c", "b", "a"], ["b", "d", "a", "c"]] {
            let mut found = MatchesByFile::new(bounds);
            for file in order {
                found.add(file.into(), hits(&[1, 2], false));
            }
            assert!(found.is_over() && !found.is_short());
            assert_eq!(found.upto(), Some(b"b".as_slice()));
            assert_eq!(shown(found), [("a".to_owned(), vec![1, 2]), ("b".to_owned(), vec![1])]);
        }
    }

    #[test]
    fn exactly_as_many_as_are_shown_are_not_too_many() {
        let bounds = Bounds { matches: 3, chars: 10, context: 0 };
        let mut found = MatchesByFile::new(bounds);
        found.add("a".into(), hits(&[1, 2, 3], false));
        assert!(!found.is_over() && !found.is_full());
        let mut found = MatchesByFile::new(bounds);
        found.add("a".into(), hits(&[1, 2, 3], true));
        assert!(found.is_over());
    }
}

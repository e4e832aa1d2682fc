//! Words that make an element worth showing before its neighbours.

use std::ops::Range;

use super::signals::ELEMENT_WORDS;
use crate::finder;

/// So much of a text is looked at.
const REACH: usize = 4096;

/// How severe the words of a text are: 0 for none, 5 at most. Looks at its first bytes only.
pub(crate) fn of(bytes: &[u8]) -> u32 {
    let bytes = bytes.get(..REACH).unwrap_or(bytes);
    let mut severest = 0;
    finder::ELEMENT_WORDS.each(bytes, |hit| {
        severest = ELEMENT_WORDS.get(hit.word).map_or(severest, |(_, severity)| severest.max(*severity));
    });
    severest
}

/// So much of a text is looked through at a time.
const STRETCH: usize = 16 * 1024;

/// How severe the words of the parts of a text are, short ones that come one after the other: many of them are looked
/// through at once, which is quicker than each alone.
#[derive(Debug, Default)]
pub(crate) struct InTurn {
    /// What was looked through.
    seen: Range<u64>,
    /// The words in it, by where they begin, those before `next` in parts that came before.
    words: Vec<Word>,
    next: usize,
}

/// A word, where it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    start: u64,
    end: u64,
    severity: u32,
}

impl InTurn {
    /// How severe the part is that begins at byte `at` and has so many bytes: what [`of`] says of it. What is known of the
    /// text from there on is in `window`.
    pub(crate) fn of(&mut self, window: &[u8], at: u64, bytes: usize) -> u32 {
        let end = at + bytes.min(REACH) as u64;
        if at < self.seen.start || end > self.seen.end {
            let stretch = window.get(..STRETCH).unwrap_or(window);
            self.seen = at..at + stretch.len() as u64;
            self.words.clear();
            self.next = 0;
            finder::ELEMENT_WORDS.each(stretch, |hit| {
                let severity = ELEMENT_WORDS.get(hit.word).map_or(0, |(_, severity)| *severity);
                self.words.push(Word { start: at + hit.start as u64, end: at + hit.end as u64, severity });
            });
            self.words.sort_unstable();
        }
        self.seen.start = at;
        let mut severest = 0;
        while let Some(word) = self.words.get(self.next).filter(|word| word.start < end) {
            if word.start >= at && word.end <= end {
                severest = severest.max(word.severity);
            }
            self.next += 1;
        }
        severest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_severest_word_counts_in_any_case_and_only_at_the_beginning() {
        assert_eq!(of(b""), 0);
        assert_eq!(of(b"active"), 0);
        assert_eq!(of(b"\"Failed\""), 4);
        assert_eq!(of(b"an error, then a PANIC"), 5);
        assert_eq!(of(format!("{}error", "x".repeat(5000)).as_bytes()), 0);
        assert!(ELEMENT_WORDS.iter().all(|(word, severity)| of(word.as_bytes()) >= *severity));
    }

    #[test]
    fn words_are_found_in_many_parts_as_in_each() {
        let line = |n: usize| match n % 7 {
            0 => "an error,".to_owned(),
            1 => format!("err{}", "or then failed".repeat(n % 5)),
            2 if n % 49 == 2 => format!("panic {}error", "x".repeat(n * 20)),
            _ => "active,".repeat(n % 9),
        };
        let text: String = (0..900).map(|n| line(n) + "\n").collect();
        // As much is known as came until then.
        for known in [700, 5000, text.len()] {
            let (mut in_turn, mut at) = (InTurn::default(), 0);
            for line in text.lines() {
                let window =
                    text.as_bytes().get(at..text.len().min((at + line.len()).next_multiple_of(known))).unwrap();
                assert_eq!(in_turn.of(window, at as u64, line.len()), of(line.as_bytes()), "{line}");
                at += line.len() + 1;
            }
        }
    }
}

//! Words that make an element worth showing before its neighbours.

use super::signals::ELEMENT_WORDS;
use crate::finder;

/// How severe the words of a text are: 0 for none, 5 at most. Looks at its first bytes only.
pub(crate) fn of(bytes: &[u8]) -> u32 {
    let bytes = bytes.get(..4096).unwrap_or(bytes);
    let mut severest = 0;
    finder::ELEMENT_WORDS.each(bytes, |hit| {
        severest = ELEMENT_WORDS.get(hit.word).map_or(severest, |(_, severity)| severest.max(*severity));
    });
    severest
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
}

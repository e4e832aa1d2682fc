//! Counts of results: `3 failed, 2 passed`, `Failures: 3`.

use super::word_lists::{
    COUNTS_FAILED, COUNTS_FAILED_PHRASES, COUNTS_FAILED_PREFIXES, COUNTS_FAILING_PHRASES, COUNTS_NOUNS, COUNTS_OTHER,
    COUNTS_PASSED_PHRASES, COUNTS_PASSED_STARTS,
};

/// Whether a line (in lower case) counts results, and if so whether it counts failures.
pub(super) fn counts(lower: &str) -> Option<bool> {
    let (mut counts, mut failing, mut words) = (0, false, 0);
    let mut number: Option<u64> = None;
    let mut label: Option<bool> = None;
    let mut rest = lower;
    while words < 40 {
        let start = rest.find(|c: char| !is_between(c)).unwrap_or(rest.len());
        let (between, more) = rest.split_at(start);
        let (word, more) = more.split_at(more.find(is_between).unwrap_or(more.len()));
        if word.is_empty() {
            break;
        }
        rest = more;
        words += 1;
        // It may end the sentence: `Found 63 errors.`
        let word = word.trim_end_matches(['.', '!']);
        let labelled = between.contains([':', '=']);
        let (bad, good) = (COUNTS_FAILED.contains(&word), COUNTS_OTHER.contains(&word));
        // `3 failed` counts, `3, failed: 0` does not.
        let counted = if between.trim().is_empty() && !more.starts_with([':', '=']) { number } else { None };
        match (word.parse::<u64>().ok(), counted, label) {
            (Some(value), _, Some(is_bad)) if labelled => {
                counts += 1;
                failing |= is_bad && value > 0;
                (number, label) = (Some(value), None);
            }
            (Some(value), ..) => (number, label) = (Some(value), None),
            (None, Some(_), _) if COUNTS_NOUNS.contains(&word) => {
                counts += 1;
                label = Some(false);
            }
            (None, Some(value), _) if bad || good => {
                counts += 1;
                failing |= bad && value > 0;
                (number, label) = (None, Some(bad));
            }
            _ => (number, label) = (None, (bad || good).then_some(bad)),
        }
    }
    if let Some(count) = COUNTS_FAILED_PREFIXES.iter().find_map(|prefix| lower.strip_prefix(prefix)) {
        return count.trim().parse::<u64>().ok().map(|count| count > 0);
    }
    let holds = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    if counts >= 2 || (counts == 1 && (words <= 6 || failing && words <= 14)) {
        return Some(failing || holds(COUNTS_FAILING_PHRASES));
    }
    if holds(COUNTS_FAILED_PHRASES) {
        return Some(!holds(COUNTS_PASSED_PHRASES));
    }
    (words <= 14 && COUNTS_PASSED_STARTS.iter().any(|start| lower.starts_with(start))).then_some(false)
}

/// Whether a character stands between the words of a summary.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '=' | ':' | '|' | '[' | ']' | '✖' | '(' | ')')
}

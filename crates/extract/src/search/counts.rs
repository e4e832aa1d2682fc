//! How many lines there are of what a question counts.

use offcut_core::notice;

use super::query::Query;
use super::roles::Kinds;
use super::units::Units;

/// The most words whose lines are counted.
const MOST_WORDS: usize = 4;

/// Whether a question counts something.
pub(super) fn is_asked(asked: &str) -> bool {
    let lower = asked.to_lowercase();
    ["how many", "how often", "number of", "count of", "count the"].iter().any(|words| lower.contains(words))
}

/// Counts of the lines with the words of a question, each and all together, and of the lines of the kinds that it means.
/// `whole` says whether `units` are those of the whole document; none where there is nothing to count.
pub(super) fn told(query: &Query, units: &Units, kinds: &Kinds, whole: bool) -> Option<String> {
    let sought: Vec<usize> = (0..query.terms.len())
        .filter(|at| query.terms.get(*at).is_some_and(|term| !term.meant && term.weight >= 0.6))
        .take(MOST_WORDS)
        .collect();
    let mut lines: Vec<u64> = vec![0; sought.len()];
    let mut all = 0;
    let mut at = 0;
    while let Some(hit) = units.hits.get(at) {
        let here = units.hits.iter().skip(at).take_while(|next| next.unit == hit.unit);
        let terms: Vec<usize> = here.map(|hit| usize::from(hit.term)).collect();
        at += terms.len();
        let has: Vec<bool> = sought.iter().map(|term| terms.contains(term)).collect();
        lines.iter_mut().zip(&has).for_each(|(count, has)| *count += u64::from(*has));
        all += u64::from(!has.is_empty() && has.iter().all(|has| *has));
    }
    let mut counts: Vec<(String, u64)> = Vec::new();
    for (term, count) in sought.iter().zip(&lines).filter(|(_, count)| **count > 0) {
        let word = query.terms.get(*term).map_or("", |term| term.word.as_str());
        counts.push((format!("with \"{word}\""), *count));
    }
    if counts.len() > 1 {
        counts.push(("with all of them".to_owned(), all));
    }
    counts.extend(kinds.counted_by(query.intents).into_iter().map(|(kind, count)| (kind.to_owned(), count)));
    (!counts.is_empty()).then(|| notice::line_counts(&counts, whole))
}

//! Words that make an element worth showing before its neighbours.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::signals::ELEMENT_WORDS;

static SEARCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(ELEMENT_WORDS.iter().map(|(word, _)| word))
        .ok()
});

/// How severe the words of a text are: 0 for none, 5 at most. Looks at its first bytes only.
pub(crate) fn of(bytes: &[u8]) -> u32 {
    let bytes = bytes.get(..4096).unwrap_or(bytes);
    if bytes.len() < 5 {
        return 0;
    }
    let Some(searcher) = SEARCHER.as_ref() else { return 0 };
    let hits = searcher.find_iter(bytes).take(8);
    hits.filter_map(|hit| ELEMENT_WORDS.get(hit.pattern().as_usize())).map(|(_, severity)| *severity).max().unwrap_or(0)
}

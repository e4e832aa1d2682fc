//! The literals that lead to secrets: parts of names, first lines of keys, keywords of rules.
//!
//! All but the shortest are found in one pass, however many there are; those of three bytes by a vectorised search beside
//! it. Any number of literals may overlap.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, MatchKind};

use crate::finder;

/// What the literal search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// A part of a secret's name.
    Name,
    /// `-----BEGIN`, where a private key may follow.
    Begin,
    /// `-----END`, where something public may end.
    End,
    /// `Private-Lines:`, where a PuTTY key follows.
    Putty,
    /// `recovery codes`, which follow.
    Codes,
    /// `seed phrase`, which follows.
    Phrase,
    /// `kind: Secret`.
    Manifest,
    /// `card`, whose number may follow.
    Card,
    /// `priv:`, below which a key is written in hexadecimal.
    Hex,
    /// A part of a command that may print a secret.
    Command,
    /// The escape of a small letter.
    Escape,
    /// The border between two words of a command that is written as a list.
    Argument,
    /// The prefix of a token that may be shorter than a long word.
    ShortToken,
    /// A keyword of built-in rules, by its place in the list of those.
    Rules(u16),
}

/// The longest literal; a segment's search reads so far beyond its end.
pub(super) const LONGEST: usize = 24;

/// A literal that leads to secrets.
#[derive(Debug)]
struct Literal {
    text: &'static str,
    /// The place in it by which it is in order among others that it overlaps.
    rank: u16,
    anchor: Anchor,
}

// All of them, in the order in which those are told that stand at the same place: `rules/anchors/*.toml`, prefixes of
// tokens, and keywords of rules. Those that are too short for a finder come first.
include!(concat!(env!("OUT_DIR"), "/literals.rs"));

/// The searches for the short ones, one for needles of each length: a search compares no more bytes than its shortest
/// needle has.
static SHORT: LazyLock<Vec<Short>> = LazyLock::new(|| NEEDLES.iter().filter_map(|alike| Short::of(alike)).collect());

/// A search for literals by how they begin.
#[derive(Debug)]
struct Short {
    search: Search,
    /// Each needle with the places in the list of the literals that begin with it.
    needles: &'static [(&'static str, &'static [u16])],
}

/// A search for needles: vectorised, or an automaton where the processor has no vectors.
#[derive(Debug)]
enum Search {
    Vectorised(Searcher),
    Automaton(AhoCorasick),
}

impl Search {
    fn new(needles: &[&str]) -> Option<Search> {
        let automaton = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(needles).ok();
        Searcher::new(needles).map(Search::Vectorised).or_else(|| automaton().map(Search::Automaton))
    }

    /// Where the first needle in `from..` of `bytes` is, and which one.
    fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let range = from.min(bytes.len())..bytes.len();
        let hit = match self {
            Search::Vectorised(search) => search.find_in(bytes, range.into()),
            Search::Automaton(search) => search.find(aho_corasick::Input::new(bytes).range(range)),
        };
        hit.map(|hit| (hit.start(), hit.pattern().as_usize()))
    }
}

impl Short {
    fn of(needles: &'static [(&str, &[u16])]) -> Option<Short> {
        let texts: Vec<&str> = needles.iter().map(|(text, _)| *text).collect();
        Some(Short { search: Search::new(&texts)?, needles })
    }
}

/// Where a literal begins in `from..to` of `bytes`, in order: its range and what it stands for.
pub(super) fn find(bytes: &[u8], from: usize, to: usize, mut each: impl FnMut(usize, usize, Anchor)) {
    let reach = bytes.len().min(to + LONGEST);
    let bytes = bytes.get(..reach).unwrap_or_default();
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let mut note = |start: usize, place: usize| {
        if let Some(literal) = LITERALS.get(place).filter(|_| start < to) {
            found.push((start + usize::from(literal.rank), place, start));
        }
    };
    let long = bytes.get(from..).unwrap_or_default();
    finder::LITERALS.each(long, |hit| note(from + hit.start, LONG_FROM + hit.word));
    for short in SHORT.iter() {
        let mut at = from;
        while let Some((start, needle)) = short.search.find(bytes, at) {
            let rest = bytes.get(start..).unwrap_or_default();
            let there = |place: &&u16| {
                LITERALS.get(usize::from(**place)).is_some_and(|literal| rest.starts_with(literal.text.as_bytes()))
            };
            let places = short.needles.get(needle).map_or(&[][..], |(_, places)| places);
            places.iter().filter(there).for_each(|&place| note(start, usize::from(place)));
            at = start + 1;
        }
    }
    found.sort_unstable();
    for (_, place, start) in found {
        if let Some(literal) = LITERALS.get(place) {
            each(start, start + literal.text.len(), literal.anchor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find(text.as_bytes(), 0, text.len(), |from, to, _| found.push(text.get(from..to).unwrap()));
        found.sort_unstable();
        found
    }

    #[test]
    fn literals_that_overlap_are_all_found() {
        assert_eq!(found("mysql --password x"), ["--password", "assword", "assword ", "pass"]);
        assert_eq!(found("a:*:AKC Authorization"), [":*:", "AKC", "uthorization"]);
        assert_eq!(found("compass, trespass"), ["pass", "pass"]);
    }

    #[test]
    fn a_literal_belongs_to_the_segment_that_it_begins_in() {
        let text = "x Authorization: y";
        for cut in 0..text.len() {
            let mut places = Vec::new();
            find(text.as_bytes(), 0, cut, |at, _, _| places.push(at));
            find(text.as_bytes(), cut, text.len(), |at, _, _| places.push(at));
            assert_eq!(places, [3], "cut at {cut}");
        }
    }

    #[test]
    fn no_literal_is_longer_than_what_the_search_reads() {
        assert!(LITERALS.iter().all(|literal| (3..=LONGEST).contains(&literal.text.len())));
    }
}

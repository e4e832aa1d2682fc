//! The literals that lead to secrets: parts of names, first lines of keys, keywords of rules.
//!
//! A vectorised search looks for four bytes of each literal, the rarest in ordinary text; where they stand the whole
//! literal is compared. Any number of literals may overlap.

use std::borrow::Cow;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, MatchKind};

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
    /// The prefix of a token that may be shorter than a long word.
    ShortToken,
    /// A keyword of built-in rules, by its place in the list of those.
    Rules(u16),
}

/// Names that hold secrets which may be short, in the parts that every spelling shares.
const NAME_ANCHORS: &[&str] = &[
    "pass",
    "Pass",
    "PASS",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "pswd",
    "PSWD",
    "Pswd",
    "pword",
    "pw=",
    "PW=",
    "pw:",
    "PW:",
    "Pw=",
    "pw\"",
    "pw'",
    "pw = ",
    "PW\"",
    "pwd=",
    "pwd:",
    "pwd\"",
    "Pwd=",
    "Pwd:",
    "Pwd\"",
    "PWD=",
    "PWD:",
    "PWD\"",
    "uthorization",
    "UTHORIZATION",
    "_AUTH",
    "pi-key",
    "pi-Key",
    "pi_key",
    "PI_KEY",
    "pikey",
    "piKey",
    "PI-KEY",
];

/// Marks of what goes over lines.
const MARKS: &[(&str, Anchor)] = &[
    ("BEGIN ", Anchor::Begin),
    ("-----END", Anchor::End),
    ("Private-Lines", Anchor::Putty),
    ("ecovery codes", Anchor::Codes),
    ("ackup codes", Anchor::Codes),
    ("ecovery Codes", Anchor::Codes),
    ("ackup Codes", Anchor::Codes),
    ("cratch codes", Anchor::Codes),
    ("eed phrase", Anchor::Phrase),
    ("ecovery phrase", Anchor::Phrase),
    ("nemonic", Anchor::Phrase),
    ("kind: Secret", Anchor::Manifest),
    ("card", Anchor::Card),
    ("Card", Anchor::Card),
    ("\"number\"", Anchor::Card),
    ("genkey", Anchor::Command),
    ("op read ", Anchor::Command),
    ("openssl rand", Anchor::Command),
    ("UGFzc3dvcmQ6", Anchor::Command),
    ("priv:", Anchor::Hex),
    ("privateExponent:", Anchor::Hex),
];

/// The longest literal; a segment's search reads so far beyond its end.
pub(super) const LONGEST: usize = 24;
/// How many bytes of a literal the vectorised search looks for.
const NEEDLE: usize = 4;
/// How many needles one vectorised search takes; more make it stop at too many places.
const GROUP: usize = 41;

/// All literals, ready to be searched for.
#[derive(Debug)]
pub(super) struct Literals {
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    search: Search,
    /// The literals that have each needle.
    literals: Vec<Vec<Literal>>,
}

/// A search for needles: vectorised, or an automaton where the processor has no vectors.
#[derive(Debug)]
enum Search {
    Vectorised(Searcher),
    Automaton(AhoCorasick),
}

impl Search {
    fn new(needles: &[&[u8]]) -> Option<Search> {
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

#[derive(Debug, Clone)]
struct Literal {
    text: Box<[u8]>,
    /// Where in `text` the needle is.
    offset: usize,
    anchor: Anchor,
}

impl Literals {
    /// Names, marks, `short` prefixes of tokens, and `keywords` by their place.
    pub(super) fn new(short: &[Cow<'static, str>], keywords: &[Cow<'static, str>]) -> Literals {
        let names = NAME_ANCHORS.iter().map(|text| (*text, Anchor::Name));
        let short = short.iter().map(|text| (&**text, Anchor::ShortToken));
        let keywords = keywords.iter().enumerate().map(|(at, text)| (&**text, Anchor::Rules(at as u16)));
        let mut needles: Vec<(&[u8], Literal)> = names
            .chain(MARKS.iter().copied())
            .chain(short)
            .chain(keywords)
            .map(|(text, anchor)| {
                let (offset, needle) = needle_of(text.as_bytes());
                (needle, Literal { text: text.as_bytes().into(), offset, anchor })
            })
            .collect();
        // Needles that begin alike share what the search compares first.
        needles.sort_by_key(|&(needle, _)| (needle.len(), needle.first().map(|byte| byte & 15), needle));
        let mut by_needle: Vec<(&[u8], Vec<Literal>)> = Vec::new();
        for (needle, literal) in needles {
            match by_needle.last_mut() {
                Some((known, literals)) if *known == needle => literals.push(literal),
                _ => by_needle.push((needle, vec![literal])),
            }
        }
        // One search compares as many bytes as its shortest needle has.
        let groups = by_needle.chunk_by(|(a, _), (b, _)| a.len() == b.len()).flat_map(|same| same.chunks(GROUP));
        let groups = groups.filter_map(|group| {
            let needles: Vec<&[u8]> = group.iter().map(|(needle, _)| *needle).collect();
            let search = Search::new(&needles)?;
            Some(Group { search, literals: group.iter().map(|(_, literals)| literals.clone()).collect() })
        });
        Literals { groups: groups.collect() }
    }

    /// Where a literal begins in `from..to` of `bytes`, in the order of their needles: its range and what it stands for.
    pub(super) fn find(&self, bytes: &[u8], from: usize, to: usize, mut each: impl FnMut(usize, usize, Anchor)) {
        let reach = bytes.len().min(to + LONGEST);
        let bytes = bytes.get(..reach).unwrap_or_default();
        let mut next: Vec<(usize, usize)> = Vec::with_capacity(self.groups.len());
        let hit_of = |group: &Group, from: usize| group.search.find(bytes, from).unwrap_or((usize::MAX, 0));
        next.extend(self.groups.iter().map(|group| hit_of(group, from)));
        while let Some((place, &(at, needle))) = next.iter().enumerate().min_by_key(|&(_, &(at, _))| at)
            && at != usize::MAX
            && let Some(group) = self.groups.get(place)
        {
            for literal in group.literals.get(needle).map_or(&[][..], Vec::as_slice) {
                let Some(start) = at.checked_sub(literal.offset) else { continue };
                let there = bytes.get(start..).is_some_and(|rest| rest.starts_with(&literal.text));
                if (from..to).contains(&start) && there {
                    each(start, start + literal.text.len(), literal.anchor);
                }
            }
            if let Some(slot) = next.get_mut(place) {
                *slot = hit_of(group, at + 1);
            }
        }
    }
}

/// The bytes of `literal` to search for, and where in it they are: the four that are rarest together.
fn needle_of(literal: &[u8]) -> (usize, &[u8]) {
    let commonness = |part: &[u8]| part.iter().map(|&byte| commonness(byte)).sum::<u32>();
    let needles = literal.windows(NEEDLE).enumerate();
    needles.min_by_key(|(_, needle)| commonness(needle)).unwrap_or((0, literal))
}

/// How common a byte is in outputs, roughly.
fn commonness(byte: u8) -> u32 {
    match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 10,
        b'd' | b'l' | b'c' | b'u' | b'm' | b'p' | b'h' | b'f' | b'g' => 8,
        b'0'..=b'9' | b'-' | b':' | b'=' | b'"' | b'.' | b'/' | b'_' | b',' => 7,
        b'a'..=b'z' => 5,
        b'A'..=b'Z' => 4,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let keywords = ["assword ".into(), "--password".into(), ":*:".into()];
        let mut found = Vec::new();
        let literals = Literals::new(&["AKC".into()], &keywords);
        literals.find(text.as_bytes(), 0, text.len(), |from, to, _| found.push(text.get(from..to).unwrap()));
        found.sort_unstable();
        found
    }

    #[test]
    fn literals_that_overlap_are_all_found() {
        assert_eq!(found("mysql --password x"), ["--password", "assword ", "pass"]);
        assert_eq!(found("a:*:AKC Authorization"), [":*:", "AKC", "uthorization"]);
        assert_eq!(found("passport, passenger"), ["pass", "pass"]);
    }

    #[test]
    fn a_literal_belongs_to_the_segment_that_it_begins_in() {
        let text = "x Authorization: y";
        for cut in 0..text.len() {
            let mut places = Vec::new();
            let literals = Literals::new(&[], &[]);
            literals.find(text.as_bytes(), 0, cut, |at, _, _| places.push(at));
            literals.find(text.as_bytes(), cut, text.len(), |at, _, _| places.push(at));
            assert_eq!(places, [3], "cut at {cut}");
        }
    }

    #[test]
    fn no_literal_is_longer_than_what_the_search_reads() {
        let longest = NAME_ANCHORS.iter().chain(MARKS.iter().map(|(text, _)| text)).map(|text| text.len()).max();
        assert!(longest.unwrap() <= LONGEST);
    }
}

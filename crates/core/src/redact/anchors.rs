//! The literals that lead to secrets: parts of names, first lines of keys, keywords of rules.
//!
//! All but the shortest are found in one pass, however many there are; those of three bytes by a vectorised search beside
//! it. Any number of literals may overlap.

use std::borrow::Cow;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, MatchKind};

use crate::finder::{self, Finder};

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
    "pwd>",
    "Pwd>",
    "PWD>",
    "pwd'",
    "pwd =",
    "Pwd =",
    "PWD =",
    "pwd\\",
    "Pwd\\",
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
    "redentials=",
    "redentials:",
    "redentials\"",
    "redential:",
    "_PAT=",
    "_PAT:",
    "_PAT\"",
    "_PAT\n",
    "pw |",
    "PW |",
    "pw  ",
    "PW  ",
    "PWD  ",
    "pwd  ",
    "pwd |",
    "CREDS",
    "creds",
    "Pw: ",
    "ennwor",
    "ENNWOR",
    "rivateKey",
    "rivate_key",
    "RIVATE_KEY",
    "ccountKey",
    "ccessKey",
    "ccess_key",
    "CCESS_KEY",
    "asterKey",
    "aster_key",
    "ncryptionKey",
    "ncryption_key",
    "NCRYPTION_KEY",
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
    ("pwgen ", Anchor::Command),
    ("UGFzc3dvcmQ6", Anchor::Command),
    (",\"-p", Anchor::Argument),
    (" \"-p", Anchor::Argument),
    (" '-p", Anchor::Argument),
    (",\"-P", Anchor::Argument),
    (" \"-P", Anchor::Argument),
    (" '-P", Anchor::Argument),
    (",\"-a", Anchor::Argument),
    (" \"-a", Anchor::Argument),
    (" '-a", Anchor::Argument),
    (",\"-w", Anchor::Argument),
    (" \"-w", Anchor::Argument),
    (" '-w", Anchor::Argument),
    ("\\\"-p", Anchor::Argument),
    (" \"-u", Anchor::Argument),
    (",\"-u", Anchor::Argument),
    ("\" a1=\"", Anchor::Argument),
    ("\\u006", Anchor::Escape),
    ("\\u007", Anchor::Escape),
    ("priv:", Anchor::Hex),
    ("privateExponent:", Anchor::Hex),
];

/// The longest literal; a segment's search reads so far beyond its end.
pub(super) const LONGEST: usize = 24;
/// How many of the shortest literals begin with the same two bytes where these are looked for in place of them.
const ALIKE: usize = 3;

/// All literals, ready to be searched for.
#[derive(Debug)]
pub(super) struct Literals {
    /// In the order in which those are told that stand at the same place.
    literals: Vec<Literal>,
    /// Those that are long enough for it, which begin at this place of the list.
    long: Finder,
    long_from: usize,
    /// The others.
    short: Option<Short>,
}

#[derive(Debug)]
struct Literal {
    text: Cow<'static, str>,
    /// The place in it by which it is in order among others that it overlaps.
    rank: u16,
    anchor: Anchor,
}

/// A search for literals by how they begin.
#[derive(Debug)]
struct Short {
    search: Search,
    /// The places in the list of the literals that begin with each needle.
    places: Vec<Vec<u16>>,
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

impl Short {
    fn new(literals: &[Literal]) -> Option<Short> {
        let short = || literals.iter().zip(0u16..).filter(|(literal, _)| !is_long(literal));
        let pair = |literal: &Literal| literal.text.as_bytes().first_chunk::<2>().copied();
        let mut needles: Vec<(&[u8], Vec<u16>)> = Vec::new();
        for (literal, place) in short() {
            let alike = short().filter(|(other, _)| pair(other) == pair(literal)).count();
            let text = literal.text.as_bytes();
            let needle = text.get(..2).filter(|_| alike >= ALIKE).unwrap_or(text);
            match needles.iter_mut().find(|(known, _)| *known == needle) {
                Some((_, places)) => places.push(place),
                None => needles.push((needle, vec![place])),
            }
        }
        let (needles, places): (Vec<&[u8]>, Vec<Vec<u16>>) = needles.into_iter().unzip();
        Some(Short { search: Search::new(&needles)?, places })
    }
}

/// Whether a literal is found with all others.
fn is_long(literal: &Literal) -> bool {
    literal.text.len() >= finder::SHORTEST
}

impl Literals {
    /// Names, marks, `short` prefixes of tokens, and `keywords` by their place.
    pub(super) fn new(
        short: impl IntoIterator<Item = Cow<'static, str>>,
        keywords: impl IntoIterator<Item = Cow<'static, str>>,
    ) -> Literals {
        let names = NAME_ANCHORS.iter().map(|text| (Cow::Borrowed(*text), Anchor::Name));
        let marks = MARKS.iter().map(|(text, anchor)| (Cow::Borrowed(*text), *anchor));
        let short = short.into_iter().map(|text| (text, Anchor::ShortToken));
        let keywords = (0..).zip(keywords).map(|(place, text)| (text, Anchor::Rules(place)));
        let all = names.chain(marks).chain(short).chain(keywords);
        let literal = |(text, anchor): (Cow<'static, str>, Anchor)| Literal { rank: rank(&text), text, anchor };
        let (long, mut literals): (Vec<Literal>, Vec<Literal>) = all.map(literal).partition(is_long);
        let long_from = literals.len();
        literals.extend(long);
        let long = literals.iter().skip(long_from).map(|literal| literal.text.clone());
        Literals { long: Finder::new(long, false), long_from, short: Short::new(&literals), literals }
    }

    /// Where a literal begins in `from..to` of `bytes`, in order: its range and what it stands for.
    pub(super) fn find(&self, bytes: &[u8], from: usize, to: usize, mut each: impl FnMut(usize, usize, Anchor)) {
        let reach = bytes.len().min(to + LONGEST);
        let bytes = bytes.get(..reach).unwrap_or_default();
        let mut found: Vec<(usize, usize, usize)> = Vec::new();
        let mut note = |start: usize, place: usize| {
            if let Some(literal) = self.literals.get(place).filter(|_| start < to) {
                found.push((start + usize::from(literal.rank), place, start));
            }
        };
        self.long.each(bytes.get(from..).unwrap_or_default(), |hit| note(from + hit.start, self.long_from + hit.word));
        let mut at = from;
        while let Some(short) = &self.short
            && let Some((start, needle)) = short.search.find(bytes, at)
        {
            let there = |place: &&u16| {
                let literal = self.literals.get(usize::from(**place));
                literal.is_some_and(|literal| {
                    bytes.get(start..).is_some_and(|rest| rest.starts_with(literal.text.as_bytes()))
                })
            };
            let places = short.places.get(needle).map_or(&[][..], Vec::as_slice);
            places.iter().filter(there).for_each(|&place| note(start, usize::from(place)));
            at = start + 1;
        }
        found.sort_unstable();
        for (_, place, start) in found {
            if let Some(literal) = self.literals.get(place) {
                each(start, start + literal.text.len(), literal.anchor);
            }
        }
    }
}

/// Where in a literal the four bytes are that are rarest together.
fn rank(literal: &str) -> u16 {
    let commonness = |part: &[u8]| part.iter().map(|&byte| u32::from(COMMONNESS[usize::from(byte)])).sum::<u32>();
    let parts = (0u16..).zip(literal.as_bytes().windows(finder::SHORTEST));
    parts.min_by_key(|(_, part)| commonness(part)).map_or(0, |(at, _)| at)
}

/// How common each byte is in outputs, roughly.
const COMMONNESS: [u8; 256] = {
    let mut commonness = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        commonness[byte] = match byte as u8 {
            b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 10,
            b'd' | b'l' | b'c' | b'u' | b'm' | b'p' | b'h' | b'f' | b'g' => 8,
            b'0'..=b'9' | b'-' | b':' | b'=' | b'"' | b'.' | b'/' | b'_' | b',' => 7,
            b'a'..=b'z' => 5,
            b'A'..=b'Z' => 4,
            _ => 2,
        };
        byte += 1;
    }
    commonness
};

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let keywords = ["assword ".into(), "--password".into(), ":*:".into()];
        let mut found = Vec::new();
        let literals = Literals::new(["AKC".into()], keywords);
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
            let literals = Literals::new([], []);
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

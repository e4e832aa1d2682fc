//! Words as programs and people write them.
//!
//! A word is a run of letters, digits and underscores. Beside the whole of it count its parts: `snake_case` and
//! `camelCase` come apart, and so do letters and digits. Case does not count. Beside a word and a part stands its stem, as
//! Snowball's English rules make it: `suggest` finds `Suggestions`.

use std::collections::{HashMap, HashSet};
use std::fmt;

use rust_stemmers::{Algorithm, Stemmer};

/// A hash of a word in lower case, the same on every machine.
pub type Token = u64;

/// The most terms that an artifact is found by; a text of more is always read.
const MOST_TERMS: usize = 64 * 1024;

/// The most words whose stems are remembered.
const MOST_STEMS: usize = 100_000;

/// How often letters and digits may take turns in a word that has parts.
const MOST_TURNS: usize = 3;

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The token of a whole word, whatever characters it has.
pub fn token(word: &str) -> Token {
    hash(word.as_bytes())
}

fn hash(bytes: &[u8]) -> Token {
    let mixed = bytes.iter().fold(SEED, |hash, byte| (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(PRIME));
    mixed ^ (mixed >> 29)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What a byte is in its word; a part of a word ends where this changes, but for a capital before small letters.
fn class(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 1,
        b'A'..=b'Z' => 2,
        b'_' => 3,
        _ => 0,
    }
}

/// A word and its parts, in lower case.
pub fn words_of(word: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(word.as_bytes(), |part, _| words.push(String::from_utf8_lossy(part).to_ascii_lowercase()));
    words
}

/// The terms that a store finds a text by: 32 bits of each of its tokens, in order, each once. None where there are too
/// many of them.
pub fn terms_of(text: &str) -> Option<Vec<u32>> {
    let mut terms = HashSet::new();
    let mut words = WordSplitter::default();
    for line in text.as_bytes().split(|byte| *byte == b'\n') {
        words.each(line, |token| {
            terms.insert(term(token));
        });
        if terms.len() > MOST_TERMS {
            return None;
        }
    }
    let mut terms: Vec<u32> = terms.into_iter().collect();
    terms.sort_unstable();
    Some(terms)
}

/// The term of a token.
pub fn term(token: Token) -> u32 {
    (token ^ (token >> 32)) as u32
}

/// Takes text apart, and remembers the stems of words.
pub struct WordSplitter {
    stemmer: Stemmer,
    stems: HashMap<Token, Token>,
}

impl fmt::Debug for WordSplitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WordSplitter").field("stems", &self.stems.len()).finish_non_exhaustive()
    }
}

impl Default for WordSplitter {
    fn default() -> WordSplitter {
        WordSplitter { stemmer: Stemmer::create(Algorithm::English), stems: HashMap::new() }
    }
}

impl WordSplitter {
    /// Tells every token of `text`: each word, its parts where it has any, and the stems of both where they differ.
    /// Returns how many words there were.
    pub fn each(&mut self, text: &[u8], mut tell: impl FnMut(Token)) -> u32 {
        each(text, |part, token| {
            tell(token);
            let stem = self.stem_of(part, token);
            if stem != token {
                tell(stem);
            }
        })
    }

    /// The token of a word's stem; the word's own where it has none.
    pub fn stem(&mut self, word: &str) -> Token {
        self.stem_of(word.as_bytes(), token(word))
    }

    fn stem_of(&mut self, word: &[u8], token: Token) -> Token {
        if word.len() < 4 || word.len() > 30 || !word.iter().all(u8::is_ascii_alphabetic) {
            return token;
        }
        if let Some(stem) = self.stems.get(&token) {
            return *stem;
        }
        if self.stems.len() >= MOST_STEMS {
            self.stems.clear();
        }
        let lower = String::from_utf8_lossy(word).to_ascii_lowercase();
        let stem = hash(self.stemmer.stem(&lower).as_bytes());
        self.stems.insert(token, stem);
        stem
    }
}

/// Tells every word of `text` and its parts, with their tokens. Returns how many words there were.
fn each(text: &[u8], mut tell: impl FnMut(&[u8], Token)) -> u32 {
    let mut words = 0;
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.iter().position(|&byte| is_word(byte))) {
        let start = at + start;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        at = start + length;
        words += 1;
        tell(word, hash(word));
        parts(word, &mut tell);
    }
    words
}

/// Tells the parts of a word that has more than one; single characters are none. Letters and digits that take turns are an
/// id or a hash, and have no parts.
fn parts(word: &[u8], tell: &mut impl FnMut(&[u8], Token)) {
    let Some(&first) = word.first() else { return };
    let turns = word.iter().zip(word.iter().skip(1)).filter(|(a, b)| match (class(**a), class(**b)) {
        (1, other) | (other, 1) => other == 0 || other == 2,
        _ => false,
    });
    if turns.take(MOST_TURNS + 1).count() > MOST_TURNS {
        return;
    }
    let (mut start, mut before) = (0, class(first));
    for (at, &byte) in word.iter().enumerate().skip(1) {
        let now = class(byte);
        if now == before {
            continue;
        }
        // `HTTPServer` comes apart before its `S`: the last capital belongs to the small letters.
        let border = if before == 2 && now == 0 { at - 1 } else { at };
        if border > start {
            part(word, start, border, tell);
            start = border;
        }
        before = now;
    }
    if start > 0 {
        part(word, start, word.len(), tell);
    }
}

fn part(word: &[u8], start: usize, end: usize, tell: &mut impl FnMut(&[u8], Token)) {
    if let Some(part) = word.get(start..end).filter(|part| part.len() >= 2 && part.first() != Some(&b'_')) {
        tell(part, hash(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        WordSplitter::default().each(text.as_bytes(), |token| found.push(token));
        let expected: Vec<Token> = expected.iter().map(|word| token(word)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_of_programs_come_apart_and_stay_whole_too() {
        check("plain words", &["plain", "words", "word"]);
        check("snake_case", &["snake_case", "snake", "case"]);
        check("camelCase", &["camelcase", "camelcas", "camel", "case"]);
        check("HTTPServer2", &["httpserver2", "http", "server"]);
        check("__init__", &["__init__", "init"]);
        check("src/net/http.rs:12", &["src", "net", "http", "rs", "12"]);
        check("x86_64", &["x86_64", "86", "64"]);
        check("2bad4d8427dff", &["2bad4d8427dff"]);
        check("Größe", &["Größe"]);
        check("", &[]);
    }

    #[test]
    fn a_text_is_found_by_the_terms_of_all_its_tokens() {
        let terms = terms_of("GET /index HTTPServer\nget suggestions\n").unwrap();
        for word in ["get", "index", "http", "server", "suggestions", "suggest"] {
            assert!(terms.binary_search(&term(token(word))).is_ok(), "{word}");
        }
        assert!(terms.is_sorted() && terms.binary_search(&term(token("post"))).is_err());
        let many: String = (0..=MOST_TERMS).map(|n| format!("{n}\n")).collect();
        assert_eq!(terms_of(&many), None);
    }

    #[test]
    fn case_does_not_count() {
        assert_eq!(token("ERROR"), token("error"));
        assert_ne!(token("tests"), token("test"));
    }

    #[test]
    fn inflections_share_a_stem() {
        let mut words = WordSplitter::default();
        let mut same = |a: &str, b: &str| words.stem(a) == words.stem(b);
        for (a, b) in [("suggest", "Suggestions"), ("identified", "identify"), ("failing", "FAILED"), ("test", "tests")]
        {
            assert!(same(a, b), "{a} {b}");
        }
        assert!(!same("port", "report") && !same("x86", "x"));
    }
}

//! Words as programs and people write them.
//!
//! A word is a run of letters, digits and underscores. Beside the whole of it count its parts: `snake_case` and
//! `camelCase` come apart, and so do letters and digits. ExtractContext does not count. Nothing is stemmed: `tests` is not `test`.

/// A hash of a word in lower case, the same on every machine.
pub(super) type Token = u64;

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The token of a whole word, whatever characters it has.
pub(super) fn token(word: &str) -> Token {
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

/// Tells every token of `text`: each word, and its parts where it has any. Returns how many words there were.
pub(super) fn each(text: &[u8], mut tell: impl FnMut(Token)) -> u32 {
    let mut words = 0;
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.iter().position(|&byte| is_word(byte))) {
        let start = at + start;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        at = start + length;
        words += 1;
        tell(hash(word));
        parts(word, &mut tell);
    }
    words
}

/// Tells the parts of a word that has more than one; single characters are none.
fn parts(word: &[u8], tell: &mut impl FnMut(Token)) {
    let Some(&first) = word.first() else { return };
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

fn part(word: &[u8], start: usize, end: usize, tell: &mut impl FnMut(Token)) {
    if let Some(part) = word.get(start..end).filter(|part| part.len() >= 2 && part.first() != Some(&b'_')) {
        tell(hash(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        each(text.as_bytes(), |token| found.push(token));
        let expected: Vec<Token> = expected.iter().map(|word| token(word)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_of_programs_come_apart_and_stay_whole_too() {
        check("plain words", &["plain", "words"]);
        check("snake_case", &["snake_case", "snake", "case"]);
        check("camelCase", &["camelcase", "camel", "case"]);
        check("HTTPServer2", &["httpserver2", "http", "server"]);
        check("__init__", &["__init__", "init"]);
        check("src/net/http.rs:12", &["src", "net", "http", "rs", "12"]);
        check("x86_64", &["x86_64", "86", "64"]);
        check("Größe", &["Größe"]);
        check("", &[]);
    }

    #[test]
    fn case_does_not_count() {
        assert_eq!(token("ERROR"), token("error"));
        assert_ne!(token("tests"), token("test"));
    }
}

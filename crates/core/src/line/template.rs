//! The template of a line: what is left of it when the parts that vary are masked.

use crate::hash::Hash;

/// How much of a line its template is taken from.
const REACH: usize = 160;

/// How many words make a template.
const WORDS: usize = 9;

/// How many words make the beginning of a template, and how much of a line they are taken from.
const PREFIX: usize = 3;
const PREFIX_REACH: usize = 64;

const DIGIT: u8 = 1;
const INNER: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;
const SPACE: u8 = 16;

/// What a byte says about the word that it is in. Without a branch, so that many bytes are told at once.
#[inline]
const fn class(byte: u8) -> u8 {
    let digit = byte.wrapping_sub(b'0') < 10;
    let inner = (byte == b'/') | (byte == b'\\') | (byte == b'.') | (byte == b'_') | (byte == b'=') | (byte == b'@');
    let upper = byte.wrapping_sub(b'A') < 26;
    let lower = byte.wrapping_sub(b'a') < 26;
    let space = (byte == b' ') | (byte.wrapping_sub(b'\t') < 5);
    (digit as u8 * DIGIT)
        | (inner as u8 * INNER)
        | (upper as u8 * UPPER)
        | (lower as u8 * LOWER)
        | (space as u8 * SPACE)
}

/// How many bytes are told at once.
const LANE: usize = 16;

/// The classes of the bytes of a text; what stands behind its end passes for a space.
struct Classes([u8; REACH + LANE]);

impl Classes {
    /// Those of the first bytes of `text`, no more than templates are taken from.
    fn of(text: &[u8]) -> Classes {
        let mut classes = [b' '; REACH + LANE];
        let taken = text.len().min(REACH);
        if let Some((classes, text)) = classes.get_mut(..taken).zip(text.get(..taken)) {
            classes.copy_from_slice(text);
        }
        // Eight bytes behind the end may be looked at.
        for lane in classes.as_chunks_mut::<LANE>().0.iter_mut().take((taken + 8).div_ceil(LANE)) {
            lane.iter_mut().for_each(|byte| *byte = class(*byte));
        }
        Classes(classes)
    }

    fn at(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(SPACE)
    }

    /// Where the word ends that starts at `start`, and the classes of the bytes behind its first one, in some of eight
    /// bytes each.
    fn word(&self, start: usize) -> (usize, u64) {
        const SPACES: u64 = u64::from_ne_bytes([SPACE; 8]);
        let (mut at, mut all) = (start + 1, 0);
        while let Some(eight) = self.0.get(at..).and_then(<[u8]>::first_chunk) {
            let eight = u64::from_le_bytes(*eight);
            let spaces = eight & SPACES;
            if spaces != 0 {
                let before = spaces.trailing_zeros() / 8 * 8;
                at += before as usize / 8;
                all |= eight & ((1 << before) - 1);
                break;
            }
            all |= eight;
            at += 8;
        }
        (at, all)
    }
}

/// Whether any of eight bytes is of `class`.
fn has(eight: u64, class: u8) -> bool {
    eight & u64::from_ne_bytes([class; 8]) != 0
}

const LETTER: u8 = 2;

/// What each byte is in a word that carries meaning: a letter, a digit, or no part of it.
const PARTS: [u8; 256] = {
    let mut parts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        parts[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80.. => LETTER,
            _ => 0,
        };
        byte += 1;
    }
    parts
};

/// The line with numbers, paths, names and quoted texts masked, and how that begins: lines that one statement
/// printed share both.
pub(crate) fn template(line: &str) -> (u64, u64) {
    of_bytes(line.as_bytes())
}

/// The template of a line and the hash of how it begins.
fn of_bytes(line: &[u8]) -> (u64, u64) {
    let mut hash = Hash::new();
    let mut prefix = None;
    let mut count = 0;
    words_masked(line.get(..REACH).unwrap_or(line), WORDS, |word| {
        hash.push(word.value());
        count += 1;
        if count == PREFIX {
            prefix = Some(hash.value());
        }
    });
    (hash.value(), prefix.unwrap_or(hash.value()) ^ 1)
}

/// The template of a finding that ends with the name of its rule, as linters and compilers write it:
/// `[-Wunused-variable]`, `(no-member)`, `[ref.class]`, or `no-undef` in a column of its own.
pub(crate) fn finding(line: &str) -> Option<u64> {
    let line = line.trim_end();
    let bytes = line.as_bytes();
    let (start, end) = match bytes.last()? {
        b']' => (memchr::memrchr(b'[', bytes)?, bytes.len() - 1),
        b')' => (memchr::memrchr(b'(', bytes)?, bytes.len() - 1),
        _ => {
            let space = memchr::memrchr(b' ', bytes)?;
            if space.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b' ') {
                return None;
            }
            (space, bytes.len())
        }
    };
    let name = bytes.get(start + 1..end)?;
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'/');
    let joined = name.iter().any(|byte| matches!(byte, b'-' | b'.' | b'/')) || name.starts_with(b"report");
    let is_name = (3..=48).contains(&name.len()) && name.iter().all(part) && name.iter().any(u8::is_ascii_lowercase);
    let apart = start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b' ');
    let path = name.ends_with(b".py") || name.ends_with(b".js") || name.first() == Some(&b'/');
    (is_name && joined && apart && !path).then(|| of_word(name) ^ 2)
}

/// The template of a line alone, and how many bytes of the line it is taken from.
pub(crate) fn template_taking(line: &[u8]) -> (u64, usize) {
    let mut hash = Hash::new();
    let taken = words_masked(line.get(..REACH).unwrap_or(line), WORDS, |word| hash.push(word.value()));
    (hash.value(), taken)
}

/// The hash of how the template of a line begins, alone, and how many bytes of the line it is taken from.
pub(crate) fn prefix_hash(line: &[u8]) -> (u64, usize) {
    let mut hash = Hash::new();
    let taken = words_masked(line.get(..PREFIX_REACH).unwrap_or(line), PREFIX, |word| hash.push(word.value()));
    (hash.value() ^ 1, taken)
}

/// A word as a hash, or the letter that stands for it where it varies.
enum Word {
    Masked(u8),
    Plain(u64),
}

impl Word {
    /// What stands for it in a template.
    fn value(self) -> u64 {
        match self {
            Word::Masked(letter) => u64::from(letter),
            Word::Plain(word) => word,
        }
    }
}

/// The hash of a word: of its length and its bytes, eight at a time; the last eight may overlap those before them.
fn of_word(word: &[u8]) -> u64 {
    let mut hash = Hash::from_state(word.len() as u64);
    if let Some(last) = word.last_chunk::<8>() {
        for eight in word.chunks_exact(8) {
            hash.push(eight.try_into().map_or(0, u64::from_le_bytes));
        }
        hash.push(u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (word.first_chunk::<4>(), word.last_chunk::<4>()) {
        hash.push(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)));
    } else {
        hash.push(word.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    hash.value()
}

/// Calls `each` with the first `count` words of a line as long as templates are taken from, and says how many bytes it
/// took to find them.
fn words_masked(line: &[u8], count: usize, mut each: impl FnMut(Word)) -> usize {
    let classes = Classes::of(line);
    let mut at = 0;
    for _ in 0..count {
        while at < line.len() && classes.at(at) == SPACE {
            at += 1;
        }
        let Some(&first) = line.get(at) else { return line.len() };
        let (end, flags) = classes.word(at);
        let all = flags | u64::from(classes.at(at));
        each(match first {
            b'"' | b'\'' | b'`' | b'<' => Word::Masked(b'q'),
            // What a word that ends the line ends with is not inside of it.
            _ if has(flags, INNER) && end - at != 2 && !(end == line.len() && classes.at(end - 1) == INNER) => {
                Word::Masked(b'p')
            }
            _ if has(all, DIGIT) => Word::Masked(b'0'),
            _ if has(flags, UPPER) && has(all, LOWER) => Word::Masked(b'i'),
            _ => Word::Plain(of_word(line.get(at..end).unwrap_or_default())),
        });
        at = end;
    }
    // The space behind the last word is part of it, and so is the end of the line.
    at + 1
}

/// The words of a line that carry meaning, each as a hash: four letters at least, numbers left out.
pub(crate) fn words(line: &str, each: &mut impl FnMut(u32)) {
    words_of(line, |parts| parts & LETTER != 0, each);
}

/// Those of them that have no digit: no ids, no versions.
pub(crate) fn plain_words(line: &str, each: &mut impl FnMut(u32)) {
    words_of(line, |parts| parts == LETTER, each);
}

/// The words of four bytes or more whose parts are as `wanted`, each as a hash.
fn words_of(line: &str, wanted: impl Fn(u8) -> bool, each: &mut impl FnMut(u32)) {
    let bytes = line.as_bytes();
    let bytes = bytes.get(..320).unwrap_or(bytes);
    let mut tell = |word: &[u8], parts: u8| {
        if word.len() >= 4 && wanted(parts) {
            let hash = of_word(word);
            each((hash ^ (hash >> 32)) as u32);
        }
    };
    let (mut start, mut parts) = (0, 0);
    for (at, &byte) in bytes.iter().enumerate() {
        let part = PARTS[usize::from(byte)];
        parts |= part;
        if part == 0 {
            tell(bytes.get(start..at).unwrap_or_default(), parts);
            (start, parts) = (at + 1, 0);
        }
    }
    tell(bytes.get(start..).unwrap_or_default(), parts);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_one_rule_are_alike() {
        let first = finding("a.c:3:5: warning: unused variable 'x' [-Wunused-variable]");
        assert!(first.is_some());
        assert_eq!(first, finding("lib/b.c:120:9: warning: unused variable 'count' [-Wunused-variable]"));
        assert_ne!(first, finding("a.c:3:5: warning: comparison of integers [-Wsign-compare]"));
        let named = finding("  1:1  error  'module' is not defined  no-undef");
        assert!(named.is_some());
        assert_eq!(named, finding("  80:14  error  'x' is not defined          no-undef"));
        for line in [
            "  1:1  error  it is  undefined",
            "took 3 s (of 4)",
            "error: cannot open [/etc/app.conf]",
            "list[a-b]",
            "warning: x (see README)",
        ] {
            assert_eq!(finding(line), None, "{line}");
        }
    }

    #[test]
    fn words_that_differ_have_hashes_that_differ() {
        let words = ["", "a", "b", "ab", "ba", "abc", "abcd", "abce", "abcdabcd", "abcdabcdx", "xabcdabcd"];
        let long = "0123456789".repeat(3);
        let mut hashes: Vec<u64> = words.iter().map(|word| of_word(word.as_bytes())).collect();
        hashes.extend((0..long.len()).map(|end| of_word(&long.as_bytes()[..end])).skip(1));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), words.len() + long.len() - 1);
    }

    #[test]
    fn bytes_are_what_they_say_they_are() {
        for byte in 0..=255u8 {
            let expected = match byte {
                b'0'..=b'9' => DIGIT,
                b'/' | b'\\' | b'.' | b'_' | b'=' | b'@' => INNER,
                b'A'..=b'Z' => UPPER,
                b'a'..=b'z' => LOWER,
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
                _ => 0,
            };
            assert_eq!(class(byte), expected, "{byte}");
        }
    }

    #[test]
    fn words_end_with_a_space_of_any_kind_or_the_end() {
        let masked = |text: &[u8], count| {
            let mut kinds = String::new();
            let taken = words_masked(text, count, |word| {
                kinds.push(match word {
                    Word::Masked(letter) => char::from(letter),
                    Word::Plain(_) => 'w',
                });
            });
            (kinds, taken)
        };
        for length in 1..REACH {
            let word = "x".repeat(length).into_bytes();
            assert_eq!(masked(&word, 2), ("w".into(), length));
            let behind = [&word, &b" 1"[..]].concat();
            let behind = behind.get(..REACH).unwrap_or(&behind);
            assert_eq!(masked(behind, 1), ("w".into(), length + 1));
        }
        for space in [" ", "\t", "\n", "\r", "\x0b", "\x0c"] {
            let text = format!("\x01é~{space}{space}a.b{space}'q'{space}3s{space}aB{space}Ab{space}end.");
            assert_eq!(masked(text.as_bytes(), 9), ("wpq0iww".into(), text.len()));
        }
    }

    #[test]
    fn every_byte_of_a_word_counts() {
        for length in 1..40 {
            let word = vec![b'a'; length];
            for at in 0..length {
                let mut other = word.clone();
                other[at] = b'b';
                assert_ne!(of_word(&word), of_word(&other), "byte {at} of {length}");
            }
        }
    }
}

//! The shape of a line: what is left of it when the parts that vary are masked.

/// A hash that is the same on every machine (FNV-1a).
#[derive(Clone, Copy)]
pub(super) struct Hash(u64);

impl Hash {
    pub(super) fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }

    pub(super) fn of(bytes: &[u8]) -> u64 {
        let mut hash = Hash::new();
        bytes.iter().for_each(|&byte| hash.push(byte));
        hash.value()
    }
}

/// How much of a line its shape is taken from.
const REACH: usize = 160;

/// How many words make a shape.
const WORDS: usize = 9;

/// How many words make a stem.
const STEM: usize = 3;

/// The line with numbers, paths, names and quoted texts masked, and how that begins: lines that one statement
/// printed share both.
pub(super) fn shape(line: &str) -> (u64, u64) {
    let bytes = line.as_bytes();
    let bytes = bytes.get(..REACH).unwrap_or(bytes);
    let mut hash = Hash::new();
    let words = bytes.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let mut stem = 1;
    for (at, word) in words.take(WORDS).enumerate() {
        if at == STEM {
            stem = hash.value() ^ 1;
        }
        match mask(word) {
            Some(mask) => hash.push(mask),
            None => word.iter().for_each(|&byte| hash.push(byte)),
        }
        hash.push(b' ');
    }
    (hash.value(), if stem == 1 { hash.value() ^ 1 } else { stem })
}

/// The letter that stands for a word that varies.
fn mask(word: &[u8]) -> Option<u8> {
    let mut digit = false;
    let mut inner = false;
    let mut hump = false;
    let mut before = 0u8;
    for (at, &byte) in word.iter().enumerate() {
        match byte {
            b'0'..=b'9' => digit = true,
            b'"' | b'\'' | b'`' | b'<' if at == 0 => return Some(b'q'),
            b'/' | b'\\' | b'.' | b'_' | b'=' | b'@' if at > 0 && at + 1 < word.len() => inner = true,
            b'A'..=b'Z' if before.is_ascii_lowercase() => hump = true,
            _ => {}
        }
        before = byte;
    }
    match (digit, inner, hump) {
        (_, true, _) => Some(b'p'),
        (true, _, _) => Some(b'0'),
        (_, _, true) => Some(b'i'),
        _ => None,
    }
}

/// The words of a line that carry meaning, each as a hash: four letters at least, numbers left out.
pub(super) fn words(line: &str, each: &mut impl FnMut(u32)) {
    let bytes = line.as_bytes();
    let bytes = bytes.get(..320).unwrap_or(bytes);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    for word in bytes.split(|&byte| !is_word(byte)) {
        if word.len() >= 4 && word.iter().any(|byte| !byte.is_ascii_digit()) {
            let hash = Hash::of(word);
            each((hash ^ (hash >> 32)) as u32);
        }
    }
}

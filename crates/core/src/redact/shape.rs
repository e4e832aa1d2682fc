//! The look of a value: which characters it has, how they are mixed, whether words or chance wrote it.
//!
//! Everything here is linear in the value.

use std::sync::LazyLock;

use crate::byte_set::among;

/// Where `part` first stands in `value`. For short values: nothing is prepared.
pub(super) fn find(value: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    memchr::memchr_iter(first, value).find(|&at| value.get(at..).is_some_and(|rest| rest.starts_with(part)))
}

/// Whether `part` stands in `value`.
pub(super) fn has(value: &[u8], part: &[u8]) -> bool {
    find(value, part).is_some()
}

/// How the letters and figures of a word are mixed.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Shape {
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) digits: usize,
    pub(super) others: usize,
    /// How often the class changes from one byte to the next, the capital of a capitalised word aside.
    pub(super) changes: usize,
    pub(super) hex: bool,
}

impl Shape {
    pub(super) fn letters(&self) -> usize {
        self.upper + self.lower
    }
}

/// How many classes of bytes there are: no byte at all, small letters, capitals, figures and all others.
const CLASSES: usize = 5;
const NONE: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 3;
const OTHER: u8 = 4;

/// The class of each byte.
static CLASS: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte of a class is disorder behind one of another: 1 if it is. A capital before a small letter begins a word.
const CHANGES: [[u8; CLASSES]; CLASSES] = {
    let mut changes = [[1; CLASSES]; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        changes[class][class] = 0;
        changes[NONE as usize][class] = 0;
        class += 1;
    }
    changes[UPPER as usize][LOWER as usize] = 0;
    changes
};

/// Counts the classes of `value`.
pub(super) fn shape(value: &[u8]) -> Shape {
    let mut counts = [0; CLASSES];
    let (mut before, mut changes, mut hex) = (usize::from(NONE), 0, true);
    for &byte in value {
        let class = usize::from(CLASS[usize::from(byte)]);
        counts[class] += 1;
        changes += usize::from(CHANGES[before][class]);
        hex &= byte.is_ascii_hexdigit();
        before = class;
    }
    let [_, lower, upper, digits, others] = counts;
    Shape { upper, lower, digits, others, changes, hex }
}

/// How often each byte of `value` is in it, in the order of their first places.
fn counts(value: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    value.iter().map(move |&byte| std::mem::take(&mut counts[usize::from(byte)])).filter(|&count| count > 0)
}

/// Whether nearly all of `value` is one character, as in `AKIAXXXXXXXXXXXXXXXX`.
pub(super) fn monotonous(value: &[u8]) -> bool {
    let most = counts(value).max().unwrap_or(0) as usize;
    most * 10 >= value.len() * 7
}

/// Whether eight characters and more of `value` count up, as in `abcdefgh` and `12345678`.
pub(super) fn counted_up(value: &[u8]) -> bool {
    let mut run = 1;
    value.windows(2).any(|pair| {
        let &[a, b] = pair else { return false };
        run = if b == a.wrapping_add(1) && b.is_ascii_alphanumeric() { run + 1 } else { 1 };
        run >= 8
    })
}

/// Shannon's entropy of `value`, in bits a byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    /// `n log2 n` for the counts that short values have.
    static TERMS: LazyLock<[f64; 64]> = LazyLock::new(|| {
        std::array::from_fn(|count| if count == 0 { 0.0 } else { count as f64 * (count as f64).log2() })
    });
    let term = |count: u32| match TERMS.get(count as usize) {
        Some(&term) => term,
        None => f64::from(count) * f64::from(count).log2(),
    };
    let total = value.len() as f64;
    total.log2() - counts(value).map(term).sum::<f64>() / total
}

/// The letters that may follow each letter of the alphabet in words, as bits. Made from the words of source code and
/// its documentation: the pairs that make up 96 of 100 in words of four letters and more.
const FOLLOWERS: [u32; 26] = followers(&[
    "abcdfgiklmnprstuvwxy",
    "abceilorstuy",
    "acdehiklorstuy",
    "adeilorsuv",
    "abcdefgiklmnopqrstuvwxy",
    "adefilorstuy",
    "aeghilnorsu",
    "aeimortu",
    "abcdefgklmnoprstvxz",
    "aeou",
    "aeis",
    "acdeiklostuy",
    "abeimnopsuy",
    "abcdefghiklnoprstuvy",
    "abcdfgiklmnoprstuvw",
    "acehiloprstuy",
    "u",
    "abcdefgiklmnoprstuvy",
    "aceghiklmnopstuwy",
    "acdefhilmoprstuxy",
    "abcdefgilmnprst",
    "aeio",
    "aehinors",
    "aceipt",
    "aeilmnopst",
    "aei",
]);

const fn followers(rows: &[&str; 26]) -> [u32; 26] {
    let mut table = [0u32; 26];
    let mut row = 0;
    while row < 26 {
        let letters = rows[row].as_bytes();
        let mut at = 0;
        while at < letters.len() {
            table[row] |= 1 << (letters[at] - b'a');
            at += 1;
        }
        row += 1;
    }
    table
}

/// How many pairs of letters in `value` hardly occur in words.
pub(super) fn rare_pairs(value: &[u8]) -> usize {
    let letter = |byte: u8| byte.is_ascii_alphabetic().then(|| usize::from((byte | 0x20) - b'a'));
    // Where a capital begins a word, two letters meet that no language joined.
    let pairs = value.windows(2).filter_map(|pair| match pair {
        &[a, b] if !(a.is_ascii_lowercase() && b.is_ascii_uppercase()) => letter(a).zip(letter(b)),
        _ => None,
    });
    pairs.filter(|&(a, b)| FOLLOWERS.get(a).is_some_and(|row| row >> b & 1 == 0)).count()
}

/// Whether chance wrote the letters of `value`, rather than a language: `qzkwvtrbnx`, not `sommerregen`.
pub(super) fn gibberish(value: &[u8]) -> bool {
    rare_pairs(value) >= (value.len() / 5).max(2)
}

/// Whether `value` is made of words: `my-secret-name`, `kube-system/default`, `getPagesInSpace`.
pub(super) fn wordy(value: &[u8]) -> bool {
    let parts = value.split(|b| among!(*b, b"-_./: ,@\\")).filter(|part| !part.is_empty());
    for part in parts {
        let shape = shape(part);
        let number = shape.digits == part.len() && part.len() <= 6;
        let letters = part.len() - shape.digits;
        // A word may end in a small number, and its capitals are few.
        let trailing = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = shape.digits == trailing
            && shape.others == 0
            && trailing <= 3
            && (1..=24).contains(&letters)
            && (shape.upper == 0 || shape.lower == 0 || shape.upper * 3 <= letters)
            && has_vowels(part)
            && !gibberish(part);
        if !number && !word {
            return false;
        }
    }
    true
}

/// Whether `part` has about as many vowels as words have.
fn has_vowels(part: &[u8]) -> bool {
    let vowels = part.iter().filter(|b| among!(**b, b"aeiouyAEIOUY")).count();
    part.len() < 5 || vowels * 6 >= part.len()
}

/// Whether `value` is a symbol as compilers write it, names with their lengths before them: `_ZNSt12out_of_rangeC1E`.
pub(super) fn mangled(value: &[u8]) -> bool {
    let rest = value.strip_prefix(b"_").unwrap_or(value);
    if ![&b"_Z"[..], b"_R", b"Z", b"R"].iter().any(|mark| rest.starts_with(mark)) || !value.starts_with(b"_") {
        return false;
    }
    let (mut at, mut named) = (0, 0);
    while at < value.len() {
        let rest = value.get(at..).unwrap_or_default();
        let digits = rest.iter().take(4).take_while(|b| b.is_ascii_digit()).count();
        let length = rest.iter().take(digits).fold(0, |sum, b| 10 * sum + usize::from(b - b'0'));
        let name = rest.get(digits..digits + length).unwrap_or_default();
        let is_name = length >= 3
            && name.len() == length
            && name.iter().filter(|b| !b.is_ascii_alphabetic() && **b != b'_').count()
                <= if name.starts_with(b"_") { 2 } else { 0 }
            && (name.starts_with(b"_") || !gibberish(name));
        named += if is_name { digits + length } else { 0 };
        at += if is_name { digits + length } else { digits.max(1) };
    }
    named * 4 >= value.len()
}

/// Whether `value` is a number, a date, a version or a size.
pub(super) fn number(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_digit)
        && value.iter().filter(|b| b.is_ascii_alphabetic()).count() <= 2
        && value.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b".,:+-_%/"))
}

/// Whether `value` is a version of a package: `^3.0.0`, `~1.2`, `>=2.0 <3`, `1.0.0-rc.1`, `v2.1`.
pub(super) fn version(value: &[u8]) -> bool {
    let sign = value.iter().take_while(|b| among!(**b, b"^~<>=v! ")).count();
    let rest = value.get(sign..).unwrap_or_default();
    rest.first().is_some_and(u8::is_ascii_digit)
        && rest.iter().filter(|&&b| b == b'.').count() >= 1
        && rest.split(|&b| b == b'.').take(2).all(|part| {
            part.iter().take_while(|b| b.is_ascii_digit()).count() >= 1
                && part.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"-+ <>=|x*"))
        })
        && rest.len() <= 40
        && rest.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b".-+ <>=|x*"))
}

/// Whether `value` is a UUID, in braces or not.
pub(super) fn uuid(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"{").and_then(|inner| inner.strip_suffix(b"}")).unwrap_or(value);
    value.len() == 36
        && value.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_told_from_language() {
        for random in ["qzkwvtrbnx", "xkfjqpwmzt", "bvqhdjwkzrtl"] {
            assert!(gibberish(random.as_bytes()), "{random}");
        }
        for word in ["sommerregen", "username", "configuration", "anmeldung", "placeholder", "motdepasse"] {
            assert!(!gibberish(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn symbols_are_told_from_chance() {
        for symbol in [
            "_ZN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEE4fileEv",
            "_RNvCskwGfYPst2Cb_3foo16example_function",
        ] {
            assert!(mangled(symbol.as_bytes()), "{symbol}");
        }
        for random in ["_Zk39XcvB2mQ8LtRw7Hn5Yp1Jd6Fs4Ga0Ke", "ZN9k39XcvB2mQ8LtRw7Hn5Yp1Jd6"] {
            assert!(!mangled(random.as_bytes()), "{random}");
        }
    }

    #[test]
    fn versions_are_known() {
        for text in ["^3.0.0", "~1.2", "1.0.0-rc.1", "v2.1", ">=2.0 <3"] {
            assert!(version(text.as_bytes()), "{text}");
        }
        for text in ["hunter2", "1a2b3c", "9f.kd83kx", "2026"] {
            assert!(!version(text.as_bytes()), "{text}");
        }
    }
}

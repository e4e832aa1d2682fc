//! Telling a secret from what only stands in its place: names, dummies, expressions, words, entropy.
//!
//! Everything here looks at one short piece of a line and is linear in it.

use super::words::{DUMMY_PARTS, TAILS, WORDS, WORDS_FOR_NOTHING};

/// What a name says about the value that is assigned to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `password`, `pwd`, `passphrase`: people choose these, so any shape may be one.
    Password,
    /// `secret`, `client_secret`, `credentials`: made by machines, so a shape is asked for.
    Secret,
    /// `token`, `access_token`.
    Token,
    /// `api_key`, `access_key`, `private_key` and the like.
    Key,
    /// `Authorization`, with or without a scheme before the credentials.
    Authorization,
}

/// What a name such as `DB_PASSWORD`, `clientSecret` or `X-Api-Key` holds; `None` if no secret.
pub(super) fn class_of(name: &[u8]) -> Option<Class> {
    if !name.windows(3).any(is_core) {
        return None;
    }
    let mut plain = [0u8; 96];
    let mut len = 0;
    for &byte in name {
        if byte.is_ascii_alphanumeric() {
            *plain.get_mut(len)? = byte.to_ascii_lowercase();
            len += 1;
        }
    }
    let plain = plain.get(..len)?;
    let mut best: Option<(usize, Class)> = None;
    for &(word, class) in WORDS {
        let Some(at) = memchr::memmem::rfind(plain, word.as_bytes()) else { continue };
        let tail = plain.get(at + word.len()..).unwrap_or_default();
        let tail = tail.strip_suffix(b"s").filter(|rest| rest.is_empty()).unwrap_or(tail);
        let numbered = tail.len() <= 3 && tail.iter().all(u8::is_ascii_digit);
        if !numbered && !TAILS.iter().any(|allowed| allowed.as_bytes() == tail) {
            continue;
        }
        if word.len() <= 4 && !starts_a_word(name, plain, at, word) {
            continue;
        }
        if best.is_none_or(|(earlier, _)| at < earlier) {
            best = Some((at, class));
        }
    }
    best.map(|(_, class)| class)
}

/// Whether three bytes are in each of [`WORDS`] in some spelling: what lets most names go at once.
fn is_core(three: &[u8]) -> bool {
    let &[a, b, c] = three else { return false };
    matches!(
        (a | 0x20, b | 0x20, c | 0x20),
        (b'k', b'e', b'y')
            | (b'k', b'e', b'n')
            | (b'p', b'a', b's')
            | (b'p', b'w', b'd')
            | (b'c', b'r', b'e')
            | (b'a', b'u', b't')
            | (b'r', b'e', b'd')
    )
}

/// Whether a short word such as `pass` stands by itself in `name`: `DB_PASS`, `dbPass`, not `bypass`.
fn starts_a_word(name: &[u8], plain: &[u8], at: usize, word: &str) -> bool {
    if at == 0 {
        return true;
    }
    let head = plain.get(..at).unwrap_or_default();
    if word == "pass"
        && [&b"by"[..], b"com", b"sur", b"tres", b"en", b"im", b"over", b"under"].iter().any(|w| head.ends_with(w))
    {
        return false;
    }
    if word == "pass" || word == "pwd" {
        return true;
    }
    // Find the word's place in the name as written, and look at what stands before it.
    let mut seen = 0;
    for (index, &byte) in name.iter().enumerate() {
        if byte.is_ascii_alphanumeric() {
            if seen == at {
                let before = name.get(index.wrapping_sub(1)).copied().unwrap_or(b'_');
                return !before.is_ascii_alphanumeric() || (byte.is_ascii_uppercase() && before.is_ascii_lowercase());
            }
            seen += 1;
        }
    }
    false
}

/// Whether `value` stands for a secret that is elsewhere: a variable, a template, a mask, a word such as `changeme`.
pub(super) fn placeholder(value: &[u8]) -> bool {
    let Some((&first, rest)) = value.split_first() else { return true };
    let last = *value.last().unwrap_or(&first);
    if rest.iter().all(|&b| b == first) {
        return true;
    }
    if value.iter().all(|b| b"*xX.-_#?+=~ ".contains(b)) {
        return true;
    }
    let enclosed = matches!((first, last), (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')') | (b'%', b'%'));
    if enclosed || first == b'<' || value.starts_with(b"[REDACTED") {
        return true;
    }
    if first == b'$' && rest.iter().all(|b| b.is_ascii_alphanumeric() || b"_{}()-:.?!@#*/ ".contains(b)) {
        // `$2b$…` is a hash, everything else of this shape is a variable.
        return true;
    }
    let has = |part: &str| memchr::memmem::find(value, part.as_bytes()).is_some();
    if ["${", "$(", "{{", "<%", "%(", "#{", "@@", "[REDACTED", "%s", "…", "&lt;"].iter().any(|part| has(part)) {
        return true;
    }
    if value.len() > 256 {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if WORDS_FOR_NOTHING.iter().any(|word| word.as_bytes() == lower.as_slice()) {
        return true;
    }
    DUMMY_PARTS.iter().any(|part| holds(&lower, part.as_bytes()))
}

/// Whether a dummy has `part` in it. Chance puts a short word into a password now and then, so a short one counts
/// only where a word may begin.
fn holds(value: &[u8], part: &[u8]) -> bool {
    let begins = |at: usize| at == 0 || !value.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
    let short = part.len() < 6 && part.iter().all(u8::is_ascii_alphabetic) && part != b"xxxx";
    memchr::memmem::find_iter(value, part).any(|at| !short || begins(at))
}

/// Whether nearly all of `value` is one character, as in `AKIAXXXXXXXXXXXXXXXX`.
pub(super) fn monotonous(value: &[u8]) -> bool {
    let mut counts = [0u32; 256];
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0) as usize;
    most * 10 >= value.len() * 7
}

/// Shannon's entropy of `value`, in bits a byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = value.len() as f64;
    counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / total).map(|p| -p * p.log2()).sum()
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

/// Counts the classes of `value`.
pub(super) fn shape(value: &[u8]) -> Shape {
    let mut shape = Shape { hex: true, ..Shape::default() };
    let mut before = 0u8;
    for &byte in value {
        let class = match byte {
            b'a'..=b'z' => {
                shape.lower += 1;
                1
            }
            b'A'..=b'Z' => {
                shape.upper += 1;
                2
            }
            b'0'..=b'9' => {
                shape.digits += 1;
                3
            }
            _ => {
                shape.others += 1;
                4
            }
        };
        shape.hex &= byte.is_ascii_hexdigit();
        // An upper-case letter before a lower-case one begins a word; that is not disorder.
        shape.changes += usize::from(before != 0 && class != before && !(before == 2 && class == 1));
        before = class;
    }
    shape
}

/// Whether `value` is made of words: `my-secret-name`, `kube-system/default`, `getPagesInSpace`.
pub(super) fn wordy(value: &[u8]) -> bool {
    let parts = value.split(|b| b"-_./: ,@\\".contains(b)).filter(|part| !part.is_empty());
    for part in parts {
        let shape = shape(part);
        let number = shape.digits == part.len() && part.len() <= 6;
        let letters = part.len() - shape.digits;
        // A word may end in a small number, and its capitals are few.
        let trailing = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let word = shape.digits == trailing
            && trailing <= 3
            && (1..=24).contains(&letters)
            && (shape.upper == 0 || shape.lower == 0 || shape.upper * 3 <= letters)
            && has_vowels(part);
        if !number && !word {
            return false;
        }
    }
    true
}

/// Whether `part` has about as many vowels as words have.
fn has_vowels(part: &[u8]) -> bool {
    let vowels = part.iter().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    part.len() < 5 || vowels * 6 >= part.len()
}

/// Whether `value` reads as code: a call, a path of names, a type.
pub(super) fn expression(value: &[u8]) -> bool {
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return true };
    if value.iter().any(|b| b"(){}[]<>|\\`".contains(b)) || matches!(first, b'.' | b'/' | b'&' | b'*' | b'-' | b'+') {
        return true;
    }
    if memchr::memmem::find(value, b"://").is_some() || memchr::memmem::find(value, b"::").is_some() {
        return true;
    }
    let name = |part: &[u8]| {
        part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && part.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
            && part.iter().filter(|b| b.is_ascii_digit()).count() <= 2
    };
    let dotted = memchr::memchr(b'.', value).is_some() && value.split(|&b| b == b'.').all(name);
    dotted || matches!(last, b'.' | b'?' | b':') || (name(value) && value.iter().all(|b| !b.is_ascii_digit()))
}

/// What is known of the place a value was found in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) quoted: bool,
    /// `NAME=value` without blanks, the name in capitals or at the line's start: a setting, no code.
    pub(super) setting: bool,
}

/// Whether `value`, assigned to a name of this class, is worth hiding.
pub(super) fn secret_value(class: Class, value: &[u8], place: Place) -> bool {
    let shape = shape(value);
    let blank = value.iter().any(|b| b.is_ascii_whitespace() || b.is_ascii_control());
    if placeholder(value) || (blank && !scrambled(value, shape)) {
        return false;
    }
    match class {
        Class::Password => password(value, shape, place),
        Class::Authorization => value.len() >= 6 && (place.quoted || !expression(value) || value.len() > 24),
        Class::Secret | Class::Token | Class::Key => machine_made(value, shape, place),
    }
}

/// Whether `value` is a salt or key of printable characters, blanks among them, rather than a sentence.
fn scrambled(value: &[u8], shape: Shape) -> bool {
    let signs = value.iter().filter(|b| b.is_ascii_punctuation()).count();
    value.len() >= 32
        && signs * 6 >= value.len()
        && shape.digits >= 3
        && shape.upper >= 3
        && shape.lower >= 3
        && shape.changes * 2 >= value.len()
}

fn password(value: &[u8], shape: Shape, place: Place) -> bool {
    if value.len() < 4 || value.len() > 1024 {
        return false;
    }
    let letters_only = shape.upper + shape.lower == value.len();
    if place.quoted {
        // A capitalised word in quotes is a label in some language more often than a password.
        let label = letters_only && shape.upper == 1 && value.first().is_some_and(u8::is_ascii_uppercase);
        let path = value.first() == Some(&b'/') || memchr::memmem::find(value, b"://").is_some();
        let dotted = memchr::memchr(b'.', value).is_some() && (expression(value) || number(value));
        let short = letters_only && value.len() < 6;
        return value.is_ascii() && !(label || path || dotted || short);
    }
    if place.setting {
        return !value.iter().any(|b| b"(){}[]<>`\\".contains(b))
            && !value.starts_with(b"/")
            && shape.digits < value.len();
    }
    !expression(value) && (shape.digits > 0 || shape.others > 0) && !number(value) && !wordy(value)
}

/// Whether `value` is a number, a date, a version or a size.
fn number(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_digit)
        && value.iter().filter(|b| b.is_ascii_alphabetic()).count() <= 2
        && value.iter().all(|b| b.is_ascii_alphanumeric() || b".,:+-_%/".contains(b))
}

fn machine_made(value: &[u8], shape: Shape, place: Place) -> bool {
    if value.len() < 8 || value.len() > 4096 || !value.is_ascii() {
        return false;
    }
    if memchr::memmem::find(value, b"://").is_some() || value.first() == Some(&b'/') || number(value) || wordy(value) {
        return false;
    }
    if !place.quoted && expression(value) {
        return false;
    }
    let mixed = shape.digits > 0 && shape.upper + shape.lower > 0;
    let disorderly = shape.upper > 1 && shape.lower > 1 && shape.changes * 4 >= value.len() && value.len() >= 12;
    let bits = entropy(value);
    (mixed && bits >= 2.75) || (disorderly && bits >= 3.3) || (value.len() >= 32 && shape.hex && bits >= 2.5)
}

/// Whether the password part of a URL is a template or a mask. Here a plain word is taken for what it says.
pub(super) fn placeholder_in_url(value: &[u8]) -> bool {
    let Some((&first, rest)) = value.split_first() else { return true };
    let template = matches!(first, b'$' | b'<' | b'{' | b'[' | b'%' | b'(') && !value.starts_with(b"%40");
    let mask = value.iter().all(|b| b"*xX.-_#?".contains(b)) || rest.len() < 2;
    template
        || mask
        || memchr::memmem::find(value, b"${").is_some()
        || memchr::memmem::find(value, b"[REDACTED").is_some()
}

//! Labels and sentences of several words: `Password for the elastic user (again): …`, `using secret key … from env`.
//!
//! The literal search finds a secret's name; what stands between the name and the value is words here, no operator.

use super::class::Class;
use super::code;
use super::judge::{self, ValuePlace};
use super::name;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use super::words::{COPULAS, FILLERS, LEADS_ON};
use crate::byte_set::among;

/// How much of a line behind a name is read.
const REACH: usize = 160;

/// The secret behind the name `start..end`, told by the words between them.
pub(super) fn behind(segment: &Segment<'_>, rules: &Rules, start: usize, end: usize) -> Option<Span> {
    let rest = segment.part(end, segment.line_end(end).min(end + REACH));
    let blanks = rest.iter().take_while(|b| **b == b' ').count();
    // The first column of a list of settings.
    let column = blanks > 1 && segment.line(start).0 == start;
    if rest.len() < blanks + 4 || blanks == 0 || blanks > 1 && !column {
        return None;
    }
    let end = end + blanks - 1;
    let rest = rest.get(blanks - 1..)?;
    let name = segment.part(start, end);
    let class = name::class_of(name).or_else(|| (name == b"passe").then_some(Class::Password))?;
    let kind = rules.detector(Detector::from(class))?;
    let (from, to) = labelled(rest, class).or_else(|| said(rest, class)).or_else(|| told(rest, class))?;
    let secret = rest.get(from..to)?;
    (!rules.allowed(secret) && end + from >= segment.start).then_some(Span {
        start: end + from,
        end: end + to,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

/// The value alone behind the colon of a label: ` for bob (temporary): …`.
fn labelled(rest: &[u8], class: Class) -> Option<(usize, usize)> {
    let colon = memchr::memmem::find(rest.get(..rest.len().min(112))?, b": ")?;
    let words = rest.get(1..colon)?;
    let first = words.split(|b| *b == b' ').next()?;
    let filler = FILLERS.iter().any(|word| first == word.as_bytes());
    let inner = words.get(if filler { first.len() + 1 } else { 0 }..).unwrap_or_default();
    let leads = LEADS_ON.iter().any(|word| first == word.as_bytes())
        || matches!((inner.first(), inner.last()), (Some(b'('), Some(b')')) | (Some(b'['), Some(b']')));
    if !leads || words.split(|b| *b == b' ').count() > 8 || words.iter().any(|b| among!(*b, b"=;{}\"")) {
        return None;
    }
    let value = rest.get(colon + 2..)?;
    let skip = value.len() - value.trim_ascii_start().len();
    let (open, secret) = unquoted(value.trim_ascii());
    let from = colon + 2 + skip + open;
    let shape = shape::shape(secret);
    let one = !secret.iter().any(u8::is_ascii_whitespace) && (5..=128).contains(&secret.len());
    let made = shape.digits > 0 && shape.letters() > 0 || shape::gibberish(secret) && shape.letters() >= 8;
    let place = ValuePlace { alone: true, free: true, ..ValuePlace::default() };
    // What is no password may be the name of something: `secret for deployment: web-7d9f8b6c5d`.
    let long = class == Class::Password || secret.len() >= 16;
    (one && made && long && judge::secret_value(class, secret, place)).then_some((from, from + secret.len()))
}

/// The next word, behind fillers perhaps, where chance alone can have made it: ` key FRZhsnMP… from env`.
fn said(rest: &[u8], class: Class) -> Option<(usize, usize)> {
    let mut at = 1;
    for _ in 0..4 {
        let word = rest.get(at..)?.split(|b| *b == b' ').next()?;
        if !FILLERS.iter().any(|filler| word == filler.as_bytes() || word.strip_suffix(b":") == Some(filler.as_bytes()))
        {
            let (open, secret) = unquoted(word);
            // A hash in a sentence is a commit, more often than not.
            let drawn = by_chance(class, secret) || class == Class::Password && interleaved(secret);
            return (!shape::shape(secret).hex && drawn).then_some((at + open, at + open + secret.len()));
        }
        at += word.len() + 1;
    }
    None
}

/// The password behind the word of a sentence that says what it is: ` für den Zugang lautet …`.
fn told(rest: &[u8], class: Class) -> Option<(usize, usize)> {
    if class != Class::Password {
        return None;
    }
    let mut at = 1;
    let mut says = false;
    for _ in 0..10 {
        let word = rest.get(at..)?.split(|b| *b == b' ').next()?;
        let (open, secret) = unquoted(word);
        if says && by_chance(class, secret) && !shape::shape(secret).hex {
            return Some((at + open, at + open + secret.len()));
        }
        let of_text = |b: &u8| b.is_ascii_alphabetic() || !b.is_ascii() || among!(*b, b"'\"-:()");
        if word.is_empty() || !word.iter().all(of_text) {
            return None;
        }
        says = word.ends_with(b":") || COPULAS.iter().any(|known| word == known.as_bytes());
        at += word.len() + 1;
    }
    None
}

/// Whether `word`, where a password is expected, was made by chance or by hand: figures, letters and a sign, or figures and
/// letters that take turns.
pub(super) fn made(word: &[u8]) -> bool {
    let shape = shape::shape(word);
    let signed = word.len() >= 8
        && shape.digits >= 2
        && shape.letters() >= 4
        && word.iter().any(|b| among!(*b, b"!#$%^&*"))
        && word.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.-!@#$%^&*+?"))
        && word.first().is_some_and(u8::is_ascii_alphanumeric)
        && !judge::placeholder(word);
    signed || !shape.hex && by_chance(Class::Password, word) || interleaved(word)
}

/// Whether letters and figures take turns in `word`, as only chance has them do: `84t82l1pac`.
fn interleaved(word: &[u8]) -> bool {
    let shape = shape::shape(word);
    (8..=40).contains(&word.len())
        && shape.others == 0
        && (shape.digits >= 3 || shape.digits == 2 && shape::gibberish(word))
        && shape.letters() >= 3
        && shape.changes >= 4
        && !code::camel_name(word)
        && !judge::placeholder(word)
}

/// `word` without its quotes and the sentence's signs behind it, and how long the quote before it is.
fn unquoted(word: &[u8]) -> (usize, &[u8]) {
    // `<b>…</b>.`
    let tag = word.strip_prefix(b"<").and_then(|inner| memchr::memchr(b'>', inner)).map_or(0, |close| close + 2);
    if tag > 0
        && let Some(close) = word.get(tag..).and_then(|inner| super::shape::find(inner, b"</"))
    {
        return (tag, word.get(tag..tag + close).unwrap_or_default());
    }
    let open = word.iter().take_while(|b| among!(**b, b"\"'`*(")).count();
    let inner = word.get(open..).unwrap_or_default();
    let close = inner.iter().rev().take_while(|b| among!(**b, b"\"'`*),;.:")).count();
    (open, inner.get(..inner.len() - close).unwrap_or_default())
}

/// Whether a word of a sentence is a secret that chance made, and no name, number or piece of code.
fn by_chance(class: Class, word: &[u8]) -> bool {
    // The name of another secret.
    let lower = word.to_ascii_lowercase();
    if [&b"secret"[..], b"token", b"passw", b"private"].iter().any(|named| shape::has(&lower, named)) {
        return false;
    }
    let shape = shape::shape(word);
    if judge::by_chance_alone(word) && shape.changes * 4 >= word.len() {
        return true;
    }
    let sign = |b: &u8| among!(*b, b"!#$%^&*") || *b == b'@' && !word.contains(&b'.');
    let made_up = shape.digits >= 2 && shape.letters() >= 4 && word.iter().any(sign);
    let signs = word.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"!@#%^*-_+$&?~."));
    class == Class::Password
        && (8..=40).contains(&word.len())
        && signs
        && !code::code(word)
        && !judge::placeholder(word)
        && (made_up
            || shape.upper.min(shape.lower) > 1
                && shape.digits > 0
                && shape.changes * 3 >= word.len()
                && !code::camel_name(word)
                && !shape::wordy(word))
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn goes(text: &str, secret: &str) {
        let (redacted, _) = redact(text, &Rules::builtin());
        assert!(!redacted.contains(secret) && redacted.contains("[REDACTED: "), "{redacted}");
    }

    fn stays(text: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, text);
    }

    #[test]
    fn a_label_may_say_whom_the_secret_is_for() {
        goes("Enter passphrase (empty for no passphrase): Canyon_1628\n", "Canyon_1628");
        goes("Enter same passphrase again: falcon927\n", "falcon927");
        goes("Token for the ci runner (valid 24h): k3Vx9qT2mZ8wL5rB\n", "k3Vx9qT2mZ8wL5rB");
    }

    #[test]
    fn a_sentence_may_hold_what_chance_made() {
        goes("Log in with user mara and password pLIOLgJO#@T7 to continue.\n", "pLIOLgJO#@T7");
        goes("level=info msg=\"Using secret key FRZhsnMPX0NZN1PxtLv8TULC6Nyvab from env\"\n", "FRZhsnMPX0NZN1Pxt");
    }

    #[test]
    fn labels_and_sentences_without_a_secret_stay() {
        stays("Password for the root account: not set\n");
        stays("password policy: strict12\n");
        stays("Enter passphrase (empty for no passphrase): \n");
        stays("token of type: IdentifierToken2\n");
        stays("the password NTLMv2 uses, the token PKCS7PrivateKey, the secret ABC_DEF_12\n");
        stays("password for HTTP2Connection2Pool2\n");
        stays("#define initSecret initCustomSecret_avx512_v2\n");
        stays("reading secret for deployment: web-7d9f8b6c5d\n");
    }
}

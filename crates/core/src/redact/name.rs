//! What a name says about the value that is assigned to it: `DB_PASSWORD`, `clientSecret`, `X-Api-Key`, `NextToken`.
//!
//! The words are in [`words`](super::words); here a name is split into them. Everything is linear in the name.

use super::class::Class;
use super::words::{HARMLESS_KEYS, HARMLESS_PASSWORDS, HARMLESS_TOKENS, PASS_HEADS, TAILS, WORDS};

/// The longest name that is looked at.
const LONGEST: usize = 96;

/// A name in lower case without separators, and where its words begin.
struct Plain {
    bytes: [u8; LONGEST],
    len: usize,
    begins: u128,
}

impl Plain {
    fn of(name: &[u8]) -> Option<Plain> {
        let mut plain = Plain { bytes: [0; LONGEST], len: 0, begins: 0 };
        let mut before = b'_';
        for &byte in name {
            if byte.is_ascii_alphanumeric() {
                let begins = !before.is_ascii_alphanumeric()
                    || (byte.is_ascii_uppercase() && !before.is_ascii_uppercase())
                    || (byte.is_ascii_alphabetic() && before.is_ascii_digit());
                if begins {
                    plain.begins |= 1 << plain.len;
                }
                *plain.bytes.get_mut(plain.len)? = byte.to_ascii_lowercase();
                plain.len += 1;
            }
            before = byte;
        }
        Some(plain)
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    fn begins_at(&self, at: usize) -> bool {
        at == 0 || self.begins >> at & 1 == 1
    }
}

/// What the column of a table with this name holds; `None` if no secret, or if only chance could tell.
pub(super) fn class_of_column(name: &[u8]) -> Option<Class> {
    class_of(name).filter(|class| !matches!(class, Class::SomeKey | Class::Authorization))
}

/// What a name such as `DB_PASSWORD`, `clientSecret` or `X-Api-Key` holds; `None` if no secret.
pub(super) fn class_of(name: &[u8]) -> Option<Class> {
    if name.len() > 2 * LONGEST || !name.windows(2).any(is_core) {
        return None;
    }
    let plain = Plain::of(name)?;
    let text = plain.text();
    for at in 0..text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if !begins_like_a_word(rest) {
            continue;
        }
        for (word, class) in words_with(rest) {
            let tail = rest.get(word.len()..).unwrap_or_default();
            if is_tail(tail) && (word.len() > 4 && *word != "pword" || stands_alone(&plain, at, word)) {
                let head = NameHead { plain: &plain, len: at };
                return (!harmless(*class, &head, tail, word)).then_some(*class);
            }
        }
    }
    some_key(&plain)
}

/// Where in [`WORDS`] those with each first letter are.
const FIRST: [(usize, usize); 26] = {
    let mut table = [(0, 0); 26];
    let mut at = 0;
    while at < WORDS.len() {
        let letter = (WORDS[at].0.as_bytes()[0] - b'a') as usize;
        if table[letter].1 == 0 {
            table[letter].0 = at;
        }
        table[letter].1 = at + 1;
        at += 1;
    }
    table
};

/// The second letters of the words with each first letter, as bits.
const SECOND: [u32; 26] = {
    let mut table = [0; 26];
    let mut at = 0;
    while at < WORDS.len() {
        let word = WORDS[at].0.as_bytes();
        table[(word[0] - b'a') as usize] |= 1 << (word[1] - b'a');
        at += 1;
    }
    table
};

/// Whether some word begins with the first two letters of `rest`.
fn begins_like_a_word(rest: &[u8]) -> bool {
    let &[first, second, ..] = rest else { return false };
    let seconds = SECOND.get(usize::from(first.wrapping_sub(b'a'))).copied().unwrap_or(0);
    second.is_ascii_lowercase() && seconds >> (second - b'a') & 1 == 1
}

/// The words that `rest` begins with, longest first.
fn words_with(rest: &[u8]) -> impl Iterator<Item = &'static (&'static str, Class)> + '_ {
    let letter = rest.first().map_or(26, |b| usize::from(b.wrapping_sub(b'a')));
    let (from, to) = FIRST.get(letter).copied().unwrap_or((0, 0));
    let same = WORDS.get(from..to).unwrap_or_default();
    // Most words are told apart by their second letter.
    let second = rest.get(1).copied();
    same.iter().filter(move |(word, _)| word.as_bytes().get(1).copied() == second && rest.starts_with(word.as_bytes()))
}

/// Whether `tail` leaves the meaning of a secret's name as it is: nothing, a plural, a number, a word of [`TAILS`].
fn is_tail(tail: &[u8]) -> bool {
    let digits = tail.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let tail = if digits <= 3 { tail.get(..tail.len() - digits).unwrap_or_default() } else { tail };
    tail.is_empty() || tail == b"s" || TAILS.iter().any(|allowed| allowed.as_bytes() == tail)
}

/// Two letters one of which every word has, whatever its case: what lets most names go at once.
fn is_core(two: &[u8]) -> bool {
    let &[a, b] = two else { return false };
    matches!(
        (a | 0x20, b | 0x20),
        (b'k', b'e')
            | (b'p', b'a')
            | (b'p', b'w')
            | (b'c', b'r')
            | (b'a', b'u')
            | (b'r', b'e')
            | (b'p', b's')
            | (b'n', b'h')
            | (b'd', b'p')
    )
}

/// Whether a short word such as `pass` or `pw` stands by itself in a name: `DB_PASS`, `dbPass`, `dbpass`, not `bypass`.
fn stands_alone(plain: &Plain, at: usize, word: &str) -> bool {
    if plain.begins_at(at) {
        return true;
    }
    let head = plain.text().get(..at).unwrap_or_default();
    word != "auth" && word != "pw" && PASS_HEADS.iter().any(|known| head.ends_with(known.as_bytes()))
        || word == "pw" && PASS_HEADS.iter().any(|known| head == known.as_bytes())
}

/// The words of a name before the one that makes it a secret's.
struct NameHead<'a> {
    plain: &'a Plain,
    len: usize,
}

impl NameHead<'_> {
    fn text(&self) -> &[u8] {
        self.plain.text().get(..self.len).unwrap_or_default()
    }

    /// Whether the last word is one of `words`: `next` in `NextToken`, but `is` not in `redis_password`.
    fn ends_in(&self, words: &[&str]) -> bool {
        let ends = |word: &&str| self.text().ends_with(word.as_bytes()) && self.plain.begins_at(self.len - word.len());
        words.iter().any(ends)
    }
}

/// Whether what stands before and behind the word makes it something that is no secret: `next_token`, `public_key`.
fn harmless(class: Class, head: &NameHead<'_>, tail: &[u8], word: &str) -> bool {
    let ends = |words: &[&str]| head.len > 0 && head.ends_in(words);
    match class {
        // The tables of a parser: `tokenData`.
        Class::Token => ends(HARMLESS_TOKENS) || head.len == 0 && (tail == b"data" || word == "pat"),
        Class::Key | Class::SomeKey => ends(HARMLESS_KEYS),
        Class::Password => ends(HARMLESS_PASSWORDS),
        // `secret_name`, `secret_key_id` have a tail of their own; `secrets` in the plural is a section.
        Class::Secret => word == "secret" && tail == b"s" && head.len == 0,
        Class::Authorization => head.text().ends_with(b"proxy") && !tail.is_empty(),
    }
}

/// Whether a token's name says that it opens doors, so that even a UUID is one: `auth_token`, not `ClientToken`.
pub(super) fn opens_doors(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    [
        "auth",
        "access",
        "api",
        "bearer",
        "refresh",
        "session",
        "secret",
        "deploy",
        "bot",
        "consul",
        "acl",
        "admin",
        "management",
        "identity",
        "nomad",
        "vault",
        "service",
    ]
    .iter()
    .any(|word| super::shape::has(&lower, word.as_bytes()))
}

/// Whether a name ends like a secret's and is none: `NextToken`, `public_key`.
pub(super) fn is_harmless(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = [&b"token"[..], b"key", b"tokens", b"keys"]
        .iter()
        .any(|word| lower.ends_with(word) && lower.len() > word.len());
    ends && class_of(name).is_none()
}

/// A compound name that ends in `key`: `FERNET_KEY`, `sendinblueKey`, never `key` alone.
fn some_key(plain: &Plain) -> Option<Class> {
    let text = plain.text();
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count().min(2);
    let text = text.get(..text.len() - digits)?;
    let stem = text.strip_suffix(b"s").unwrap_or(text).strip_suffix(b"key")?;
    let head = NameHead { plain, len: stem.len() };
    (stem.len() >= 2 && plain.begins_at(stem.len()) && !harmless(Class::SomeKey, &head, b"", "key"))
        .then_some(Class::SomeKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_have_a_class() {
        for (name, class) in [
            ("password", Class::Password),
            ("DB_PASSWORD", Class::Password),
            ("dbPass", Class::Password),
            ("dbpass", Class::Password),
            ("requirepass", Class::Password),
            ("PGPASSWORD", Class::Password),
            ("DB_PW", Class::Password),
            ("user-pswd", Class::Password),
            ("Passwd1", Class::Password),
            ("client_secret", Class::Secret),
            ("SECRET_KEY_BASE", Class::Key),
            ("authToken", Class::Token),
            ("X-Api-Key", Class::Key),
            ("Authorization", Class::Authorization),
            ("SENDINBLUE_KEY", Class::SomeKey),
        ] {
            assert_eq!(class_of(name.as_bytes()), Some(class), "{name}");
        }
    }

    #[test]
    fn what_a_model_needs_has_none() {
        for name in [
            "NextToken",
            "nextPageToken",
            "LockToken",
            "ClientRequestToken",
            "continuation_token",
            "minipass",
            "bypass",
            "compass",
            "passwordLabel",
            "token_type",
            "tokenizer",
            "PUBLIC_KEY",
            "cache_key",
            "primaryKey",
            "key",
            "monkey",
            "author",
            "secretName",
            "password_policy",
            "showPassword",
            "spwd",
        ] {
            assert_eq!(class_of(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn the_words_are_sorted_so_that_the_longest_comes_first() {
        let order = |(word, _): &(&str, Class)| (word.as_bytes()[0], std::cmp::Reverse(word.len()));
        assert!(WORDS.is_sorted_by_key(order));
    }
}

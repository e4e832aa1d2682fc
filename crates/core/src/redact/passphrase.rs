//! Passwords of several words: `correct horse battery staple`, told from labels and sentences.

use super::dummies::STATES;

/// Words that sentences are held together by, and those that labels and messages about passwords are made of.
const OF_SENTENCES: &[&str] = &[
    "the",
    "this",
    "that",
    "these",
    "your",
    "our",
    "their",
    "his",
    "her",
    "its",
    "and",
    "but",
    "not",
    "for",
    "from",
    "with",
    "without",
    "into",
    "onto",
    "over",
    "than",
    "then",
    "when",
    "where",
    "what",
    "which",
    "who",
    "how",
    "why",
    "was",
    "were",
    "are",
    "has",
    "have",
    "had",
    "will",
    "would",
    "can",
    "cannot",
    "could",
    "should",
    "must",
    "may",
    "might",
    "does",
    "did",
    "please",
    "enter",
    "type",
    "password",
    "passwords",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "tokens",
    "key",
    "keys",
    "user",
    "users",
    "username",
    "login",
    "account",
    "accounts",
    "email",
    "character",
    "characters",
    "letters",
    "digits",
    "least",
    "most",
    "more",
    "less",
    "long",
    "short",
    "strong",
    "weak",
    "invalid",
    "valid",
    "incorrect",
    "wrong",
    "required",
    "optional",
    "forgot",
    "forgotten",
    "reset",
    "change",
    "changed",
    "update",
    "create",
    "created",
    "confirm",
    "confirmation",
    "repeat",
    "again",
    "new",
    "old",
    "current",
    "show",
    "hide",
    "set",
    "unset",
    "use",
    "used",
    "using",
    "access",
    "database",
    "server",
    "client",
    "string",
    "value",
    "values",
    "name",
    "field",
    "option",
    "default",
    "configuration",
    "config",
    "example",
    "sample",
    "test",
    "tests",
    "testing",
    "some",
    "any",
    "all",
    "each",
    "here",
    "there",
    "authentication",
    "authorization",
    "api",
    "oauth",
    "http",
    "https",
    "request",
    "response",
    "header",
    "encrypted",
    "encryption",
    "hash",
    "hashed",
    "connection",
    "connect",
    "service",
    "application",
    "admin",
    "administrator",
    "root",
    "read",
    "write",
    "only",
    "file",
    "path",
    "url",
    "see",
    "has",
    "been",
    "being",
    "between",
    "before",
    "after",
    "because",
    "generated",
    "provided",
    "specified",
    "expired",
    "missing",
    "found",
    "match",
    "matches",
    "failed",
    "failure",
    "error",
    "success",
    "successful",
    "you",
    "they",
    "them",
    "she",
    "credentials",
    "session",
    "private",
    "public",
    "protected",
];

/// Whether `value` is a password of three words and more: none of a sentence or a label, small letters throughout, with a
/// number perhaps.
pub(super) fn is_one(value: &[u8]) -> bool {
    if !(10..=96).contains(&value.len()) || !value.contains(&b' ') {
        return false;
    }
    let numbered = value.last().is_some_and(u8::is_ascii_digit);
    let mut words = 0;
    for (place, word) in value.split(|b| *b == b' ').enumerate() {
        let (first, rest) = (word.first().copied().unwrap_or(0), word.get(1..).unwrap_or_default());
        let letters = (first.is_ascii_lowercase() || (place == 0 || numbered) && first.is_ascii_uppercase())
            && rest.iter().all(u8::is_ascii_lowercase);
        let number = word.iter().all(u8::is_ascii_digit) && !word.is_empty() && place > 0;
        let of_sentence = OF_SENTENCES.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
        if !(number || letters && word.len() >= 3) || of_sentence {
            return false;
        }
        words += usize::from(letters);
    }
    let capital = value.first().is_some_and(u8::is_ascii_uppercase);
    // Behind a capital words are a title, unless a number follows.
    words >= 3 && !capital || words >= 2 && value.last().is_some_and(u8::is_ascii_digit)
}

/// Whether `value`, where a password is certain to stand, may be one of one word or several: none of a sentence or a
/// label, and no piece of code.
pub(super) fn may_be(value: &[u8]) -> bool {
    let of_sentence = |word: &[u8]| {
        let word = word.iter().rposition(u8::is_ascii_alphanumeric).and_then(|last| word.get(..=last)).unwrap_or(word);
        let mut parts = word.split(|b| matches!(b, b'/' | b'-' | b'_'));
        let is = |part: &[u8], words: &[&str]| words.iter().any(|known| part.eq_ignore_ascii_case(known.as_bytes()));
        parts.any(|part| is(part, OF_SENTENCES) || is(part, STATES))
    };
    let sentence = value.contains(&b' ') && value.last() == Some(&b'.');
    let word = |word: &[u8]| {
        !word.is_empty()
            && !matches!(word.first(), Some(b'-' | b'#' | b'(' | b'[' | b'<' | b'{' | b'/' | b'$' | b'"' | b'\''))
            && !matches!(word.last(), Some(b':' | b',' | b';'))
            && !word.contains(&b'=')
            && word.iter().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
            && !of_sentence(word)
    };
    !sentence
        && (4..=96).contains(&value.len())
        && value.split(|b| *b == b' ').count() <= 6
        && value.split(|b| *b == b' ').all(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passphrases_are_told_from_sentences() {
        for value in ["winter harbor velvet sunset", "correct horse battery staple", "Amber otter 42"] {
            assert!(is_one(value.as_bytes()), "{value}");
        }
        for value in [
            "forgot your password",
            "Two Factor Login",
            "must have 8 characters",
            "a b c",
            "Quick Start Guide",
            "two words",
        ] {
            assert!(!is_one(value.as_bytes()), "{value}");
        }
    }
}

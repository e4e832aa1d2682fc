//! How many tokens a provider counts: by a real tokenizer, each text once.

use std::borrow::Cow;
use std::collections::HashMap;

use offcut_core::text;
use offcut_core::tokens::{TokenCounter, Tokenizer};
use parking_lot::Mutex;

use super::conversation::ModelText;

/// What a block takes beside its text: its role, its type, its ids.
pub(crate) const FRAME: u64 = 6;

/// What a picture takes, about, whatever its bytes.
const PICTURE: u64 = 1500;

/// Longer texts are counted in parts, evenly spread, of this size.
const PART: usize = 8 * 1024;
const PARTS: usize = 8;

/// Parts of this size are enough to tell about a text.
const GLANCE: usize = 1024;

/// The longest escape in a JSON string, in bytes: `\u0041`.
const LONGEST_ESCAPE: usize = 6;

/// How many counts are remembered.
const BOUND: usize = 64 * 1024;

/// What a text's count is remembered by.
type Hash = [u8; 32];

/// Counts of texts, by their hash.
#[derive(Debug, Default)]
pub(crate) struct TokenCounts {
    tokenizer: Tokenizer,
    known: Mutex<HashMap<Hash, u64>>,
}

impl TokenCounts {
    pub(crate) fn by(tokenizer: Tokenizer) -> TokenCounts {
        TokenCounts { tokenizer, ..TokenCounts::default() }
    }

    /// Loads what the tokenizer needs.
    pub(crate) fn prepare(&self) {
        self.tokenizer.count("a");
    }

    /// The tokens of what a part of a body says, its frame included.
    pub(crate) fn words(&self, words: &ModelText<'_>) -> u64 {
        match words {
            ModelText::Text(raw) => self.json(raw) + FRAME,
            ModelText::Part(raw) => self.json(raw),
            ModelText::Picture => PICTURE,
        }
    }

    /// The tokens of a JSON string, as it reads without quotes and escapes, or of any other JSON, as it is written.
    pub(crate) fn json(&self, raw: &str) -> u64 {
        self.json_of(hash(raw), raw)
    }

    /// The same for JSON with a known hash.
    pub(crate) fn json_of(&self, hash: Hash, raw: &str) -> u64 {
        self.known_or(hash, || match super::json::unquoted(raw) {
            Some(text) => counted(&text, self.tokenizer),
            None => counted(raw, self.tokenizer),
        })
    }

    /// The tokens of a long JSON string with this hash, about: for what is only reported, not decided by.
    pub(crate) fn about(&self, mut hash: Hash, raw: &str) -> u64 {
        if raw.len() <= GLANCE * PARTS {
            return self.json_of(hash, raw);
        }
        // What is known about a text is not what was counted.
        hash.reverse();
        self.known_or(hash, || projected(raw, GLANCE, |part| self.tokenizer.count(&unescaped(part))))
    }

    /// The tokens of a text.
    pub(crate) fn text(&self, text: &str) -> u64 {
        self.known_or(hash(text), || counted(text, self.tokenizer))
    }

    fn known_or(&self, key: Hash, count: impl FnOnce() -> u64) -> u64 {
        let known = self.known.lock().get(&key).copied();
        known.unwrap_or_else(|| {
            let tokens = count();
            let mut known = self.known.lock();
            if known.len() >= BOUND {
                known.clear();
            }
            known.insert(key, tokens);
            tokens
        })
    }
}

fn hash(text: &str) -> Hash {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// The tokens of a text: counted up to 64 KiB, projected from an even sample beyond.
fn counted(text: &str, tokenizer: Tokenizer) -> u64 {
    if text.len() <= PART * PARTS {
        return tokenizer.count(text);
    }
    projected(text, PART, |part| tokenizer.count(part))
}

/// The tokens of a text by those of parts of `size` bytes, evenly spread.
fn projected(text: &str, size: usize, count: impl Fn(&str) -> u64) -> u64 {
    let parts = (0..PARTS).map(|part| {
        let start = (text.len() - size) / (PARTS - 1) * part;
        text::slice(text, start..start + size)
    });
    let (bytes, tokens) = parts.fold((0, 0), |(bytes, tokens), part| (bytes + part.len() as u64, tokens + count(part)));
    tokens * text.len() as u64 / bytes.max(1)
}

/// A part of a JSON string as it reads, but for an escape that it begins or ends inside of.
fn unescaped(part: &str) -> Cow<'_, str> {
    let inside = part.trim_matches('"');
    let escape = inside.len() - inside.len().min(LONGEST_ESCAPE);
    let end = inside.as_bytes().get(escape..).and_then(|end| memchr::memchr(b'\\', end));
    let whole = end.map_or(inside, |end| text::slice(inside, 0..escape + end));
    match super::json::unquoted(&format!("\"{whole}\"")) {
        Some(text) => Cow::Owned(text.into_owned()),
        None => Cow::Borrowed(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_counts_as_it_reads() {
        let counts = TokenCounts::by(Tokenizer::O200k);
        assert_eq!(counts.json(r#""hello\u0020world""#), 2);
        assert_eq!(counts.json(r#""hello\u0020world""#), 2);
        assert_eq!(counts.json(r#"{"a":1}"#), Tokenizer::O200k.count(r#"{"a":1}"#));
        assert_eq!(counts.words(&ModelText::Text(r#""hello world""#)), 2 + FRAME);
        assert_eq!(counts.words(&ModelText::Picture), PICTURE);
    }

    #[test]
    fn a_long_text_is_projected_within_a_few_hundredths() {
        let text: String = (0..20_000).map(|n| format!("src/lib{n}.rs:{n}: warning: unused `x{n}`\n")).collect();
        let exact = Tokenizer::O200k.count(&text);
        let projected = counted(&text, Tokenizer::O200k);
        assert!(projected.abs_diff(exact) * 50 < exact, "{projected} of {exact}");
    }

    #[test]
    fn what_is_only_reported_is_about_right() {
        let counts = TokenCounts::by(Tokenizer::O200k);
        let lines: String =
            (0..4000).map(|n| format!("12:00:{:02} INFO [w-{n}] took {n} ms\t\"é\"\n", n % 60)).collect();
        for text in [lines.as_str(), "short", "\u{1}\u{2}\"\\"] {
            let raw = serde_json::to_string(text).unwrap();
            let (exact, about) = (counts.json(&raw), counts.about(hash(&raw), &raw));
            assert!(about.abs_diff(exact) * 20 <= exact, "{about} of {exact}");
            assert_eq!((counts.json(&raw), counts.about(hash(&raw), &raw)), (exact, about));
        }
    }
}

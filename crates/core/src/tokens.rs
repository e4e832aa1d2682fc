//! Counting tokens: the stated estimate, or a real tokenizer by name.

use std::fmt;
use std::io;
use std::str::FromStr;

use crate::document::{BLOCK, Document};
use crate::text;

/// Counts the tokens of a text.
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// The name that configuration and reports use.
    fn name(&self) -> &str;

    /// How many tokens `text` is.
    fn count(&self, text: &str) -> u64;
}

/// The counters that come with Offcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// Characters ÷ 4, rounded up: an estimate that costs nothing.
    #[default]
    Estimate,
    /// OpenAI's `o200k_base`, exact.
    O200k,
    /// OpenAI's `cl100k_base`, exact.
    Cl100k,
}

const NAMES: [(Tokenizer, &str); 3] =
    [(Tokenizer::Estimate, "estimate"), (Tokenizer::O200k, "o200k"), (Tokenizer::Cl100k, "cl100k")];

/// A run without a line end is handed to the tokenizer in parts of this size: its cost may grow with the square of
/// a run's length.
#[cfg(feature = "tokenizers")]
const LONGEST_RUN: usize = 64 * 1024;

impl Tokenizer {
    /// The one that comes nearest to what models count, of those that this build has: `o200k` with the feature
    /// `tokenizers`, else the estimate.
    pub const fn nearest() -> Tokenizer {
        if cfg!(feature = "tokenizers") { Tokenizer::O200k } else { Tokenizer::Estimate }
    }

    /// The exact number of tokens; none where this is an estimate, or the build has no tables.
    #[cfg(feature = "tokenizers")]
    fn exact(self, text: &str) -> Option<u64> {
        let encoding = match self {
            Tokenizer::Estimate => None,
            Tokenizer::O200k => tiktoken::get_encoding("o200k_base"),
            Tokenizer::Cl100k => tiktoken::get_encoding("cl100k_base"),
        }?;
        let mut rest = text;
        let mut tokens = 0;
        while rest.len() > LONGEST_RUN {
            let window = text::slice(rest, 0..LONGEST_RUN);
            let border = match last_border(window) {
                0 => window.len(),
                border => border,
            };
            let (now, later) = rest.split_at(border);
            tokens += encoding.count(now) as u64;
            rest = later;
        }
        Some(tokens + encoding.count(rest) as u64)
    }

    #[cfg(not(feature = "tokenizers"))]
    fn exact(self, _: &str) -> Option<u64> {
        None
    }

    /// How many tokens a whole document is; reads it once unless the estimate is asked for.
    pub fn count_document(self, document: &dyn Document) -> io::Result<u64> {
        self.count_up_to(document, u64::MAX)
    }

    /// Whether a document has more tokens than `limit`; reads no more of it than that takes.
    pub fn exceeds(self, document: &dyn Document, limit: u64) -> io::Result<bool> {
        Ok(self.count_up_to(document, limit)? > limit)
    }

    /// The tokens of a document, or of a beginning that has more than `most`.
    fn count_up_to(self, document: &dyn Document, most: u64) -> io::Result<u64> {
        if self == Tokenizer::Estimate {
            return Ok(document.extent().estimated_tokens());
        }
        let total = document.extent().bytes;
        let mut at = 0;
        let mut tokens = 0;
        let mut carried = String::new();
        while at < total && tokens <= most {
            let block = document.read_around(at..(at + BLOCK).min(total))?;
            at += block.len() as u64;
            carried.push_str(&block);
            let whole = if at == total { carried.len() } else { last_border(&carried) };
            tokens += self.count(text::slice(&carried, 0..whole));
            carried.drain(..whole);
        }
        Ok(tokens)
    }
}

/// The last place in `text` that no token spans: between a letter and a single space. Where there is none, 0, or the
/// end once more than a block is carried.
fn last_border(text: &str) -> usize {
    let bytes = text.as_bytes();
    let splits = |at: &usize| {
        let (before, after) = (at.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(at + 1));
        before.is_some_and(u8::is_ascii_alphabetic) && after.is_some_and(|byte| byte.is_ascii_graphic())
    };
    let longest = BLOCK as usize;
    memchr::memrchr_iter(b' ', bytes).find(splits).unwrap_or(if text.len() > longest { text.len() } else { 0 })
}

impl TokenCounter for Tokenizer {
    fn name(&self) -> &str {
        NAMES.iter().find(|(tokenizer, _)| tokenizer == self).map_or("estimate", |(_, name)| name)
    }

    fn count(&self, text: &str) -> u64 {
        self.exact(text).unwrap_or_else(|| text::chars(text).div_ceil(4))
    }
}

/// A tokenizer that nobody knows, or that this build does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "tokenizers", error("unknown tokenizer `{0}`: expected estimate, o200k or cl100k"))]
#[cfg_attr(
    not(feature = "tokenizers"),
    error("tokenizer `{0}`: expected estimate, the only one of this build (feature `tokenizers`)")
)]
pub struct UnknownTokenizer(pub String);

impl FromStr for Tokenizer {
    type Err = UnknownTokenizer;

    fn from_str(name: &str) -> Result<Tokenizer, UnknownTokenizer> {
        let known = NAMES.iter().find(|(_, known)| *known == name || name.strip_suffix("_base") == Some(known));
        let known = known.map(|(tokenizer, _)| *tokenizer);
        known
            .filter(|known| cfg!(feature = "tokenizers") || *known == Tokenizer::Estimate)
            .ok_or_else(|| UnknownTokenizer(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "tokenizers")]
    use crate::document::TextDocument;

    #[test]
    fn the_estimate_is_a_quarter_of_the_characters_rounded_up() {
        assert_eq!(Tokenizer::Estimate.count(""), 0);
        assert_eq!(Tokenizer::Estimate.count("abcde"), 2);
        assert_eq!(Tokenizer::Estimate.count("世界世界"), 1);
    }

    #[test]
    #[cfg(feature = "tokenizers")]
    fn real_tokenizers_are_exact_also_over_many_blocks() {
        assert_eq!(Tokenizer::O200k.count("hello world"), 2);
        assert_eq!(Tokenizer::Cl100k.count("hello world"), 2);
        let text: String = (0..30_000).map(|n| format!("  line {n}: /usr/lib/x{n}.\n\n/etc\n")).collect();
        let whole = tiktoken::get_encoding("o200k_base").unwrap().count(&text) as u64;
        let document = TextDocument::new(text);
        assert_eq!(Tokenizer::O200k.count_document(&document).unwrap(), whole);
        assert_eq!(Tokenizer::O200k.count(document.text().unwrap()), whole);
    }

    #[test]
    #[cfg(not(feature = "tokenizers"))]
    fn a_build_without_tables_knows_the_estimate_alone() {
        assert_eq!("estimate".parse(), Ok(Tokenizer::Estimate));
        assert!("o200k".parse::<Tokenizer>().unwrap_err().to_string().contains("feature `tokenizers`"));
        assert_eq!(Tokenizer::O200k.count("abcde"), 2);
    }

    #[test]
    #[cfg(feature = "tokenizers")]
    fn names_are_read_with_and_without_their_ending() {
        assert_eq!("o200k".parse(), Ok(Tokenizer::O200k));
        assert_eq!("cl100k_base".parse(), Ok(Tokenizer::Cl100k));
        assert!("gpt9".parse::<Tokenizer>().unwrap_err().to_string().contains("expected estimate"));
    }
}

//! Words that tell how something went, searched for in one pass over all lines.

use crate::finder::{self, Hit};

/// A set of signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Signals(u32);

impl Signals {
    pub(crate) const NONE: Signals = Signals(0);
    pub(crate) const ERROR: Signals = Signals(1);
    pub(crate) const FAIL: Signals = Signals(1 << 1);
    pub(crate) const EXCEPTION: Signals = Signals(1 << 2);
    pub(crate) const FATAL: Signals = Signals(1 << 3);
    pub(crate) const WARN: Signals = Signals(1 << 4);
    pub(crate) const REFUSAL: Signals = Signals(1 << 5);
    pub(crate) const EXPECT: Signals = Signals(1 << 6);
    pub(crate) const EXIT: Signals = Signals(1 << 7);
    pub(crate) const COUNT: Signals = Signals(1 << 8);
    pub(crate) const CROSS: Signals = Signals(1 << 9);
    pub(crate) const PASS: Signals = Signals(1 << 10);
    pub(crate) const CAUSE: Signals = Signals(1 << 11);
    pub(crate) const EVENT: Signals = Signals(1 << 12);

    /// Those that tell of something that went wrong, or may have.
    pub(crate) const TROUBLE: Signals = Signals::ERROR
        .with(Signals::FAIL)
        .with(Signals::EXCEPTION)
        .with(Signals::FATAL)
        .with(Signals::WARN)
        .with(Signals::REFUSAL)
        .with(Signals::EXIT)
        .with(Signals::CROSS);

    /// Those that make a line worth a look by themselves: all but counts and what went well.
    pub(crate) const TELLING: Signals =
        Signals::TROUBLE.with(Signals::EXPECT).with(Signals::CAUSE).with(Signals::EVENT);

    /// Whether any of `other` is among them.
    pub(crate) fn has(self, other: Signals) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn with(self, other: Signals) -> Signals {
        Signals(self.0 | other.0)
    }

    /// These but not `other`.
    pub(crate) const fn without(self, other: Signals) -> Signals {
        Signals(self.0 & !other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

// The words with what they signal, in lower case, and signs of failure that are no words: `rules/lines/words.toml`.
include!(concat!(env!("OUT_DIR"), "/line_words.rs"));

impl Signals {
    /// What a word that was found signals.
    fn of(hit: Hit) -> Signals {
        WORDS.get(hit.word).map_or(Signals(0), |(_, signals)| *signals)
    }
}

/// Where the first word that names a failure stands in `line`.
pub(crate) fn first_failure(line: &str) -> Option<usize> {
    let severe = Signals::ERROR.with(Signals::FAIL).with(Signals::EXCEPTION).with(Signals::FATAL).with(Signals::EXPECT);
    let mut first: Option<usize> = None;
    finder::SIGNALS.each(line.as_bytes(), |hit| {
        if severe.has(Signals::of(hit)) && first.is_none_or(|first| hit.start < first) {
            first = Some(hit.start);
        }
    });
    first
}

/// The signals of one line.
pub(crate) fn of_line(line: &str) -> Signals {
    let mut found = Signals::default();
    each(line.as_bytes(), |_, signals| found = found.with(signals));
    found
}

/// Calls `each` with every place in `text` that signals something: words, then signs.
pub(crate) fn each(text: &[u8], mut each: impl FnMut(usize, Signals)) {
    each_word(text, &mut each);
    signs(text).for_each(|at| each(at, Signals::CROSS));
}

/// Calls `each` with where every word starts; at most a byte before the one that was found before it.
pub(crate) fn each_word(text: &[u8], mut each: impl FnMut(usize, Signals)) {
    finder::SIGNALS.each(text, |hit| each(hit.start, Signals::of(hit)));
}

/// Where signs start in `text`, in order.
pub(crate) fn signs(text: &[u8]) -> impl Iterator<Item = usize> {
    // All signs begin with one of two bytes, which plain text does not have.
    memchr::memchr2_iter(0xe2, 0xc3, text).filter(|&at| {
        let rest = text.get(at..).unwrap_or_default();
        SIGNS.iter().any(|sign| rest.starts_with(sign.encode_utf8(&mut [0; 4]).as_bytes()))
    })
}

/// Every word and sign that signals something.
#[cfg(test)]
pub(crate) fn words() -> impl Iterator<Item = (String, Signals)> {
    let words = WORDS.iter().map(|(word, signals)| ((*word).to_owned(), *signals));
    words.chain(SIGNS.iter().map(|sign| (sign.to_string(), Signals::CROSS)))
}

//! What somebody wants to find: words, phrases, and what the words mean for the kind of line.

use std::collections::BTreeMap;

use super::intent::{self, Intents};
use super::synonyms;
use super::wording;
use offcut::words::{self as tokens, Token, WordSplitter};

/// The most words that are looked for.
const MOST_TERMS: usize = 32;

/// The most phrases that are looked for.
const MOST_PHRASES: usize = 12;

/// How much of what was asked is read, in bytes.
const LONGEST: usize = 4000;

/// What a phrase counts that outputs use for a word, as a share of the word.
const BY_SYNONYM: f32 = 0.7;

/// What two words count that follow each other as they were asked.
const BY_PAIR: f32 = 0.6;

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    /// Its token, that of its stem, and those of words that outputs use for it.
    pub(super) tokens: Vec<Token>,
    /// As it was written.
    pub(super) word: String,
    /// How much it counts: less where it is a part of another, or tells what kind of line is meant.
    pub(super) weight: f32,
    /// Whether it looks like a name of a program rather than a word of a sentence.
    pub(super) name: bool,
    /// Whether it tells what kind of line is meant, rather than what stands in it.
    pub(super) meant: bool,
    /// Whether its parts are looked for as well, so that nothing is missing where only the whole does not occur.
    pub(super) parted: bool,
}

/// A text that is looked for as it stands, in any case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phrase {
    /// In lower case.
    pub(super) text: String,
    pub(super) weight: f32,
    /// Whether somebody asked for it as it stands.
    pub(super) given: bool,
}

/// What somebody wants to find.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Query {
    pub(super) terms: Vec<Term>,
    /// For each token, the terms that it is one of, in the order of the tokens.
    by_token: Vec<(Token, Vec<usize>)>,
    pub(super) phrases: Vec<Phrase>,
    pub(super) intents: Intents,
    /// Whether it is a question, which one answer settles, rather than a description of what to bring.
    pub(super) question: bool,
}

impl Query {
    /// Reads what was asked. Text in quotes or backticks is a phrase, and so is a name with signs in it.
    pub(super) fn read(asked: &str) -> Query {
        let asked = offcut_core::text::slice(asked, 0..LONGEST);
        let (intents, question) = (Intents::read(asked), wording::is_question(asked));
        let mut query = Query { intents, question, ..Query::default() };
        let mut reader = WordSplitter::default();
        for (at, part) in asked.split(['"', '`', '“', '”']).enumerate() {
            let quoted = at % 2 == 1;
            if quoted && part.trim().len() >= 2 {
                query.phrase(part.trim(), 2.0, true);
            }
            let mut before = "";
            for word in part.split_whitespace() {
                // `how large`, `how long`: the word tells what is measured, and seldom stands beside it.
                if !quoted && before.eq_ignore_ascii_case("how") && !intent::is_meaning(bare(word)) {
                    before = "";
                    continue;
                }
                query.word(word, quoted, &mut reader);
                query.pair(before, word, quoted, &mut reader);
                before = word;
            }
        }
        for word in intent::words_for(query.intents) {
            let tokens = vec![tokens::token(word), reader.stem(word)];
            let word = word.to_owned();
            query.term(Term { tokens, word, weight: 0.25, name: false, meant: true, parted: false });
        }
        query.finish()
    }

    /// Whether it has a word that is looked for, rather than one that tells a kind of line.
    pub(super) fn has_sought(&self) -> bool {
        self.terms.iter().any(|term| !term.meant)
    }

    /// The terms that a token is one of.
    pub(super) fn terms_of(&self, token: Token) -> &[usize] {
        let found = self.by_token.binary_search_by_key(&token, |(token, _)| *token).ok();
        found.and_then(|at| self.by_token.get(at)).map_or(&[], |(_, terms)| terms)
    }

    fn finish(mut self) -> Query {
        let mut by_token: BTreeMap<Token, Vec<usize>> = BTreeMap::new();
        for (at, term) in self.terms.iter().enumerate() {
            for token in &term.tokens {
                let terms = by_token.entry(*token).or_default();
                if !terms.contains(&at) {
                    terms.push(at);
                }
            }
        }
        self.by_token = by_token.into_iter().collect();
        self
    }

    fn word(&mut self, written: &str, quoted: bool, reader: &mut WordSplitter) {
        let word = bare(written);
        if word.is_empty() || !quoted && wording::is_empty_word(word) {
            return;
        }
        let name = is_name(word);
        let inner = word.contains(|c: char| !(c.is_alphanumeric() || c == '_'));
        if inner && word.chars().count() >= 3 {
            self.phrase(word, 1.5, true);
        }
        let meant = !quoted && !name && intent::is_meaning(word);
        let weight = match (quoted, meant) {
            (true, _) => 1.2,
            (false, true) => 0.35,
            (false, false) => 1.0,
        };
        let mut whole = true;
        for run in word.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty()) {
            let weight = if inner { weight * 0.7 } else { weight };
            let parts = tokens::words_of(run);
            let several = parts.len() > 1;
            for (at, part) in parts.into_iter().enumerate() {
                let whole_word = std::mem::take(&mut whole);
                let mut tokens = vec![tokens::token(&part), reader.stem(&part)];
                if at == 0 && !quoted && !name {
                    for other in synonyms::of(&part, reader) {
                        match other.contains(' ') {
                            true => self.phrase(other, weight * BY_SYNONYM, false),
                            false => tokens.extend([tokens::token(other), reader.stem(other)]),
                        }
                    }
                }
                let weight = if at == 0 { weight } else { weight * 0.4 };
                let (name, parted) = (name && whole_word, several && at == 0);
                self.term(Term { tokens, word: run.to_owned(), weight, name, meant, parted });
            }
        }
    }

    /// Two words that follow each other: as outputs may write them in one, and as they stand.
    fn pair(&mut self, before: &str, word: &str, quoted: bool, reader: &mut WordSplitter) {
        let (before, word) = (bare(before), bare(word));
        let plain = |word: &str| word.len() >= 2 && word.chars().all(char::is_alphabetic);
        let empty = wording::is_empty_word(before) || wording::is_empty_word(word);
        if quoted || empty || !plain(before) || !plain(word) {
            return;
        }
        self.phrase(&format!("{before} {word}"), BY_PAIR, false);
        let joined = format!("{before}{word}");
        if let Some(term) = self.terms.iter_mut().find(|term| term.word == word) {
            term.tokens.extend([tokens::token(&joined), reader.stem(&joined)]);
        }
    }

    fn term(&mut self, term: Term) {
        // The first two are the word itself and its stem.
        let (word, stem) = (term.tokens.first(), term.tokens.get(1));
        let same = |known: &&mut Term| known.tokens.first() == word || known.tokens.get(1) == stem;
        if let Some(known) = self.terms.iter_mut().find(same) {
            known.weight = known.weight.max(term.weight);
        } else if self.terms.len() < MOST_TERMS {
            self.terms.push(term);
        }
    }

    fn phrase(&mut self, text: &str, weight: f32, given: bool) {
        let text = text.to_lowercase();
        if self.phrases.len() < MOST_PHRASES && !self.phrases.iter().any(|known| known.text == text) {
            self.phrases.push(Phrase { text, weight, given });
        }
    }
}

/// A word without the signs around it.
fn bare(written: &str) -> &str {
    written.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '$' | '#' | '@')))
}

/// Whether a word is written as programs are: signs inside, a hump, digits among letters.
fn is_name(word: &str) -> bool {
    let hump = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let digits = word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic);
    let signs = word.contains(['_', '$', '<', '>', '(', ')']) || word.contains("::") || has_inner_dot(word);
    hump || digits || signs
}

fn has_inner_dot(word: &str) -> bool {
    word.trim_matches('.').contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(asked: &str) -> Vec<String> {
        Query::read(asked).terms.into_iter().map(|term| term.word).collect()
    }

    #[test]
    fn empty_words_are_left_out_and_names_come_apart() {
        assert_eq!(words("what is the port of the redis server?"), ["port", "redis", "server"]);
        assert_eq!(words("parse_file"), ["parse_file", "parse_file", "parse_file"]);
        // What outputs call it has the same stem.
        assert_eq!(words("warnings"), ["warnings"]);
        assert_eq!(words("errors"), ["errors", "exception", "fatal", "panic"]);
    }

    #[test]
    fn quoted_text_and_names_with_signs_are_phrases() {
        let phrases =
            |asked: &str| -> Vec<String> { Query::read(asked).phrases.into_iter().map(|phrase| phrase.text).collect() };
        assert_eq!(phrases("find \"Connection refused by\" in the log"), ["connection refused by"]);
        assert_eq!(phrases("where is DBImpl::Open, in `src/db.cc`"), ["dbimpl::open", "src/db.cc"]);
        assert_eq!(phrases("nothing here"), [""; 0]);
    }

    #[test]
    fn a_word_that_tells_the_kind_of_line_counts_less_than_one_that_is_looked_for() {
        let query = Query::read("error of kubelet");
        assert!(query.terms[0].weight < query.terms[1].weight);
        assert!(query.intents.has(Intents::ERROR));
    }

    #[test]
    fn much_text_makes_a_bounded_query() {
        let query = Query::read(&"aB1_c::d \"x y\" ".repeat(5000));
        assert!(query.terms.len() <= MOST_TERMS && query.phrases.len() <= MOST_PHRASES);
    }
}

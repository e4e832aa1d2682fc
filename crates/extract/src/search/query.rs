//! What somebody wants to find: words, phrases, and what the words mean for the kind of line.

use super::intent::{self, Intents};
use super::tokens::{self, Token};

/// The most words that are looked for.
const MOST_TERMS: usize = 32;

/// The most phrases that are looked for.
const MOST_PHRASES: usize = 12;

/// How much of what was asked is read, in bytes.
const LONGEST: usize = 4000;

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    pub(super) token: Token,
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
}

/// What somebody wants to find.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Query {
    pub(super) terms: Vec<Term>,
    pub(super) phrases: Vec<Phrase>,
    pub(super) intents: Intents,
}

impl Query {
    /// Reads what was asked. Text in quotes or backticks is a phrase, and so is a name with signs in it.
    pub(super) fn read(asked: &str) -> Query {
        let asked = offcut_core::text::slice(asked, 0..LONGEST);
        let mut query = Query { intents: Intents::read(asked), ..Query::default() };
        for (at, part) in asked.split(['"', '`', '“', '”']).enumerate() {
            let quoted = at % 2 == 1;
            if quoted && part.trim().len() >= 2 {
                query.phrase(part.trim(), 2.0);
            }
            for word in part.split_whitespace() {
                query.word(word, quoted);
            }
        }
        for word in intent::words_for(query.intents) {
            query.term(Term {
                parted: false,
                token: tokens::token(word),
                word: word.to_owned(),
                weight: 0.25,
                name: false,
                meant: true,
            });
        }
        query
    }

    fn word(&mut self, written: &str, quoted: bool) {
        let word = written.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '$' | '#' | '@')));
        let word = if word.is_empty() { return } else { word };
        if !quoted && intent::is_empty_word(word) {
            return;
        }
        let name = is_name(word);
        let inner = word.contains(|c: char| !(c.is_alphanumeric() || c == '_'));
        if inner && word.chars().count() >= 3 {
            self.phrase(word, 1.5);
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
            let mut first = true;
            let mut found = Vec::new();
            tokens::each(run.as_bytes(), |token| {
                found.push((token, if first { weight } else { weight * 0.4 }));
                first = false;
            });
            let several = found.len() > 1;
            for (at, (token, weight)) in found.into_iter().enumerate() {
                let whole_word = std::mem::take(&mut whole);
                let parted = several && at == 0;
                self.term(Term { token, word: run.to_owned(), weight, name: name && whole_word, meant, parted });
            }
        }
    }

    fn term(&mut self, term: Term) {
        if let Some(known) = self.terms.iter_mut().find(|known| known.token == term.token) {
            known.weight = known.weight.max(term.weight);
        } else if self.terms.len() < MOST_TERMS {
            self.terms.push(term);
        }
    }

    fn phrase(&mut self, text: &str, weight: f32) {
        let text = text.to_lowercase();
        if self.phrases.len() < MOST_PHRASES && !self.phrases.iter().any(|known| known.text == text) {
            self.phrases.push(Phrase { text, weight });
        }
    }
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
        assert_eq!(words("warnings"), ["warnings", "warning", "warn"]);
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

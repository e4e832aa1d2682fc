//! How a question is worded: whether it is one, whether it is about the whole, and the words of it that tell nothing.

/// Words that stand in every question and tell nothing.
const EMPTY: &[&str] = &[
    "a",
    "about",
    "actually",
    "after",
    "again",
    "all",
    "also",
    "am",
    "among",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "ask",
    "asked",
    "asks",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "both",
    "but",
    "by",
    "came",
    "can",
    "come",
    "could",
    "did",
    "do",
    "does",
    "during",
    "each",
    "else",
    "ever",
    "every",
    "everything",
    "exactly",
    "exist",
    "exists",
    "extract",
    "find",
    "for",
    "from",
    "further",
    "get",
    "give",
    "given",
    "go",
    "goes",
    "going",
    "got",
    "had",
    "happen",
    "happened",
    "happens",
    "has",
    "have",
    "her",
    "here",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "just",
    "let",
    "like",
    "line",
    "lines",
    "list",
    "look",
    "made",
    "make",
    "makes",
    "maybe",
    "me",
    "might",
    "more",
    "much",
    "must",
    "my",
    "near",
    "no",
    "not",
    "now",
    "of",
    "off",
    "on",
    "one",
    "only",
    "onto",
    "or",
    "other",
    "our",
    "output",
    "over",
    "own",
    "per",
    "please",
    "quite",
    "rather",
    "really",
    "same",
    "shall",
    "she",
    "should",
    "show",
    "so",
    "some",
    "something",
    "sort",
    "still",
    "such",
    "task",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "though",
    "through",
    "thus",
    "to",
    "too",
    "until",
    "up",
    "upon",
    "us",
    "use",
    "used",
    "uses",
    "using",
    "very",
    "want",
    "was",
    "we",
    "well",
    "went",
    "were",
    "what",
    "when",
    "whenever",
    "wherever",
    "which",
    "while",
    "who",
    "whole",
    "whom",
    "whose",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yet",
    "you",
    "your",
    "yours",
];

/// Words of questions about the whole: what ran, how it went, and asking for it.
const GENERIC: &[&str] = &[
    "break",
    "broke",
    "broken",
    "build",
    "cause",
    "caused",
    "ci",
    "command",
    "crash",
    "crashed",
    "describe",
    "error",
    "errors",
    "everything",
    "execution",
    "explain",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "fine",
    "good",
    "happen",
    "happened",
    "happening",
    "issue",
    "issues",
    "job",
    "log",
    "ok",
    "okay",
    "outcome",
    "output",
    "overview",
    "pass",
    "passed",
    "pipeline",
    "problem",
    "problems",
    "reason",
    "result",
    "results",
    "root",
    "run",
    "script",
    "stop",
    "stopped",
    "succeed",
    "succeeded",
    "success",
    "successful",
    "summarise",
    "summarize",
    "summary",
    "test",
    "tests",
    "went",
    "what",
    "why",
    "work",
    "worked",
    "wrong",
];

/// Words of questions that ask for one thing among others.
const SINGLES: &[&str] =
    &["first", "last", "line", "lines", "list", "many", "name", "names", "when", "where", "which", "who", "whose"];

/// Words that a question begins with.
const ASKING: &[&str] = &[
    "are", "at", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "in", "is", "on",
    "since", "until", "was", "were", "what", "when", "where", "which", "who", "whose", "why", "will", "with",
];

/// Whether somebody asks a question, which one answer settles, rather than naming what to bring.
pub(super) fn is_question(asked: &str) -> bool {
    let lower = asked.trim_start().to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    asked.contains('?')
        || words.next().is_some_and(|word| ASKING.binary_search(&word).is_ok()) && words.next().is_some()
}

/// Whether a question is about the whole of an output: why it failed, what happened, how it went.
pub(super) fn is_generic(asked: &str) -> bool {
    let lower = asked.to_lowercase().replace("'s", " is").replace("n't", " not");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let known = |word: &&str| GENERIC.binary_search(word).is_ok();
    let single = words.iter().any(|word| SINGLES.contains(word));
    let told = words.iter().all(|word| known(word) || is_empty_word(word));
    // Somebody who writes down only a kind of line wants those lines.
    let asks = |word: &&str| matches!(*word, "what" | "why" | "did" | "overview") || word.starts_with("summar");
    let sentence = words.len() >= 3 || words.iter().any(asks);
    told && sentence && !single && words.iter().any(known) && !asked.contains(['"', '`'])
}

/// Whether a word tells nothing.
pub(super) fn is_empty_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    EMPTY.binary_search(&lower.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_words_are_in_order() {
        assert!(EMPTY.is_sorted());
        assert!(is_empty_word("The") && !is_empty_word("theorem"));
    }

    #[test]
    fn questions_are_told_from_descriptions() {
        assert!(ASKING.is_sorted());
        for asked in ["how many tests failed", "Which disk is full?", "the disk?", "in which file is the error"] {
            assert!(is_question(asked), "{asked}");
        }
        for asked in ["names of the failing tests", "why", "error messages, with their lines"] {
            assert!(!is_question(asked), "{asked}");
        }
    }

    #[test]
    fn questions_about_the_whole_are_told_from_those_about_one_thing() {
        assert!(GENERIC.is_sorted());
        for asked in
            ["why did it fail?", "What happened?", "what went wrong in this build", "did the tests pass?", "summarize"]
        {
            assert!(is_generic(asked), "{asked}");
        }
        for asked in [
            "which test failed?",
            "the error",
            "failing tests",
            "why did redis fail?",
            "how many tests failed?",
            "\"it failed\"",
        ] {
            assert!(!is_generic(asked), "{asked}");
        }
    }
}

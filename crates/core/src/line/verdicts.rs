//! Verdicts by their shape: a word for a failure that stands by itself, whoever printed it.
//!
//! `[FAIL] name`, `name ... FAILED (12 ms)`, `name *** FAILED ***`, `2. Failure (place): name`.

use super::errors::exception;
use super::signals::{self, SIGNS, Signals};
use super::word_lists::{
    VERDICTS_LEVELS, VERDICTS_LOUD, VERDICTS_SPOKEN, VERDICTS_UNITS, VERDICTS_WELL, VERDICTS_WELL_IN_COLUMN,
    VERDICTS_WELL_LABELS, VERDICTS_WELL_LOUD, VERDICTS_WELL_NOT_BEHIND,
};

/// Marks that set a verdict off from the name that it is about.
const MARKS: [char; 20] =
    ['[', ']', '(', ')', '<', '>', '{', '}', '*', '=', '-', '─', '━', '!', '|', '│', '#', '~', '•', '»'];

/// Whether a verdict is set off at the line's beginning or its end, and a name stands beside it.
pub(super) fn marked(line: &str) -> bool {
    at_beginning(line) || at_end(line)
}

/// `[FAIL] name`, `(failed) name`, `[✗] name`: within brackets or marks.
fn at_beginning(line: &str) -> bool {
    let Some(inner) = line.strip_prefix(['[', '(', '<', '*']) else { return false };
    let inner = inner.trim_start_matches(MARKS).trim_start();
    let end = inner.find([']', ')', '>', '*']).unwrap_or(0);
    let (word, rest) = inner.split_at(end);
    is_verdict(word.trim()) && names(rest)
}

/// `name [FAILED]`, `name (FAILED - 1)`, `name *** FAILED *** (12 ms)`, `name FAILED in 3 s`, `name ✗`.
fn at_end(line: &str) -> bool {
    // A bracket that opens is not the end: `func Close() error {`.
    if line.trim_end().ends_with(['{', '(', '[']) {
        return false;
    }
    let line = without_time(line);
    let bare = line.trim_end_matches(|c: char| MARKS.contains(&c) || matches!(c, ' ' | '.'));
    // `(FAILED - 1)` numbers failures.
    let bare = match bare.rsplit_once(" - ") {
        Some((before, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => before.trim_end(),
        _ => bare,
    };
    if let Some(name) = bare.strip_suffix(SIGNS) {
        return names(name);
    }
    let start = bare.rfind(|c: char| c.is_whitespace() || MARKS.contains(&c)).map_or(0, |at| at + 1);
    let Some((name, word)) = bare.split_at_checked(start) else { return false };
    let marked = name.trim_end().ends_with(MARKS) && line.len() > bare.len();
    (if marked { is_verdict(word) || is_level(word) } else { VERDICTS_LOUD.contains(&word) }) && names(name)
}

/// Whether a line says of something with a name that it went well, or was not run: `name ... ok (12 ms)`,
/// `name PASSED [ 66%]`, `[PASS] name`, `PASS: name`. What else it says is then about the name.
pub(super) fn well(line: &str) -> bool {
    (began_well(line) || ended_well(line) || in_a_column(line)) && exception(line).is_none()
}

/// `name      OK`, `name      OK    1.20s   15 subtests passed`: in a column of its own, with nothing but figures behind.
fn in_a_column(line: &str) -> bool {
    let mut columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
    let is_verdict = |column: &str| VERDICTS_WELL_IN_COLUMN.contains(&column) || VERDICTS_WELL_LOUD.contains(&column);
    let mut named = false;
    let found = columns.any(|column| {
        let found = is_verdict(column);
        named |= !found && names(column);
        found
    });
    let is_figure = |column: &str| column.starts_with(|c: char| c.is_ascii_digit());
    found && named && columns.all(|column| is_figure(column) && !signals::of_line(column).has(Signals::TROUBLE))
}

fn began_well(line: &str) -> bool {
    // `[gw1] [ 12%] ` is which worker it was, and how far it is.
    let mut line = line;
    while let Some((group, rest)) = line.strip_prefix('[').and_then(|inner| inner.split_once("] "))
        && (group.ends_with('%') || group.starts_with("gw"))
    {
        line = rest;
    }
    let inner = line.trim_start_matches(['[', '(', '<', '*', ' ']);
    let end = inner.find([' ', ']', ')', '>', '*', ':']).unwrap_or(0);
    let (word, rest) = inner.split_at(end);
    let set_off = inner.len() < line.len() && !rest.starts_with(' ') || rest.starts_with(':');
    (VERDICTS_WELL_LOUD.contains(&word) || set_off && is_well(word)) && names(rest)
}

fn ended_well(line: &str) -> bool {
    // `[ 66%]` is how far it is.
    let line = match line.trim_end().rsplit_once('[') {
        Some((before, share)) if share.ends_with("%]") => before,
        _ => line,
    };
    let line = without_time(line).trim_end_matches(['\'', '"', ')', ']', ' ', '.', '!']);
    let start = line.rfind(|c: char| c.is_whitespace() || MARKS.contains(&c) || c == '.').map_or(0, |at| at + 1);
    let Some((name, word)) = line.split_at_checked(start) else { return false };
    let name = name.trim_end();
    let set_off = name.ends_with("..") || name.ends_with(['[', '(', ':', '-', '–', '…']);
    if !(VERDICTS_WELL_LOUD.contains(&word) || set_off && is_well(word)) || !names(name) {
        return false;
    }
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = name.trim_start_matches(MARKS).split([':', ' ', ']']).next().unwrap_or_default();
    let labelled = is_level(first) || is_one_of(first, VERDICTS_WELL_LABELS);
    let before = words.next_back().unwrap_or_default();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    // `3 suites PASSED` is a sum; the number of a test stands behind a sign.
    let counted =
        is_number(before) && !name.contains('#') || before.ends_with('s') && words.next_back().is_some_and(is_number);
    !labelled && !counted && !is_one_of(before, VERDICTS_WELL_NOT_BEHIND)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn is_well(word: &str) -> bool {
    is_one_of(word, VERDICTS_WELL)
}

/// The line without the time that something took at its end.
fn without_time(line: &str) -> &str {
    let mut rest = line.trim_end().trim_end_matches(['.', ')', ']', ',']).trim_end();
    let unit = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let named = VERDICTS_UNITS.contains(&rest.get(unit.len()..).unwrap_or_default());
    let number = unit.trim_end();
    let value = number.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'));
    if !named || value.len() == number.len() {
        return line;
    }
    rest = value.trim_end().trim_end_matches(['(', '[', ' ']);
    ["in", "after", "took"].iter().find_map(|word| rest.strip_suffix(word)).unwrap_or(rest).trim_end()
}

fn is_verdict(word: &str) -> bool {
    VERDICTS_LOUD.contains(&word)
        || is_one_of(word, VERDICTS_SPOKEN)
        || !word.is_empty() && word.chars().all(|c| SIGNS.contains(&c))
}

fn is_level(word: &str) -> bool {
    is_one_of(word, VERDICTS_LEVELS)
}

/// Whether a name can stand in `text`: some letters.
fn names(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
}

/// `2. Failure: name`, `── Failure (place): name`, `3) Error: words`: behind marks or a number, and before a colon or
/// a bracket. Says whether a name or words follow.
pub(super) fn labelled(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = line.get(digits..).filter(|_| digits > 0).and_then(|rest| rest.strip_prefix(['.', ')']));
    let rest = numbered.unwrap_or(line).trim_start_matches(|c: char| c == ' ' || MARKS.contains(&c));
    let end = rest.find([':', ' ', '(']).unwrap_or(0);
    let (word, behind) = rest.split_at(end);
    let set_off = behind.starts_with(':') || behind.trim_start().starts_with('(');
    set_off
        && (is_verdict(word) || is_level(word) && numbered.is_some())
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && rest.len() < line.len()
        && names(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_known_by_the_marks_around_them() {
        for line in [
            "[FAIL] adds numbers",
            "[ FAIL ] adds numbers",
            "[Failed] adds numbers",
            "[✗] adds numbers",
            "adds numbers [FAIL]",
            "adds numbers (FAILED - 12)",
            "adds numbers (failed)",
            "- adds numbers *** FAILED *** (12 milliseconds)",
            "** TEST FAILED **",
            "adds numbers FAILED in 0.5 s",
            "adds numbers ... CRASHED (1.2s)",
            "adds numbers ✗",
            "adds numbers <<< FAILURE!",
        ] {
            assert!(marked(line), "{line}");
        }
        for line in [
            "[FAILED]",
            "[PASS] adds numbers",
            "EXIT_FAILED",
            "it never failed",
            "the one that failed (again)",
            "adds numbers (12 ms)",
            "[error_handler] started",
            "see FAILURES.md",
            "func (s *Server) Close() error {",
        ] {
            assert!(!marked(line), "{line}");
        }
    }

    #[test]
    fn what_went_well_is_known_by_the_word_beside_its_name() {
        for line in [
            "tests/test_sudo.py::test_match[permission denied] PASSED           [ 85%]",
            "[gw1] [ 12%] PASSED tests/test_a.py::test_match[permission denied]",
            "test_failure_is_reported (tests.T) ... ok",
            "test parser::fails_on_error ... ignored",
            "PASS [   0.012s] core line::fails_on_error",
            "12/40 Test  #12: error_case .....................   Passed    0.01 sec",
            "[OK] error handling works",
            "PASS: error handling works",
            "t/failures.t .. ok   12 ms",
            "12/240 suite / loader-error                 OK          1.20s   15 subtests passed",
            "▶  28/240 fails with an error callback      OK",
        ] {
            assert!(well(line), "{line}");
        }
        for line in [
            "error: expected PASSED",
            "ERROR: status is not OK",
            "Error: status: OK",
            "3 failed, 2 passed",
            "AssertionError: expected FAIL to equal PASS",
            "Expected: PASSED",
            "curl: (22) The requested URL returned error: 404 OK",
            "fatal: unexpected reply: OK",
            "The build failed: 3 suites PASSED",
            "Test failed (expected: ok)",
            "Some tests failed. 3 skipped",
            "[failed] everything else is ok",
            "disk1    OK    3 errors since the last check, failed once",
            "error  OK is not a verdict",
            "PASSED",
        ] {
            assert!(!well(line), "{line}");
        }
    }

    #[test]
    fn verdicts_are_known_before_a_colon_behind_a_number_or_marks() {
        for line in ["── Failure (test-a.R:12:3): it works ──", "1. Failure: it works", "3) Error: it works"] {
            assert!(labelled(line), "{line}");
        }
        for line in ["Failure: it works", "1. failures in it: none", "1) Errors", "12 Errors: 3", "1. Failure: 12"] {
            assert!(!labelled(line), "{line}");
        }
    }
}

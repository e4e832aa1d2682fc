//! Names of exceptions, and lines that only mention that something went wrong.

use super::role::{LineScore, Role, Severity};
use super::signals::Signals;
use super::weights;
use super::word_lists::{
    EXCEPTIONS_ENDS, EXCEPTIONS_LEADS, EXCEPTIONS_WARNINGS, MENTIONS_PASSED, MENTIONS_PASSED_ENDS, MENTIONS_SPOKEN,
};

/// Whether a line is `some.package.NameError: words`, or the name alone: a message, or a warning.
pub(super) fn exception(line: &str) -> Option<Role> {
    let line = EXCEPTIONS_LEADS.iter().fold(line, |line, lead| line.strip_prefix(lead).unwrap_or(line));
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '\\' | '/' | ':')))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    // The colon that ends a name is not part of it.
    let (name, rest) = line.split_at(name.trim_end_matches(':').len().min(line.len() - rest.len()));
    let last = name.rsplit(['.', '\\', '$', ':']).next().unwrap_or(name);
    let capital = last.starts_with(|c: char| c.is_ascii_uppercase());
    let behind =
        rest.is_empty() || rest.starts_with(": ") || rest.starts_with(":\n") || rest == ":" || rest.starts_with(" at ");
    if !capital || !behind {
        return None;
    }
    let ends = |end: &str| last.ends_with(end) && (last.len() > end.len() || name.len() > last.len());
    if EXCEPTIONS_WARNINGS.iter().any(|end| ends(end)) {
        return Some(Role::Warning);
    }
    EXCEPTIONS_ENDS.iter().any(|end| ends(end)).then_some(Role::Message)
}

/// The score of a line that only mentions something.
pub(super) fn mention(line: &str, signals: Signals) -> LineScore {
    if counts_none(line) || measures(line, signals) || quotes_code(line) {
        return weights::score(Role::Plain, Severity::Negligible, None);
    }
    let mut worth: f32 = 0.0;
    if signals.has(Signals::ERROR.with(Signals::FAIL).with(Signals::EXCEPTION)) {
        worth += if spoken(line, MENTIONS_SPOKEN) { weights::SPOKEN } else { weights::NAMED };
    }
    worth += weights::MENTIONED.iter().filter(|(signal, _)| signals.has(*signal)).map(|(_, more)| more).sum::<f32>();
    let passing = MENTIONS_PASSED_ENDS.iter().any(|end| line.ends_with(end))
        || MENTIONS_PASSED.iter().any(|part| line.contains(part));
    if passing && worth < weights::PASSING {
        return weights::score(Role::Pass, Severity::Negligible, None);
    }
    weights::score(Role::Plain, Severity::Negligible, Some(worth))
}

/// Whether a line is one of a source, quoted behind its number: `  > 12 │ code`, `12 | code`. Its words are not a
/// program's.
fn quotes_code(line: &str) -> bool {
    behind_number(line).is_some_and(|behind| rules_off(behind) || behind.starts_with("\t  "))
}

/// Whether a line is one of a source that a report quotes behind its number and a stroke.
pub(crate) fn is_excerpt(line: &str) -> bool {
    behind_number(line).is_some_and(rules_off)
}

/// Whether such a line has no stroke but the one behind its number: it is no row of a table.
pub(super) fn is_alone_behind_stroke(line: &str) -> bool {
    is_excerpt(line) && line.matches(STROKES).count() == 1
}

/// What stands behind the number that a line begins with.
fn behind_number(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    let marked = trimmed.strip_prefix('>').unwrap_or(trimmed).trim_start();
    let behind = marked.trim_start_matches(|c: char| c.is_ascii_digit());
    (behind.len() < marked.len()).then_some(behind)
}

/// What stands between a line's number and its code.
const STROKES: [char; 9] = ['|', '│', '┃', '┆', '┇', '┊', '┋', '╎', '¦'];

/// Whether a stroke comes before the code.
fn rules_off(behind: &str) -> bool {
    let code = behind.trim_start_matches(' ').strip_prefix(STROKES);
    // Some set the code right behind the stroke; a plain one may be part of much else.
    code.is_some_and(|code| code.is_empty() || code.starts_with(' ') || !behind.trim_start().starts_with('|'))
}

/// Whether a line only says that there is none of something: `cancelled 0`, `errors: 0`, `0 skipped`.
fn counts_none(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().filter(|word| word.bytes().any(|byte| byte.is_ascii_alphanumeric()));
    let mut few = words.by_ref().take(COUNTING_WORDS);
    few.any(|word| word == "0") && few.count() < COUNTING_WORDS && words.next().is_none()
}

/// Whether an error is only a figure that was measured: `residual error 3.1e-10`, `mean error = 0.25`.
fn measures(line: &str, signals: Signals) -> bool {
    let others = Signals::TROUBLE.without(Signals::ERROR);
    if !signals.has(Signals::ERROR) || signals.has(others) {
        return false;
    }
    let mut words = line.split([' ', '\t', '=', ':', '(', ',']).filter(|word| !word.is_empty()).peekable();
    let mut found = false;
    while let Some(word) = words.next() {
        if word.to_ascii_lowercase().contains("error") {
            let is_measured = words.peek().is_some_and(|next| is_measure(next));
            if !is_measured {
                return false;
            }
            found = true;
        }
    }
    found
}

/// Whether a word is a number with a point or an exponent.
fn is_measure(word: &str) -> bool {
    let word = word.trim_end_matches(['%', ')', ';', '.']);
    word.contains(['.', 'e', 'E'])
        && word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && word.parse::<f64>().is_ok()
}

/// A line that only counts has so many words at most.
const COUNTING_WORDS: usize = 3;

/// Whether one of `wanted` stands in the line as a word of its own, not as a part of a name.
fn spoken(line: &str, wanted: &[&str]) -> bool {
    line.split([' ', '\t', '(', ')', '[', ']', '"', '!', '|', '\'']).any(|word| {
        let word = word.trim_end_matches([':', ',', '.', ';', '!']);
        word.len() < 12 && wanted.iter().any(|wanted| word.eq_ignore_ascii_case(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_is_measured_is_none() {
        let measures = |line: &str| measures(line, crate::line::signals::of_line(line));
        for line in ["converged, residual error 3.1e-10", "mean error = 0.25, max error: 1.5%", "rel_error=0.001"] {
            assert!(measures(line), "{line}");
        }
        for line in ["error 2", "error: 404", "Error 0x80070005", "error 1.5 failed", "error at 0.5 s", "no error"] {
            assert!(!measures(line), "{line}");
        }
    }

    #[test]
    fn quoted_code_says_nothing() {
        for line in [
            "> 380 │     } catch (error) {",
            "12 | throw new Error(x)",
            "271\t        # no exception here",
            "7 |",
            "  131┆\"Failed to add\",",
        ] {
            assert!(quotes_code(line), "{line}");
        }
        for line in ["12 errors | 3 warnings", "> error | x", "12\tfailed\tx", "3|fatal", "1. failed"] {
            assert!(!quotes_code(line), "{line}");
        }
    }

    #[test]
    fn none_of_something_is_not_told() {
        for line in ["cancelled 0", "ℹ cancelled 0", "@acme/config: ℹ cancelled 0", "errors: 0", "0 cancelled"] {
            assert!(counts_none(line), "{line}");
        }
        for line in ["cancelled 10", "cancelled", "exited because 0 of 3 nodes answered", "job 0 was cancelled by it"] {
            assert!(!counts_none(line), "{line}");
        }
    }
}

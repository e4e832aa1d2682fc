//! Lines that a report shows as the document's without quotation marks: they look like a log, a trace, code or data.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// The looks of lines that nobody writes as a sentence.
const LOOKS: &[&str] = &[
    // A time or a date at the start.
    r"^\[?\d{4}[-/]\d\d[-/]\d\d[T ]",
    r"^\[?\d\d:\d\d:\d\d",
    r"^[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d",
    // A level or an outcome.
    r"^\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|FAIL|FAILED|PASS|PASSED|SKIPPED)\b\]?[:\s]",
    r"^(error|warning|fatal|panic|note)(\[\w+\])?: ",
    r"^(npm ERR!|npm error|--- FAIL|=== RUN|##\[|::error|make(\[\d+\])?: \*\*\*)",
    // A place in a file before a message.
    r"^[\w./\\-]+\.\w{1,6}[:(]\d+[:,)]",
    // Frames and heads of traces.
    r"^at [\w$.<>/]+ ?\(",
    r#"^File ".+", line \d+"#,
    r"^(Traceback|Caused by|thread '|goroutine \d)",
    r"^[\w.]*(Error|Exception)(:|$)",
    // Commands, diffs, code, data.
    r"^[$#] ?[a-z]\S* ",
    r"^(@@ |\+\+\+ |--- [ab/]|diff --git )",
    r"^(def|fn|func|class|import|from|public|private|static|const|let|var|return|use|package|if|for|while)\b.*[:;{})]$",
    r"[;{]$",
    r#"^[\[{"].*[\]}],?$"#,
    r"^[\w.-]+=\S+ .*[\w.-]+=\S+",
];

static COPIED: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(LOOKS).ok());

/// A place that a model puts before a line: `1700: `, `Line 12: `, `[line 3] `, `lines 3-9: `.
static PLACE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?i)(\[?(lines?|L) ?\d+([-–]\d+)?\]?:?\s+|\[?\d+\]?[:|]\s+|\d+-\s+)").ok());

/// A sign of a list before a line.
static BULLET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s*([-*•]|\d{1,3}[.)])\s+").ok());

/// Whether a line is shown as one of the document's.
pub(super) fn is_copied(line: &str) -> bool {
    COPIED.as_ref().is_some_and(|looks| looks.is_match(line.trim()))
}

/// Where the words of a line begin, behind signs of a list and a place.
pub(super) fn words_start(line: &str) -> usize {
    let mut at = line.len() - line.trim_start().len();
    for prefix in [&*BULLET, &*PLACE] {
        at += prefix.as_ref().and_then(|prefix| prefix.find(rest(line, at))).map_or(0, |found| found.end());
    }
    at
}

/// The ways in which a quoted line may be one of the document's: as it is, and without a place before it.
pub(super) fn readings(line: &str) -> Vec<&str> {
    let line = line.trim();
    let placed = PLACE.as_ref().and_then(|place| place.find(line)).map_or(line, |found| rest(line, found.end()));
    // `grep -n` leaves no blank behind the number.
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = match rest(line, digits) {
        words if digits > 0 && words.starts_with([':', '|']) => rest(words, 1).trim_start(),
        _ => line,
    };
    let mut readings = vec![line];
    for reading in [placed, numbered] {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

fn rest(line: &str, at: usize) -> &str {
    line.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_look_is_a_pattern() {
        assert!(COPIED.is_some() && PLACE.is_some() && BULLET.is_some());
    }

    #[test]
    fn lines_of_logs_traces_code_and_data_are_told_from_sentences() {
        for line in [
            "2026-01-02T03:04:05Z request failed",
            "[12:00:01] started",
            "Jan  5 12:00:01 host sshd[1]: closed",
            "ERROR disk full",
            "error[E0425]: cannot find value `x`",
            "src/main.rs:12:5: mismatched types",
            "at com.example.Main.run(Main.java:3)",
            "File \"a.py\", line 3, in f",
            "ValueError: bad",
            "$ cargo test --all",
            "def parse(x):",
            "let x = 3;",
            "{\"id\": 3}",
            "level=info msg=started",
        ] {
            assert!(is_copied(line), "{line}");
        }
        for line in [
            "The build failed because the disk is full.",
            "Two tests failed: one timed out, the other found no file.",
            "Return to the first step if it fails.",
            "If the disk is full the job stops.",
            "Cause: the disk is full",
            "Errors: 3",
        ] {
            assert!(!is_copied(line), "{line}");
        }
    }

    #[test]
    fn places_before_a_line_are_none_of_its_words() {
        let words = |line: &str| line.get(words_start(line)..).unwrap().to_owned();
        assert_eq!(words("- Line 12: error: x"), "error: x");
        assert_eq!(words("1700: error: x"), "error: x");
        assert_eq!(words("[line 3] error: x"), "error: x");
        assert_eq!(words("2. error: x"), "error: x");
        assert_eq!(words("12:00:01 started").as_str(), "12:00:01 started");
        assert_eq!(words("plain words"), "plain words");
    }
}

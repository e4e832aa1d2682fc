//! What test runners and build tools print about results: failing tests, counts, how a process ended.

use super::role::{LineScore, Role, score};
use super::signals::Signals;

/// A line that names a test that failed.
pub(crate) fn failing_test(line: &str, signals: Signals) -> Option<LineScore> {
    if signals.has(Signals::CROSS) {
        let rest = line.trim_start_matches(['✕', '✗', '×', '✘', '❌', '✖', '●']);
        if rest.len() < line.len() {
            if summary_counts(rest).is_some() {
                return Some(score(Role::Summary, 90.0));
            }
            return Some(score(Role::FailedTest, if rest.trim().is_empty() { 5.0 } else { 95.0 }));
        }
    }
    if !signals.has(Signals::FAIL.with(Signals::ERROR)) {
        return None;
    }
    if let Some(rest) = line.strip_prefix("not ok") {
        let todo = rest.contains("# TODO") || rest.contains("# SKIP") || rest.contains("# todo");
        return Some(score(Role::FailedTest, if todo { 2.0 } else { 100.0 }));
    }
    if line.contains("<<< FAIL") || line.contains("<<< ERROR") {
        return Some(score(Role::FailedTest, 95.0));
    }
    for mark in ["FAILED ", "ERROR ", "FAIL ", "FAIL\t", "Failed "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let rest = rest.trim_start();
            // nextest puts the time first.
            let timed = rest.strip_prefix('[').and_then(|time| time.split_once("] "));
            let timed = timed.filter(|(time, _)| time.trim_start().starts_with(|c: char| c.is_ascii_digit()));
            let rest = timed.map_or(rest, |(_, name)| name);
            let name = rest.split([' ', '\t']).next().unwrap_or("");
            if named(name) || rest.contains("::") {
                return Some(score(Role::FailedTest, 100.0));
            }
        }
    }
    for mark in ["FAIL: ", "ERROR: "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let name = rest.split([' ', '(']).next().unwrap_or("");
            let called = rest.contains('(') || mark == "FAIL: " || named(name);
            if called && identifier(name) {
                return Some(score(Role::FailedTest, 100.0));
            }
        }
    }
    // A word of its own, not the end of a constant's name.
    let verb = line.strip_suffix("FAILED").or_else(|| line.strip_suffix("FAIL"));
    if let Some(rest) = verb.filter(|rest| rest.is_empty() || rest.ends_with([' ', '\t', '.'])) {
        let rest = rest.trim_end();
        if rest.starts_with("> Task") || rest.starts_with("BUILD") {
            return Some(score(Role::Error, 70.0));
        }
        if rest.is_empty() {
            return Some(score(Role::FailedTest, 40.0));
        }
        return Some(score(Role::FailedTest, 100.0));
    }
    for mark in [
        "... FAIL",
        "... ERROR",
        "***Failed",
        "***Exception",
        "***Timeout",
        "(Failed)",
        " FAILED [",
        " FAILED (",
        " ERROR [",
    ] {
        if line.contains(mark) && !line.starts_with("FAILED (") {
            return Some(score(Role::FailedTest, 100.0));
        }
    }
    if (line.contains("::") || line.starts_with("//"))
        && (line.contains(" FAILED") || line.contains("FAILED ") || line.contains(" ERROR"))
    {
        return Some(score(Role::FailedTest, 90.0));
    }
    None
}

/// Whether a word looks like the name of a test or of a file.
fn named(word: &str) -> bool {
    word.contains("::") || (word.contains(['/', '.', '_']) && word.len() > 4 && !word.ends_with([':', '.', ',']))
}

fn identifier(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b':' | b'/'))
}

/// Longer lines count nothing, in bytes.
const SUMMARY: usize = 220;

/// A line of counts.
pub(crate) fn summary(line: &str, signals: Signals) -> Option<LineScore> {
    let counted = Signals::COUNT.with(Signals::FAIL).with(Signals::ERROR);
    if line.len() > SUMMARY || !signals.has(counted.with(Signals::PASS)) {
        return None;
    }
    if let Some(result) = line.strip_prefix("Finished: ") {
        return Some(score(Role::Summary, if result == "SUCCESS" { 30.0 } else { 70.0 }));
    }
    let failing = summary_counts(line)?;
    if line.starts_with("Ran ") && line.contains(" test") {
        return Some(score(Role::Summary, 60.0));
    }
    if line.contains("BUILD SUCCESS") {
        return Some(score(Role::Summary, 60.0));
    }
    let worth = match (failing, signals.has(counted)) {
        (true, _) => 90.0,
        (false, true) => 5.0,
        (false, false) => 3.0,
    };
    Some(score(Role::Summary, worth))
}

/// Words that count what went wrong.
const BAD: [&str; 12] = [
    "failed",
    "failures",
    "failure",
    "failing",
    "errors",
    "error",
    "errored",
    "exceptions",
    "broken",
    "problems",
    "problem",
    "fail",
];

/// Words that count what else there was.
const GOOD: [&str; 23] = [
    "passed",
    "passing",
    "skipped",
    "ignored",
    "pending",
    "warnings",
    "tests",
    "test",
    "examples",
    "example",
    "specs",
    "run",
    "runs",
    "total",
    "completed",
    "assertions",
    "todo",
    "xfailed",
    "files",
    "succeeded",
    "ok",
    "skips",
    "pass",
];

/// Whether a line counts results (`3 failed, 2 passed`, `Failures: 3`), and if so whether it counts failures.
fn summary_counts(line: &str) -> Option<bool> {
    let lower = line.to_ascii_lowercase();
    let (mut counts, mut failing, mut words) = (0, false, 0);
    let mut number: Option<u64> = None;
    let mut label: Option<bool> = None;
    let mut rest = lower.as_str();
    while words < 40 {
        let start = rest.find(|c: char| !is_between(c)).unwrap_or(rest.len());
        let (between, more) = rest.split_at(start);
        let (word, more) = more.split_at(more.find(is_between).unwrap_or(more.len()));
        if word.is_empty() {
            break;
        }
        rest = more;
        words += 1;
        let labelled = between.contains([':', '=']);
        let (bad, good) = (BAD.contains(&word), GOOD.contains(&word));
        // `3 failed` counts, `3, failed: 0` does not.
        let counted = if between.trim().is_empty() && !more.starts_with([':', '=']) { number } else { None };
        match (word.trim_end_matches('.').parse::<u64>().ok(), counted, label) {
            (Some(value), _, Some(is_bad)) if labelled => {
                counts += 1;
                failing |= is_bad && value > 0;
                (number, label) = (Some(value), None);
            }
            (Some(value), ..) => (number, label) = (Some(value), None),
            // `1 tests failed`: the number stays for the verb.
            (None, Some(_), _) if word == "tests" || word == "test" => {
                counts += 1;
                label = Some(false);
            }
            (None, Some(value), _) if bad || good => {
                counts += 1;
                failing |= bad && value > 0;
                (number, label) = (None, Some(bad));
            }
            _ => (number, label) = (None, (bad || good).then_some(bad)),
        }
    }
    if let Some(count) = lower.strip_prefix("# fail ") {
        return count.trim().parse::<u64>().ok().map(|count| count > 0);
    }
    if counts >= 2 || (counts == 1 && (words <= 6 || failing && words <= 14)) {
        return Some(failing || lower.contains("test result: failed"));
    }
    let failed = ["build failed", "build failure", "failed (", "test result:", "no tests found", "tests finished:"];
    if failed.iter().any(|start| lower.contains(start)) {
        return Some(!lower.contains("test result: ok"));
    }
    let passed = ["build success", "ok (", "successfully ", "finished `", "finished in", "done in "];
    (words <= 14 && passed.iter().any(|start| lower.starts_with(start))).then_some(false)
}

/// Whether a character stands between the words of a summary.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '=' | ':' | '|' | '[' | ']' | '✖' | '(' | ')')
}

/// How a process ended.
pub(crate) fn ending(line: &str, signals: Signals) -> Option<LineScore> {
    if line.starts_with("make") || line.starts_with("gmake") || line.starts_with("ninja:") {
        let stop = line.contains(": *** ") || line.starts_with("ninja: build stopped");
        return stop.then_some(score(Role::ProcessExit, 65.0));
    }
    if !signals.has(Signals::EXIT) {
        return None;
    }
    Some(ending_or_error(line))
}

pub(crate) fn ending_or_error(line: &str) -> LineScore {
    let lower = line.to_ascii_lowercase();
    let zero = lower.contains("exited with 0")
        || lower.contains("exit code 0")
        || lower.contains("status 0")
        || lower.contains("code: 0");
    match (zero, lower.contains("exit") || lower.contains("elifecycle") || lower.contains("non-zero")) {
        (true, _) => score(Role::ProcessExit, 6.0),
        (false, true) => score(Role::ProcessExit, 80.0),
        (false, false) => score(Role::Error, 75.0),
    }
}

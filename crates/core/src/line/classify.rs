//! Telling one line by its beginning, its place and its words.
//!
//! Each test only adds facts about single lines; how much of them is shown is decided elsewhere, the same way for all.

use super::errors::{labelled, mention, message};
use super::locations::{frame, located, status};
use super::results::{ending, ending_or_error, failing_test, summary};
use super::role::{LineScore, Role, score};
use super::signals::Signals;
use super::system::{audited, troubled};

/// What `body` (a line without its time) says, given the signals found in it.
pub(crate) fn classify_line(body: &str, signals: Signals) -> LineScore {
    let line = body.trim();
    let indent = body.len() - body.trim_start().len();
    let line = line.strip_prefix("[INFO] ").map_or(line, str::trim_start);
    if line.is_empty() {
        return score(Role::Blank, 0.0);
    }
    if let Some(found) = by_start(body, line) {
        return found;
    }
    if let Some(found) = located(body, line, signals) {
        return found;
    }
    if signals.is_empty() {
        return quiet(line);
    }
    if boilerplate(line) {
        return score(Role::Boilerplate, 1.2);
    }
    if let Some(found) = audited(line, signals) {
        return found;
    }
    failing_test(line, signals)
        .or_else(|| summary(line, signals))
        .or_else(|| ending(line, signals))
        .or_else(|| message(line, indent, signals))
        .or_else(|| troubled(line, signals))
        .or_else(|| labelled(line, signals))
        .unwrap_or_else(|| mention(line, signals))
}

/// Sentences that stand after every failure and tell nothing of this one.
fn boilerplate(line: &str) -> bool {
    const SAID: [&str; 16] = [
        "To see the full stack trace of the errors",
        "Re-run Maven using",
        "For more information about the errors",
        "[Help 1]",
        "[Help 2]",
        "After correcting the problems",
        "Please refer to ",
        "Run with --stacktrace",
        "Run with --info",
        "Run with --scan",
        "Get more help at",
        "note: run with `RUST_BACKTRACE",
        "A complete log of this run",
        "run with `RUST_BACKTRACE=1`",
        "For more information about this error, try",
        "-> [Help",
    ];
    let words = line.trim_start_matches("[ERROR]").trim_start_matches(['>', '*', ' ']);
    words.is_empty() || SAID.iter().any(|said| words.starts_with(said))
}

/// Lines that their first characters give away, whatever words follow.
fn by_start(body: &str, line: &str) -> Option<LineScore> {
    let indented = body.starts_with([' ', '\t']);
    let first = line.as_bytes().first().copied().unwrap_or(0);
    match first {
        b'E' | b'F' if glog(line) => Some(score(Role::Error, 50.0)),
        b'W' if glog(line) => Some(score(Role::Warning, 10.0)),
        b'f' if line.starts_with("from ") && line.contains(":in ") => Some(frame(line)),
        b'#' if numbered_frame(line) => Some(frame(line)),
        b'E' if line.starts_with("E  ") => Some(score(Role::Message, 70.0)),
        b'>' if line.starts_with("> ") && indented => Some(score(Role::Detail, 25.0)),
        b'>' if line.starts_with(">  ") => Some(score(Role::Detail, 45.0)),
        b'_' if line.starts_with("____") => underscored(line),
        b'=' | b'-' if line.len() > 8 && rule(line) => Some(score(Role::Plain, 0.0)),
        b'a' if line.starts_with("at ") && (indented || line.contains('(')) => Some(frame(line)),
        _ if indented && line.ends_with(')') && (line.contains(".java:") || line.ends_with("(Native Method)")) => {
            Some(frame(line))
        }
        b'F' if line.starts_with("File \"") && line.contains(", line ") => Some(frame(line)),
        b'-' if line.starts_with("--> ") => Some(score(Role::Location, 12.0)),
        b'-' if line.starts_with("--- FAIL") => Some(score(Role::FailedTest, 100.0)),
        b'-' if line.starts_with("--- PASS") || line.starts_with("--- SKIP") => Some(score(Role::Pass, 0.0)),
        b'-' if line.starts_with("---- ") && line.ends_with(" ----") => Some(score(Role::FailedTest, 60.0)),
        b'=' if line.starts_with("====") && (line.contains(" FAILURES ") || line.contains(" ERRORS ")) => {
            Some(score(Role::Heading, 18.0))
        }
        b'=' if line.starts_with("=== RUN") || line.starts_with("=== PAUSE") || line.starts_with("=== CONT") => {
            Some(score(Role::Plain, 0.0))
        }
        b'$' | b'+' if line.as_bytes().get(1) == Some(&b' ') && !indented => Some(score(Role::Command, 4.0)),
        b'#' if line.starts_with("##[group]") => Some(score(Role::Command, 4.0)),
        b'#' if line.starts_with("##[error]") => Some(ending_or_error(line)),
        b'[' if line.starts_with("[  FAILED  ]") => Some(score(Role::FailedTest, 100.0)),
        b'[' if line.starts_with("[       OK ]") => Some(score(Role::Pass, 0.0)),
        b'[' if line.starts_with("[ RUN ") => Some(score(Role::Plain, 0.0)),
        b'o' if line.starts_with("ok ") && line.as_bytes().get(3).is_some_and(u8::is_ascii_digit) => {
            Some(score(Role::Pass, 0.0))
        }
        b't' if line.starts_with("travis_") => Some(score(Role::Plain, 0.0)),
        _ if line.starts_with(['✓', '✔', '√', '○']) => Some(score(Role::Pass, 0.0)),
        _ if line.starts_with(['❯', '⎯']) && line.contains(':') => Some(score(Role::Location, 25.0)),
        _ => None,
    }
}

/// Lines without a word that tells: a status, a list item, a letter.
fn quiet(line: &str) -> LineScore {
    if let Some(name) = line.strip_suffix(" F").or_else(|| line.strip_suffix(" E"))
        && name.trim_end().contains("test")
        && !name.trim_end().contains(' ')
    {
        return score(Role::FailedTest, 90.0);
    }
    if line.ends_with(" ok") || line.ends_with("PASS") || line.starts_with("PASS ") || line.starts_with("ok ") {
        return score(Role::Pass, 0.0);
    }
    if line.starts_with("rspec ./") {
        return score(Role::FailedTest, 95.0);
    }
    if numbered_item(line) {
        return score(Role::FailedTest, 45.0);
    }
    let asks = line.ends_with(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    match if asks { status(line) } else { None } {
        Some(500..=599) => score(Role::Error, 50.0),
        Some(400..=499) => score(Role::Warning, 3.0),
        _ if line.starts_with("Total time") => score(Role::Plain, 8.0),
        _ => score(Role::Plain, 0.0),
    }
}

/// `  3) suite name`, as mocha, RSpec and PHPUnit number failures.
fn numbered_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && line.as_bytes().get(digits..digits + 2) == Some(b") ")
}

/// Whether a line begins as glog writes it: a letter for the level, month and day, a time.
fn glog(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.get(1..5).is_some_and(|date| date.iter().all(u8::is_ascii_digit))
        && bytes.get(5) == Some(&b' ')
        && line.contains("] ")
}

/// `#0 /path/file.php(12): name()`, `#1  0x0000 in name ()`.
fn numbered_frame(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits) && (rest.contains("): ") || rest.contains(" in ") || rest.contains(" 0x"))
}

/// Whether a line is a ruler.
fn rule(line: &str) -> bool {
    let mut bytes = line.bytes();
    let first = bytes.next();
    bytes.all(|byte| Some(byte) == first)
}

/// `____ test_name ____`, as pytest heads a failure.
fn underscored(line: &str) -> Option<LineScore> {
    let name = line.trim_matches('_').trim();
    match name.is_empty() || !line.ends_with("__") {
        true => Some(score(Role::Plain, 0.0)),
        false => Some(score(Role::FailedTest, if name.starts_with("summary") { 5.0 } else { 75.0 })),
    }
}

#[cfg(test)]
mod tests;

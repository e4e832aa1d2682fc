//! What one line says: a failing test's name, an error, a summary, a frame of a trace, or nothing in particular.
//!
//! Here is what is known of runners, compilers and CI systems. Each only adds facts about single lines; how much of
//! them is shown is decided elsewhere, the same way for all.

use super::places::{frame, located, status};
use super::results::{ending, ending_or_error, failing_test, summary};
use super::signal::Signals;
use super::system::{audited, troubled};
use super::trouble::{labelled, mention, message};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Nothing in particular.
    Plain,
    /// White space only.
    Blank,
    /// A test that passed, a step that went well, progress.
    Pass,
    /// The name of a test that failed.
    Name,
    /// What an exception or an assertion says.
    Message,
    /// An error of a compiler, a tool, a logger.
    Error,
    /// Counts of what went well and what did not.
    Summary,
    /// How a process ended.
    Exit,
    /// Where something is: a file and a line.
    Location,
    /// A frame of a stack trace.
    Frame,
    /// What was expected, and what was found.
    Detail,
    /// A warning.
    Warning,
    /// The heading of a section about failures.
    Heading,
    /// A command that was run, or a step that began.
    Command,
    /// Who came in, or did something with the rights of another.
    Event,
}

/// A line's class, and what seeing it is worth by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    pub(super) class: Class,
    pub(super) worth: f32,
}

pub(super) const fn verdict(class: Class, worth: f32) -> Verdict {
    Verdict { class, worth }
}

/// What `body` (a line without its time) says, given the signals found in it.
pub(super) fn judge(body: &str, signals: Signals) -> Verdict {
    let line = body.trim();
    let indent = body.len() - body.trim_start().len();
    let line = line.strip_prefix("[INFO] ").map_or(line, str::trim_start);
    if line.is_empty() {
        return verdict(Class::Blank, 0.0);
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
        return verdict(Class::Plain, 1.2);
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
fn by_start(body: &str, line: &str) -> Option<Verdict> {
    let indented = body.starts_with([' ', '\t']);
    let first = line.as_bytes().first().copied().unwrap_or(0);
    match first {
        b'E' | b'F' if glog(line) => Some(verdict(Class::Error, 50.0)),
        b'W' if glog(line) => Some(verdict(Class::Warning, 10.0)),
        b'f' if line.starts_with("from ") && line.contains(":in ") => Some(frame(line)),
        b'#' if numbered_frame(line) => Some(frame(line)),
        b'E' if line.starts_with("E  ") => Some(verdict(Class::Message, 70.0)),
        b'>' if line.starts_with("> ") && indented => Some(verdict(Class::Detail, 25.0)),
        b'>' if line.starts_with(">  ") => Some(verdict(Class::Detail, 45.0)),
        b'_' if line.starts_with("____") => underscored(line),
        b'=' | b'-' if line.len() > 8 && rule(line) => Some(verdict(Class::Plain, 0.0)),
        b'a' if line.starts_with("at ") && (indented || line.contains('(')) => Some(frame(line)),
        _ if indented && line.ends_with(')') && (line.contains(".java:") || line.ends_with("(Native Method)")) => {
            Some(frame(line))
        }
        b'F' if line.starts_with("File \"") && line.contains(", line ") => Some(frame(line)),
        b'-' if line.starts_with("--> ") => Some(verdict(Class::Location, 12.0)),
        b'-' if line.starts_with("--- FAIL") => Some(verdict(Class::Name, 100.0)),
        b'-' if line.starts_with("--- PASS") || line.starts_with("--- SKIP") => Some(verdict(Class::Pass, 0.0)),
        b'-' if line.starts_with("---- ") && line.ends_with(" ----") => Some(verdict(Class::Name, 60.0)),
        b'=' if line.starts_with("====") && (line.contains(" FAILURES ") || line.contains(" ERRORS ")) => {
            Some(verdict(Class::Heading, 18.0))
        }
        b'=' if line.starts_with("=== RUN") || line.starts_with("=== PAUSE") || line.starts_with("=== CONT") => {
            Some(verdict(Class::Plain, 0.0))
        }
        b'$' | b'+' if line.as_bytes().get(1) == Some(&b' ') && !indented => Some(verdict(Class::Command, 4.0)),
        b'#' if line.starts_with("##[group]") => Some(verdict(Class::Command, 4.0)),
        b'#' if line.starts_with("##[error]") => Some(ending_or_error(line)),
        b'[' if line.starts_with("[  FAILED  ]") => Some(verdict(Class::Name, 100.0)),
        b'[' if line.starts_with("[       OK ]") => Some(verdict(Class::Pass, 0.0)),
        b'[' if line.starts_with("[ RUN ") => Some(verdict(Class::Plain, 0.0)),
        b'o' if line.starts_with("ok ") && line.as_bytes().get(3).is_some_and(u8::is_ascii_digit) => {
            Some(verdict(Class::Pass, 0.0))
        }
        b't' if line.starts_with("travis_") => Some(verdict(Class::Plain, 0.0)),
        _ if line.starts_with(['✓', '✔', '√', '○']) => Some(verdict(Class::Pass, 0.0)),
        _ if line.starts_with(['❯', '⎯']) && line.contains(':') => Some(verdict(Class::Location, 25.0)),
        _ => None,
    }
}

/// Lines without a word that tells: a status, a list item, a letter.
fn quiet(line: &str) -> Verdict {
    if let Some(name) = line.strip_suffix(" F").or_else(|| line.strip_suffix(" E"))
        && name.trim_end().contains("test")
        && !name.trim_end().contains(' ')
    {
        return verdict(Class::Name, 90.0);
    }
    if line.ends_with(" ok") || line.ends_with("PASS") || line.starts_with("PASS ") || line.starts_with("ok ") {
        return verdict(Class::Pass, 0.0);
    }
    if line.starts_with("rspec ./") {
        return verdict(Class::Name, 95.0);
    }
    if numbered_item(line) {
        return verdict(Class::Name, 45.0);
    }
    let asks = line.ends_with(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    match if asks { status(line) } else { None } {
        Some(500..=599) => verdict(Class::Error, 50.0),
        Some(400..=499) => verdict(Class::Warning, 3.0),
        _ if line.starts_with("Total time") => verdict(Class::Plain, 8.0),
        _ => verdict(Class::Plain, 0.0),
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
fn underscored(line: &str) -> Option<Verdict> {
    let name = line.trim_matches('_').trim();
    match name.is_empty() || !line.ends_with("__") {
        true => Some(verdict(Class::Plain, 0.0)),
        false => Some(verdict(Class::Name, if name.starts_with("summary") { 5.0 } else { 75.0 })),
    }
}

#[cfg(test)]
mod tests;

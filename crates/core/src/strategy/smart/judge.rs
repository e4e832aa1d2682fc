//! What one line says: a failing test's name, an error, a summary, a frame of a trace, or nothing in particular.
//!
//! Here is what is known of runners, compilers and CI systems. Each only adds facts about single lines; how much of
//! them is shown is decided elsewhere, the same way for all.

use super::signal::Signals;
use crate::text;

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
}

/// A line's class, and what seeing it is worth by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    pub(super) class: Class,
    pub(super) worth: f32,
}

const fn verdict(class: Class, worth: f32) -> Verdict {
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
    failing_test(line, signals)
        .or_else(|| summary(line, signals))
        .or_else(|| ending(line, signals))
        .or_else(|| message(line, indent, signals))
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
    if let Some((name, letter)) = line.rsplit_once(' ')
        && matches!(letter, "F" | "E")
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

/// The status of a request, as web servers log it.
fn status(line: &str) -> Option<u16> {
    let bytes = line.as_bytes();
    let at = memchr::memmem::find(bytes, b" HTTP/")?;
    let rest = bytes.get(at + 6..)?;
    let quote = memchr::memchr(b'"', rest.get(..8.min(rest.len()))?)?;
    let code = line.get(at + 6 + quote + 2..at + 6 + quote + 5)?;
    code.parse().ok()
}

/// A line that begins with a place: `path/file.ext:12: words`, `file.ext(12,3): words`, `path.py:12: in name`.
fn located(body: &str, line: &str, signals: Signals) -> Option<Verdict> {
    let bytes = line.as_bytes();
    let end = bytes.iter().take(160).position(|&byte| matches!(byte, b':' | b'(' | b' '))?;
    let (path, rest) = line.split_at(end);
    let (_, ending) = path.rsplit_once('.')?;
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
    if ending.is_empty()
        || ending.len() > 5
        || !plain(ending)
        || !rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
    {
        return None;
    }
    let words =
        rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '(' | ')' | ',' | '-')).trim_start();
    let lower = text::slice(words, 0..60).to_ascii_lowercase();
    if lower.starts_with("error") || lower.starts_with("fatal") || lower.starts_with("- error") {
        return Some(verdict(Class::Error, 75.0));
    }
    if lower.starts_with("note") || lower.starts_with("in ") || lower.starts_with("required from") {
        return Some(if words.is_empty() { verdict(Class::Frame, 4.0) } else { verdict(Class::Frame, 7.0) });
    }
    if lower.starts_with("warn") {
        return Some(verdict(Class::Warning, 10.0));
    }
    if exception(words).is_some() || lower.contains("error") && words.len() < 60 {
        return Some(verdict(Class::Location, 55.0));
    }
    let strong = signals.has(Signals::ERROR.with(Signals::FAIL).with(Signals::REFUSAL).with(Signals::EXPECT));
    let indented = body.starts_with([' ', '\t']);
    Some(verdict(
        Class::Location,
        if strong {
            35.0
        } else if indented {
            16.0
        } else {
            8.0
        },
    ))
}

/// Marks of frames that are not the user's own.
const FOREIGN: [&str; 34] = [
    "site-packages",
    "dist-packages",
    "node_modules",
    "/lib/python",
    "/usr/lib",
    "/usr/local/lib",
    "/rustc/",
    "/gems/",
    "vendor/",
    "java.base",
    "java.lang.",
    "java.util.",
    "jdk.",
    "sun.",
    "org.junit",
    "junit.",
    "org.testng",
    "org.gradle",
    "org.apache.maven",
    "org.codehaus",
    "kotlin.",
    "scala.",
    "groovy.",
    "node:internal",
    "(internal/",
    "(node:",
    "System.",
    "Microsoft.",
    "Xunit.",
    "NUnit.",
    "org.springframework",
    "org.mockito",
    "<frozen ",
    "org.hamcrest",
];

/// A frame of a trace; one of the user's own says more than a library's, and one of a test most.
fn frame(line: &str) -> Verdict {
    if FOREIGN.iter().any(|mark| line.contains(mark)) {
        return verdict(Class::Frame, 0.6);
    }
    let tests = line.contains("test") || line.contains("Test") || line.contains("spec");
    verdict(Class::Frame, if tests { 16.0 } else { 9.0 })
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

/// A line that names a test that failed.
fn failing_test(line: &str, signals: Signals) -> Option<Verdict> {
    if signals.has(Signals::CROSS) {
        let rest = line.trim_start_matches(['✕', '✗', '×', '✘', '❌', '✖', '●']);
        if rest.len() < line.len() {
            if summary_counts(rest).is_some() {
                return Some(verdict(Class::Summary, 90.0));
            }
            return Some(verdict(Class::Name, if rest.trim().is_empty() { 5.0 } else { 95.0 }));
        }
    }
    if !signals.has(Signals::FAIL.with(Signals::ERROR)) {
        return None;
    }
    if let Some(rest) = line.strip_prefix("not ok") {
        let todo = rest.contains("# TODO") || rest.contains("# SKIP") || rest.contains("# todo");
        return Some(verdict(Class::Name, if todo { 2.0 } else { 100.0 }));
    }
    if line.contains("<<< FAIL") || line.contains("<<< ERROR") {
        return Some(verdict(Class::Name, 95.0));
    }
    for mark in ["FAILED ", "ERROR ", "FAIL ", "FAIL\t", "Failed "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let rest = rest.trim_start();
            // nextest puts the time first.
            let rest = rest.strip_prefix('[').and_then(|time| time.split_once("] ")).map_or(rest, |(_, name)| name);
            let name = rest.split([' ', '\t']).next().unwrap_or("");
            if named(name) || rest.contains("::") {
                return Some(verdict(Class::Name, 100.0));
            }
        }
    }
    for mark in ["FAIL: ", "ERROR: "] {
        if let Some(rest) = line.strip_prefix(mark) {
            let name = rest.split([' ', '(']).next().unwrap_or("");
            let called = rest.contains('(') || mark == "FAIL: " || named(name);
            if called && identifier(name) {
                return Some(verdict(Class::Name, 100.0));
            }
        }
    }
    if let Some(rest) = line.strip_suffix("FAILED").or_else(|| line.strip_suffix("FAIL")) {
        let rest = rest.trim_end();
        if rest.starts_with("> Task") || rest.starts_with("BUILD") {
            return Some(verdict(Class::Error, 70.0));
        }
        if rest.is_empty() {
            return Some(verdict(Class::Name, 40.0));
        }
        return Some(verdict(Class::Name, 100.0));
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
            return Some(verdict(Class::Name, 100.0));
        }
    }
    if line.contains("::") && (line.contains(" FAILED") || line.contains("FAILED ") || line.contains(" ERROR")) {
        return Some(verdict(Class::Name, 90.0));
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

/// A line of counts.
fn summary(line: &str, signals: Signals) -> Option<Verdict> {
    let failing = summary_counts(line)?;
    if line.starts_with("Ran ") && line.contains(" test") {
        return Some(verdict(Class::Summary, 60.0));
    }
    if line.contains("BUILD SUCCESS") {
        return Some(verdict(Class::Summary, 60.0));
    }
    let long = line.len() > 220;
    let worth = match (failing, signals.has(Signals::COUNT.with(Signals::FAIL).with(Signals::ERROR))) {
        (true, _) => 90.0,
        (false, true) => 5.0,
        (false, false) => 3.0,
    };
    (!long).then_some(verdict(Class::Summary, worth))
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
fn ending(line: &str, signals: Signals) -> Option<Verdict> {
    if line.starts_with("make") || line.starts_with("gmake") || line.starts_with("ninja:") {
        let stop = line.contains(": *** ") || line.starts_with("ninja: build stopped");
        return stop.then_some(verdict(Class::Exit, 65.0));
    }
    if !signals.has(Signals::EXIT) {
        return None;
    }
    Some(ending_or_error(line))
}

fn ending_or_error(line: &str) -> Verdict {
    let lower = line.to_ascii_lowercase();
    let zero = lower.contains("exit code 0") || lower.contains("status 0") || lower.contains("code: 0");
    match (zero, lower.contains("exit") || lower.contains("elifecycle") || lower.contains("non-zero")) {
        (true, _) => verdict(Class::Exit, 6.0),
        (false, true) => verdict(Class::Exit, 80.0),
        (false, false) => verdict(Class::Error, 75.0),
    }
}

/// What an exception or an assertion says.
fn message(line: &str, indent: usize, signals: Signals) -> Option<Verdict> {
    if signals.has(Signals::FATAL) {
        if line.contains("panicked at") || line.starts_with("panic:") || line.starts_with("fatal:") {
            return Some(verdict(Class::Message, 90.0));
        }
        let dire = ["No space left on device", "OutOfMemory", "ut of memory", "core dumped"];
        if dire.iter().any(|dire| line.contains(dire)) {
            return Some(verdict(Class::Error, 65.0));
        }
        if line.starts_with("FATAL") || line.starts_with("fatal error") || line.contains("Segmentation fault") {
            return Some(verdict(Class::Message, 80.0));
        }
    }
    if line.starts_with("Unhandled exception") || line.starts_with("** (") && line.contains("Error)") {
        return Some(verdict(Class::Message, 75.0));
    }
    if line.starts_with("Traceback (most recent call last)") {
        return Some(verdict(Class::Heading, 20.0));
    }
    if let Some(rest) = line.strip_prefix("Caused by:").or_else(|| line.strip_prefix("Caused:")) {
        return Some(verdict(Class::Message, if rest.trim().is_empty() { 30.0 } else { 65.0 }));
    }
    if signals.has(Signals::CAUSE) && line.starts_with("Caused an ERROR") {
        return Some(verdict(Class::Message, 50.0));
    }
    if signals
        .has(Signals::ERROR.with(Signals::EXCEPTION).with(Signals::FAIL).with(Signals::WARN).with(Signals::REFUSAL))
        && let Some(found) = exception(line)
    {
        return Some(found);
    }
    if signals.has(Signals::EXPECT) {
        if line.starts_with("assert") || line.starts_with("Assert") || line.starts_with("expect(") {
            // Deep in, it is code that is quoted.
            return Some(if indent >= 4 { verdict(Class::Detail, 12.0) } else { verdict(Class::Message, 60.0) });
        }
        let lower = line.get(..12).unwrap_or(line).to_ascii_lowercase();
        if lower.starts_with("expect") || lower.starts_with("+ expect") || lower.starts_with("- expect") {
            return Some(verdict(Class::Detail, 30.0));
        }
    }
    None
}

/// `some.package.NameError: words`, or the name alone.
fn exception(line: &str) -> Option<Verdict> {
    let line = line.strip_prefix("=> ").unwrap_or(line);
    let line = line.strip_prefix("Uncaught ").or_else(|| line.strip_prefix("Exception in thread ")).unwrap_or(line);
    let line = line.strip_prefix("\"main\" ").unwrap_or(line);
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '\\' | '/' | ':')))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    // The colon that ends a name is not part of it.
    let (name, rest) = line.split_at(name.trim_end_matches(':').len().min(line.len() - rest.len()));
    let last = name.rsplit(['.', '\\', '$', ':']).next().unwrap_or(name);
    let capital = last.starts_with(|c: char| c.is_ascii_uppercase());
    let thrown = [
        "Error",
        "Exception",
        "Failure",
        "Failed",
        "Fault",
        "Exit",
        "Interrupt",
        "Warning",
        "Timeout",
        "NotFound",
        "Invalid",
    ];
    let ends = thrown.iter().find(|end| last.ends_with(**end) && (last.len() > end.len() || name.len() > last.len()));
    if !capital
        || ends.is_none()
        || !(rest.is_empty()
            || rest.starts_with(": ")
            || rest.starts_with(":\n")
            || rest == ":"
            || rest.starts_with(" at "))
    {
        return None;
    }
    let worth = if ends == Some(&"Warning") { 12.0 } else { 80.0 };
    let class = if ends == Some(&"Warning") { Class::Warning } else { Class::Message };
    Some(verdict(class, worth))
}

/// Lines that a tool or a logger labelled itself.
fn labelled(line: &str, signals: Signals) -> Option<Verdict> {
    const FINAL: [&str; 8] = [
        "Failed to execute goal",
        "Execution failed for task",
        "could not compile",
        "failed to solve",
        "marked build as failure",
        "unsuccessful",
        "Command failed",
        "aborting due to",
    ];
    let lower = text::slice(line, 0..240).to_ascii_lowercase();
    if FINAL.iter().any(|end| text::slice(line, 0..240).contains(end)) {
        return Some(verdict(Class::Error, 90.0));
    }
    let start = lower.trim_start_matches(['[', '(', '*', '!', ' ', '<', '✘']);
    if signals.has(Signals::ERROR) {
        let begins = ["error:", "error[", "error]", "error ", "errors:", "err!", "npm err!", "error\t", "error("];
        if begins.iter().any(|begin| start.starts_with(begin)) || lower.starts_with("npm err!") {
            return Some(verdict(Class::Error, 65.0));
        }
        if lower.contains(": error:") || lower.contains(": error ") || lower.contains(": fatal error") {
            return Some(verdict(Class::Error, 75.0));
        }
        let json = ["\"level\":\"error\"", "\"level\": \"error\"", "\"severity\":\"error\"", " error at ", "as errors"];
        if json.iter().any(|level| lower.contains(level)) {
            return Some(verdict(Class::Error, 50.0));
        }
        if lower.contains("  error  ") || lower.contains("level=error") || lower.contains(" error: ") {
            return Some(verdict(Class::Error, 55.0));
        }
        if line.contains(" ERROR ") || line.contains("[ERROR]") || line.contains("|ERROR|") || line.contains(".ERROR") {
            return Some(verdict(Class::Error, 55.0));
        }
    }
    if signals.has(Signals::REFUSAL) {
        const PHRASES: [(&str, f32); 10] = [
            ("undefined reference", 45.0),
            ("command not found", 45.0),
            ("not found for architecture", 45.0),
            ("cannot find symbol", 40.0),
            ("permission denied", 35.0),
            ("connection refused", 35.0),
            ("no such file or directory", 22.0),
            ("cannot find module", 45.0),
            ("module not found", 45.0),
            ("unable to ", 18.0),
        ];
        if line.starts_with("E: ") {
            return Some(verdict(Class::Error, 60.0));
        }
        if let Some((_, worth)) = PHRASES.iter().find(|(phrase, _)| lower.contains(phrase)) {
            return Some(verdict(Class::Error, *worth));
        }
    }
    if signals.has(Signals::FATAL)
        && (start.starts_with("fatal")
            || start.starts_with("critical")
            || line.contains(" FATAL ")
            || line.contains(" CRITICAL "))
    {
        return Some(verdict(Class::Error, 70.0));
    }
    if signals.has(Signals::FAIL)
        && (start.starts_with("failed") || start.starts_with("failure") || start.starts_with("failing"))
    {
        let heading = line.ends_with(':') || line.len() < 24;
        return Some(verdict(if heading { Class::Heading } else { Class::Error }, 45.0));
    }
    if signals.has(Signals::WARN) {
        let begins = ["warning:", "warning[", "warning]", "warn:", "warn ", "warning ", "warn]"];
        if begins.iter().any(|begin| start.starts_with(begin))
            || lower.contains(": warning:")
            || lower.contains(" warning  ")
            || line.contains(" WARN ")
        {
            return Some(verdict(Class::Warning, 10.0));
        }
    }
    None
}

/// Lines that only mention something.
fn mention(line: &str, signals: Signals) -> Verdict {
    let mut worth: f32 = 0.0;
    if signals.has(Signals::ERROR.with(Signals::FAIL).with(Signals::EXCEPTION)) {
        worth += match spoken(
            line,
            &["error", "errors", "fail", "failed", "fails", "failure", "failures", "exception", "failing"],
        ) {
            true => 14.0,
            false => 2.5,
        };
    }
    if signals.has(Signals::FATAL) {
        worth += 12.0;
    }
    if signals.has(Signals::REFUSAL) {
        worth += 7.0;
    }
    if signals.has(Signals::EXPECT) {
        worth += 4.0;
    }
    if signals.has(Signals::WARN) {
        worth += 3.0;
    }
    if signals.has(Signals::CAUSE) {
        worth += 3.0;
    }
    let passing =
        line.ends_with("ok") || line.ends_with("PASSED") || line.contains(" PASSED ") || line.contains(" passed");
    if passing && worth < 12.0 {
        return verdict(Class::Pass, 0.0);
    }
    verdict(Class::Plain, worth)
}

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
    use crate::strategy::smart::signal;

    fn class(line: &str) -> Verdict {
        judge(line, signal::of_line(line))
    }

    #[test]
    fn names_of_failing_tests_are_known_in_every_runner() {
        let lines = [
            "FAILED tests/test_a.py::test_b - AssertionError: x",
            "ERROR tests/test_a.py::test_b",
            "tests/test_a.py::test_b FAILED                 [ 12%]",
            "[gw1] [ 91%] FAILED tests/test_a.py::test_b",
            "FAIL: test_basic (tests.test_more.DistributeTest)",
            "ERROR: test_basic (tests.test_more.DistributeTest)",
            "test_basic (tests.T) ... FAIL",
            "test_basic (tests.T) ... ERROR",
            "test foo::bar ... FAILED",
            "--- FAIL: TestUnmarshal (0.01s)",
            "    --- FAIL: TestUnmarshal/case_1 (0.01s)",
            "FAIL src/app.test.ts",
            " FAIL  src/v3/tests/number.test.ts > passing validations",
            "  ● suite › does a thing",
            "    ✕ does a thing (12 ms)",
            "   × does a thing 12ms",
            "not ok 12 - does a thing",
            "com.example.FooTest > testBar FAILED",
            "[ERROR] com.example.FooTest.testBar  Time elapsed: 0.003 s  <<< FAILURE!",
            "testBar(com.example.FooTest)  Time elapsed: 0.003 sec  <<< ERROR!",
            "[  FAILED  ] FooTest.Bar (3 ms)",
            " 3/10 Test  #3: foo_test .........................***Failed    0.02 sec",
            "          3 - foo_test (Failed)",
            "  Failed Namespace.Tests.FooTest.Bar [12 ms]",
            "rspec ./spec/foo_spec.rb:12 # Foo does bar",
            "test_tensor_product_simp F",
            "FAIL\texample.com/jsonx\t8.824s",
            "        FAIL [   0.012s] my-crate tests::works",
            "✗ does a thing",
        ];
        let wrong: Vec<_> =
            lines.iter().filter(|line| class(line).class != Class::Name).map(|line| (line, class(line))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn summaries_and_endings_are_worth_showing() {
        let lines = [
            "========================= 1 failed, 2 passed in 19.26s =========================",
            "test result: FAILED. 140 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 15.37s",
            "FAILED (failures=5, skipped=1)",
            "Ran 817 tests in 9.136s",
            "Tests:       3 failed, 116 skipped, 9621 passed, 9740 total",
            "Tests  1 failed | 544 passed (545)",
            "  11 failing",
            "Tests run: 271, Failures: 0, Errors: 2, Skipped: 2",
            "[ERROR] Tests run: 21, Failures: 1, Errors: 0, Skipped: 1",
            "873 tests completed, 2 failed, 32 skipped",
            "12 examples, 3 failures",
            "12 runs, 20 assertions, 1 failures, 0 errors, 0 skips",
            "Tests: 10, Assertions: 20, Failures: 1.",
            "Failed!  - Failed:     1, Passed:    10, Skipped:     0, Total:    11, Duration: 12 ms - x.dll (net8.0)",
            "67% tests passed, 1 tests failed out of 3",
            "Found 44 errors in 22 files.",
            "✖ 954 problems (7 errors, 947 warnings)",
            "2 errors generated.",
            "BUILD FAILED in 12s",
            "[INFO] BUILD FAILURE",
            "[INFO] BUILD SUCCESS",
            "# fail 3",
            "     Summary [   1.2s] 396 tests run: 395 passed, 1 failed, 12 skipped",
            "##[error]Process completed with exit code 1.",
            "The command \"npm test\" exited with 1.",
            "npm ERR! code ELIFECYCLE",
            "make: *** [Makefile:136: all] Error 2",
            "gmake[2]: *** [CMakeFiles/x.dir/build.make:104: x.o] Error 1",
            "ninja: build stopped: subcommand failed.",
            "error Command failed with exit code 1.",
            "Error: Process completed with exit code 2.",
            "collect2: error: ld returned 1 exit status",
            "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.0:compile",
            "FAILURE: Build failed with an exception.",
            "Execution failed for task ':app:test'.",
            "Build FAILED.",
            "    3 Error(s)",
            "error: could not compile `clap` (lib) due to 2 previous errors",
            "Command exited with code 1",
            "FAILED (errors=1)",
        ];
        let wrong: Vec<_> =
            lines.iter().filter(|line| class(line).worth < 40.0).map(|line| (line, class(line))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn errors_and_messages_are_worth_showing() {
        let lines = [
            "error[E0599]: no method named `x` found",
            "src/a.c:12:5: error: expected ';' before '}' token",
            "src/a.ts(5,17): error TS2394: This overload signature is not compatible",
            "src/a.ts:5:17 - error TS2394: This overload signature is not compatible",
            "a.py:104: error: Need type annotation",
            "  3853:45  error    'define' is not defined   no-undef",
            "E       AssertionError: assert 1 == 2",
            "AssertionError: False is not true",
            "AssertionError",
            "java.lang.NullPointerException: Cannot invoke",
            "java.lang.NullPointerException",
            "Caused by: java.io.IOException: No space left on device",
            "thread 'main' panicked at src/lib.rs:4289:17:",
            "panic: runtime error: index out of range [3] with length 3",
            "fatal: not a git repository",
            "fatal error: 'x.h' file not found",
            "TypeError: Cannot read properties of undefined (reading 'x')",
            "Uncaught Error: boom",
            "System.InvalidOperationException: Sequence contains no elements",
            "ActiveRecord::RecordNotFound: Could not find User",
            "ERROR: Could not find a version that satisfies the requirement x",
            "[ERROR] COMPILATION ERROR :",
            "2021-01-01 00:00:00 ERROR something bad",
            "E: Unable to locate package foo",
            "ld: symbol(s) not found for architecture x86_64",
            "undefined reference to `deflate_fast'",
            "bash: foo: command not found",
            "ModuleNotFoundError: No module named 'x'",
            "npm ERR! 404 Not Found",
            "Error: Cannot find module 'x'",
            "x.go:12:3: undefined: foo",
            "CMake Error at CMakeLists.txt:3 (find_package):",
            "PHP Fatal error:  Uncaught Error: Call to undefined function",
            "Segmentation fault (core dumped)",
            "Unhandled exception. System.Exception: x",
            "error CS1002: ; expected",
            "Program.cs(3,5): error CS1002: ; expected",
            "RuntimeError: CUDA out of memory.",
            "Traceback (most recent call last):",
            "ERROR in ./src/index.js",
            "Module not found: Error: Can't resolve './x'",
            "SyntaxError: Unexpected token (1:2)",
            "level=error msg=\"boom\"",
            "{\"level\":\"error\",\"msg\":\"boom\"}",
            "docker: Error response from daemon: x",
            "ERROR: failed to solve: process \"/bin/sh -c x\" did not complete successfully: exit code: 1",
            "Failure/Error: expect(x).to eq(2)",
            "** (RuntimeError) boom",
            "cc1plus: all warnings being treated as errors",
            "configure: error: no acceptable C compiler found",
        ];
        let wrong: Vec<_> =
            lines.iter().filter(|line| class(line).worth < 20.0).map(|line| (line, class(line))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn lines_that_only_sound_bad_are_not_worth_much() {
        let lines = [
            "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
            "0 errors, 0 warnings",
            "Compiling error-chain v0.12.4",
            "Downloading: http://repo/org/x/failureaccess-1.0.jar",
            "copying src/errors.py -> build/lib/errors.py",
            "test errors::display ... ok",
            "tests/test_errors.py::test_error_message PASSED",
            "   Compiling thiserror v1.0.0",
            "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in FooErrorTest",
            "Setting up liberror-perl (0.17029-1) ...",
            "  -Werror -Wall",
            "--- PASS: TestError (0.00s)",
            "ok 12 - throws an error",
            "✓ throws an error",
        ];
        let wrong: Vec<_> =
            lines.iter().filter(|line| class(line).worth > 12.0).map(|line| (line, class(line))).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

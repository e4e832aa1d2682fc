//! What goes wrong, in the words of exceptions, compilers, tools and loggers.

use super::role::{LineScore, Role, score};
use super::signals::Signals;
use crate::text;

/// What an exception or an assertion says.
pub(crate) fn message(line: &str, indent: usize, signals: Signals) -> Option<LineScore> {
    if signals.has(Signals::FATAL) {
        if line.contains("panicked at") || line.starts_with("panic:") || line.starts_with("fatal:") {
            return Some(score(Role::Message, 90.0));
        }
        let dire = ["No space left on device", "OutOfMemory", "ut of memory", "core dumped"];
        if dire.iter().any(|dire| line.contains(dire)) {
            return Some(score(Role::Error, 65.0));
        }
        if line.starts_with("FATAL") || line.starts_with("fatal error") || line.contains("Segmentation fault") {
            return Some(score(Role::Message, 80.0));
        }
    }
    if line.starts_with("Unhandled exception") || line.starts_with("** (") && line.contains("Error)") {
        return Some(score(Role::Message, 75.0));
    }
    if line.starts_with("Traceback (most recent call last)") {
        return Some(score(Role::Heading, 20.0));
    }
    if let Some(rest) = line.strip_prefix("Caused by:").or_else(|| line.strip_prefix("Caused:")) {
        return Some(score(Role::Message, if rest.trim().is_empty() { 30.0 } else { 65.0 }));
    }
    if signals.has(Signals::CAUSE) && line.starts_with("Caused an ERROR") {
        return Some(score(Role::Message, 50.0));
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
            return Some(if indent >= 4 { score(Role::Detail, 12.0) } else { score(Role::Message, 60.0) });
        }
        let lower = line.get(..12).unwrap_or(line).to_ascii_lowercase();
        if lower.starts_with("expect") || lower.starts_with("+ expect") || lower.starts_with("- expect") {
            return Some(score(Role::Detail, 30.0));
        }
    }
    None
}

/// `some.package.NameError: words`, or the name alone.
pub(crate) fn exception(line: &str) -> Option<LineScore> {
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
    let class = if ends == Some(&"Warning") { Role::Warning } else { Role::Message };
    Some(score(class, worth))
}

/// Lines that a tool or a logger labelled itself.
pub(crate) fn labelled(line: &str, signals: Signals) -> Option<LineScore> {
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
    let severe = Signals::ERROR.with(Signals::FAIL).with(Signals::REFUSAL);
    if !signals.has(severe.with(Signals::FATAL).with(Signals::WARN)) {
        return None;
    }
    let beginning = text::slice(line, 0..240);
    if signals.has(severe) && FINAL.iter().any(|end| beginning.contains(end)) {
        return Some(score(Role::Error, 90.0));
    }
    let lower = beginning.to_ascii_lowercase();
    let start = lower.trim_start_matches(['[', '(', '*', '!', ' ', '<', '✘', '│', '|', '>', '╷']);
    if signals.has(Signals::ERROR) {
        let begins = ["error:", "error[", "error]", "error ", "errors:", "err!", "npm err!", "error\t", "error("];
        if begins.iter().any(|begin| start.starts_with(begin)) || lower.starts_with("npm err") {
            return Some(score(Role::Error, 65.0));
        }
        if lower.contains(": error:") || lower.contains(": error ") || lower.contains(": fatal error") {
            return Some(score(Role::Error, 75.0));
        }
        let json = ["\"level\":\"error\"", "\"level\": \"error\"", "\"severity\":\"error\"", " error at ", "as errors"];
        if json.iter().any(|level| lower.contains(level)) {
            return Some(score(Role::Error, 50.0));
        }
        if lower.contains("  error  ") || lower.contains("level=error") || lower.contains(" error: ") {
            return Some(score(Role::Error, 55.0));
        }
        if line.contains(" ERROR ") || line.contains("[ERROR]") || line.contains("|ERROR|") || line.contains(".ERROR") {
            return Some(score(Role::Error, 55.0));
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
            return Some(score(Role::Error, 60.0));
        }
        if let Some((_, worth)) = PHRASES.iter().find(|(phrase, _)| lower.contains(phrase)) {
            return Some(score(Role::Error, *worth));
        }
    }
    if signals.has(Signals::FATAL)
        && (start.starts_with("fatal")
            || start.starts_with("critical")
            || line.contains(" FATAL ")
            || line.contains(" CRITICAL "))
    {
        return Some(score(Role::Error, 70.0));
    }
    if signals.has(Signals::FAIL)
        && (start.starts_with("failed") || start.starts_with("failure") || start.starts_with("failing"))
    {
        let heading = line.ends_with(':') || line.len() < 24;
        return Some(score(if heading { Role::Heading } else { Role::Error }, 45.0));
    }
    if signals.has(Signals::FAIL) {
        const SAID: [(&str, f32); 4] =
            [("commands failed", 60.0), (": failed to ", 30.0), ("failed to ", 22.0), ("failed with ", 22.0)];
        if let Some((_, worth)) = SAID.iter().find(|(said, _)| lower.contains(said)) {
            return Some(score(Role::Error, *worth));
        }
    }
    if signals.has(Signals::WARN) {
        let begins = ["warning:", "warning[", "warning]", "warn:", "warn ", "warning ", "warn]"];
        if begins.iter().any(|begin| start.starts_with(begin))
            || lower.contains(": warning:")
            || lower.contains(" warning  ")
            || line.contains(" WARN ")
            || lower.contains("level=warn")
            || lower.contains("\"level\":\"warn")
        {
            return Some(score(Role::Warning, 10.0));
        }
    }
    None
}

/// Lines that only mention something.
pub(crate) fn mention(line: &str, signals: Signals) -> LineScore {
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
        return score(Role::Pass, 0.0);
    }
    score(Role::Plain, worth)
}

/// Whether one of `wanted` stands in the line as a word of its own, not as a part of a name.
fn spoken(line: &str, wanted: &[&str]) -> bool {
    line.split([' ', '\t', '(', ')', '[', ']', '"', '!', '|', '\'']).any(|word| {
        let word = word.trim_end_matches([':', ',', '.', ';', '!']);
        word.len() < 12 && wanted.iter().any(|wanted| word.eq_ignore_ascii_case(wanted))
    })
}

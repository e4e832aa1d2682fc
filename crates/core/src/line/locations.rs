//! Where things happen: frames of traces, places in files, requests.

use super::errors::exception;
use super::role::{LineScore, Role, score};
use super::signals::Signals;
use crate::text;

/// A line that begins with a place: `path/file.ext:12: words`, `file.ext(12,3): words`, `path.py:12: in name`.
pub(crate) fn located(body: &str, line: &str, signals: Signals) -> Option<LineScore> {
    let bytes = line.as_bytes();
    let end = bytes.iter().take(160).position(|&byte| matches!(byte, b':' | b'(' | b' '))?;
    let (path, rest) = line.split_at(end);
    if !rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let ending = path.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
    let dotted = path.len() > ending && path.as_bytes().get(path.len() - ending - 1) == Some(&b'.');
    if !dotted || !(1..=5).contains(&ending) {
        return None;
    }
    let words =
        rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '(' | ')' | ',' | '-')).trim_start();
    let lower = text::slice(words, 0..60).to_ascii_lowercase();
    if words.ends_with("Error)") || words.ends_with("Exception)") {
        return Some(score(Role::Message, 80.0));
    }
    if lower.starts_with("error") || lower.starts_with("fatal") || lower.starts_with("- error") {
        return Some(score(Role::Error, 75.0));
    }
    if lower.starts_with("note") || lower.starts_with("in ") || lower.starts_with("required from") {
        return Some(if words.is_empty() { score(Role::Frame, 4.0) } else { score(Role::Frame, 7.0) });
    }
    if lower.starts_with("warn") {
        return Some(score(Role::Warning, 10.0));
    }
    if exception(words).is_some() || lower.contains("error") && words.len() < 60 {
        return Some(score(Role::Location, 55.0));
    }
    let strong = signals.has(Signals::ERROR.with(Signals::FAIL).with(Signals::REFUSAL).with(Signals::EXPECT));
    let indented = body.starts_with([' ', '\t']);
    Some(score(
        Role::Location,
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
pub(crate) fn frame(line: &str) -> LineScore {
    if FOREIGN.iter().any(|mark| line.contains(mark)) {
        return score(Role::Frame, 0.6);
    }
    let tests = line.contains("test") || line.contains("Test") || line.contains("spec");
    score(Role::Frame, if tests { 16.0 } else { 9.0 })
}

/// The status of a request, as web servers log it.
pub(crate) fn status(line: &str) -> Option<u16> {
    let bytes = line.as_bytes();
    let at = memchr::memmem::find(bytes, b" HTTP/")?;
    let rest = bytes.get(at + 6..)?;
    let quote = memchr::memchr(b'"', rest.get(..8.min(rest.len()))?)?;
    let code = line.get(at + 6 + quote + 2..at + 6 + quote + 5)?;
    code.parse().ok()
}

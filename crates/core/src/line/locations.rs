//! Where things happen: frames of traces, places in files, requests.

use super::role::{LineScore, Role, Severity};
use super::weights;
use super::word_lists::{FRAMES_FOREIGN, FRAMES_LEVELS, FRAMES_PLACES, FRAMES_TESTS};

/// The words behind a place that a line begins with: `path/file.ext:12: words`, `file.ext(12,3): words`,
/// `path.py:12: in name`, and behind the name of the tool that says so: `vet: ./main.go:3:5: words`.
pub(crate) fn behind_place(line: &str) -> Option<&str> {
    behind_bare_place(line).or_else(|| behind_bare_place(behind_tool(line)?))
}

/// Names of tools are no longer, in bytes.
const LONGEST_TOOL: usize = 16;

/// What stands behind the name of a tool that a line begins with.
fn behind_tool(line: &str) -> Option<&str> {
    let is_of_name =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'_');
    let end = line.bytes().take(LONGEST_TOOL + 1).position(|byte| !is_of_name(&byte))?;
    let (name, rest) = line.split_at(end);
    rest.strip_prefix(": ").filter(|_| end > 1 && !FRAMES_LEVELS.contains(&name))
}

fn behind_bare_place(line: &str) -> Option<&str> {
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
    let number = |c: char| c.is_ascii_digit() || matches!(c, ':' | '(' | ')' | ',' | '-');
    Some(rest.trim_start_matches(number).trim_start())
}

/// The score of a frame; one of the user's own says more than a library's, and one of a test most.
pub(crate) fn frame(line: &str) -> LineScore {
    let holds = |marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
    let severity = match () {
        () if holds(FRAMES_FOREIGN) => Severity::Negligible,
        () if holds(FRAMES_TESTS) => Severity::Medium,
        () => Severity::Low,
    };
    weights::score(Role::Frame, severity, None)
}

/// Whether a frame is of the user's own code, not of a library.
pub(crate) fn is_own_frame(line: &str) -> bool {
    frame(line).severity > Severity::Negligible
}

/// Whether a line begins with a place in a file that others wrote: `/usr/include/c++/12/ostream:754:5: error: x`.
pub(crate) fn is_foreign_place(line: &str) -> bool {
    let path = line.split([':', '(', ' ']).next().unwrap_or("");
    path.contains('/')
        && (FRAMES_PLACES.iter().any(|mark| path.contains(mark))
            || FRAMES_FOREIGN.iter().any(|mark| path.contains(mark)))
}

/// The status of a request, as web servers log it.
pub(super) fn status(line: &str) -> Option<u16> {
    let bytes = line.as_bytes();
    let at = memchr::memmem::find(bytes, b" HTTP/")?;
    let rest = bytes.get(at + 6..)?;
    let quote = memchr::memchr(b'"', rest.get(..8.min(rest.len()))?)?;
    let code = line.get(at + 6 + quote + 2..at + 6 + quote + 5)?;
    code.parse().ok()
}

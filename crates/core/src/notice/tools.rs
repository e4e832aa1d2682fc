//! What the built-in tools say about their own limits, to the character.

use super::one_line;
use crate::limit::short_size;

/// More matches than were asked for.
pub fn match_limit(limit: u64) -> String {
    format!("[{limit} matches limit reached. Use limit={} for more, or refine pattern]", limit.saturating_mul(2))
}

/// More results than were asked for.
pub fn result_limit(limit: u64) -> String {
    format!("[{limit} results limit reached. Use limit={} for more, or refine pattern]", limit.saturating_mul(2))
}

/// More entries than were asked for.
pub fn entry_limit(limit: u64) -> String {
    format!("[{limit} entries limit reached. Use limit={} for more]", limit.saturating_mul(2))
}

/// More bytes than fit.
pub fn byte_limit(bytes: u64) -> String {
    format!("[{} limit reached]", short_size(bytes))
}

/// More bytes of matches than fit; `more` where there are more matches than the `total` that were counted.
pub fn match_byte_limit(bytes: u64, shown: u64, total: u64, more: bool) -> String {
    let plus = if more { "+" } else { "" };
    format!("[{} limit reached ({shown} of {total}{plus} matches shown)]", short_size(bytes))
}

/// What stands at the end of a line that was too long.
pub const LINE_TRUNCATED: &str = "... [truncated]";

/// Lines were cut to so many characters.
pub fn lines_truncated(chars: u64) -> String {
    format!("[Some lines truncated to {chars} chars. Use read tool to see full lines]")
}

/// Files or folders that a walk could not look into.
pub fn unreadable(count: u64, first: &str) -> String {
    let first = one_line(first, 160);
    match count {
        1 => format!("[1 path could not be read: {first}]"),
        _ => format!("[{count} paths could not be read, the first: {first}]"),
    }
}

/// A file that is not text.
pub fn binary_file(path: &str, name: &str, bytes: u64, why: Option<&str>) -> String {
    let why = why.map(|why| format!("; {why}")).unwrap_or_default();
    format!("[Binary file {}: {name}, {}{why}]", one_line(path, 200), short_size(bytes))
}

/// A match in a file that is not text.
pub fn binary_matches(path: &str) -> String {
    format!("Binary file {path} matches")
}

/// How a command ended, where it did not end well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CommandEnd<'a> {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32, &'a str),
    /// Because its time was up, so many seconds.
    TimedOut(f64),
    /// Because the caller wanted no more of it.
    Cancelled,
    /// Because it wrote more than may be kept.
    TooMuch,
}

/// The sentence under the output of a command that did not end well.
pub fn command_end(end: CommandEnd<'_>) -> String {
    match end {
        CommandEnd::Code(code) => format!("Command exited with code {code}"),
        CommandEnd::Signal(number, name) => format!("Command was ended by signal {number} ({name})"),
        CommandEnd::TimedOut(1.0) => "Command timed out after 1 second".to_owned(),
        CommandEnd::TimedOut(seconds) => format!("Command timed out after {seconds} seconds"),
        CommandEnd::Cancelled => "Command was cancelled".to_owned(),
        CommandEnd::TooMuch => "Command was ended: its output exceeds the maximum artifact size".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notice_of_grep_find_and_ls_comes_out_to_the_character() {
        assert_eq!(match_limit(100), "[100 matches limit reached. Use limit=200 for more, or refine pattern]");
        assert_eq!(match_byte_limit(30 * 1024, 50, 100, true), "[30KB limit reached (50 of 100+ matches shown)]");
        assert_eq!(match_byte_limit(30 * 1024, 50, 80, false), "[30KB limit reached (50 of 80 matches shown)]");
        assert_eq!(lines_truncated(500), "[Some lines truncated to 500 chars. Use read tool to see full lines]");
        assert_eq!(result_limit(1000), "[1000 results limit reached. Use limit=2000 for more, or refine pattern]");
        assert_eq!(entry_limit(500), "[500 entries limit reached. Use limit=1000 for more]");
        assert_eq!(byte_limit(30 * 1024), "[30KB limit reached]");
    }

    #[test]
    fn a_command_that_did_not_end_well_says_how() {
        assert_eq!(command_end(CommandEnd::Code(3)), "Command exited with code 3");
        assert_eq!(command_end(CommandEnd::Signal(9, "SIGKILL")), "Command was ended by signal 9 (SIGKILL)");
        assert_eq!(command_end(CommandEnd::TimedOut(1.0)), "Command timed out after 1 second");
        assert_eq!(command_end(CommandEnd::TimedOut(0.5)), "Command timed out after 0.5 seconds");
        assert_eq!(command_end(CommandEnd::Cancelled), "Command was cancelled");
    }
}

//! What is typed to servers of mail and files: `PASS …` below `USER …`.

use super::scan::{BACK, Segment};
use super::shape;
use super::surroundings::PREFIX;
use crate::byte_set::among;

/// Whether the name is the command `PASS` of a protocol, with a password at `value`, as a trace shows what was sent:
/// `write(4, "PASS …\r\n"`, `> PASS …`.
pub(super) fn is_command(segment: &Segment<'_>, name: usize, name_end: usize, value: usize) -> bool {
    let written = segment.part(name, name_end);
    if written.eq_ignore_ascii_case(b"pass") && follows_user(segment, name) {
        let rest = segment.part(value, segment.line_end(value)).trim_ascii_end();
        return rest.len() >= 3 && !rest.contains(&b' ') && !shape::has(&rest.to_ascii_lowercase(), b"pass");
    }
    if written != b"PASS" {
        return false;
    }
    let (line, line_end) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(PREFIX)), name);
    let rest = segment.part(value, line_end.min(value + 128));
    let word = rest.split(|b| b.is_ascii_whitespace() || *b == b'"').next().unwrap_or_default();
    let behind = rest.get(word.len()..).unwrap_or_default();
    match ahead.trim_ascii_end().last() {
        // Without a prefix it may be a verdict; names of tests are words.
        None => {
            let shape = shape::shape(word);
            behind.trim_ascii().is_empty()
                && word.len() >= 6
                && shape.digits > 0
                && !word.iter().any(|b| among!(*b, b"./:[(_"))
                && (shape.upper > 0 && shape.lower > 0 && !shape::wordy(word)
                    || shape.others > 0 && !shape::wordy(word)
                    || shape.upper == 0 && shape.others == 0 && shape.digits >= 3 && shape.lower >= 6)
        }
        Some(b'"') => word.ends_with(b"\\r\\n"),
        Some(b'>') | Some(b':') => behind.trim_ascii().is_empty() && !word.contains(&b'/') && !ahead.ends_with(b"::"),
        _ => false,
    }
}

/// Whether one of the lines above tells a server who logs in, behind what stands before the name here: `USER mara`.
fn follows_user(segment: &Segment<'_>, name: usize) -> bool {
    let (mut line, _) = segment.line(name);
    let prefix = segment.part(line, name);
    if prefix.len() > 24 {
        return false;
    }
    let floor = name.checked_sub(BACK);
    for _ in 0..4 {
        if line <= segment.low {
            return false;
        }
        let (start, end) = segment.line(line - 1);
        if floor.is_some_and(|floor| start <= floor) {
            return false;
        }
        let word = segment.part(start, end).strip_prefix(prefix).and_then(|rest| rest.get(..5));
        if word.is_some_and(|word| word.eq_ignore_ascii_case(b"user ")) {
            return true;
        }
        line = start;
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn a_word_behind_pass_goes_below_who_logs_in() {
        for text in ["+OK ready\nUSER mara\n+OK\nPASS otter\n+OK\n", "quote user mara\nquote pass otter\n"] {
            assert_eq!(redact(text, &Rules::builtin()).0, text.replace("otter", "[REDACTED: PASSWORD]"));
        }
        for text in ["+OK ready\nPASS otter\n", "USER mara\nPASS the test\n", "USER mara\nTEST otter\n"] {
            assert_eq!(redact(text, &Rules::builtin()).0, text);
        }
    }
}

//! What CI systems, loggers and containers put before a line: times, names of jobs, hosts and containers.

use std::ops::Range;

use crate::digits;
use crate::text;

/// The line without the times and job names before it.
pub(crate) fn body(line: &str) -> &str {
    text::slice(line, width(line.as_bytes())..line.len())
}

/// How wide the times and job names before a line are.
pub(crate) fn width(bytes: &[u8]) -> usize {
    let mut at = 0;
    // `job<TAB>step<TAB>time`, as `gh run view --log` prints it.
    let tabs = bytes.get(..200.min(bytes.len())).unwrap_or(bytes);
    if let Some(second) = memchr::memchr_iter(b'\t', tabs).nth(1)
        && time(bytes.get(second + 1..).unwrap_or(&[])) > 0
    {
        at = second + 1;
    }
    for _ in 0..3 {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let width = match rest.first() {
            Some(b'0'..=b'9') => time(rest),
            Some(b'[') => bracketed(rest).max(pod(rest)),
            Some(b'A'..=b'Z') => syslog(rest),
            Some(b'#') => buildkit(rest),
            Some(b'a'..=b'z') => composed(rest),
            Some(b' ') => grouped(rest),
            Some(b'=') => process(rest),
            Some(b'@') => package(rest),
            _ => 0,
        };
        if width == 0 {
            break;
        }
        at += width;
    }
    at + tag(bytes.get(at..).unwrap_or(&[]))
}

/// Where the time is in what stands before a line, its date included.
pub(crate) fn time_in(bytes: &[u8]) -> Option<Range<usize>> {
    let starts = (0..bytes.len()).filter(|&at| at == 0 || is(bytes, at - 1, |b| matches!(b, b' ' | b'\t' | b'[')));
    let (at, width) = starts.map(|at| (at, time(bytes.get(at..).unwrap_or(&[])))).find(|(_, width)| *width > 0)?;
    let ended = bytes.get(at + width - 1).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b']'));
    // `Mar 27 13:08:09`: the day is a part of it.
    let dated = at == 7 && syslog(bytes) > 0;
    Some(if dated { 0 } else { at }..at + width - usize::from(ended))
}

/// The width of a task's tag as ant writes it, `    [junit] `, or 0.
fn tag(rest: &[u8]) -> usize {
    let indent = rest.iter().take_while(|&&byte| byte == b' ').count();
    if !(2..=12).contains(&indent) || rest.get(indent) != Some(&b'[') {
        return 0;
    }
    // Ant's tasks are named in lower case; `[FAILED]` is a verdict.
    let name = rest.get(indent + 1..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let end = indent + 1 + name;
    let is_tag = (2..=12).contains(&name) && rest.get(end) == Some(&b']') && rest.get(end + 1) == Some(&b' ');
    if is_tag { end + 2 } else { 0 }
}

fn is(rest: &[u8], at: usize, class: impl Fn(&u8) -> bool) -> bool {
    rest.get(at).is_some_and(class)
}

/// How wide the hours and minutes of a time are with a date before them: `2021-12-01T13:01`.
const DATED: usize = 16;

/// And without one: `13:01`.
const UNDATED: usize = 5;

/// The high bit of each byte that is a digit in such a time, the first byte lowest.
const DIGITS: u128 = high_bits(b"0000_00_00_00_00");
const CLOCK_DIGITS: u128 = high_bits(b"00_00___________");

/// The high bit of each byte of `pattern` that is `0`.
const fn high_bits(pattern: &[u8; DATED]) -> u128 {
    let (mut bits, mut at) = (0, 0);
    while at < DATED {
        if pattern[at] == b'0' {
            bits |= 0x80 << (at * 8);
        }
        at += 1;
    }
    bits
}

/// How wide the hours and minutes that `rest` begins with are, with the date before them; 0 where it begins otherwise.
fn minutes(rest: &[u8]) -> usize {
    let mut begins = [0; DATED];
    match rest.first_chunk() {
        Some(whole) => begins = *whole,
        None => begins.iter_mut().zip(rest).for_each(|(byte, known)| *byte = *known),
    }
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = begins;
    let low = digits::of_eight([a, b, c, d, e, f, g, h]);
    let high = digits::of_eight([i, j, k, l, m, n, o, p]);
    let found = u128::from(high) << 64 | u128::from(low);
    if found & DIGITS == DIGITS && matches!(e, b'-' | b'/') && matches!(k, b'T' | b' ') && n == b':' {
        DATED
    } else if found & CLOCK_DIGITS == CLOCK_DIGITS && c == b':' {
        UNDATED
    } else {
        0
    }
}

/// The width of a time at the beginning (`2021-12-01T13:01:04.38Z `, `2016-12-19 20:54:32,992 `, `20:54:32.1 `), or 0.
fn time(rest: &[u8]) -> usize {
    let mut at = minutes(rest);
    if at == 0 {
        return 0;
    }
    let more = |byte: &&u8| matches!(byte, b'0'..=b'9' | b':' | b'.' | b',' | b'Z' | b'+');
    at += rest.get(at..).unwrap_or_default().iter().take_while(more).count();
    match rest.get(at) {
        Some(b' ' | b'\t' | b']') => at + 1,
        None => at,
        _ => 0,
    }
}

/// The width of `[time] ` or `[12.3s] `, or 0.
fn bracketed(rest: &[u8]) -> usize {
    let width = time(rest.get(1..).unwrap_or(&[]));
    match width {
        0 => 0,
        _ => 1 + width + usize::from(rest.get(1 + width) == Some(&b' ')),
    }
}

/// The width of `[pod/web-1/nginx] ` as `kubectl logs --prefix` writes it, or 0.
fn pod(rest: &[u8]) -> usize {
    let named = rest.starts_with(b"[pod/");
    let end = rest.iter().take(PREFIX).position(|&byte| byte == b']').filter(|_| named);
    end.filter(|end| rest.get(end + 1) == Some(&b' ')).map_or(0, |end| end + 2)
}

/// Names of containers and pods take at most so many bytes.
const PREFIX: usize = 120;

/// The width of `web-1  | ` as `docker compose logs` writes it, or 0: a name with a number, and a bar.
fn composed(rest: &[u8]) -> usize {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let name = rest.iter().take(PREFIX).take_while(part).count();
    let number = rest.get(..name).unwrap_or_default().iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let numbered = number > 0 && name > number && matches!(rest.get(name - number - 1), Some(b'-' | b'_'));
    let spaces = rest.get(name..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count();
    let bar = name + spaces;
    if !numbered || spaces == 0 || rest.get(bar) != Some(&b'|') {
        return 0;
    }
    bar + 1 + usize::from(rest.get(bar + 1) == Some(&b' '))
}

/// The width of the bar before a line of Python's exception groups, or 0: `  | ValueError: x`.
fn grouped(rest: &[u8]) -> usize {
    let indent = rest.iter().take(24).take_while(|byte| **byte == b' ').count();
    if !matches!(rest.get(indent..indent + 2), Some(b"| " | b"+ ")) {
        return 0;
    }
    let behind = rest.get(indent + 2..).unwrap_or_default();
    let name = behind.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let error = behind.get(..name).is_some_and(|name| name.ends_with(b"Error") || name.ends_with(b"Exception"));
    let raised = error && matches!(behind.get(name), Some(b':') | None);
    let starts: [&[u8]; 4] =
        [b"Traceback (most recent", b"  File \"", b"Exception Group Traceback", b"ExceptionGroup: "];
    if raised || starts.iter().any(|start| behind.starts_with(start)) { indent + 2 } else { 0 }
}

/// The width of `Mar 27 13:08:09 host ` as syslog writes it, or 0.
fn syslog(rest: &[u8]) -> usize {
    let month = is(rest, 1, u8::is_ascii_lowercase) && is(rest, 2, u8::is_ascii_lowercase);
    if !(month && is(rest, 3, |&b| b == b' ') && is(rest, 5, u8::is_ascii_digit) && is(rest, 6, |&b| b == b' ')) {
        return 0;
    }
    let width = time(rest.get(7..).unwrap_or(&[]));
    if width == 0 {
        return 0;
    }
    let host = rest.get(7 + width..).unwrap_or(&[]);
    match memchr::memchr(b' ', host.get(..80.min(host.len())).unwrap_or(host)) {
        Some(end) => 7 + width + end + 1,
        None => 0,
    }
}

/// The width of `@scope/name: ` or `@scope/name:task: ` as runners of many packages write it, or 0.
fn package(rest: &[u8]) -> usize {
    let head = rest.get(..PREFIX.min(rest.len())).unwrap_or(rest);
    let Some(end) =
        memchr::memchr(b' ', head).filter(|end| end.checked_sub(1).and_then(|at| rest.get(at)) == Some(&b':'))
    else {
        return 0;
    };
    let name = rest.get(1..end - 1).unwrap_or_default();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':');
    let scoped = memchr::memchr(b'/', name).is_some_and(|slash| slash > 0);
    if scoped && name.iter().all(part) { end + 1 } else { 0 }
}

/// The width of `==1234== ` as sanitizers and valgrind write the number of their process, or 0.
fn process(rest: &[u8]) -> usize {
    let number = rest.get(2..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = 2 + number;
    if number == 0 || !rest.starts_with(b"==") || rest.get(end..end + 2) != Some(b"==") {
        return 0;
    }
    end + 2 + usize::from(rest.get(end + 2) == Some(&b' '))
}

/// The width of `#72 12.34 ` as BuildKit writes it, or 0.
fn buildkit(rest: &[u8]) -> usize {
    let mut at = 1;
    while is(rest, at, u8::is_ascii_digit) {
        at += 1;
    }
    if at == 1 || !is(rest, at, |&b| b == b' ') {
        return 0;
    }
    let number = at + 1;
    at = number;
    while is(rest, at, |b| matches!(b, b'0'..=b'9' | b'.')) {
        at += 1;
    }
    if at > number && is(rest, at, |&b| b == b' ') { at + 1 } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_job_names_are_not_part_of_a_line() {
        let check = |line: &str, expected| assert_eq!(body(line), expected, "{line}");
        check("2021-12-01T13:01:04.3807878Z FAILED x", "FAILED x");
        check("build\ttest it\t2021-12-01T13:01:04.3807878Z   at x", "  at x");
        check("[2016-12-19 20:54:32,992] WARN Broker", "WARN Broker");
        check("Mar 27 13:08:09 ip-10 sshd[1]: Accepted", "sshd[1]: Accepted");
        check("Apr  3 13:08:09 ip-10 sshd[1]: Accepted", "sshd[1]: Accepted");
        check("#72 12.34 wget: error", "wget: error");
        check("#72 ERROR: process", "ERROR: process");
        check("12:00:01.5 x", "x");
        check("==4711== Invalid read of size 4", "Invalid read of size 4");
        check("==4711==ERROR: LeakSanitizer: x", "ERROR: LeakSanitizer: x");
        check("==== x ====", "==== x ====");
        check("    [FAILED] adds numbers", "    [FAILED] adds numbers");
        check("2022-06-01T10:03:40Z     [junit] \tat a.B(C.java:1)", "\tat a.B(C.java:1)");
        check("2021-12-01 something", "2021-12-01 something");
        check("12:00", "");
        check("web-1  | ValueError: x", "ValueError: x");
        check("db_12 | 2021-12-01 13:01:04 UTC [1] FATAL:  y", "UTC [1] FATAL:  y");
        check("[pod/web-7d4/nginx] 12:00:01 x", "x");
        check("name | value", "name | value");
        check("@acme/billing: ✖ adds numbers", "✖ adds numbers");
        check("@acme/web:test:   ok", "  ok");
        check("@Test: x", "@Test: x");
        check("@ann/b c: x", "@ann/b c: x");
        check("  | Traceback (most recent call last):", "Traceback (most recent call last):");
        check("    |   File \"a.py\", line 3, in f", "  File \"a.py\", line 3, in f");
        check("    | ValueError: bad", "ValueError: bad");
        check("  | let x = 1;", "  | let x = 1;");
        check("[INFO] x", "[INFO] x");
        check("", "");
        check("plain\ttabs\there", "plain\ttabs\there");
    }
}

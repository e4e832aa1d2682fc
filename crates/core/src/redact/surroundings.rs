//! Where a name begins, and what stands around it.

use super::quotes::quote;
use super::scan::Segment;
use super::shape;

/// How long a name may be.
pub(super) const NAME: usize = 64;
/// How much of a line before a name may be a prefix that a tool put there.
pub(super) const PREFIX: usize = 160;

/// Whether `byte` may be a part of a name.
pub(super) fn name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Where the name begins of which a part stands at `at`.
pub(super) fn name_start(segment: &Segment<'_>, at: usize) -> usize {
    let mut start = at;
    while start > segment.low && at - start < NAME && name_byte(segment.before(start)) {
        start -= 1;
    }
    // The `n` of an escaped line end is no part of the name, nor are the figures of `%22`.
    match segment.before(start) {
        b'\\' if matches!(segment.byte(start), b'n' | b'r' | b't') && start < at => start + 1,
        b'%' if start + 2 <= at && segment.part(start, start + 2).iter().all(u8::is_ascii_hexdigit) => start + 2,
        _ => start,
    }
}

/// Whether nothing but a prefix stands before the name at `name`: blanks, a list's dash, `export`, a line's number, a
/// time, the name of a file or a container.
pub(super) fn leads(segment: &Segment<'_>, name: usize) -> bool {
    let (line_start, _) = segment.line(name);
    if name - line_start > PREFIX {
        return false;
    }
    let prefix = segment.part(line_start, name).trim_ascii();
    let Some(&last) = prefix.last() else { return true };
    // The bracket of a placeholder, where a secret was taken out, is none of a prefix.
    let bracketed = prefix.rsplit(|byte| *byte == b'[').next().unwrap_or_default();
    if last == b']' && bracketed.starts_with(b"REDACTED") {
        return false;
    }
    if matches!(last, b':' | b'|' | b'>' | b'+' | b'-' | b']' | b'#' | b'$' | b'%' | b'Z' | b'0'..=b'9') {
        return true;
    }
    let word = prefix.rsplit(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    [
        &b"export"[..],
        b"set",
        b"setenv",
        b"env",
        b"ENV",
        b"ARG",
        b"declare",
        b"-x",
        b"-e",
        b"--env",
        b"local",
        b"readonly",
    ]
    .contains(&word)
        || prefix.ends_with("│".as_bytes())
}

/// Whether `at` is inside the name of a cloud's resource: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:db`.
pub(super) fn in_resource_name(segment: &Segment<'_>, at: usize) -> bool {
    let before = segment.part(at.saturating_sub(96).max(segment.low), at);
    let word = before.rsplit(|b| b.is_ascii_whitespace() || quote(*b)).next().unwrap_or_default();
    shape::has(word, b"arn:") || shape::has(word, b"urn:")
}

/// Whether the token whose name begins at `name` finds the next page, or shows a badge in a README: `Next page token:`,
/// `badge.svg?token=`.
pub(super) fn pages_or_shows(segment: &Segment<'_>, name: usize) -> bool {
    let ahead = segment.part(name.saturating_sub(16).max(segment.low), name);
    if ahead.ends_with(b".svg?") {
        return true;
    }
    let Some(words) = ahead.strip_suffix(b" ") else { return false };
    let word = words.rsplit(|b| !b.is_ascii_alphabetic()).next().unwrap_or_default();
    [&b"page"[..], b"next", b"continuation", b"pagination", b"paging"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether the name at `name` is that of a sum, as in `checksum/secret: …`.
pub(super) fn is_sum(segment: &Segment<'_>, name: usize) -> bool {
    if segment.before(name) != b'/' {
        return false;
    }
    let ahead = segment.part(name.saturating_sub(24).max(segment.low), name);
    [&b"checksum/"[..], b"hash/", b"digest/", b"sum/", b"sha256/"].iter().any(|word| ahead.ends_with(word))
}

/// Where the blanks from `from` on end, at most `most` of them.
pub(super) fn skip_blanks(segment: &Segment<'_>, from: usize, most: usize) -> usize {
    let mut at = from;
    while at - from < most && matches!(segment.byte(at), b' ' | b'\t') && at < segment.limit {
        at += 1;
    }
    at
}

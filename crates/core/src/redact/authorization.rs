//! Credentials with a scheme before them: `Authorization: Bearer …`, `Token token=…`.

use super::class::Class;
use super::extent::Extent;
use super::scan::Segment;
use super::schemes::scheme;
use super::surroundings::skip_blanks;
use crate::byte_set::among;

/// The credentials of a value without the scheme before them.
pub(super) fn credentials(segment: &Segment<'_>, class: Class, found: &Extent) -> (usize, usize) {
    let all = (found.start, found.end);
    let (from, to) = match (class, found.quoted) {
        (Class::Authorization, false) => {
            // The value of a header goes on behind the scheme's blank.
            let line_end = segment.line_end(found.start);
            let mut end = found.end;
            if segment.byte(end) == b' ' && scheme(segment.part(found.start, end)) {
                end = skip_blanks(segment, end, 4);
                while end < line_end
                    && !matches!(segment.byte(end), b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b'<' | b'\\' | 0x1b)
                {
                    end += 1;
                }
            }
            (found.start, end)
        }
        _ => all,
    };
    let bytes = segment.part(from, to);
    match memchr::memchr(b' ', bytes) {
        Some(blank) if scheme(bytes.get(..blank).unwrap_or_default()) => {
            let start = skip_blanks(segment, from + blank, 4);
            let rest = segment.part(start, to);
            let end = memchr::memchr2(b' ', b',', rest).map_or(to, |at| start + at);
            parameter(segment, start, end).unwrap_or((start, end))
        }
        _ => all,
    }
}

/// The credentials where a scheme has parameters, the first of which is at `start..end`: the value of `token="…"`, and
/// nothing where it only says who calls, as in `username="…"`.
fn parameter(segment: &Segment<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
    let first = segment.part(start, end);
    let name = first.get(..memchr::memchr(b'=', first)?)?;
    if [&b"username"[..], b"realm", b"nonce", b"uri", b"keyId"].contains(&name) {
        return Some((start, start));
    }
    if ![&b"token"[..], b"key", b"apikey", b"access_token", b"credential"].contains(&name) {
        return None;
    }
    let value = start + name.len() + 1;
    let value = value + segment.part(value, segment.limit).iter().take(2).take_while(|b| among!(**b, b"\\\"'")).count();
    let rest = segment.part(value, segment.line_end(start));
    let length = rest.iter().position(|b| *b <= b' ' || among!(*b, b"\"'\\,;")).unwrap_or(rest.len());
    Some((value, value + length))
}

//! Quotes, in every notation that a secret may stand in.

use super::scan::Segment;

pub(super) fn quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// A quote in another notation: HTML's, that of URLs, of JSON, or of servers' logs.
pub(super) fn escaped_quote(segment: &Segment<'_>, at: usize) -> Option<&'static [u8]> {
    if !matches!(segment.byte(at), b'&' | b'%' | b'\\') {
        return None;
    }
    let rest = segment.part(at, (at + 6).min(segment.limit));
    const MARKS: [&[u8]; 11] = [
        b"&quot;", b"&#34;", b"&#39;", b"&#x27;", b"&apos;", b"%22", b"%27", b"\\u0022", b"\\u0027", b"\\x22", b"\\x27",
    ];
    MARKS.into_iter().find(|mark| rest.starts_with(mark))
}

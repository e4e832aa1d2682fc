//! Quotes, in every notation that a secret may stand in.

use super::scan::Segment;

pub(super) fn quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// A quote in another notation: HTML's, or that of URLs.
pub(super) fn escaped_quote(segment: &Segment<'_>, at: usize) -> Option<&'static [u8]> {
    if !matches!(segment.byte(at), b'&' | b'%' | b'\\') {
        return None;
    }
    let rest = segment.part(at, (at + 6).min(segment.limit));
    [&b"&quot;"[..], b"&#34;", b"&#39;", b"&#x27;", b"&apos;", b"%22", b"%27", b"\\u0022", b"\\u0027"]
        .into_iter()
        .find(|mark| rest.starts_with(mark))
}

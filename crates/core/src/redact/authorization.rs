//! Credentials with a scheme before them: `Authorization: Bearer …`, `Token token=…`.

use super::class::Class;
use super::extent::Extent;
use super::scan::Segment;
use super::surroundings::skip_blanks;

/// The schemes, in lower case.
const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "api-token",
    "apikey",
    "api-key",
    "key",
    "geniekey",
    "ssws",
    "splunk",
    "oauth",
    "discordbot",
    "bot",
    "negotiate",
    "jwt",
    "digest",
    "secret",
    "access-token",
    "apitoken",
    "private-token",
    "ntlm",
    "klaviyo-api-key",
    "sharedkey",
    "macaroon",
    "jwt-bearer",
    "user-token",
    "pat",
];

/// Whether `word` is an authentication scheme.
fn scheme(word: &[u8]) -> bool {
    SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

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
            (start, end)
        }
        _ => all,
    }
}

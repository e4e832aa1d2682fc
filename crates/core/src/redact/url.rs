//! Passwords in URLs and connection strings: `scheme://user:password@host`, of which only the password goes.

use super::judge;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::tokens;

/// How long the part before the `@` may be.
const USERINFO: usize = 512;

/// Finds the passwords of the URLs in `segment`.
pub(super) fn scan(segment: &Segment<'_>, rules: &Rules, finder: &memchr::memmem::Finder<'_>, spans: &mut Vec<Span>) {
    let password_kind = rules.detector(Detector::UrlPassword);
    let bytes = segment.part(segment.start, segment.limit.min(segment.end + 3));
    for found in finder.find_iter(bytes) {
        let at = segment.start + found + 3;
        webhook(segment, rules, at, spans);
        let Some(kind) = password_kind else { continue };
        if let Some((start, end)) = password(segment, at) {
            let value = segment.part(start, end);
            if !judge::placeholder_in_url(value) && !rules.allowed(value) {
                spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
            }
        }
    }
}

/// An address that is itself the secret: `hooks.example.com/services/…`, by the host that it begins with.
fn webhook(segment: &Segment<'_>, rules: &Rules, at: usize, spans: &mut Vec<Span>) {
    let mut host = at;
    while host < segment.limit.min(at + 64) {
        let rest = segment.part(host, segment.limit.min(host + 64));
        if rules.may_begin(segment.byte(host), segment.byte(host + 1))
            && let Ok(span) = tokens::token_at(segment, rules, host)
        {
            if !rules.allowed(segment.part(span.start, span.end)) {
                spans.push(span);
            }
            return;
        }
        // The next label of the host's name.
        match rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'-') {
            Some(dot) if rest.get(dot) == Some(&b'.') => host += dot + 1,
            _ => return,
        }
    }
}

/// Where the password of the URL whose authority begins at `at` is.
fn password(segment: &Segment<'_>, at: usize) -> Option<(usize, usize)> {
    let mut colon = None;
    let mut sign = None;
    for index in at..segment.limit.min(at + USERINFO) {
        match segment.byte(index) {
            b':' if colon.is_none() => colon = Some(index),
            // A password may hold an `@` that nobody encoded: the last one before the path counts.
            b'@' => sign = Some(index),
            b'/' | b'?' | b'#' if sign.is_some() || colon.is_none_or(|colon| port(segment, colon + 1, index)) => break,
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b',' | b';' | b')' | b'|' => {
                break;
            }
            _ => {}
        }
    }
    let (colon, sign) = (colon?, sign?);
    (colon + 1 < sign).then_some((colon + 1, sign))
}

/// Whether `from..to` is a port rather than the beginning of a password.
fn port(segment: &Segment<'_>, from: usize, to: usize) -> bool {
    segment.part(from, to).iter().all(u8::is_ascii_digit)
}

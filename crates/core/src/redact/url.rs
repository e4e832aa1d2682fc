//! Passwords in URLs and connection strings: `scheme://user:password@host`, of which only the password goes.

use super::judge;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use super::tokens;
use super::words::USERS_OF_EXAMPLES;
use crate::byte_set::among;

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
            if let Some((start, end)) = token_as_user(segment, at, start) {
                spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
            }
            if !judge::placeholder_in_url(value) && !of_an_example(segment, at, start, end) && !rules.allowed(value) {
                spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
            }
        } else if let Some((start, end)) = token_alone(segment, at) {
            spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
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

/// The user's name in front of the password at `password`, if it is a token: `https://TOKEN:x-oauth-basic@host`.
fn token_as_user(segment: &Segment<'_>, at: usize, password: usize) -> Option<(usize, usize)> {
    is_token(segment.part(at, password - 1)).then_some((at, password - 1))
}

/// A token that stands where a name and a password could: `https://TOKEN@host`.
fn token_alone(segment: &Segment<'_>, at: usize) -> Option<(usize, usize)> {
    let most = segment.part(at, segment.limit.min(at + USERINFO));
    let user = most.iter().position(|b| !(b.is_ascii_alphanumeric() || among!(*b, b"_-.")))?;
    (most.get(user) == Some(&b'@') && is_token(segment.part(at, at + user))).then_some((at, at + user))
}

/// Whether the name of a user is a token.
fn is_token(user: &[u8]) -> bool {
    let digits = user.iter().filter(|b| b.is_ascii_digit()).count();
    let token = user.len() >= 20 && digits >= 3 && user.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_-."));
    token && !shape::wordy(user) && !shape::uuid(user)
}

/// Whether the address is one of documentation: a host that nobody has, or a user and a password that nobody has.
fn of_an_example(segment: &Segment<'_>, at: usize, password: usize, end: usize) -> bool {
    let rest = segment.part(end + 1, (end + 65).min(segment.limit));
    let host = rest.iter().position(|b| !b.is_ascii_alphanumeric() && !among!(*b, b"-.")).and_then(|to| rest.get(..to));
    let host = host.unwrap_or(rest);
    let of_nobody = |host: &[u8]| {
        let label = host.rsplit(|&b| b == b'.').nth(1).unwrap_or_default();
        label.eq_ignore_ascii_case(b"example")
            || host.ends_with(b".example")
            || host.ends_with(b".test")
            || host.is_empty()
    };
    let user = segment.part(at, password.saturating_sub(1));
    let of_examples = USERS_OF_EXAMPLES.iter().any(|known| user.eq_ignore_ascii_case(known.as_bytes()));
    let value = segment.part(password, end);
    // The account that Oracle's documentation has had for decades.
    let of_a_manual = user.eq_ignore_ascii_case(b"scott") && value.eq_ignore_ascii_case(b"tiger");
    of_nobody(host) && !is_drawn(value) || of_a_manual || of_examples && judge::placeholder(value)
}

/// Whether chance may have drawn `value`: nobody writes such a password for an example.
fn is_drawn(value: &[u8]) -> bool {
    let shape = shape::shape(value);
    let mixed = shape.upper.min(shape.lower) >= 3 && shape.changes * 3 >= value.len();
    value.len() >= 12
        && (shape.digits >= 2 || mixed)
        && shape.letters() >= 4
        && !shape::wordy(value)
        && !judge::placeholder(value)
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
            b'/' if sign.is_some_and(|sign| goes_on(segment, sign, index)) => {}
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

/// Whether the password goes on behind the slash at `slash`, since what stands between the `@` and the slash is no host and
/// one follows behind another `@`: `p@ss/w:rd@db.acme.io:5432/shop`.
fn goes_on(segment: &Segment<'_>, sign: usize, slash: usize) -> bool {
    let host = segment.part(sign + 1, slash);
    let rest = segment.part(slash, segment.limit.min(slash + 96));
    let word = rest.split(|b| *b <= b' ' || among!(*b, b"\"'?#<>")).next().unwrap_or_default();
    let Some(next) = memchr::memrchr(b'@', word) else { return false };
    let after = word.get(next + 1..).unwrap_or_default();
    let end = after.iter().position(|b| !b.is_ascii_alphanumeric() && !among!(*b, b"-.:")).unwrap_or(after.len());
    let plain = |host: &[u8]| !host.iter().any(|b| among!(*b, b".:")) && host != b"localhost";
    plain(host) && !plain(after.get(..end).unwrap_or_default()) && next > 0 && word.get(next - 1) != Some(&b'/')
}

/// Whether `from..to` is a port rather than the beginning of a password.
fn port(segment: &Segment<'_>, from: usize, to: usize) -> bool {
    segment.part(from, to).iter().all(u8::is_ascii_digit)
}

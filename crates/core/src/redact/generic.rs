//! Random strings of 40 characters and more without a name or a mark: what nothing but chance can have written.

use super::context::{Context, names_an_id};
use super::encoded;
use super::name;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use super::words::{PRIVATE_STARTS, PUBLIC_STARTS, SECRET_MARKS};
use crate::byte_set::among;

/// The run of base64 `from..to` as a secret if it is a string of 40 characters and more that nothing but chance can have written.
pub(super) fn generic(segment: &Segment<'_>, rules: &Rules, (from, mut to): (usize, usize)) -> Option<Span> {
    let kind = rules.detector(Detector::Generic)?;
    let token = segment.part(from, to);
    let marked = marked(token);
    if (token.len() < 40 && !marked) || token.len() > 512 || token.contains(&b'~') || shape::has(token, b"EXAMPLE") {
        return None;
    }
    // In a query string the rest of it may be escaped: `%2B`, `%3D`.
    let escaped =
        |at: usize| segment.byte(at) == b'%' && segment.part(at + 1, at + 3).iter().all(u8::is_ascii_hexdigit);
    while to < segment.limit
        && to - from <= 1024
        && (escaped(to) || (to > from + token.len() && base64(segment.byte(to))))
    {
        to += if escaped(to) { 3 } else { 1 };
    }
    let to = to.min(segment.limit);
    let mut padded = to;
    while padded < segment.limit && padded - to < 2 && segment.byte(padded) == b'=' {
        padded += 1;
    }
    if is_wrapped(segment, from, padded) {
        return None;
    }
    let harmless = |context: Context<'_>| {
        let named = context.assigned || context.name.starts_with(b"-");
        // The coordinates and the modulus of a public key in JSON.
        let public = context.quoted && matches!(context.name, b"x" | b"y" | b"n");
        // The hash of a password is not for everybody, whatever other hashes are.
        let id = || names_an_id(context.name) && !shape::has(&context.name.to_ascii_lowercase(), b"password");
        named && (public || id() || name::is_harmless(context.name))
    };
    if Context::before(segment, from).or_else(|| of_its_string(segment, from)).is_some_and(harmless) {
        return None;
    }
    // Text in base64 was looked into already.
    let value = segment.part(from, padded);
    if encoded::text(value).is_some() || encoded::sentence(value) {
        return None;
    }
    if !(marked || random(token)) || is_known_data(segment, from, padded) || rules.allowed(segment.part(from, padded)) {
        return None;
    }
    Some(Span { start: from, end: padded, kind, weight: weight::GENERIC, with: With::Placeholder })
}

/// The context of the string that goes on at `from`, behind a dot or the like.
fn of_its_string<'a>(segment: &Segment<'a>, from: usize) -> Option<Context<'a>> {
    let lowest = segment.low.max(from.saturating_sub(256));
    let ahead = segment.part(lowest, from);
    let start = ahead.iter().rposition(|&b| b <= b' ' || among!(b, b"\"'`"))?;
    (start + 1 < ahead.len()).then(|| Context::before(segment, lowest + start + 1))?
}

/// Whether `byte` is one of base64's, in the alphabet of files or of URLs.
fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

/// The run of base64 around the word `start..end`, as far as it matters.
pub(super) fn run(segment: &Segment<'_>, start: usize, end: usize) -> (usize, usize) {
    let lowest = segment.start.max(start.saturating_sub(600));
    let ahead = segment.part(lowest, start);
    let mut from = ahead.iter().rposition(|&byte| !base64(byte)).map_or(lowest, |at| lowest + at + 1);
    // The letter of an escape such as `\n` is no part of the token.
    if segment.before(from) == b'\\' && matches!(segment.byte(from), b'n' | b'r' | b't') {
        from += 1;
    }
    let behind = segment.part(end, segment.limit.min((from + 1025).max(end)));
    let to = end + behind.iter().position(|&byte| !base64(byte)).unwrap_or(behind.len());
    (from, to)
}

/// Whether `token` is words and then something random, as most providers write their tokens: `acme_live_Xk29…`.
fn marked(token: &[u8]) -> bool {
    let Some(cut) = memchr::memrchr(b'_', token) else { return false };
    let (mark, secret) = (token.get(..cut).unwrap_or_default(), token.get(cut + 1..).unwrap_or_default());
    let shape = shape::shape(secret);
    let mark_is_words = (2..=28).contains(&mark.len())
        && mark.first().is_some_and(u8::is_ascii_lowercase)
        && mark.split(|&b| b == b'_').all(|part| {
            (2..=12).contains(&part.len()) && part.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        });
    // `call_…`, `msg_…`, `cus_…` are names of things; what opens a door says so.
    let says_so =
        mark.rsplit(|&b| b == b'_').next().is_some_and(|last| SECRET_MARKS.iter().any(|word| word.as_bytes() == last));
    mark_is_words
        && says_so
        && (20..=256).contains(&secret.len())
        && secret.iter().all(u8::is_ascii_alphanumeric)
        && shape.digits >= 2
        && shape.upper >= 4
        && shape.lower >= 4
        && shape.digits * 2 <= secret.len()
        && shape.changes * 5 >= secret.len() * 2
        && shape::gibberish(secret)
        && shape::entropy(secret) >= 3.8
}

/// Whether letters and figures are mixed as only chance mixes them.
fn random(token: &[u8]) -> bool {
    let shape = shape::shape(token);
    let letters = shape.upper + shape.lower;
    if has_uuid(token) || shape::mangled(token) {
        return false;
    }
    if shape::counted_up(token) {
        return false;
    }
    if shape.hex || shape.upper < 4 || shape.lower < 4 || shape.digits < 3 || shape.others * 8 > token.len() {
        return false;
    }
    if shape.digits * 2 > token.len() || shape.changes * 20 < token.len() * 7 || letters * 2 < token.len() {
        return false;
    }
    // Words joined by `/`, `-` or `_` are a path or an identifier: chance leaves no part of words only.
    let parts: Vec<&[u8]> = token.split(|b| among!(*b, b"/-_+")).filter(|part| part.len() >= 4).collect();
    let wordy = parts.iter().filter(|part| shape::wordy(part)).count();
    let hashes = parts.iter().any(|part| part.len() >= 16 && part.iter().all(u8::is_ascii_hexdigit));
    !hashes && wordy * 3 <= parts.len() && shape::entropy(token) >= 4.3
}

/// Data that looks random and is public: hashes with their name before them, images, keys to be shared, wrapped base64.
fn is_known_data(segment: &Segment<'_>, from: usize, to: usize) -> bool {
    let (line_start, _) = segment.line(from);
    let ahead = segment.part(line_start.max(from.saturating_sub(48)), from);
    let token = segment.part(from, to);
    let lower = ahead.to_ascii_lowercase();
    let has = |part: &str| shape::has(&lower, part.as_bytes());
    if [
        "sha1",
        "sha256",
        "sha384",
        "sha512",
        "sha-256",
        "sha-384",
        "sha-512",
        "md5",
        "h1:",
        "base64",
        "integrity",
        "ssh-",
        "ecdsa-",
        "etag",
        "digest",
        "checksum",
        "crc",
        "hash(",
        "hash =",
        "public key:",
        ".public.",
        ".pid.",
        ".lid.",
    ]
    .iter()
    .any(|part| has(part))
    {
        return true;
    }
    let starts = |known: &[&str]| known.iter().any(|start| token.starts_with(start.as_bytes()));
    if starts(PUBLIC_STARTS) && !starts(PRIVATE_STARTS) {
        return true;
    }
    // A part of a URL's or a file's path is an address.
    let stop = b" \t\"'`(<>,=?&;";
    let mut word = from;
    while word > line_start && from - word < 256 && !stop.contains(&segment.before(word)) {
        word -= 1;
    }
    let path = segment.part(word, from);
    // What a page keeps behind the `#` of its own address.
    shape::has(path, b"://")
        || path.starts_with(b"#")
        || shape::has(path, b"arn:")
        || matches!(segment.byte(word), b'/' | b'.')
        || segment.byte(to) == b'.'
}

/// Whether a UUID is part of `token`.
fn has_uuid(token: &[u8]) -> bool {
    token.len() >= 36 && token.windows(36).any(shape::uuid)
}

/// Whether `from..to` is a line of wrapped base64, or of a dump of some.
fn is_wrapped(segment: &Segment<'_>, from: usize, to: usize) -> bool {
    let (line_start, line_end) = segment.line(from);
    let token = segment.part(from, to);
    // A line of nothing else is wrapped base64 of something, or part of a certificate; so is one behind an offset.
    let behind = segment.part(to, line_end);
    let ends = behind.starts_with(b"</") || behind.iter().all(|b| among!(*b, b" \t\r\"',+\\;|>#*"));
    let before = segment.part(line_start.max(from.saturating_sub(48)), from);
    let alone = ends && before.iter().all(|b| among!(*b, b" \t\"',+\\;|>#*"));
    if alone && (token.len() >= 56 || (token.len().is_multiple_of(4) && token.len() != 40)) {
        return true;
    }
    let offset = |b: &u8| b.is_ascii_hexdigit() || among!(*b, b" \t:|-x[]>");
    let word = before.iter().rposition(|&b| b == b' ' || b == b'\t').map_or(0, |at| at + 1);
    let wrapped = (56..=80).contains(&(before.len() - word + token.len()));
    if ends && wrapped && before.get(..word).is_some_and(|prefix| prefix.iter().all(offset)) {
        return true;
    }
    false
}

//! What stands whole in a window of bytes, found without a step for each byte: short cuts of the scanner, which reads
//! the same without them.

use super::Token;

/// Whether `text` begins with `start`: what `starts_with` says, but quicker where `start` is short.
#[inline]
pub(crate) fn begins_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else { return false };
    match start.len() {
        0..4 => text.iter().zip(start).all(|(byte, expected)| byte == expected),
        4..=8 => have_same_ends::<4>(text, start),
        9..=16 => have_same_ends::<8>(text, start),
        17..=32 => have_same_ends::<16>(text, start),
        _ => text == start,
    }
}

/// Whether the first so many bytes of both are the same, and the last: of short texts these are all bytes.
#[inline]
fn have_same_ends<const BYTES: usize>(text: &[u8], other: &[u8]) -> bool {
    text.first_chunk::<BYTES>() == other.first_chunk::<BYTES>()
        && text.last_chunk::<BYTES>() == other.last_chunk::<BYTES>()
}

/// The string, the number or the word that `window` begins with, and how many bytes it has: where it is whole, something
/// follows it, and it is written as most are. Nothing else.
#[inline(always)]
pub(crate) fn near_scalar(window: &[u8]) -> Option<(Token, usize)> {
    match window {
        [b'"', ..] => Some((Token::Text, near_string(window)?)),
        [b'-' | b'0'..=b'9', ..] => Some((Token::Number, near_number(window)?)),
        [b't', b'r', b'u', b'e', ..] | [b'n', b'u', b'l', b'l', ..] => Some((Token::Word, 4)),
        [b'f', b'a', b'l', b's', b'e', ..] => Some((Token::Word, 5)),
        _ => None,
    }
}

/// How long the string is that `window` begins with, if it is whole.
#[inline]
fn near_string(window: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += plain_string_bytes(window.get(at..)?);
        at += match window.get(at..)? {
            [b'"', ..] => return Some(at + 1),
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'\\', b'u', code @ ..] if code.first_chunk::<4>()?.iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return None,
        };
    }
}

/// How long the number is that `window` begins with, if it has no exponent and is followed by something, as most are.
#[inline(always)]
pub(super) fn near_number(window: &[u8]) -> Option<usize> {
    let digits =
        |from: usize| window.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(window.first() == Some(&b'-'));
    let whole = digits(sign);
    let point = sign + whole;
    let fraction = if window.get(point) == Some(&b'.') { 1 + digits(point + 1) } else { 0 };
    let end = point + fraction;
    let ends = matches!(window.get(end), Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r'));
    let is_sound = fraction != 1 && (whole == 1 || whole > 1 && window.get(sign) != Some(&b'0'));
    (ends && is_sound).then_some(end)
}

/// How many bytes at the beginning of `window` are neither a quote, nor a backslash, nor a control character; eight
/// at a time.
pub(super) fn plain_string_bytes(window: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word & TOPS;
    let (words, _) = window.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let backslash = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & TOPS;
        let found = quote | backslash | control;
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let rest = words.len() * 8;
    let tail = window.get(rest..).unwrap_or_default();
    rest + tail.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(tail.len())
}

//! Secrets in base64: a value whose decoded text holds one goes whole.

use super::rules::Rules;
use super::scan::{Segment, Span, With, weight};

/// The shortest and the longest value that is decoded.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=8192;

/// The text that `value` is base64 of, if it is of any.
pub(super) fn text(value: &[u8]) -> Option<Vec<u8>> {
    // Most values are no text: the first characters tell.
    if !LENGTHS.contains(&value.len()) || !begins_with_text(value.get(..12)?) {
        return None;
    }
    decode(value).filter(|text| text.iter().all(|&b| printable(b)))
}

/// Whether `value` is base64 of words with blanks between them, in whatever script.
pub(super) fn sentence(value: &[u8]) -> bool {
    let decoded = LENGTHS.contains(&value.len()).then(|| decode(value)).flatten().unwrap_or_default();
    let Ok(text) = std::str::from_utf8(&decoded) else { return false };
    let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    text.contains(' ') && letters * 4 >= text.chars().count() * 3 && !text.chars().any(char::is_control)
}

/// The value `from..to` as a secret if it is base64 of a text that holds one.
pub(super) fn secret(segment: &Segment<'_>, rules: &Rules, from: usize, to: usize) -> Option<Span> {
    let text = text(segment.part(from, to))?;
    let inner = Segment::new(&text, 0, 0, text.len(), text.len());
    let mut spans = Vec::new();
    super::find_in_lines(&inner, rules, &mut spans);
    let found = spans.iter().filter(|span| span.weight > weight::GENERIC).max_by_key(|span| span.weight)?;
    Some(Span { start: from, end: to, kind: found.kind, weight: weight::NAMED, with: With::Placeholder })
}

fn printable(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Whether what `beginning` encodes is text; most values encode none.
fn begins_with_text(beginning: &[u8]) -> bool {
    beginning.chunks(4).all(|four| {
        let bits = four.iter().try_fold(0u32, |bits, &byte| Some(bits << 6 | six(byte)?));
        bits.is_some_and(|bits| bits.to_be_bytes().iter().skip(1).all(|&byte| printable(byte)))
    })
}

/// The six bits that `byte` stands for.
fn six(byte: u8) -> Option<u32> {
    let six = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(six))
}

/// The bytes that `text` encodes, in the alphabet of files or of URLs; `None` if it is not base64.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|&b| b != b'=').map_or(0, |at| at + 1);
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4 + 3);
    let (mut bits, mut count) = (0u32, 0);
    for &byte in text.get(..end)? {
        bits = bits << 6 | six(byte)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (end % 4 != 1).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn a_secret_in_base64_goes_and_a_text_stays() {
        // `password=swordfish-2!` and `port=5432 host=localhost`
        let secret = ["cGFzc3dvcmQ9", "c3dvcmRmaXNoLTIh"].concat();
        assert_eq!(redact(&format!("x: {secret}\n"), &Rules::builtin()).0, "x: [REDACTED: PASSWORD]\n");
        let plain = "x: cG9ydD01NDMyIGhvc3Q9bG9jYWxob3N0\n";
        assert_eq!(redact(plain, &Rules::builtin()).0, plain);
    }
}

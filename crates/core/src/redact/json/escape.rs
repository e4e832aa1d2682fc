//! What a JSON string says, and how a text is written as one.

/// Appends to `text` what the bytes between a string's quotes say. What is wrong with them (half a surrogate pair, half
/// an escape, bytes that are no UTF-8) becomes U+FFFD.
pub(super) fn decode(raw: &[u8], text: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        push_lossy(rest.get(..at).unwrap_or_default(), text);
        let (character, length) = escaped(rest.get(at..).unwrap_or_default());
        text.push(character);
        rest = rest.get(at + length..).unwrap_or_default();
    }
    push_lossy(rest, text);
}

/// Appends `raw` to `text`, with U+FFFD for bytes that are no UTF-8.
pub(super) fn push_lossy(raw: &[u8], text: &mut String) {
    // Mostly there are none, and then this is much quicker.
    match std::str::from_utf8(raw) {
        Ok(plain) => text.push_str(plain),
        Err(_) => text.push_str(&String::from_utf8_lossy(raw)),
    }
}

/// What the escape says that `rest` begins with, and how many bytes it takes.
fn escaped(rest: &[u8]) -> (char, usize) {
    match rest.get(1) {
        Some(b'u') => match unit(rest) {
            Some(high @ 0xd800..0xdc00) => match unit(rest.get(6..).unwrap_or_default()) {
                Some(low @ 0xdc00..0xe000) => {
                    let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                }
                _ => (char::REPLACEMENT_CHARACTER, 6),
            },
            Some(code) => (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            None => (char::REPLACEMENT_CHARACTER, 2),
        },
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(byte) if byte.is_ascii() => (char::from(*byte), 2),
        Some(_) | None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

/// The UTF-16 unit that `\uXXXX` at the beginning of `rest` names.
fn unit(rest: &[u8]) -> Option<u32> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |code, digit| Some(code << 4 | char::from(*digit).to_digit(16)?))
}

/// How many bytes of `raw` are whole characters and whole escapes: what is behind waits for its rest.
pub(super) fn whole(raw: &[u8]) -> usize {
    let from = raw.len().saturating_sub(16);
    let mut end = raw.len();
    // An escape takes up to twelve bytes, a pair of them.
    for at in (from..raw.len()).rev().filter(|at| raw.get(*at) == Some(&b'\\')) {
        let before = raw.get(..at).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
        if before % 2 == 1 {
            continue;
        }
        let rest = raw.get(at..).unwrap_or_default();
        let is_high = matches!(unit(rest), Some(0xd800..0xdc00));
        let needed = match rest.get(1) {
            Some(b'u') if is_high => 12,
            Some(b'u') => 6,
            _ => 2,
        };
        if rest.len() < needed {
            end = at;
        }
    }
    match std::str::from_utf8(raw.get(end.saturating_sub(4)..end).unwrap_or_default()) {
        Err(error) if error.error_len().is_none() => end.saturating_sub(4) + error.valid_up_to(),
        // The window may begin inside of a character; then its end is looked at by itself.
        Err(_) => end - half_character(raw.get(..end).unwrap_or_default()),
        Ok(_) => end,
    }
}

/// How many bytes at the end of `raw` are the beginning of a character.
fn half_character(raw: &[u8]) -> usize {
    let behind = raw.iter().rev().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
    let needed = match raw.iter().rev().nth(behind) {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    if behind + 1 < needed { behind + 1 } else { 0 }
}

/// `text` as it stands between a string's quotes.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut raw = Vec::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '"' => raw.extend_from_slice(b"\\\""),
            '\\' => raw.extend_from_slice(b"\\\\"),
            '\n' => raw.extend_from_slice(b"\\n"),
            '\r' => raw.extend_from_slice(b"\\r"),
            '\t' => raw.extend_from_slice(b"\\t"),
            '\0'..='\x1f' => raw.extend_from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes()),
            _ => raw.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    raw
}

/// Whether these bytes can stand between a string's quotes.
pub(super) fn is_inside(raw: &[u8]) -> bool {
    let mut escaped = false;
    for byte in raw {
        match (escaped, byte) {
            (true, _) => escaped = false,
            (false, b'\\') => escaped = true,
            (false, b'"' | b'\0'..=b'\x1f') => return false,
            (false, _) => {}
        }
    }
    !escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(raw: &str) -> String {
        let mut text = String::new();
        decode(raw.as_bytes(), &mut text);
        text
    }

    #[test]
    fn escapes_become_what_they_stand_for() {
        assert_eq!(decoded(r"a\n\t\r\b\f\/\\\u0022z\u00e9"), "a\n\t\r\u{8}\u{c}/\\\"zé");
        assert_eq!(decoded(r"\ud83d\ude00\ud83d\ud83d\ude00\ude00"), "😀\u{fffd}😀\u{fffd}");
        assert_eq!(decoded(r"\u12"), "\u{fffd}12");
        assert_eq!(decoded("\\"), "\u{fffd}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = "\u{1}\"quoted\" \\ back\n\r\t é 😀 \u{7f}";
        let raw = encode(text);
        assert!(is_inside(&raw));
        assert_eq!(decoded(std::str::from_utf8(&raw).unwrap()), text);
    }

    #[test]
    fn characters_and_escapes_are_not_torn() {
        let raw = r"é\\n\n\u00e9\ud83d\ude00\\".as_bytes();
        let mut text = String::new();
        decode(raw, &mut text);
        for at in 0..=raw.len() {
            let cut = whole(&raw[..at]);
            let mut parts = String::new();
            decode(&raw[..cut], &mut parts);
            decode(&raw[cut..], &mut parts);
            assert_eq!(parts, text, "torn at {at}");
            assert!(at - cut <= 12);
        }
    }
}

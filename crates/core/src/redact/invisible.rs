//! Secrets that characters without a width divide: zero-width spaces, soft hyphens, byte order marks, colours.
//!
//! Such characters are rare. Where a segment has some, it is looked through a second time without them, and what is
//! found there goes with the characters inside of it.

use super::rules::Rules;
use super::scan::{Segment, Span};
use crate::byte_set::among;

/// Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark.
const INVISIBLE: [&[u8]; 6] =
    [b"\xC2\xAD", b"\xE2\x80\x8B", b"\xE2\x80\x8C", b"\xE2\x80\x8D", b"\xE2\x81\xA0", b"\xEF\xBB\xBF"];

/// How many bytes of an invisible character `bytes` begins with.
fn invisible(bytes: &[u8]) -> usize {
    if let Some(colour) = bytes.strip_prefix(b"\x1b[") {
        let length = colour.iter().take(16).take_while(|b| b.is_ascii_digit() || among!(**b, b";:")).count();
        return if colour.get(length) == Some(&b'm') { length + 3 } else { 0 };
    }
    INVISIBLE.iter().find(|known| bytes.starts_with(known)).map_or(0, |known| known.len())
}

/// Finds the secrets of `segment` that are whole only without what nobody sees, from `from` on.
pub(super) fn scan(segment: &Segment<'_>, rules: &Rules, from: usize, spans: &mut Vec<Span>) {
    let bytes = segment.part(from, segment.end);
    let mut hidden: Vec<usize> = memchr::memchr3_iter(0xC2, 0xE2, 0xEF, bytes)
        .chain(memchr::memchr_iter(0x1B, bytes))
        .filter(|&at| invisible(bytes.get(at..).unwrap_or_default()) > 0)
        .collect();
    if hidden.is_empty() {
        return;
    }
    hidden.sort_unstable();
    // The text that is seen, and for each of its bytes the place that it has in the segment.
    let mut seen = Vec::with_capacity(bytes.len());
    let mut places = Vec::with_capacity(bytes.len() + 1);
    let mut at = 0;
    for hidden in hidden {
        seen.extend_from_slice(bytes.get(at..hidden).unwrap_or_default());
        places.extend(at..hidden);
        at = hidden + invisible(bytes.get(hidden..).unwrap_or_default());
    }
    seen.extend_from_slice(bytes.get(at..).unwrap_or_default());
    places.extend(at..bytes.len());
    let inner = Segment::new(&seen, 0, 0, seen.len(), seen.len());
    let mut found = Vec::new();
    super::find_in_lines(&inner, rules, &mut found);
    for span in found {
        let place = |at: usize| places.get(at).copied();
        let (Some(start), Some(last)) = (place(span.start), span.end.checked_sub(1).and_then(place)) else { continue };
        // What nothing divides was found already, with all that stands around it.
        if last - start > span.end - 1 - span.start || divided(&places, span.start) {
            spans.push(Span { start: from + start, end: from + last + 1, ..span });
        }
    }
}

/// Whether something invisible stands a little before the place `at`: in the name, perhaps.
fn divided(places: &[usize], at: usize) -> bool {
    let before = at.saturating_sub(32);
    let (Some(first), Some(last)) = (places.get(before), places.get(at)) else { return false };
    last - first > at - before
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn a_secret_with_invisible_characters_in_it_goes_whole() {
        let token = ["ghp_Zk3vQ8mT1xYw5LrN", "7bHc2JdF9gKs6UoPiAa4"];
        for hidden in ["\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}"] {
            let (redacted, _) = redact(&format!("a {}{hidden}{} b\n", token[0], token[1]), &Rules::builtin());
            assert_eq!(redacted, "a [REDACTED: GITHUB_TOKEN] b\n");
            let (redacted, _) = redact(&format!("DB_PASS{hidden}WORD=kQ7vXw29TbLm4Zr8\n"), &Rules::builtin());
            assert_eq!(redacted, format!("DB_PASS{hidden}WORD=[REDACTED: PASSWORD]\n"));
        }
    }

    #[test]
    fn a_text_with_invisible_characters_and_no_secret_stays() {
        let text = "\u{feff}soft\u{ad}hyphen, zero\u{200b}width: pass\u{ad}word policy\n";
        assert_eq!(redact(text, &Rules::builtin()).0, text);
    }
}

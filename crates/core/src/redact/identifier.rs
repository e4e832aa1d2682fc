//! Identifiers that stand by themselves: UUIDs, and numbers and sums in hexadecimal. Data is full of them, and next to
//! none is a secret.
//!
//! What such a word can be is soon told: it holds no token, chance alone tells nothing of it, and so it is a secret only
//! under a name that says so. The names of identifiers repeat from record to record, so each is asked about once.

use super::context::{Context, names_an_id};
use super::name;
use super::rules::Rules;
use super::scan::Segment;
use crate::byte_set::among;

/// How long a number or a sum in hexadecimal is that is told so.
const LENGTHS: std::ops::RangeInclusive<usize> = 32..=128;
/// Where the groups of a UUID begin.
const GROUPS: [usize; 5] = [0, 9, 14, 19, 24];
/// A word that is as long as a UUID.
type Uuid = [u8; 36];
/// Where its signs are.
const SIGNS: [bool; 36] = {
    let mut signs = [false; 36];
    let mut group = 1;
    while group < GROUPS.len() {
        signs[GROUPS[group] - 1] = true;
        group += 1;
    }
    signs
};
/// So many names are remembered, the first that come.
const REMEMBERED: usize = 8;

/// The names of identifiers in a segment.
#[derive(Debug, Default)]
pub(super) struct Identifiers<'a> {
    names: Vec<&'a [u8]>,
    #[cfg(test)]
    never: bool,
}

impl<'a> Identifiers<'a> {
    /// Has every word looked at like any other.
    #[cfg(test)]
    fn never() -> Identifiers<'a> {
        Identifiers { names: Vec::new(), never: true }
    }

    /// Whether the long word `start..end` is an identifier, of which nothing is left to tell but whether it is base64 of a
    /// text, and whether it is the door of a link.
    pub(super) fn has(&mut self, segment: &Segment<'a>, rules: &Rules, start: usize, end: usize) -> bool {
        #[cfg(test)]
        if self.never {
            return false;
        }
        let word = segment.part(start, end);
        is_identifier(word)
            && stands_alone(segment, start, end)
            && !begins_a_token(segment, rules, start, word)
            && Context::before(segment, start).is_none_or(|context| self.are_named(context.name))
    }

    /// Whether `name` is one of identifiers, and no secret's.
    fn are_named(&mut self, name: &'a [u8]) -> bool {
        if self.names.contains(&name) {
            return true;
        }
        let is_one = name::class_of(name).is_none() && names_an_id(name);
        if is_one && self.names.len() < REMEMBERED {
            self.names.push(name);
        }
        is_one
    }
}

/// Whether `word` is a UUID, or a number in hexadecimal; in small letters, as most are.
fn is_identifier(word: &[u8]) -> bool {
    let digit = |byte: u8| (byte.wrapping_sub(b'0') < 10) | (byte.wrapping_sub(b'a') < 6);
    match <&Uuid>::try_from(word) {
        Ok(uuid) if has_signs(uuid) => {
            // Without a branch for each byte.
            let fits = |byte: u8, sign: bool| (digit(byte) & !sign) | ((byte == b'-') & sign);
            uuid.iter().zip(&SIGNS).fold(true, |all, (&byte, &sign)| all & fits(byte, sign))
        }
        _ => LENGTHS.contains(&word.len()) && word.iter().fold(true, |all, &byte| all & digit(byte)),
    }
}

/// Whether signs stand between the groups of what is as long as a UUID.
fn has_signs(uuid: &Uuid) -> bool {
    GROUPS.iter().skip(1).all(|group| uuid.get(group - 1) == Some(&b'-'))
}

/// Whether what is around the word `start..end` is no part of a value, of a token or of an escape.
fn stands_alone(segment: &Segment<'_>, start: usize, end: usize) -> bool {
    let ahead = segment.part(segment.low.max(start.saturating_sub(5)), start);
    among!(segment.before(start), b" \t\n\"',;[(")
        && among!(segment.byte(end), b" \t\r\n\"',;])}")
        && end < segment.limit
        && !ahead.windows(2).any(|two| two == b"\\u")
}

/// Whether a token may begin where a group of `word` does, which stands at `start`.
fn begins_a_token(segment: &Segment<'_>, rules: &Rules, start: usize, word: &[u8]) -> bool {
    let groups = if <&Uuid>::try_from(word).is_ok_and(has_signs) { GROUPS.len() } else { 1 };
    GROUPS.iter().take(groups).any(|group| {
        let at = start + group;
        rules.may_begin(segment.byte(at), segment.byte(at + 1))
            && rules.heads(segment.part(at, segment.limit)).next().is_some()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::redact::scan::Span;
    use crate::redact::tokens;

    /// The secrets among the long words of `text`, with identifiers told at once or looked at like all others.
    fn found(text: &str, at_once: bool) -> Vec<(usize, usize, u16)> {
        let bytes = text.as_bytes();
        let segment = Segment::new(bytes, 0, 0, bytes.len(), bytes.len());
        let mut spans: Vec<Span> = Vec::new();
        let identifiers = if at_once { Identifiers::default() } else { Identifiers::never() };
        tokens::scan_with(identifiers, &segment, &Rules::builtin(), &mut spans);
        spans.iter().map(|span| (span.start, span.end, span.kind)).collect()
    }

    #[test]
    fn no_part_that_a_token_always_has_is_one_of_an_identifier() {
        let rules = Rules::builtin();
        assert!(
            rules.infixes().iter().all(|(part, _)| part.needle().iter().any(|&b| b != b'-' && !LOWER.contains(&b)))
        );
    }

    const LOWER: &[u8] = b"0123456789abcdef";

    #[test]
    fn an_identifier_stands_by_itself() {
        let uuid = "550e8400-e29b-41d4-a716-446655440000";
        let has = |text: &str| {
            let (start, bytes) = (text.find("550e").unwrap(), text.as_bytes());
            let segment = Segment::new(bytes, 0, 0, bytes.len(), bytes.len());
            Identifiers::default().has(&segment, &Rules::builtin(), start, start + uuid.len())
        };
        for text in ["{\"request_id\":\"@\",", "a,@,b", "x\n  @\n", "order-id: @\r\n"] {
            assert!(has(&text.replace('@', uuid)), "{text}");
        }
        for text in ["password=\"@\"\n", "token: @ \n", "x/@ \n", "x=@ \n", "\\u00 @ \n", "a @.b\n", "a @"] {
            assert!(!has(&text.replace('@', uuid)), "{text}");
        }
    }

    fn identifier() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            2 => "[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}",
            1 => "(00D|1000\\.|4b1d|AACAAA|dapi|[0-9A-F]{4})[0-9a-f]{20,44}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 128 } else { 4096 }))]
        #[test]
        fn an_identifier_is_judged_the_same_at_once(
            names in prop::collection::vec(
                "id|request_id|token|auth_token|password|api_key|key|datadog|heroku_api_key|twilio|sha256|etag|value|session",
                1..5,
            ),
            words in prop::collection::vec(identifier(), 5),
            joins in prop::collection::vec("\"|\": \"|\":\"|=|: |,| |\\\\\"|\\\\u0022|%22|/|https://a.io/verify/|\\(|-|\n|\\.", 10),
        ) {
            let mut text = String::from("{\"a\": ");
            for (nth, word) in words.iter().enumerate() {
                text += &names[nth % names.len()];
                text += &joins[2 * nth];
                text += word;
                text += &joins[2 * nth + 1];
            }
            text.push('\n');
            prop_assert_eq!(found(&text, true), found(&text, false), "{}", text);
        }
    }
}

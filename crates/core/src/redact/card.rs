//! Numbers of payment cards behind a word that speaks of one, told from ids by their issuer and their check digit.

use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use crate::byte_set::among;

/// How far behind the word a number may begin, and how much of the line is read.
const NEAR: usize = 24;
const REACH: usize = 160;

/// Numbers that the documentation of payment services gives for tests.
const TESTS: &[&[u8]] =
    &[b"378282246310005", b"371449635398431", b"5105105105105100", b"4012888888881881", b"30569309025904"];

/// Takes the number behind a word that ends at `from`, and those in groups further on in the line.
pub(super) fn behind(segment: &Segment<'_>, rules: &Rules, from: usize, spans: &mut Vec<Span>) {
    let Some(kind) = rules.detector(Detector::Card) else { return };
    let rest = segment.part(from, segment.line_end(from).min(from + REACH));
    let (mut at, mut found) = (0, false);
    while let Some(skip) = rest.get(at..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)) {
        let start = at + skip;
        if start > NEAR && !found {
            return;
        }
        let number = rest.get(start..).unwrap_or_default();
        let whole = number.iter().take_while(|b| b.is_ascii_digit() || among!(**b, b" -")).count();
        at = start + whole;
        let joined = start > 0 && rest.get(start - 1).is_some_and(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.-*"));
        let Some(length) = card(number).filter(|_| !joined) else { continue };
        let grouped = number.get(..length).is_some_and(|number| !number.iter().all(u8::is_ascii_digit));
        if start > NEAR && !grouped {
            continue;
        }
        found = true;
        let start = from + start;
        spans.push(Span { start, end: start + length, kind, weight: weight::NAMED, with: With::Placeholder });
    }
}

/// How long the number of a card is that `text` begins with.
fn card(text: &[u8]) -> Option<usize> {
    let groups: Vec<usize> = text
        .split(|b| among!(*b, b" -"))
        .map(|part| part.iter().take_while(|b| b.is_ascii_digit()).count())
        .take(5)
        .collect();
    let length = match *groups {
        [4, 4, 4, 4, ..] => 19,
        [4, 6, 5, ..] | [4, 6, 4, ..] => 2 + groups.iter().take(3).sum::<usize>(),
        [one @ 14..=19, ..] => one,
        _ => return None,
    };
    let number = text.get(..length)?;
    let ends = !text.get(length).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let digits: Vec<u8> = number.iter().copied().filter(u8::is_ascii_digit).collect();
    (ends && issued(&digits) && checks(&digits) && !of_a_test(&digits)).then_some(length)
}

/// Whether an issuer's numbers begin so and are so long.
fn issued(digits: &[u8]) -> bool {
    let first = |count: usize| digits.iter().take(count).fold(0u32, |number, b| number * 10 + u32::from(b - b'0'));
    match digits.len() {
        14 => matches!(first(2), 36 | 38) || (300..=305).contains(&first(3)),
        15 => matches!(first(2), 34 | 37),
        16 => {
            matches!(first(2), 40..=49 | 51..=55 | 35 | 62 | 65)
                || (2221..=2720).contains(&first(4))
                || first(4) == 6011
                || (644..=649).contains(&first(3))
        }
        19 => matches!(first(2), 62) || first(1) == 4,
        _ => false,
    }
}

/// Whether the check digit by Luhn is right.
fn checks(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, b)| match (place % 2, u32::from(b - b'0')) {
            (1, digit) if digit > 4 => digit * 2 - 9,
            (1, digit) => digit * 2,
            (_, digit) => digit,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether `digits` are made up for tests: three different ones at most, or eight zeros in a row.
fn of_a_test(digits: &[u8]) -> bool {
    let kinds = (b'0'..=b'9').filter(|digit| digits.contains(digit)).count();
    kinds <= 3 || super::shape::has(digits, b"00000000") || TESTS.contains(&digits)
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn redacted(text: &str) -> String {
        redact(text, &Rules::builtin()).0
    }

    #[test]
    fn numbers_of_cards_go() {
        let (visa, amex) = (["45391567", "11572893"].concat(), ["3759-682809", "-38064"].concat());
        assert_eq!(
            redacted(&format!("{{\"number\":\"{visa}\",\"exp\":4}}")),
            "{\"number\":\"[REDACTED: CARD_NUMBER]\",\"exp\":4}"
        );
        assert_eq!(
            redacted(&format!("card {} 09/27, retry with {amex}", "5425 3183 6896 2538")),
            "card [REDACTED: CARD_NUMBER] 09/27, retry with [REDACTED: CARD_NUMBER]"
        );
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "{\"number\":\"4539156711572894\"}",
            "{\"number\": 4821}",
            "card **** **** **** 5602 exp 09/27, order 5425 0001 77",
            "discard 1700000000000000 ns",
            "card 4242 4242 4242 4242 is for tests",
            "order 4539156711572893 was shipped",
        ] {
            assert_eq!(redacted(text), text);
        }
    }
}

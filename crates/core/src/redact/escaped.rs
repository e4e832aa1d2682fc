//! Names that escapes divide: `pass%77ord=…`, `"\\u0070assword": "…"`.
//!
//! The word or the line around such an escape is read a second time without its escapes.

use super::rules::Rules;
use super::scan::{Segment, Span};
use crate::byte_set::among;

/// How far around an escape the text is read.
const REACH: usize = 512;

/// Whether an escape that stands for a part of a name begins at `at`.
pub(super) fn begins(segment: &Segment<'_>, at: usize) -> bool {
    unit(segment, at, segment.limit).is_some_and(|(byte, _)| byte.is_ascii_alphanumeric() || byte == b']')
}

/// Adds the secrets that are assigned to escaped names around `at`.
pub(super) fn read(segment: &Segment<'_>, rules: &Rules, at: usize, spans: &mut Vec<Span>) {
    let (line, line_end) = segment.line(at);
    let low = line.max(at.saturating_sub(REACH)).max(segment.start);
    let high = line_end.min(at + REACH);
    let ahead = segment.part(low, at);
    let from = low + ahead.iter().rposition(|b| among!(*b, b" ,{")).map_or(0, |blank| blank + 1);
    // The text without escapes, and for each of its bytes the place that it has in the segment.
    let (mut text, mut places) = (Vec::new(), Vec::new());
    let mut next = from;
    while next < high {
        let (byte, length) = unit(segment, next, high).unwrap_or((segment.byte(next), 1));
        text.push(byte);
        places.push(next);
        next += length;
    }
    places.push(next);
    let inner = Segment::new(&text, 0, 0, text.len(), text.len());
    let mut found = Vec::new();
    super::find_in_lines(&inner, rules, &mut found);
    for span in found {
        if let (Some(&start), Some(&end)) = (places.get(span.start), places.get(span.end))
            && start < segment.end
        {
            spans.push(Span { start, end, ..span });
        }
    }
}

/// The letter, figure or sign of a name that is escaped at `at`, and how long the escape is.
fn unit(segment: &Segment<'_>, at: usize, high: usize) -> Option<(u8, usize)> {
    let rest = segment.part(at, high.min(at + 6));
    let (digits, length) = match rest {
        [b'%', high, low, ..] => ([*high, *low], 3),
        [b'\\', b'u', b'0', b'0', high, low] => ([*high, *low], 6),
        _ => return None,
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()?;
    (byte.is_ascii_alphanumeric() || among!(byte, b"_-[]")).then_some((byte, length))
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn an_escaped_name_is_a_name() {
        for text in
            ["user=mara&pass%77ord=qV7xw29TbLm4&x=1\n", "{\"\\u0070assword\": \"qV7xw29TbLm4\", \"user\": \"mara\"}\n"]
        {
            let expected = text.replace("qV7xw29TbLm4", "[REDACTED: PASSWORD]");
            assert_eq!(redact(text, &Rules::builtin()).0, expected);
            assert_eq!(redact(&expected, &Rules::builtin()).0, expected);
        }
        let text = "user=mara&%71uery=shop2024&pass%20age=12b4\n{\"\\u0070lan\": \"Business2024\"}\n";
        assert_eq!(redact(text, &Rules::builtin()).0, text);
    }
}

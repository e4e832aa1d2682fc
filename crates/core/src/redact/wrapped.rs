//! Tokens and keys in base64 that go on over the lines below: the first line has their mark, the others have none.

use super::scan::{Segment, Span, With, weight};
use crate::byte_set::among;

/// How wide text is wrapped.
const WIDTHS: std::ops::RangeInclusive<usize> = 56..=160;

/// What goes on below the line that began it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrapped {
    kind: u16,
    width: usize,
    /// How far its lines are indented.
    margin: usize,
}

/// Takes the lines below each of `spans` that fills its own line. Returns what may go on behind `segment`.
pub(super) fn follow(segment: &Segment<'_>, spans: &mut Vec<Span>) -> Option<Wrapped> {
    let mut goes_on = None;
    let begun: Vec<(Wrapped, usize)> =
        spans.iter().filter_map(|span| Some((begins(segment, span)?, span.end))).collect();
    for (wrapped, end) in begun {
        let mut at = segment.line(end).1 + 1;
        let mut open = true;
        while open && at < segment.end {
            let line_end = segment.line_end(at);
            let Some((span, more)) = line(segment, &wrapped, at, line_end) else {
                open = false;
                break;
            };
            spans.push(span);
            open = more;
            at = segment.line(at).1 + 1;
        }
        if open && at >= segment.end {
            goes_on = goes_on.or(Some(wrapped));
        }
    }
    goes_on
}

/// What `span` begins if it fills its line.
fn begins(segment: &Segment<'_>, span: &Span) -> Option<Wrapped> {
    let width = span.end - span.start;
    let (line, _) = segment.line(span.start);
    let fills = span.weight == weight::PROVIDER && WIDTHS.contains(&width) && segment.line_end(span.start) == span.end;
    let token = segment.part(span.start, span.end);
    if !fills || !token.iter().all(|b| of_base64(*b)) || token.ends_with(b"=") {
        return None;
    }
    // A token with its signature is whole.
    let mut parts = token.rsplit(|&b| b == b'.');
    let last = parts.next().map_or(0, <[u8]>::len);
    if parts.count() >= 2 && last >= 43 {
        return None;
    }
    let margin = span.start - line;
    let blank = segment.part(line, span.start).iter().all(|b| matches!(b, b' ' | b'\t'));
    blank.then_some(Wrapped { kind: span.kind, width, margin })
}

/// The line `at..end` as a part of `wrapped`, and whether more may follow.
pub(super) fn line(segment: &Segment<'_>, wrapped: &Wrapped, at: usize, end: usize) -> Option<(Span, bool)> {
    let start = at + wrapped.margin;
    let text = segment.part(start, end).trim_ascii_end();
    let blank = segment.part(at, start).iter().all(|b| matches!(b, b' ' | b'\t'));
    let full = text.len() == wrapped.width;
    let shape = super::shape::shape(text);
    // The last line is shorter, and words are no part of it.
    let rest = text.len() >= 4 && (text.ends_with(b"=") || shape.upper > 0 && shape.lower > 0 && shape.digits > 0);
    let fits =
        blank && start < end && text.iter().all(|b| of_base64(*b)) && (full || text.len() < wrapped.width && rest);
    let end = start + text.len();
    fits.then_some((Span { start, end, kind: wrapped.kind, weight: weight::BLOCK, with: With::Nothing }, full))
}

fn of_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || among!(byte, b"+/=_-.")
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    /// Letters and figures without words.
    fn noise(count: usize) -> String {
        "qZ7xK2vB9nR4tW8mD1sG6hJ3fL5pC0yA".chars().cycle().take(count).collect()
    }

    #[test]
    fn a_token_over_lines_goes_whole() {
        let first = format!("eyJ{}.eyJ{}", noise(30), noise(39));
        let text = format!("token=\n  {first}\n  {}\n  {}\nDone\n", noise(76), noise(20));
        assert_eq!(redact(&text, &Rules::builtin()).0, "token=\n  [REDACTED: JWT]\n  \n  \nDone\n");
    }

    #[test]
    fn what_follows_a_whole_token_stays() {
        let token = format!("eyJ{}.eyJ{}.{}", noise(30), noise(30), noise(43));
        let text = format!("{token}\n{}\n", "Sum5Of9Parts");
        assert_eq!(redact(&text, &Rules::builtin()).0, "[REDACTED: JWT]\nSum5Of9Parts\n");
        let text = format!("eyJ{}.eyJ{}\nDone\n", noise(30), noise(39));
        assert_eq!(redact(&text, &Rules::builtin()).0, "[REDACTED: JWT]\nDone\n");
    }
}

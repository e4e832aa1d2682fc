//! Values below or behind their names: alone on a line of their own, as the other half of a pair, as what takes the place
//! of another value.

use super::class::Class;
use super::code;
use super::extent::{self, Style};
use super::judge::{self, ValuePlace};
use super::label;
use super::operator::Operator;
use super::quotes::quote;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::surroundings::skip_blanks;
use super::worth::no_verdict;
use crate::byte_set::among;

/// The value alone on a line below its name: a string, with a comma perhaps.
pub(super) fn on_its_own_line(segment: &Segment<'_>, start: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line_end = segment.line_end(start);
    let value = skip_blanks(segment, start, 256);
    let value = if segment.part(value, value + 2) == b"- " { value + 2 } else { value };
    let value = behind_number(segment, behind_length(segment, value, line_end), line_end);
    let mark = segment.byte(value);
    if !quote(mark) {
        let secret = segment.part(value, line_end).trim_ascii_end();
        let chosen = class == Class::Password
            && (segment.before(value) == b' ' && (no_verdict(secret) || made_up(secret)) || label::made(secret))
            && !code::code(secret);
        let worth = judge::by_chance_alone(secret) || chosen && !judge::placeholder(secret);
        return (worth && !rules.allowed(secret)).then_some(Span {
            start: value,
            end: value + secret.len(),
            kind,
            weight: weight::ASSIGNED,
            with: With::Placeholder,
        });
    }
    let end = extent::closing_quote(segment, value + 1, line_end, mark, 0)?;
    let rest = segment.part(end + 1, line_end);
    let secret = segment.part(value + 1, end);
    let remark = [&b", # "[..], b",  # ", b", // ", b",  // "].iter().any(|mark| rest.starts_with(mark));
    let alone = remark || rest.len() <= 2 && rest.iter().all(|b| among!(*b, b",; )"));
    let place = ValuePlace { quoted: true, ..ValuePlace::default() };
    let worth = judge::secret_value(class, secret, place);
    // The next flag in a list of them.
    let flag = secret.starts_with(b"--");
    (alone && worth && !flag && !rules.allowed(secret)).then_some(Span {
        start: value + 1,
        end,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

/// Whether a person made `secret` up for a password: letters, some figures and perhaps signs, in one word.
fn made_up(secret: &[u8]) -> bool {
    let shape = super::shape::shape(secret);
    secret.len() >= 8
        && shape.digits >= 3
        && shape.letters() >= 3
        && secret.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.-!@#$%&*+?"))
        && !super::shape::version(secret)
}

/// Steps over the type and the length that PHP prints before a string: `string(14) "…"`.
fn behind_length(segment: &Segment<'_>, value: usize, line_end: usize) -> usize {
    let Some(rest) = segment.part(value, line_end).strip_prefix(b"string(") else { return value };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if rest.get(digits..digits + 2) == Some(b") ") { value + 7 + digits + 2 } else { value }
}

/// Steps over the number of an entry: `2) "…"`.
fn behind_number(segment: &Segment<'_>, value: usize, line_end: usize) -> usize {
    let rest = segment.part(value, line_end.min(value + 12));
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(b") \"")) {
        value + digits + 2
    } else {
        value
    }
}

/// The line `start..end`, below the one that says who logs in.
pub(super) fn last_of_login(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules) -> Option<Span> {
    let kind = rules.detector(Detector::from(Class::Password))?;
    let line = segment.part(start, end);
    let secret = line.trim_ascii();
    let from = start + line.len() - line.trim_ascii_start().len();
    (!secret.is_empty() && !judge::placeholder(secret) && !rules.allowed(secret)).then_some(Span {
        start: from,
        end: from + secret.len(),
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

/// The only word of the line `start..end`, below a sentence that announced it.
pub(super) fn announced(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line = segment.part(start, end);
    let from = start + line.len() - line.trim_ascii_start().len();
    let (tags, secret) = text_of_element(line.trim_ascii());
    let from = from + tags;
    let shape = super::shape::shape(secret);
    let one = secret.iter().all(|b| b.is_ascii_graphic()) && (6..=128).contains(&secret.len());
    let mixed = shape.digits > 0 && shape.letters() > 0 && !super::shape::wordy(secret) && !code::code(secret);
    (one && mixed && !judge::placeholder(secret) && !super::shape::number(secret) && !rules.allowed(secret)).then_some(
        Span { start: from, end: from + secret.len(), kind, weight: weight::ASSIGNED, with: With::Placeholder },
    )
}

/// How long the tags at the beginning of `line` are, and the text behind them, if there are any: `<dd><code>…</code></dd>`.
fn text_of_element(line: &[u8]) -> (usize, &[u8]) {
    let mut at = 0;
    while let Some(close) =
        line.get(at..).filter(|rest| rest.starts_with(b"<")).and_then(|rest| memchr::memchr(b'>', rest))
    {
        at += close + 1;
    }
    let text = line.get(at..).unwrap_or_default();
    let end = if at > 0 { memchr::memchr(b'<', text).unwrap_or(text.len()) } else { text.len() };
    (at, text.get(..end).unwrap_or_default())
}

/// The only word of the line `start..end`, an answer to the question above it, behind who gives it perhaps:
/// `[10:13] jane: its …`.
pub(super) fn answered(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line = segment.part(start, end).trim_ascii_end();
    let from = line.iter().rposition(|b| *b == b' ').map_or(0, |at| at + 1);
    let (ahead, secret) = line.split_at(from);
    let ahead = ahead.trim_ascii_end();
    let verbs = [&b"its"[..], b"it's", b"it is", b"is", b"use", b"try", b"yes,", b"sure,"];
    let ahead = verbs.iter().find_map(|verb| ahead.strip_suffix(*verb)).unwrap_or(ahead).trim_ascii_end();
    let by_whom = ahead.len() <= 48 && (ahead.is_empty() || ahead.ends_with(b":") || ahead.ends_with(b">"));
    let made = if class == Class::Password { label::made(secret) } else { judge::by_chance_alone(secret) };
    (by_whom && made && !rules.allowed(secret)).then_some(Span {
        start: start + from,
        end: start + from + secret.len(),
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

/// The value in quotes behind the one that `span` is, if it takes that one's place: `"…" -> "…"`.
pub(super) fn changed_to(segment: &Segment<'_>, rules: &Rules, span: &Span) -> Option<Span> {
    let rest = segment.part(span.end, segment.line_end(span.end).min(span.end + 16));
    let mark = *rest.first().filter(|b| quote(**b))?;
    let arrow = rest.get(1..)?.strip_prefix(b" -> ")?;
    let start = span.end + 6;
    let end = (*arrow.first()? == mark)
        .then(|| extent::closing_quote(segment, start, segment.line_end(start), mark, 0))??;
    let secret = segment.part(start, end);
    (secret.len() >= 4 && start < segment.end && !judge::placeholder(secret) && !rules.allowed(secret))
        .then_some(Span { start, end, ..*span })
}

/// Adds the values that stand behind a secret of `spans` in a list: `COOKIE_KEYS=…,…`.
pub(super) fn listed(segment: &Segment<'_>, rules: &Rules, spans: &mut Vec<Span>) {
    for index in 0..spans.len() {
        let Some(span) = spans.get(index).copied() else { break };
        if span.weight == weight::ASSIGNED && span.with == With::Placeholder {
            listed_behind(segment, rules, &span, spans);
        }
    }
}

/// The values behind the one that `span` is: as long as that one, and as random.
fn listed_behind(segment: &Segment<'_>, rules: &Rules, span: &Span, spans: &mut Vec<Span>) {
    let length = span.end - span.start;
    if !(16..=128).contains(&length) {
        return;
    }
    let mut end = span.end;
    for _ in 0..16 {
        let rest = segment.part(end, segment.line_end(end).min(end + length + 3));
        let between = rest.iter().take_while(|b| among!(**b, b", |;")).count();
        let secret = rest.get(between..between + length).unwrap_or_default();
        let behind = rest.get(between + length).is_none_or(|b| among!(*b, b", |;\"'\\"));
        if !(1..=2).contains(&between) || !behind || !drawn(secret) || rules.allowed(secret) {
            return;
        }
        let start = end + between;
        end = start + length;
        if start < segment.end {
            spans.push(Span { start, end, ..*span });
        }
    }
}

/// Whether chance mixed the letters and figures of `secret`.
fn drawn(secret: &[u8]) -> bool {
    let shape = super::shape::shape(secret);
    shape.digits.min(shape.letters()) >= 2
        && shape.changes * 5 >= secret.len()
        && secret.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"+/=_-"))
        && !super::shape::uuid(secret)
        && !judge::placeholder(secret)
}

/// The value that begins at `value`, the other half of a pair.
pub(super) fn value_of_pair(segment: &Segment<'_>, value: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line_end = segment.line_end(value);
    let style = Style {
        operator: if segment.before(value) == b'>' { Operator::Element } else { Operator::Pair },
        before: b' ',
        spaced: true,
        open: Default::default(),
        capitals: true,
        leads: true,
    };
    let found = extent::extent(segment, value, line_end, style)?;
    let secret = segment.part(found.start, found.end);
    let place = ValuePlace { quoted: found.quoted, setting: true, alone: true, free: true, ..ValuePlace::default() };
    (judge::secret_value(class, secret, place) && !rules.allowed(secret)).then_some(Span {
        start: found.start,
        end: found.end,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn the_other_values_of_a_list_go_too() {
        check(
            "COOKIE_KEYS=lC42M9HylIMgkgLBfJhXG5,4uuo4QCVslLSK5d128eKTQ\n",
            "COOKIE_KEYS=[REDACTED: API_KEY],[REDACTED: API_KEY]\n",
        );
        check(
            "DB_PASSWORD=x9Lq2mR9vTz4kW3p other=things_of_16_len\n",
            "DB_PASSWORD=[REDACTED: PASSWORD] other=things_of_16_len\n",
        );
    }

    #[test]
    fn a_string_may_go_on_below() {
        check(
            "token: \"lGsku2FeE3Ut9IwQ8g7V\\\n  x8Rf2LmQ9wTz\"\nname: web\n",
            "token: \"[REDACTED: TOKEN]\n  [REDACTED: TOKEN]\"\nname: web\n",
        );
    }

    #[test]
    fn an_answer_goes_below_its_question() {
        check(
            "[10:13] tom: and the root password?\n[10:14] mara: its violet-1569!\n",
            "[10:13] tom: and the root password?\n[10:14] mara: its [REDACTED: PASSWORD]\n",
        );
        for text in ["Forgot your password?\nClick here\n", "tom: what password?\nmara: release-2024-10\n"] {
            check(text, text);
        }
    }

    #[test]
    fn what_is_typed_at_a_prompt_is_below_it() {
        check("New password: \nviolet_1569!\nOK\n", "New password: \n[REDACTED: PASSWORD]\nOK\n");
        check("New password: \nSuccess.\n", "New password: \nSuccess.\n");
    }

    #[test]
    fn the_second_line_of_a_login_goes() {
        check(
            "<auth-user-pass>\nmara\nmaple otter\n</auth-user-pass>\nport 1194\n",
            "<auth-user-pass>\nmara\n[REDACTED: PASSWORD]\n</auth-user-pass>\nport 1194\n",
        );
        for text in
            ["<auth-user-pass>\n</auth-user-pass>\nport 1194\n", "<auth-user-pass> is a section\nof it\nin use\n"]
        {
            check(text, text);
        }
    }

    #[test]
    fn a_password_below_its_name_may_be_made_up() {
        check(
            "mysql.pass:\n    violet_1569!\nport:\n    3306\n",
            "mysql.pass:\n    [REDACTED: PASSWORD]\nport:\n    3306\n",
        );
    }
}

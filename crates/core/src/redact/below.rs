//! Values below or behind their names: alone on a line of their own, as the other half of a pair, as what takes the place
//! of another value.

use super::class::Class;
use super::code;
use super::extent::{self, Style};
use super::judge::{self, Place};
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
        let chosen =
            class == Class::Password && segment.before(value) == b' ' && no_verdict(secret) && !code::code(secret);
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
    let alone = rest.len() <= 2 && rest.iter().all(|b| among!(*b, b",; )"));
    let place = Place { quoted: true, ..Place::default() };
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

/// The only word of the line `start..end`, below a sentence that announced it.
pub(super) fn announced(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line = segment.part(start, end);
    let from = start + line.len() - line.trim_ascii_start().len();
    let secret = line.trim_ascii();
    let shape = super::shape::shape(secret);
    let one = secret.iter().all(|b| b.is_ascii_graphic()) && (6..=128).contains(&secret.len());
    let mixed = shape.digits > 0 && shape.letters() > 0 && !super::shape::wordy(secret) && !code::code(secret);
    (one && mixed && !judge::placeholder(secret) && !super::shape::number(secret) && !rules.allowed(secret)).then_some(
        Span { start: from, end: from + secret.len(), kind, weight: weight::ASSIGNED, with: With::Placeholder },
    )
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
    let place = Place { quoted: found.quoted, setting: true, alone: true, free: true, ..Place::default() };
    (judge::secret_value(class, secret, place) && !rules.allowed(secret)).then_some(Span {
        start: found.start,
        end: found.end,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

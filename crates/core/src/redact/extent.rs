//! Where the value of an assignment ends: at the end of the form it is written in, whatever characters it holds.
//!
//! A setting on a line of its own goes to the line's end, a value in quotes to the quote, one in a query string to
//! the `&`, one in a connection string to the `;`, and a value in a string ends with the string at the latest.

use super::operator::{CDATA, Operator};
use super::quotes::{escaped_quote, quote};
use super::scan::{Quotes, Segment};
use crate::byte_set::among;

/// How long a value may be.
pub(super) const VALUE: usize = 4096;

/// How the assignment is written, as far as it decides where the value ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) operator: Operator,
    /// What stands before the name.
    pub(super) before: u8,
    /// Whether there are blanks around the operator.
    pub(super) spaced: bool,
    /// The strings that the name stands in.
    pub(super) open: Quotes,
    /// Whether the name is in capitals: a setting.
    pub(super) capitals: bool,
    /// Whether nothing but a prefix of the line stands before the name.
    pub(super) leads: bool,
}

/// Where a value is, without its quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
}

fn blank(byte: u8) -> bool {
    byte <= b' '
}

/// Where the value that begins at `value` ends.
pub(super) fn extent(segment: &Segment<'_>, value: usize, line_end: usize, style: Style) -> Option<Extent> {
    match style.operator {
        Operator::Element => {
            let rest = segment.part(value, line_end.min(value + VALUE));
            let in_section = segment.part(value.saturating_sub(CDATA.len()).max(segment.low), value) == CDATA;
            let closing = if in_section { super::shape::find(rest, b"]]>") } else { memchr::memchr(b'<', rest) };
            // Without another tag behind it, `<password>` is a placeholder in a text.
            if closing.is_none() && !rest.first().is_some_and(u8::is_ascii_alphanumeric) {
                return None;
            }
            let text = rest.get(..closing.unwrap_or(rest.len())).unwrap_or_default();
            let start = value + text.len() - text.trim_ascii_start().len();
            let end = start + text.trim_ascii().len();
            return (end > start).then_some(Extent { start, end, quoted: true });
        }
        Operator::Cell => return cell(segment, value, line_end),
        _ => {}
    }
    if let Some(mark) = escaped_quote(segment, value) {
        let start = value + mark.len();
        let rest = segment.part(start, line_end.min(start + VALUE));
        let end = start + super::shape::find(rest, mark)?;
        return (end > start).then_some(Extent { start, end, quoted: true });
    }
    if let Some(extent) = in_quotes(segment, value, line_end, style) {
        return extent;
    }
    // Bold in Markdown: `Token: **…**`.
    if let Some(bold) = segment.part(value, line_end.min(value + VALUE)).strip_prefix(b"**")
        && let Some(length) = super::shape::find(bold, b"**").filter(|length| *length > 0)
    {
        return Some(Extent { start: value + 2, end: value + 2 + length, quoted: true });
    }
    if let Some(extent) = in_braces(segment, value, line_end, style) {
        return Some(extent);
    }
    let end = word(segment, value, line_end, style);
    (end > value).then_some(Extent { start: value, end, quoted: false })
}

/// The value in the quotes that open at `value`; `None` if none do, `Some(None)` if there is nothing between them.
fn in_quotes(segment: &Segment<'_>, value: usize, line_end: usize, style: Style) -> Option<Option<Extent>> {
    let mut at = value;
    // String prefixes of Python, Rust, C#, SQL: b"…", r'…', f"…", @"…", N'…'.
    if matches!(segment.byte(at), b'b' | b'r' | b'f' | b'u' | b'@' | b'L' | b'N' | b'$') && quote(segment.byte(at + 1))
    {
        at += 1;
    }
    let mut slashes = 0;
    while segment.byte(at + slashes) == b'\\' && slashes < 8 {
        slashes += 1;
    }
    let mark = segment.byte(at + slashes);
    if !quote(mark) {
        return None;
    }
    // The quote that closes the string around the name: there is no value.
    if style.open.has(mark) && slashes == 0 && style.operator != Operator::Pair {
        return Some(None);
    }
    // Three quotes open a string that goes over lines.
    let triple = segment.byte(at + slashes + 1) == mark && segment.byte(at + slashes + 2) == mark;
    let start = at + slashes + if triple { 3 } else { 1 };
    let mut closing = closing_quote(segment, start, line_end, mark, slashes);
    // Two quotes are one of the value's own in YAML, SQL and tables.
    while let Some(end) = closing.filter(|end| {
        slashes == 0 && !triple && *end > start && segment.byte(*end) == mark && segment.byte(*end + 1) == mark
    }) {
        let Some(next) = closing_quote(segment, end + 2, line_end, mark, 0) else { break };
        closing = Some(next);
    }
    let Some(end) = closing else {
        let end = word(segment, start, line_end, style);
        return Some((start < end).then_some(Extent { start, end, quoted: true }));
    };
    // A password may begin with a quote and have another one: what follows a string is no part of a word.
    let after = segment.byte(end + 1);
    let joined = !blank(after) && !among!(after, b",;)]}>&|\\\"'`#</:.+?*") && end > start;
    if joined && style.capitals && !style.spaced && style.operator == Operator::Equals {
        return None;
    }
    Some((start < end).then_some(Extent { start, end, quoted: true }))
}

/// The value in the braces of a connection string, where it is no template: `;PWD={g7;Kx2p!vR};`.
fn in_braces(segment: &Segment<'_>, value: usize, line_end: usize, style: Style) -> Option<Extent> {
    let joined = style.operator == Operator::Equals && style.before == b';' && !style.spaced;
    let rest = segment.part(value, line_end.min(value + 128)).strip_prefix(b"{").filter(|_| joined)?;
    let close = memchr::memchr(b'}', rest)?;
    let inner = rest.get(..close)?;
    let ends = rest.get(close + 1).is_none_or(|b| among!(*b, b";\"'`"));
    let scrambled = inner.iter().any(|b| b.is_ascii_digit() || among!(*b, b"!@#%^&*;"));
    let named = inner.iter().all(|b| b.is_ascii_digit() || among!(*b, b"{}"));
    (ends && scrambled && !named).then_some(Extent { start: value + 1, end: value + 1 + close, quoted: true })
}

/// The cell of a table that begins at `value`.
fn cell(segment: &Segment<'_>, value: usize, line_end: usize) -> Option<Extent> {
    let rest = segment.part(value, line_end.min(value + VALUE));
    let bar = memchr::memchr(b'|', rest);
    let drawn = super::shape::find(rest, "│".as_bytes());
    let apart = || super::shape::find(rest, b"  ");
    let end = [bar, drawn].into_iter().flatten().min().or_else(apart).unwrap_or(rest.len());
    let text = rest.get(..end)?.trim_ascii_end();
    let (start, end) = match text {
        [open, inner @ .., close] if open == close && (quote(*open)) => (value + 1, value + 1 + inner.len()),
        _ => (value, value + text.len()),
    };
    (end > start).then_some(Extent { start, end, quoted: false })
}

/// Where the word that begins at `value` ends.
fn word(segment: &Segment<'_>, value: usize, line_end: usize, style: Style) -> usize {
    let limit = line_end.min(value + VALUE);
    // A value that is all of the line's rest is taken whole.
    let rest = segment.part(value, limit);
    // So is a setting in a string, as far as the string's line goes.
    let in_string = style.open.any() && style.capitals && !style.spaced && style.operator == Operator::Equals;
    let whole = in_string
        || style.leads
            && !style.open.any()
            && !rest.iter().any(|&b| blank(b))
            && matches!(style.operator, Operator::Equals | Operator::Colon);
    let mut end = value;
    let opener = segment.byte(value);
    // Letters and figures end nothing.
    while end < limit && (segment.byte(end).is_ascii_alphanumeric() || !ends(segment, end, style, whole, opener)) {
        end += 1;
    }
    // In code and in prose a sign behind the value is not part of it; behind a value with signs of its own it is.
    let setting = style.capitals && style.operator == Operator::Equals && (whole || style.open.any());
    let plain = segment.part(value, end).iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.()[]\"',;"));
    if !setting && (!whole || plain) {
        while end > value + 1 && matches!(segment.before(end), b',' | b';') {
            end -= 1;
        }
    }
    end
}

/// Whether the value ends before the byte at `at`.
fn ends(segment: &Segment<'_>, at: usize, style: Style, whole: bool, opener: u8) -> bool {
    let byte = segment.byte(at);
    let next = segment.byte(at + 1);
    let in_query = matches!(style.before, b'?' | b'&');
    match byte {
        b'"' | b'\'' | b'`' => style.open.has(byte) || !whole && !style.capitals,
        b'\\' => style.open.any() && matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'),
        b'&' => {
            in_query || !whole && (next == b'&' || entity(segment, at) || names_a_parameter(segment, at + 1, style))
        }
        b'%' => style.operator == Operator::Escaped && segment.part(at, at + 3).eq_ignore_ascii_case(b"%26"),
        b'#' => in_query,
        b';' => {
            style.before == b';' || in_query || (!whole && blank(next)) || names_another(segment, at + 1, b"=", style)
        }
        b',' => {
            let listed = !style.capitals || blank(next) && !style.open.any();
            !whole && listed || (!whole || style.open.any()) && names_another(segment, at + 1, b"=:", style)
        }
        b')' if opener == b'(' => false,
        b'}' if opener == b'{' => false,
        b']' if opener == b'[' => false,
        b')' | b'}' | b']' => {
            !whole && (!next.is_ascii_alphanumeric() || !style.capitals && style.operator == Operator::Colon)
        }
        b'<' => !whole && (next == b'/' || segment.part(at, at + 3).eq_ignore_ascii_case(b"<br")),
        _ => blank(byte),
    }
}

/// Whether an entity of HTML begins at `at`.
fn entity(segment: &Segment<'_>, at: usize) -> bool {
    let rest = segment.part(at, (at + 6).min(segment.limit));
    [&b"&quot;"[..], b"&lt;", b"&gt;", b"&amp;", b"&#"].iter().any(|known| rest.starts_with(known))
}

/// The same where no blank may stand in the name.
fn names_a_parameter(segment: &Segment<'_>, at: usize, style: Style) -> bool {
    let rest = segment.part(at, (at + 48).min(segment.limit));
    let word = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_-.")).count();
    rest.get(word) == Some(&b'=') && names_another(segment, at, b"=", style)
}

/// Whether another name with its operator begins at `at`: `user=`, `Initial Catalog=`. Behind a name in capitals it is in
/// capitals too.
pub(super) fn names_another(segment: &Segment<'_>, at: usize, operators: &[u8], style: Style) -> bool {
    let rest = segment.part(at, (at + 48).min(segment.limit));
    let rest = rest.trim_ascii_start();
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_-. ")).count();
    name >= 4
        && rest.first().is_some_and(u8::is_ascii_alphabetic)
        && rest.get(name).is_some_and(|b| operators.contains(b))
        && !(style.capitals && rest.iter().take(name).any(u8::is_ascii_lowercase))
        && super::shape::wordy(rest.get(..name).unwrap_or_default())
}

/// The quote that closes a string which `mark`, behind `slashes` backslashes, opened.
pub(super) fn closing_quote(
    segment: &Segment<'_>,
    start: usize,
    line_end: usize,
    mark: u8,
    slashes: usize,
) -> Option<usize> {
    let rest = segment.part(start, line_end.min(start + VALUE));
    for found in memchr::memchr_iter(mark, rest).take(64) {
        let behind = rest.get(..found).unwrap_or_default().iter().rev().take_while(|&&b| b == b'\\').count();
        if behind <= slashes {
            return Some(start + found - behind);
        }
        if slashes == 0 && behind % 2 == 0 {
            return Some(start + found);
        }
    }
    None
}

//! Secrets in assignments: settings, code, JSON, YAML, XML, command lines, headers.
//!
//! The literal search finds a secret's name; here the rest of the assignment is read by hand, which costs a few bytes
//! for the many names to which nothing is assigned.

use super::judge::{self, Class, Place};
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::tokens;

/// How long a name may be.
const NAME: usize = 64;
/// How long a value may be.
const VALUE: usize = 4096;

/// What stands behind a secret's name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Assigned {
    /// A secret.
    Secret(Span),
    /// Nothing yet: the value is on the next line.
    NextLine { class: Class, line: usize },
    /// A YAML block scalar: the value is the lines that are indented further than `indent`.
    Block { class: Class, indent: usize, line: usize },
    /// No secret, up to here: names inside a very long value are parts of it.
    Nothing { until: usize },
}

fn name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Reads the assignment to the name around `at..to`, where a part of a secret's name was found.
pub(super) fn read(segment: &Segment<'_>, rules: &Rules, at: usize, to: usize) -> Option<Assigned> {
    // Some literals have the operator at their end.
    let to = if name_byte(segment.before(to)) { to } else { to - 1 };
    let mut name_end = to;
    while name_end < segment.limit && name_end - to < NAME && name_byte(segment.byte(name_end)) {
        name_end += 1;
    }
    let (operator, value) = operator(segment, name_end, || name_start(segment, at))?;
    let name_start = name_start(segment, at);
    let name = segment.part(name_start, name_end);
    if segment.is_placeholder_kind(name_start) {
        return None;
    }
    let class = judge::class_of(name)?;
    let kind = rules.detector(Detector::from(class))?;
    let line_end = segment.line_end(value);
    if value >= line_end || segment.part(value, line_end) == b"\\" {
        return matches!(operator, Operator::Colon | Operator::Equals)
            .then_some(Assigned::NextLine { class, line: line_end });
    }
    if operator == Operator::Colon && block_scalar(segment.part(value, line_end)) {
        let (line_start, _) = segment.line(name_start);
        let indent = segment.part(line_start, line_end).iter().take_while(|b| matches!(b, b' ' | b'-')).count();
        return Some(Assigned::Block { class, indent, line: line_end });
    }
    let style = Style { operator, before: segment.before(name_start), spaced: value > name_end + 1 };
    let found = extent(segment, value, line_end, style)?;
    let bytes = segment.part(found.start, found.end);
    let setting = operator == Operator::Blank
        || operator == Operator::Equals
            && !style.spaced
            && (name.iter().all(|b| !b.is_ascii_lowercase()) || segment.line(name_start).0 == name_start);
    let place = Place { quoted: found.quoted, setting };
    let (start, end) = credentials(segment, class, &found);
    let secret = segment.part(start, end);
    if let Some(span) = of_provider(segment, rules, name, start) {
        return Some(Assigned::Secret(span));
    }
    let worth = match class {
        // `PASS: TestSomething` is a verdict.
        Class::Password if operator == Operator::Colon && !found.quoted && name.eq_ignore_ascii_case(b"pass") => false,
        _ if start > found.start => {
            secret.len() >= 6 && !judge::placeholder(secret) && !judge::monotonous(secret) && secret.is_ascii()
        }
        Class::Authorization => judge::secret_value(class, bytes, place),
        _ => judge::secret_value(class, secret, place),
    };
    if !worth || rules.allowed(secret) || start < segment.start {
        return (!found.quoted && bytes.len() > 1024).then_some(Assigned::Nothing { until: found.end });
    }
    let json_number =
        operator == Operator::Colon && !found.quoted && quote(segment.before(name_start)) && number(secret);
    let with = if json_number { With::Quoted } else { With::Placeholder };
    Some(Assigned::Secret(Span { start, end, kind, weight: weight::ASSIGNED, with }))
}

/// The value at `start` if a provider whose name is part of `name` makes values of its form.
fn of_provider(segment: &Segment<'_>, rules: &Rules, name: &[u8], start: usize) -> Option<Span> {
    let mut found = Vec::new();
    rules.named(name, &mut found);
    if start < segment.start { None } else { tokens::of_provider(segment, rules, start, &found) }
}

fn name_start(segment: &Segment<'_>, at: usize) -> usize {
    let mut start = at;
    while start > segment.low && at - start < NAME && name_byte(segment.before(start)) {
        start -= 1;
    }
    start
}

fn number(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'))
}

/// What joins a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equals,
    Colon,
    /// A comma between two quoted strings.
    Comma,
    /// A blank, after a command line's flag or in `.netrc`.
    Blank,
    /// The `>` of an XML element.
    Element,
}

/// The operator behind the name that ends at `name_end`, and where the value begins.
fn operator(segment: &Segment<'_>, name_end: usize, name_start: impl Fn() -> usize) -> Option<(Operator, usize)> {
    let mut at = name_end;
    let mut closed = false;
    while matches!(segment.byte(at), b'\\') && at - name_end < 4 {
        at += 1;
    }
    if quote(segment.byte(at)) {
        closed = true;
        at += 1;
    } else if at != name_end {
        return None;
    }
    if matches!(segment.byte(at), b']' | b')') {
        at += 1;
    }
    let blanks = at;
    at = skip_blanks(segment, at, 16);
    let spaced = at > blanks;
    match segment.byte(at) {
        b'=' => match segment.byte(at + 1) {
            b'=' | b'~' => None,
            b'>' => Some((Operator::Equals, skip_blanks(segment, at + 2, 16))),
            _ => Some((Operator::Equals, skip_blanks(segment, at + 1, 16))),
        },
        b':' => {
            let mut end = at + 1;
            while segment.byte(end) == b':' && end - at < 4 {
                end += 1;
            }
            match segment.byte(end) {
                b'=' => Some((Operator::Equals, skip_blanks(segment, end + 1, 16))),
                _ if end > at + 1 => None,
                _ => Some((Operator::Colon, skip_blanks(segment, end, 64))),
            }
        }
        b'?' | b'|' | b'+' if matches!(segment.byte(at + 1), b'=' | b'|') => {
            let end = if segment.byte(at + 1) == b'|' { at + 3 } else { at + 2 };
            (segment.before(end) == b'=').then(|| (Operator::Equals, skip_blanks(segment, end, 16)))
        }
        b'%' if segment.part(at, at + 3).eq_ignore_ascii_case(b"%3d") => Some((Operator::Equals, at + 3)),
        b',' if closed && quote(segment.before(name_start())) => {
            let value = skip_blanks(segment, at + 1, 16);
            quote(segment.byte(value)).then_some((Operator::Comma, value))
        }
        b'>' if segment.before(name_start()) == b'<' => Some((Operator::Element, at + 1)),
        b'v' if closed && spaced => {
            let attribute = segment.part(at, (at + 6).min(segment.limit));
            (attribute == b"value=").then(|| (Operator::Equals, at + 6))
        }
        _ if spaced && segment.before(name_start()) == b'<' => {
            let rest = segment.part(at, segment.line_end(at).min(at + 64));
            let end = memchr::memchr(b'>', rest)?;
            Some((Operator::Element, at + end + 1))
        }
        byte if spaced && !closed && !matches!(byte, b'-' | b'\n' | b'\r') && is_flag(segment, name_start()) => {
            Some((Operator::Blank, at))
        }
        _ => None,
    }
}

/// Whether the name that begins at `name` is a flag of a command (`--password`), or a word of `.netrc`.
fn is_flag(segment: &Segment<'_>, name: usize) -> bool {
    // The dashes count as part of the name.
    if segment.byte(name) == b'-' && matches!(segment.before(name), b' ' | b'\t' | b'"' | b'\'' | b'\n' | b'[' | b',') {
        return true;
    }
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(96)), name);
    let netrc = [&b"login "[..], b"machine "].iter().any(|word| memchr::memmem::find(ahead, word).is_some());
    netrc && segment.part(name, (name + 9).min(segment.limit)).starts_with(b"password ")
}

fn skip_blanks(segment: &Segment<'_>, from: usize, most: usize) -> usize {
    let mut at = from;
    while at - from < most && matches!(segment.byte(at), b' ' | b'\t') && at < segment.limit {
        at += 1;
    }
    at
}

/// Whether `rest` opens a YAML block scalar: `|`, `>-`, `|2`.
fn block_scalar(rest: &[u8]) -> bool {
    rest.split_first().is_some_and(|(first, more)| {
        matches!(first, b'|' | b'>')
            && more.len() <= 3
            && more.iter().all(|b| matches!(b, b'-' | b'+' | b' ' | b'1'..=b'9'))
    })
}

/// How the assignment is written, as far as it decides where the value ends.
#[derive(Debug, Clone, Copy)]
struct Style {
    operator: Operator,
    before: u8,
    spaced: bool,
}

/// Where a value is, without its quotes.
#[derive(Debug, Clone, Copy)]
struct Extent {
    start: usize,
    end: usize,
    quoted: bool,
}

/// Where the value that begins at `value` ends.
fn extent(segment: &Segment<'_>, value: usize, line_end: usize, style: Style) -> Option<Extent> {
    let mut at = value;
    // String prefixes of Python, Rust, C#: b"…", r'…', f"…", @"…".
    if matches!(segment.byte(at), b'b' | b'r' | b'f' | b'u' | b'@' | b'L') && quote(segment.byte(at + 1)) {
        at += 1;
    }
    let mut slashes = 0;
    while segment.byte(at + slashes) == b'\\' && slashes < 8 {
        slashes += 1;
    }
    let mark = segment.byte(at + slashes);
    if quote(mark) && style.operator != Operator::Element {
        let start = at + slashes + 1;
        let end = closing_quote(segment, start, line_end, mark, slashes).unwrap_or(line_end.min(start + VALUE));
        return (start < end).then_some(Extent { start, end, quoted: true });
    }
    let mut end = value;
    while end < line_end.min(value + VALUE) {
        let byte = segment.byte(end);
        let stop = match byte {
            b'"' | b'\'' | b'`' | b' ' | b'\t' | b'<' => true,
            b'\\' => matches!(segment.byte(end + 1), b'"' | b'\'' | b'n' | b'r' | b't' | b'\\'),
            b'&' => matches!(style.before, b'?' | b'&') || style.operator == Operator::Equals && !style.spaced,
            b';' => true,
            b',' | b')' | b'}' | b']' => {
                !matches!(segment.byte(end + 1), b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9') || byte == b','
            }
            b'#' => matches!(style.before, b'?' | b'&'),
            _ => false,
        };
        if stop && !(style.operator == Operator::Element && byte != b'<') {
            break;
        }
        end += 1;
    }
    (end > value).then_some(Extent { start: value, end, quoted: style.operator == Operator::Element })
}

/// The quote that closes a string which `mark`, behind `slashes` backslashes, opened.
fn closing_quote(segment: &Segment<'_>, start: usize, line_end: usize, mark: u8, slashes: usize) -> Option<usize> {
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

/// The credentials of a value without the scheme before them: `Bearer …`, `Basic …`, `Token token=…`.
fn credentials(segment: &Segment<'_>, class: Class, found: &Extent) -> (usize, usize) {
    let all = (found.start, found.end);
    let (from, to) = match (class, found.quoted) {
        (Class::Authorization, false) => {
            // The value of a header goes on behind the scheme's blank.
            let line_end = segment.line_end(found.start);
            let mut end = found.end;
            if segment.byte(end) == b' ' && scheme(segment.part(found.start, end)) {
                end = skip_blanks(segment, end, 4);
                while end < line_end
                    && !matches!(segment.byte(end), b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b'<' | b'\\')
                {
                    end += 1;
                }
            }
            (found.start, end)
        }
        _ => all,
    };
    let bytes = segment.part(from, to);
    match memchr::memchr(b' ', bytes) {
        Some(blank) if scheme(bytes.get(..blank).unwrap_or_default()) => {
            let start = skip_blanks(segment, from + blank, 4);
            let rest = segment.part(start, to);
            let end = memchr::memchr2(b' ', b',', rest).map_or(to, |at| start + at);
            (start, end)
        }
        _ => all,
    }
}

/// Whether `word` is an authentication scheme.
fn scheme(word: &[u8]) -> bool {
    [
        "bearer",
        "basic",
        "token",
        "api-token",
        "apikey",
        "api-key",
        "key",
        "geniekey",
        "ssws",
        "splunk",
        "oauth",
        "discordbot",
        "bot",
        "negotiate",
        "jwt",
        "digest",
        "secret",
        "access-token",
        "apitoken",
        "private-token",
    ]
    .iter()
    .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// The value alone on a line below its name: a string, with a comma perhaps.
pub(super) fn on_its_own_line(segment: &Segment<'_>, start: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line_end = segment.line_end(start);
    let value = skip_blanks(segment, start, 256);
    let mark = segment.byte(value);
    if !quote(mark) {
        return None;
    }
    let end = closing_quote(segment, value + 1, line_end, mark, 0)?;
    let rest = segment.part(end + 1, line_end);
    let secret = segment.part(value + 1, end);
    let alone = rest.len() <= 2 && rest.iter().all(|b| b",; ".contains(b));
    let worth = judge::secret_value(class, secret, Place { quoted: true, setting: false });
    (alone && worth && !rules.allowed(secret)).then_some(Span {
        start: value + 1,
        end,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

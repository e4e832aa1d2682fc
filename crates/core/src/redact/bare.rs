//! What a secret's name without an operator may be: the first half of a pair over two lines, the head of a column, the
//! end of a command that prints a secret, a heading.

use super::assigned::Assigned;
use super::below::value_of_pair;
use super::borders;
use super::class::Class;
use super::command;
use super::label;
use super::name;
use super::operator;
use super::rules::Rules;
use super::scan::{Segment, Span};
use super::surroundings::{PREFIX, skip_blanks};
use crate::byte_set::among;

/// What a name without an operator may be: the first half of a pair over two lines, or the head of a column.
pub(super) fn without_operator(
    segment: &Segment<'_>,
    rules: &Rules,
    name_start: usize,
    name_end: usize,
) -> Option<Assigned> {
    let (line_start, _) = segment.line(name_start);
    let line = segment.line_end(name_start);
    let rest = segment.part(name_end, line).trim_ascii();
    let short = name_start - line_start <= PREFIX;
    if let Some(class) = command::prints(segment, name_start).or_else(|| command::shows(segment, name_start, name_end))
    {
        return Some(Assigned::Printed { class, line });
    }
    if let Some(span) = label::behind(segment, rules, name_start, name_end) {
        return Some(Assigned::Secret(span));
    }
    let before = segment.part(line_start, name_start).trim_ascii_end();
    let label = before.trim_ascii_end_matches(b"\"'");
    // `Content-Disposition: form-data; name="password"`, and the path of a parameter: `"Name": "/app/db/password",`.
    if short && rest == b"\"" && before.ends_with(b"name=\"") && super::shape::has(before, b"form-data") {
        let class = name::class_of(segment.part(name_start, name_end))?;
        return Some(Assigned::Field { class, line });
    }
    // A flag in a list of arguments, whose value is the next item.
    let item = || matches!(before.trim_ascii(), b"" | b"-") || command::behind_index(before) == before.len();
    if rest.is_empty() && segment.part(name_start, name_end).starts_with(b"--") && item() {
        let class = name::class_of(segment.part(name_start, name_end))?;
        return Some(Assigned::Field { class, line });
    }
    let path = before.iter().rposition(|b| *b == b'"').filter(|_| before.ends_with(b"/"));
    let label = path.and_then(|at| before.get(..at)).map_or(label, <[u8]>::trim_ascii_end);
    if short
        && [&b"\"name\":"[..], b"\"key\":", b"\"Name\":", b"\"Key\":"].iter().any(|word| label.ends_with(word))
        && let Some(span) = value_before(segment, rules, line_start, name_start, name_end)
    {
        return Some(Assigned::Secret(span));
    }
    if short && matches!(rest, b"" | b"\"" | b"'" | b"\"," | b"'," | b"," | b"</name>" | b"</key>" | b"</Key>") {
        let pair = [
            &b"name:"[..],
            b"key:",
            b"Name:",
            b"Key:",
            b"name\":",
            b"key\":",
            b"Name\":",
            b"Key\":",
            b"<name>",
            b"<key>",
            b"<Key>",
        ]
        .iter()
        .any(|word| label.ends_with(word));
        if pair || is_label_of_a_name(label) {
            let class = name::class_of(segment.part(name_start, name_end))?;
            return Some(Assigned::Pair { class, line });
        }
    }
    // `variable "db_password" {`
    if rest == b"\" {" && before == b"variable \"" {
        let class = name::class_of(segment.part(name_start, name_end))?;
        return Some(Assigned::Pair { class, line });
    }
    // Names and values in turns: `1) "requirepass"`, `2) "…"`.
    if rest == b"\"" && before.strip_suffix(b"\"").is_some_and(numbers) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)?;
        return Some(Assigned::NextLine { class, line });
    }
    let said = rest.trim_ascii_end_matches(b"*").trim_ascii_end();
    if said.ends_with(b":") && rest.len() < 120 && rest.first().is_some_and(u8::is_ascii_alphabetic) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)?;
        return Some(Assigned::Announced { class, line, asked: false });
    }
    if short && [&b"</dt>"[..], b"</th>", b"</label>", b"</h2>", b"</h3>", b"</h4>"].contains(&rest) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)?;
        return Some(Assigned::Announced { class, line, asked: false });
    }
    // Somebody asks for it, and the answer is on the next line.
    let question = said.strip_suffix(b"?");
    if question.is_some_and(|text| text.len() < 64 && text.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ')) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)?;
        return Some(Assigned::Announced { class, line, asked: true });
    }
    let words = |b: &u8| b.is_ascii_alphabetic() || *b == b' ';
    // Words that several blanks part are the head of a table.
    let parted = super::shape::has(segment.part(line_start, name_start).trim_ascii_start(), b"  ");
    if rest.is_empty() && !parted && name_end - line_start <= 40 && before.iter().all(words) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey);
        if let Some(class) = class {
            return Some(Assigned::Heading { class, line });
        }
    }
    let column = |byte: Option<&u8>| matches!(byte, None | Some(b',' | b'|' | b'\t' | b';' | b'"'));
    let one = before.is_empty() && rest.is_empty();
    // A head of several words: `| user | root password | role |`.
    let cell = before.iter().rposition(|b| among!(*b, b"|\x82\x83\x91")).and_then(|at| before.get(at + 1..));
    let titled =
        cell.is_some_and(|cell| cell.len() <= 24 && cell.iter().all(|b| b.is_ascii_alphabetic() || *b == b' '));
    let bordered = rest.starts_with(b"</th>")
        || (borders::begins(rest) || rest.first() == Some(&b'|')) && (borders::ends(before) || titled);
    // Columns that blanks make are apart from each other.
    let (ahead, behind) = (segment.part(line_start, name_start), segment.part(name_end, line));
    let apart = (before.is_empty() || ahead.ends_with(b"\t") || ahead.ends_with(b"  "))
        && (rest.is_empty() || behind.starts_with(b"\t") || behind.starts_with(b"  "));
    (short && (apart || bordered || column(rest.first()) && column(before.last())) && !one)
        .then_some(Assigned::Column { line: name_start })
}

/// Whether `label` is all that stands before a name and says that it is one: `Setting:`, `Variable :`.
fn is_label_of_a_name(label: &[u8]) -> bool {
    let Some(word) = label.strip_suffix(b":").map(<[u8]>::trim_ascii) else { return false };
    [&b"setting"[..], b"variable", b"parameter", b"property", b"option", b"field", b"attribute", b"env", b"config"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether `ahead` is nothing but the number of an entry: `12) `.
fn numbers(ahead: &[u8]) -> bool {
    ahead
        .trim_ascii()
        .strip_suffix(b")")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// The value before its name: `{"value": "…", "name": "DB_PASS"}`.
fn value_before(segment: &Segment<'_>, rules: &Rules, line: usize, name: usize, name_end: usize) -> Option<Span> {
    let open = line + segment.part(line, name).iter().rposition(|&b| b == b'{')?;
    let value = operator::paired(segment, skip_blanks(segment, open + 1, 16))?;
    let class = name::class_of(segment.part(name, name_end))?;
    value_of_pair(segment, value, rules, class).filter(|span| span.end < name && span.start >= segment.start)
}

/// `trim_ascii_end` for quotes as well as blanks.
trait TrimEnd {
    fn trim_ascii_end_matches(&self, marks: &[u8]) -> &[u8];
}

impl TrimEnd for [u8] {
    fn trim_ascii_end_matches(&self, marks: &[u8]) -> &[u8] {
        let end = self.iter().rposition(|b| !marks.contains(b) && !b.is_ascii_whitespace()).map_or(0, |at| at + 1);
        self.get(..end).unwrap_or_default()
    }
}

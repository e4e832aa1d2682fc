//! Tables with a column of secrets: CSV, Markdown, `psql` and its like. The head tells the columns, the rows follow.

use super::class::Class;
use super::judge::{self, Place};
use super::name;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use crate::byte_set::among;

/// What the head of a table says of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Table {
    delimiter: u8,
    cells: usize,
    /// A bit for each column that holds secrets.
    columns: u64,
    class: Class,
}

/// The longest head that is read.
const HEAD: usize = 1024;

/// The table whose head is the line around `at`; `None` if that is no head, or if no column holds secrets.
pub(super) fn head(segment: &Segment<'_>, at: usize) -> Option<Table> {
    let (start, _) = segment.line(at);
    let line = segment.part(start, segment.line_end(at));
    if line.len() > HEAD {
        return None;
    }
    let delimiter = [b'|', b'\t', b';', b','].into_iter().find(|mark| line.contains(mark))?;
    let mut table = Table { delimiter, cells: 0, columns: 0, class: Class::Password };
    let mut named = 0;
    for (index, (from, to)) in cells(line, delimiter).enumerate() {
        table.cells = index + 1;
        let cell = line.get(from..to)?;
        if cell.is_empty() {
            // Only the borders of a table are empty.
            if delimiter == b'|' {
                continue;
            }
            return None;
        }
        let fits = cell.iter().all(|&b| {
            b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b == b'.' || (b == b' ' && delimiter != b',')
        });
        if !fits || cell.len() > 40 || !cell.first()?.is_ascii_alphabetic() || index >= 64 {
            return None;
        }
        named += 1;
        if let Some(class) =
            name::class_of(cell).filter(|class| *class != Class::SomeKey && *class != Class::Authorization)
        {
            table.columns |= 1 << index;
            table.class = class;
        }
    }
    // A list in code has blanks behind its commas.
    let listed = delimiter == b',' && line.contains(&b' ');
    (named >= 2 && table.columns != 0 && !listed).then_some(table)
}

/// Takes the secrets of the row `at..end`; `false` if that is no row of the table.
pub(super) fn row(
    segment: &Segment<'_>,
    rules: &Rules,
    table: &Table,
    at: usize,
    end: usize,
    spans: &mut Vec<Span>,
) -> bool {
    let line = segment.part(at, end);
    if line.iter().all(|b| among!(*b, b"-+|=: \t")) {
        return !line.is_empty();
    }
    if cells(line, table.delimiter).take(65).count() != table.cells {
        return false;
    }
    let Some(kind) = rules.detector(Detector::from(table.class)) else { return true };
    for (index, (from, to)) in cells(line, table.delimiter).enumerate() {
        let secret = line.get(from..to).unwrap_or_default();
        let place = Place { quoted: false, setting: true, alone: true, free: true, ..Place::default() };
        if index < 64
            && table.columns >> index & 1 == 1
            && judge::secret_value(table.class, secret, place)
            && !rules.allowed(secret)
        {
            spans.push(Span {
                start: at + from,
                end: at + to,
                kind,
                weight: weight::ASSIGNED,
                with: With::Placeholder,
            });
        }
    }
    true
}

/// The cells of `line`, without the blanks and quotes around them.
fn cells(line: &[u8], delimiter: u8) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let rest = line.get(at..).unwrap_or_default();
        let mut quoted = false;
        let end = rest.iter().position(|&b| {
            quoted ^= b == b'"';
            b == delimiter && !quoted
        });
        let (from, to) = (at, at + end.unwrap_or(rest.len()));
        at = to + 1;
        done = end.is_none();
        Some(trim(line, from, to))
    })
}

fn trim(line: &[u8], mut from: usize, mut to: usize) -> (usize, usize) {
    let at = |index: usize| line.get(index).copied().unwrap_or(b'x');
    while from < to && matches!(at(from), b' ' | b'\t') {
        from += 1;
    }
    while from < to && matches!(at(to - 1), b' ' | b'\t') {
        to -= 1;
    }
    if to >= from + 2 && at(from) == at(to - 1) && matches!(at(from), b'"' | b'\'' | b'`') {
        return (from + 1, to - 1);
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn the_column_of_a_password_goes() {
        check("id,user,password\n1,app,Xk29fk!q\n2,b,\n", "id,user,password\n1,app,[REDACTED: PASSWORD]\n2,b,\n");
        check(
            " id | password \n----+----------\n  1 | sommerregen\n(1 row)\n",
            " id | password \n----+----------\n  1 | [REDACTED: PASSWORD]\n(1 row)\n",
        );
        check(
            "| user | token |\n| --- | --- |\n| app | k3jf93kd02kf9d |\n",
            "| user | token |\n| --- | --- |\n| app | [REDACTED: TOKEN] |\n",
        );
    }

    #[test]
    fn lists_in_code_are_no_tables() {
        let text = "    host, user, password\n    first, second, third4\n";
        check(text, text);
    }
}

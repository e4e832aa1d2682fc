//! Tables with a column of secrets: CSV, Markdown, `psql` and its like. The head tells the columns, the rows follow.

use super::borders;
use super::class::Class;
use super::judge::{self, ValuePlace};
use super::name;
use super::passphrase;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use crate::byte_set::among;

/// What the head of a table says of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableHead {
    delimiter: u8,
    cells: usize,
    /// A bit for each column that holds secrets.
    columns: u64,
    /// A bit for each of those that holds passwords.
    passwords: u64,
    /// What the others hold.
    class: Class,
}

impl TableHead {
    /// A table without columns so far.
    pub(super) fn new(delimiter: u8) -> TableHead {
        TableHead { delimiter, cells: 0, columns: 0, passwords: 0, class: Class::Password }
    }

    /// Whether its rows are the tuples of a statement.
    pub(super) fn is_of_tuples(&self) -> bool {
        self.delimiter == b'('
    }

    /// Adds a column, and what its values are if they are secrets.
    pub(super) fn add(&mut self, class: Option<Class>) {
        if let Some(class) = class.filter(|_| self.cells < 64) {
            self.columns |= 1 << self.cells;
            if class == Class::Password {
                self.passwords |= 1 << self.cells;
            } else {
                self.class = class;
            }
        }
        self.cells += 1;
    }

    /// How many columns there are.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    pub(super) fn has_secrets(&self) -> bool {
        self.columns != 0
    }

    /// What the values of a column are, if they are secrets.
    pub(super) fn class_of(&self, column: usize) -> Option<Class> {
        let bit = 1u64.checked_shl(u32::try_from(column).ok()?)?;
        let class = if self.passwords & bit != 0 { Class::Password } else { self.class };
        (self.columns & bit != 0).then_some(class)
    }
}

/// What stands beside a column of secrets where nothing but blanks makes the columns.
const BESIDE: &[&str] = &[
    "user",
    "users",
    "username",
    "user_name",
    "user name",
    "name",
    "login",
    "account",
    "mail",
    "email",
    "host",
    "hostname",
    "url",
    "server",
    "service",
    "role",
    "id",
    "uid",
    "site",
    "client",
    "database",
    "db",
    "port",
    "owner",
];

/// The longest head that is read.
const HEAD: usize = 1024;
/// No more cells of a row are counted.
const MOST_CELLS: usize = 65;

/// The table whose head is the line around `at`; `None` if that is no head, or if no column holds secrets.
pub(super) fn head(segment: &Segment<'_>, at: usize) -> Option<TableHead> {
    let (start, _) = segment.line(at);
    let line = segment.part(start, segment.line_end(at));
    if line.len() > HEAD {
        return None;
    }
    let line = &*borders::plain(line);
    let marked = memchr::memmem::find(line, b"<th").is_some();
    let delimiter = [b'|', b'\t', b';', b','].into_iter().find(|mark| line.contains(mark)).unwrap_or(b' ');
    let delimiter = if marked { b'<' } else { delimiter };
    let mut table = TableHead::new(delimiter);
    let (mut named, mut beside) = (0, false);
    for (index, (from, to)) in cells(line, delimiter).enumerate() {
        let cell = line.get(from..to)?;
        if cell.is_empty() {
            // Only the borders of a table are empty.
            if delimiter == b'|' {
                table.add(None);
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
        beside |= BESIDE.iter().any(|known| cell.eq_ignore_ascii_case(known.as_bytes()));
        table.add(name::class_of_column(cell));
    }
    // A list in code has blanks behind its commas.
    let listed = delimiter == b',' && line.contains(&b' ');
    // Blanks alone make columns of any text.
    let drawn = !matches!(delimiter, b' ' | b'\t');
    (named >= 2 && table.columns != 0 && !listed && (drawn || beside)).then_some(table)
}

/// Takes the secrets of the row `at..end`; `false` if that is no row of the table.
pub(super) fn row(
    segment: &Segment<'_>,
    rules: &Rules,
    table: &TableHead,
    at: usize,
    end: usize,
    spans: &mut Vec<Span>,
) -> bool {
    let line = segment.part(at, end);
    if line.iter().all(|b| among!(*b, b"-+|=: \t")) || borders::is_rule(line.trim_ascii()) {
        return !line.is_empty();
    }
    let line = &*borders::plain(line);
    let mut row = Vec::with_capacity(table.cells.min(MOST_CELLS));
    row.extend(cells(line, table.delimiter).take(MOST_CELLS));
    if row.len() != table.cells {
        return false;
    }
    for (index, (from, to)) in row.into_iter().enumerate() {
        let secret = line.get(from..to).unwrap_or_default();
        let Some(class) = table.class_of(index) else { continue };
        let Some(kind) = rules.detector(Detector::from(class)) else { continue };
        let place = ValuePlace { quoted: false, setting: true, alone: true, free: true, ..ValuePlace::default() };
        // Where nothing but blanks makes the columns, a word may be one of a text.
        let drawn = || secret.iter().any(u8::is_ascii_digit) && !shape::number(secret) || shape::gibberish(secret);
        // Between borders stands one value, of several words perhaps.
        let words = || class == Class::Password && secret.contains(&b' ') && passphrase::may_be(secret);
        let bordered = !matches!(table.delimiter, b' ' | b'<');
        if (judge::secret_value(class, secret, place) || bordered && words() && !judge::placeholder(secret))
            && (table.delimiter != b' ' || !secret.contains(&b' ') && drawn())
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
        if delimiter == b'<' {
            // `<td class="x">…</td>`
            let rest = line.get(at..)?;
            let tag = [&b"<td"[..], b"<th>", b"<th "].iter().filter_map(|tag| memchr::memmem::find(rest, tag)).min()?;
            let from = at + tag + memchr::memchr(b'>', rest.get(tag..)?)? + 1;
            let to = from + memchr::memchr(b'<', line.get(from..)?)?;
            at = to;
            return Some(trim(line, from, to));
        }
        if delimiter == b' ' {
            // Two blanks and more are between the columns.
            at += line.get(at..).unwrap_or_default().iter().take_while(|b| **b == b' ').count();
        }
        let rest = line.get(at..).unwrap_or_default();
        let end = end_of_cell(rest, delimiter);
        let (from, to) = (at, at + end.unwrap_or(rest.len()));
        at = to + 1;
        let over = delimiter == b' ' && line.get(at..).unwrap_or_default().iter().all(|b| *b <= b' ');
        done = end.is_none() || over;
        Some(trim(line, from, to))
    })
}

/// Where the first cell of `rest` ends, if another one follows: at a delimiter outside of quotes, which is two blanks
/// where blanks make the columns.
fn end_of_cell(rest: &[u8], delimiter: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(delimiter, b'"', rest.get(at..)?)?;
        if rest.get(at) == Some(&b'"') {
            at += 1 + memchr::memchr(b'"', rest.get(at + 1..)?)?;
        } else if delimiter != b' ' || rest.get(at + 1).is_none_or(|next| *next == b' ') {
            return Some(at);
        }
        at += 1;
    }
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
    fn columns_may_be_made_by_tabs_and_blanks() {
        check(
            "user\tpassword\trole\nmara\tmaple-42\tadmin\n",
            "user\tpassword\trole\nmara\t[REDACTED: PASSWORD]\tadmin\n",
        );
        check(
            "USER   PASSWORD     ROLE\nmara   maple-42xk   admin\njon    never        user\n",
            "USER   PASSWORD     ROLE\nmara   [REDACTED: PASSWORD]   admin\njon    never        user\n",
        );
    }

    #[test]
    fn each_column_is_judged_as_what_it_is() {
        check("user,password,token\na,sommerregen,next\n", "user,password,token\na,[REDACTED: PASSWORD],next\n");
    }

    #[test]
    fn the_cells_may_be_elements() {
        check(
            "<table><tr><th>User</th><th>Password</th></tr>\n<tr><td>mara</td><td>maple-42xk</td></tr>\n</table>\n",
            "<table><tr><th>User</th><th>Password</th></tr>\n<tr><td>mara</td><td>[REDACTED: PASSWORD]</td></tr>\n</table>\n",
        );
    }

    #[test]
    fn a_delimiter_in_quotes_ends_no_cell() {
        check(
            "id,user,password,note\n1,\"a, \"\"b\"\", c\",Xk29fk!q,\"x,y\"\n2,d\"e,f\",Xk29fk!r,\n",
            "id,user,password,note\n1,\"a, \"\"b\"\", c\",[REDACTED: PASSWORD],\"x,y\"\n2,d\"e,f\",[REDACTED: PASSWORD],\n",
        );
    }

    #[test]
    fn lists_in_code_are_no_tables() {
        let text = "    host, user, password\n    first, second, third4\n";
        check(text, text);
    }
}

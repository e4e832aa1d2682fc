//! Statements that name columns first and give their values behind: `INSERT INTO users (id, password) VALUES (1, '…')`,
//! and the rows below `COPY users (id, password) FROM stdin;`.

use super::class::Class;
use super::judge::{self, ValuePlace};
use super::name;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::surroundings::PREFIX;
use super::table::TableHead;
use crate::byte_set::among;

/// How far before a column's name its statement may begin, and how long the list of columns may be.
const REACH: usize = 2048;

/// Where the values are of the columns one of which is named at `name`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Values {
    /// On the same line, from here on.
    Here(TableHead, usize),
    /// On the lines below.
    Below(TableHead),
}

/// The statement that names the column at `name..end` among others.
pub(super) fn columns(segment: &Segment<'_>, name: usize, end: usize) -> Option<Values> {
    if !among!(segment.byte(end), b",)`\"] ") || !among!(segment.before(name), b"(, `\"[") {
        return None;
    }
    let (line, line_end) = segment.line(name);
    let lowest = line.max(name.saturating_sub(REACH));
    let open = lowest + segment.part(lowest, name).iter().rposition(|b| *b == b'(')?;
    let head = segment.part(lowest.max(open.saturating_sub(PREFIX)), open).to_ascii_uppercase();
    let copies = super::shape::has(&head, b"COPY ");
    if !copies
        && !["INSERT INTO ", "REPLACE INTO ", "INSERT IGNORE INTO "]
            .iter()
            .any(|word| super::shape::has(&head, word.as_bytes()))
    {
        return None;
    }
    let rest = segment.part(open + 1, line_end.min(open + REACH));
    let close = open + 1 + memchr::memchr(b')', rest)?;
    let mut table = TableHead::new(if copies { b'\t' } else { b'(' });
    for column in segment.part(open + 1, close).split(|b| *b == b',') {
        let column = column.trim_ascii();
        let name = column.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_`\"[] "));
        if !name || column.is_empty() {
            return None;
        }
        table.add(name::class_of_column(column));
    }
    if !table.has_secrets() {
        return None;
    }
    let behind = segment.part(close + 1, line_end).trim_ascii();
    let upper = behind.get(..behind.len().min(16))?.to_ascii_uppercase();
    if copies {
        return upper.starts_with(b"FROM STDIN").then_some(Values::Below(table));
    }
    let values = close + 1 + super::shape::find(segment.part(close + 1, line_end), behind.get(..6)?)?;
    match behind.len() {
        _ if !upper.starts_with(b"VALUES") => None,
        6 => Some(Values::Below(table)),
        _ => Some(Values::Here(table, values + 6)),
    }
}

/// What the columns are that the statement at the beginning of `text` names, if it inserts rows.
pub(super) fn classes(text: &[u8]) -> Option<Vec<Option<Class>>> {
    let open = memchr::memchr(b'(', text)?;
    let head = text.get(..open)?.to_ascii_uppercase();
    let close = open + memchr::memchr(b')', text.get(open..)?)?;
    let names = ["INSERT ", "REPLACE "].iter().any(|word| head.starts_with(word.as_bytes()));
    let columns = text.get(open + 1..close)?.split(|b| *b == b',');
    (names && !super::shape::has(&head, b"VALUES"))
        .then(|| columns.map(|column| name::class_of_column(column.trim_ascii())).collect())
}

/// Takes the secrets of the rows in brackets in `from..to`; `false` if there is none.
pub(super) fn rows(
    segment: &Segment<'_>,
    rules: &Rules,
    table: &TableHead,
    from: usize,
    to: usize,
    spans: &mut Vec<Span>,
) -> bool {
    let mut at = from;
    let mut any = false;
    while at < to {
        match segment.byte(at) {
            b' ' | b',' | b'\t' | b'\r' => at += 1,
            b'(' => {
                any = true;
                let Some(end) = row(segment, rules, table, at + 1, to, spans) else { return true };
                at = end;
            }
            _ => return any,
        }
    }
    any
}

/// Takes the secrets of the row whose first value is at `at`; returns where it ends.
fn row(
    segment: &Segment<'_>,
    rules: &Rules,
    table: &TableHead,
    at: usize,
    to: usize,
    spans: &mut Vec<Span>,
) -> Option<usize> {
    let mut at = at;
    let mut column = 0;
    let mut depth = 0usize;
    while at < to {
        match segment.byte(at) {
            b'\'' => {
                let end = string_end(segment, at + 1, to)?;
                let (start, secret) = (at + 1, segment.part(at + 1, end));
                let place =
                    ValuePlace { quoted: true, setting: true, alone: true, free: true, ..ValuePlace::default() };
                if let Some(class) = table.class_of(column).filter(|_| depth == 0)
                    && let Some(kind) = rules.detector(Detector::from(class))
                    && start < segment.end
                    && judge::secret_value(class, secret, place)
                    && !rules.allowed(secret)
                {
                    spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
                }
                at = end;
            }
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at + 1),
            b')' => depth -= 1,
            b',' if depth == 0 => column += 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the string that goes on at `at` ends: at a quote that is neither doubled nor escaped.
fn string_end(segment: &Segment<'_>, at: usize, to: usize) -> Option<usize> {
    let mut at = at;
    while at < to {
        match segment.byte(at) {
            b'\\' => at += 1,
            b'\'' if segment.byte(at + 1) == b'\'' => at += 1,
            b'\'' => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn the_values_of_secret_columns_go() {
        check(
            "INSERT INTO users (id, password, mail) VALUES (1, 'maple-42', 'a@b.c'), (2, 'x''y3z!', NOW());\n",
            "INSERT INTO users (id, password, mail) VALUES (1, '[REDACTED: PASSWORD]', 'a@b.c'), (2, '[REDACTED: PASSWORD]', NOW());\n",
        );
        check(
            "INSERT INTO `users` (`id`, `password`) VALUES\n(1, 'maple-42'),\n(2, NULL);\n",
            "INSERT INTO `users` (`id`, `password`) VALUES\n(1, '[REDACTED: PASSWORD]'),\n(2, NULL);\n",
        );
        check(
            "COPY public.users (id, password) FROM stdin;\n1\tmaple-42\n2\t\\N\n\\.\n",
            "COPY public.users (id, password) FROM stdin;\n1\t[REDACTED: PASSWORD]\n2\t\\N\n\\.\n",
        );
    }

    #[test]
    fn other_columns_and_parameters_stay() {
        for text in [
            "INSERT INTO users (id, password) VALUES (?, ?);\n",
            "INSERT INTO users (id, password) VALUES ('%s', '%s')\n",
            "COPY public.pages (id, slug) FROM stdin;\n1\tforgot-password-4711\n\\.\n",
            "def insert(id, password, values): (1, 'maple-42')\n",
        ] {
            check(text, text);
        }
    }
}

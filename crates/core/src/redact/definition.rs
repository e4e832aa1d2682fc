//! Rows of a table whose columns stand in its definition: `CREATE TABLE users (id INTEGER, password TEXT);`, and below it
//! `INSERT INTO users VALUES (1, '…');`, which names none.

use super::insert;
use super::name;
use super::rules::Rules;
use super::scan::{BACK, Segment, Span};
use super::shape;
use super::table::TableHead;
use crate::byte_set::among;
use crate::hash::Hash;

/// How long a definition on one line may be on either side of a name in it.
const REACH: usize = 2048;
/// How many lines a definition may have before a name, and how many there may be before the first rows.
const LINES: u8 = 64;

/// How the types of columns begin that may hold a secret.
const TYPES: &[&[u8]] =
    &[b"TEXT", b"VARCHAR", b"CHAR", b"NVARCHAR", b"STRING", b"BYTEA", b"LONGTEXT", b"MEDIUMTEXT", b"TINYTEXT", b"CLOB"];

/// How the lines of a definition begin that define no column.
const CONSTRAINTS: &[&[u8]] =
    &[b"CONSTRAINT", b"PRIMARY", b"KEY", b"UNIQUE", b"FOREIGN", b"CHECK", b"INDEX", b"FULLTEXT", b"SPATIAL", b"--"];

/// A table that was defined, and whose rows may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Definition {
    table: TableHead,
    /// Of its name.
    hash: u64,
    /// Whether the definition goes on.
    open: bool,
    left: u8,
}

/// The table that has the column whose name begins at `name` and ends at `end`.
pub(super) fn with_column(segment: &Segment<'_>, name: impl Fn() -> usize, end: usize) -> Option<Definition> {
    let quoted = usize::from(among!(segment.byte(end), b"\"`]"));
    let blank = segment.byte(end + quoted) == b' ';
    let behind = if blank { segment.part(end + quoted, (end + 24).min(segment.limit)).trim_ascii_start() } else { b"" };
    let first = behind.first()?.to_ascii_uppercase();
    let is = |known: &&[u8]| {
        known.first() == Some(&first) && behind.get(..known.len()).is_some_and(|word| word.eq_ignore_ascii_case(known))
    };
    if !TYPES.iter().any(is) {
        return None;
    }
    let name = name();
    let (line, line_end) = segment.line(name);
    let low = line.max(name.saturating_sub(REACH));
    let text = segment.part(low, line_end.min(name + REACH));
    let mut definition = match defines(text.get(..name - low)?) {
        Some(begin) => Definition::of(text.get(begin..)?)?,
        None => above(segment, line)?,
    };
    if definition.open && defines(text).is_none() {
        definition.add(text);
    }
    definition.table.has_secrets().then_some(definition)
}

/// Where a definition begins in `text`.
fn defines(text: &[u8]) -> Option<usize> {
    let at = memchr::memmem::find_iter(text, b"TABLE").next().or_else(|| memchr::memmem::find(text, b"table"))?;
    let ahead = text.get(..at)?.to_ascii_uppercase();
    let begin = shape::find(&ahead, b"CREATE")?;
    (at - begin < 32).then_some(begin)
}

/// The definition that goes on in the line at `line`, from its beginning to there. Looks back no further than is kept of
/// any text.
fn above(segment: &Segment<'_>, line: usize) -> Option<Definition> {
    let floor = line.checked_sub(BACK);
    let (mut lines, mut at): (Vec<&[u8]>, usize) = (Vec::new(), line);
    for _ in 0..LINES {
        let (start, end) = segment.line(at.checked_sub(1).filter(|_| at > segment.low)?);
        if floor.is_some_and(|floor| start <= floor) {
            return None;
        }
        let text = segment.part(start, end);
        if let Some(begin) = defines(text) {
            let mut definition = Definition::of(text.get(begin..)?)?;
            lines.iter().rev().for_each(|line| definition.add(line));
            return definition.open.then_some(definition);
        }
        if text.trim_ascii().is_empty() || text.contains(&b';') {
            return None;
        }
        lines.push(text);
        at = start;
    }
    None
}

impl Definition {
    /// The table whose definition `text` begins with.
    fn of(text: &[u8]) -> Option<Definition> {
        let open = memchr::memchr(b'(', text);
        let words = text.get(..open.unwrap_or(text.len()))?.trim_ascii_end();
        let table = words.rsplit(|b| b.is_ascii_whitespace()).next()?;
        let mut definition = Definition { table: TableHead::new(b'('), hash: hash(table), open: true, left: LINES };
        let (mut depth, mut start) = (0usize, open? + 1);
        let body = text.get(start..)?;
        for (at, byte) in body.iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => definition.open = false,
                b')' => depth -= 1,
                b',' if depth == 0 => {}
                _ => continue,
            }
            if depth == 0 && (*byte == b',' || !definition.open) {
                definition.add(text.get(start..open? + 1 + at)?);
                start = open? + at + 2;
            }
            if !definition.open {
                break;
            }
        }
        Some(definition)
    }

    /// Adds the column that `text` defines, if it defines one.
    fn add(&mut self, text: &[u8]) {
        let text = text.trim_ascii();
        let upper = text.get(..text.len().min(12)).unwrap_or_default().to_ascii_uppercase();
        if text.is_empty() || text == b"(" || CONSTRAINTS.iter().any(|word| upper.starts_with(word)) {
            return;
        }
        let word = text.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
        self.table.add(name::class_of_column(bare(word)));
    }

    /// Takes the secrets of the line `at..end` if it is a row; what is still to come, if anything is.
    pub(super) fn take_line(
        mut self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> Option<Definition> {
        let line = segment.part(at, end);
        let text = line.trim_ascii();
        if self.open {
            self.open = !text.starts_with(b")");
            if self.open {
                self.add(text);
            }
            return Some(self);
        }
        let upper = text.get(..text.len().min(160))?.to_ascii_uppercase();
        let inserts = upper.starts_with(b"INSERT ") || upper.starts_with(b"REPLACE ");
        let values = shape::find(&upper, b"VALUES").filter(|_| inserts);
        let mut row = || text.starts_with(b"(") && insert::rows(segment, rules, &self.table, at, end, spans);
        match values {
            Some(values) => {
                let words = text.get(..values)?.trim_ascii_end();
                let table = words.rsplit(|b| b.is_ascii_whitespace()).next()?;
                if hash(table) != self.hash {
                    return Some(self);
                }
                let from = at + (line.len() - line.trim_ascii_start().len()) + values + b"VALUES".len();
                insert::rows(segment, rules, &self.table, from, end, spans);
            }
            None if row() => {}
            None if defines(text).is_some() => return None,
            None => self.left = self.left.checked_sub(1)?,
        }
        Some(self)
    }
}

/// `name` without its quotes.
fn bare(name: &[u8]) -> &[u8] {
    let inner = name.iter().position(|b| !among!(*b, b"`\"[")).and_then(|at| name.get(at..)).unwrap_or_default();
    let end = inner.iter().position(|b| among!(*b, b"`\"]")).unwrap_or(inner.len());
    inner.get(..end).unwrap_or_default()
}

/// A number that two names of one table share, with or without the schema before it.
fn hash(table: &[u8]) -> u64 {
    let last = table.rsplit(|b| *b == b'.').next().unwrap_or_default();
    Hash::of(&bare(last).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn rows_go_by_the_columns_of_their_definition() {
        check(
            "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, password TEXT);\nINSERT INTO users VALUES(1,'mara','maple-otter');\n",
            "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, password TEXT);\nINSERT INTO users VALUES(1,'mara','[REDACTED: PASSWORD]');\n",
        );
        check(
            "CREATE TABLE `users` (\n  `id` int NOT NULL,\n  `api_token` varchar(64),\n  `pw` varchar(9),\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\n\nLOCK TABLES `users` WRITE;\nINSERT INTO `users` VALUES (1,'k3jf93kd02kf9dq8','otter'),(2,NULL,'heron');\n",
            "CREATE TABLE `users` (\n  `id` int NOT NULL,\n  `api_token` varchar(64),\n  `pw` varchar(9),\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\n\nLOCK TABLES `users` WRITE;\nINSERT INTO `users` VALUES (1,'[REDACTED: TOKEN]','[REDACTED: PASSWORD]'),(2,NULL,'[REDACTED: PASSWORD]');\n",
        );
    }

    #[test]
    fn rows_of_other_tables_and_columns_stay() {
        for text in [
            "CREATE TABLE users(id INTEGER, password TEXT);\nINSERT INTO pages VALUES(1,'maple-otter');\n",
            "CREATE TABLE users(id INTEGER, nickname TEXT);\nINSERT INTO users VALUES(1,'maple-otter');\n",
            "CREATE TABLE users(id INTEGER, password TEXT);\nDone (1, 'maple-otter').\n",
        ] {
            check(text, text);
        }
    }
}

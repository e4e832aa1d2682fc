//! Tables in columns, as `ps`, `df`, `kubectl get`, `vmstat`, `psql` and the like print them: what is a header, and
//! what is a row below it.
//!
//! Nothing is known of the programs. A header is a line whose words stand where the values of the next lines begin or
//! end, or one that is ruled off.

use std::ops::Range;

use crate::hash::Hash;
use crate::text;

/// A table has so many columns at least; one that is ruled off may have fewer.
const LEAST: usize = 3;

/// How many columns are told apart.
const MOST: usize = 40;

/// A text has so many different headers at most.
const GROUPS: usize = 64;

/// What a line of a text with tables is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableLine {
    /// Names the columns of the group with this number.
    Header(usize),
    /// A row of this group.
    Row(usize),
    /// Only rules columns off.
    Rule,
    Blank,
    /// A title, a sum, a time between tables.
    Other,
}

/// How the cells of a line are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Layout {
    /// By a character; so many of it in each line.
    Separated(char, usize),
    /// By where the header's words begin and end.
    Aligned(Vec<Range<usize>>),
}

/// The columns that equal headers name.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    header: u64,
    layout: Layout,
}

impl Columns {
    /// How many columns there are.
    pub(crate) fn len(&self) -> usize {
        match &self.layout {
            Layout::Separated(_, count) => (count + 1).min(MOST),
            Layout::Aligned(spans) => spans.len(),
        }
    }

    /// Calls `each` with the number of each column and the value that `line` has there.
    pub(crate) fn cells<'a>(&self, line: &'a str, each: &mut dyn FnMut(usize, &'a str)) {
        match &self.layout {
            Layout::Separated(mark, _) => {
                line.split(*mark).take(MOST).enumerate().for_each(|(column, cell)| each(column, cell.trim()));
            }
            Layout::Aligned(spans) => {
                let last = spans.len() - 1;
                let mut next = 0;
                for word in words(line) {
                    // The last column takes all that is left.
                    if next > last {
                        break;
                    }
                    let column = (next..=last).max_by_key(|at| (common(spans.get(*at), &word), last - at));
                    let column = column.filter(|at| common(spans.get(*at), &word) > 0).unwrap_or(next);
                    let end = if column == last { line.len() } else { word.end };
                    each(column, text::slice(line, word.start..end).trim_end());
                    next = column + 1;
                }
            }
        }
    }

    /// Whether a line has its values where the header has its names.
    fn fits(&self, line: &str) -> bool {
        match &self.layout {
            Layout::Separated(mark, count) => line.matches(*mark).count() == *count,
            Layout::Aligned(spans) => {
                let mut words = words(line).peekable();
                let mut matched = 0;
                for span in spans {
                    while words.next_if(|word| word.end < span.end && word.start < span.start).is_some() {}
                    matched += usize::from(words.peek().is_some_and(|word| {
                        word.start == span.start || word.end == span.end || span.len() > 4 && span.contains(&word.start)
                    }));
                }
                matched * 2 > spans.len()
            }
        }
    }
}

/// How many bytes a word has in common with a column's name.
fn common(span: Option<&Range<usize>>, word: &Range<usize>) -> usize {
    span.map_or(0, |span| span.end.min(word.end).saturating_sub(span.start.max(word.start)))
}

/// Where the words of a line are.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = line.as_bytes();
        let space = |byte: &u8| matches!(byte, b' ' | b'\t');
        at += bytes.get(at..)?.iter().take_while(|byte| space(byte)).count();
        let start = at;
        at += bytes.get(at..)?.iter().take_while(|byte| !space(byte)).count();
        (at > start).then_some(start..at)
    })
}

/// Whether a line has nothing but lines that are drawn.
fn is_rule(line: &str) -> bool {
    if !line
        .trim_start()
        .starts_with(['-', '=', '+', '|', ':', '─', '━', '═', '├', '┌', '└', '╞', '╔', '╚', '╠', '┏', '┗', '┡', '┣'])
    {
        return false;
    }
    let drawn = line.chars().filter(|c| matches!(c, '-' | '=' | '─' | '━' | '═')).count();
    drawn >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '+' | '|' | ':' | ' ' | '\t' | '\u{2500}'..='\u{257f}'))
}

/// The character that tells cells apart in a line that is ruled off.
fn separator(line: &str) -> Option<(char, usize)> {
    let count = |mark: char| (mark, line.matches(mark).count());
    [count('|'), count('│'), count('┃'), count('║')].into_iter().find(|(_, count)| *count > 0)
}

/// Whether a line can name columns: some words, none of them a number.
fn may_name(line: &str) -> bool {
    let mut count = 0;
    for word in words(line).take(MOST) {
        let word = text::slice(line, word);
        let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '%' | '#' | '_' | '/' | '('));
        if !starts || word.len() > 32 || word.contains(['=', '"', '[']) || word.ends_with([',', ';', '.']) {
            return false;
        }
        count += 1;
    }
    count >= LEAST
}

/// Whether words of a line stand further apart than those of a sentence.
fn is_spread(line: &str) -> bool {
    let line = line.trim();
    line.contains("  ") || line.contains('\t')
}

/// Reads the tables of a text line by line.
#[derive(Debug, Default)]
pub(crate) struct TableReader {
    /// The groups so far: tables with equal headers are one.
    pub(crate) groups: Vec<Columns>,
    current: Option<usize>,
}

impl TableReader {
    /// What `line` is, with the two lines behind it.
    pub(crate) fn read(&mut self, line: &str, next: &str, after: &str) -> TableLine {
        if line.trim().is_empty() {
            return TableLine::Blank;
        }
        if is_rule(line) {
            return TableLine::Rule;
        }
        let hash = Hash::of(line.trim_end().as_bytes());
        if let Some(known) = self.groups.iter().position(|group| group.header == hash) {
            self.current = Some(known);
            return TableLine::Header(known);
        }
        let current = self.current.filter(|current| self.groups.get(*current).is_some_and(|group| group.fits(line)));
        if self.groups.len() < GROUPS
            && let Some(layout) = header(line, next, after, current.is_some())
        {
            self.groups.push(Columns { header: hash, layout });
            self.current = Some(self.groups.len() - 1);
            return TableLine::Header(self.groups.len() - 1);
        }
        current.map_or(TableLine::Other, TableLine::Row)
    }
}

/// How the cells below a line are told apart, if it is a header; `inside` a table only a rule makes one.
fn header(line: &str, next: &str, after: &str, inside: bool) -> Option<Layout> {
    if is_rule(next) && !is_rule(after) {
        if let Some((mark, count)) = separator(line) {
            return (after.matches(mark).count() == count).then_some(Layout::Separated(mark, count));
        }
        // The rule says where the columns are, where it has gaps.
        let spans: Vec<Range<usize>> = words(next).take(MOST).collect();
        if spans.len() > 1 {
            return Some(Layout::Aligned(spans));
        }
    }
    // What is set in columns has room between them; a sentence has not.
    if inside || !may_name(line) || !(is_spread(line) || is_spread(next)) {
        return None;
    }
    let columns = Columns { header: 0, layout: Layout::Aligned(words(line).take(MOST).collect()) };
    let is_row = |line: &str| columns.fits(line) && line.bytes().any(|byte| byte.is_ascii_digit());
    (is_row(next) && (after.trim().is_empty() || columns.fits(after))).then_some(columns.layout)
}

/// How many lines are rows of tables and their headers, and how many are something else; rules and empty lines are
/// not counted.
pub(crate) fn shares<'a>(lines: impl Iterator<Item = &'a str>) -> (u32, u32) {
    let mut reader = TableReader::default();
    let mut lines = lines.peekable();
    let (mut rows, mut others) = (0, 0);
    let mut line = lines.next();
    let mut next = lines.next();
    while let Some(here) = line {
        let after = lines.next();
        match reader.read(here, next.unwrap_or(""), after.unwrap_or("")) {
            TableLine::Header(_) | TableLine::Row(_) => rows += 1,
            TableLine::Other => others += 1,
            TableLine::Rule | TableLine::Blank => {}
        }
        (line, next) = (next, after);
    }
    (rows, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<TableLine> {
        let lines: Vec<&str> = text.lines().collect();
        let mut reader = TableReader::default();
        let line = |at: usize| lines.get(at).copied().unwrap_or("");
        (0..lines.len()).map(|at| reader.read(line(at), line(at + 1), line(at + 2))).collect()
    }

    use TableLine::{Blank, Header, Other, Row, Rule};

    #[test]
    fn rows_stand_below_the_names_of_their_columns() {
        let ps = "USER    PID %CPU COMMAND\nroot      1  0.7 bash x.sh\nann   10321 12.0 make all -j 4\n";
        assert_eq!(read(ps), [Header(0), Row(0), Row(0)]);
        let psql = " id | note \n----+------\n  1 | a\n  2 | b\n(2 rows)\n";
        assert_eq!(read(psql), [Header(0), Rule, Row(0), Row(0), Other]);
        let column = "run  job     state\n---  ------  -----\n1    job-1   done \n2    job-2        \n";
        assert_eq!(read(column), [Header(0), Rule, Row(0), Row(0)]);
        let box_drawn = "+----+------+\n| id | note |\n+----+------+\n|  1 | a    |\n+----+------+\n";
        assert_eq!(read(box_drawn), [Rule, Header(0), Rule, Row(0), Rule]);
        let markdown = "| a | b |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(read(markdown), [Header(0), Rule, Row(0)]);
    }

    #[test]
    fn tables_with_equal_headers_are_one_group() {
        let blocks = "up 1\n\nDevice  r/s  w/s\nvda    21.3  9.0\n\nup 2\n\nDevice  r/s  w/s\nvda     0.0  0.0\n";
        assert_eq!(read(blocks), [Other, Blank, Header(0), Row(0), Blank, Other, Blank, Header(0), Row(0)]);
    }

    #[test]
    fn prose_has_no_tables() {
        let prose =
            "Tools print more than a model can read.\nOffcut takes any output and keeps 3 of it.\nSo it goes on\n";
        assert_eq!(read(prose), [Other, Other, Other]);
        assert_eq!(shares(prose.lines()), (0, 3));
        let steps = "loading locale from cache\nreading source 1 of\nreading source 2 of\nwriting output 1 now\n";
        assert_eq!(shares(steps.lines()), (0, 4));
    }

    #[test]
    fn cells_belong_to_the_columns_that_they_stand_in() {
        let lines = ["NAME   READY  STATUS   AGE", "web-1    1/1  Running  5d", "db            Failed   12h"];
        let mut reader = TableReader::default();
        reader.read(lines[0], lines[1], lines[2]);
        let cells = |line| {
            let mut cells = Vec::new();
            reader.groups[0].cells(line, &mut |column, cell| cells.push((column, cell)));
            cells
        };
        assert_eq!(cells(lines[1]), [(0, "web-1"), (1, "1/1"), (2, "Running"), (3, "5d")]);
        assert_eq!(cells(lines[2]), [(0, "db"), (2, "Failed"), (3, "12h")]);
    }
}

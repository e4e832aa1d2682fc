//! Tables for people: columns that line up, a rule under the heads.

use std::io::{self, Write};

use offcut_core::hidden;

/// The narrowest that a column becomes.
const NARROWEST: usize = 8;

/// A table of texts.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

#[derive(Debug)]
struct Column {
    head: &'static str,
    /// Whether it holds numbers, and so ends at the right.
    is_number: bool,
    /// Whether its cells may be shortened where the table is too wide.
    is_flexible: bool,
}

impl Table {
    /// A table with these heads; one that begins with `>` is over numbers, one that begins with `~` over texts that may
    /// be shortened on a narrow terminal.
    pub(crate) fn new(heads: &[&'static str]) -> Table {
        let column = |head: &&'static str| Column {
            head: head.trim_start_matches(['>', '~']),
            is_number: head.starts_with('>'),
            is_flexible: head.starts_with('~'),
        };
        Table { columns: heads.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// Writes it: as wide as the terminal where stdout is one, as wide as it is elsewhere.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let terminal = terminal_size::terminal_size_of(io::stdout());
        self.write_within(terminal.map(|(width, _)| usize::from(width.0)), out)
    }

    fn write_within(&self, width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let widths = self.widths(width);
        let heads: Vec<String> = self.columns.iter().map(|column| column.head.to_owned()).collect();
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        for row in [&heads, &rule].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (at, ((cell, column), width)) in row.iter().zip(&self.columns).zip(&widths).enumerate() {
                let cell = shortened(cell, *width);
                let space = " ".repeat(width.saturating_sub(cell.chars().count()));
                line.push_str(if at > 0 { "  " } else { "" });
                line.push_str(&if column.is_number { format!("{space}{cell}") } else { format!("{cell}{space}") });
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// The width of each column; where there is too little room, the widest flexible ones give way.
    fn widths(&self, room: Option<usize>) -> Vec<usize> {
        let widest = |at: usize, column: &Column| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
            cells.chain([column.head.chars().count()]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(|(at, column)| widest(at, column)).collect();
        let gaps = 2 * widths.len().saturating_sub(1);
        while room.is_some_and(|room| widths.iter().sum::<usize>() + gaps > room) {
            let flexible = widths.iter_mut().zip(&self.columns).filter(|(_, column)| column.is_flexible);
            match flexible.map(|(width, _)| width).max() {
                Some(width) if *width > NARROWEST => *width -= 1,
                _ => break,
            }
        }
        widths
    }
}

/// The beginning of a cell that is too long, and a sign that there is more.
fn shortened(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.to_owned();
    }
    cell.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// A cell on one line, with what is not seen written out.
fn one_line(cell: &str) -> String {
    let spaced: String = cell.chars().map(|c| if matches!(c, '\t' | '\n' | '\r') { ' ' } else { c }).collect();
    hidden::visible(&spaced).into_owned()
}

/// A number with commas between its thousands: `2,415,919`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// `1 artifact`, `2 artifacts`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_numbers_end_at_the_right() {
        let mut table = Table::new(&["Name", ">Size", "About"]);
        table.row(["é".to_owned(), "5".to_owned(), "x\ny".to_owned()]);
        table.row(["long name".to_owned(), "1234".to_owned(), String::new()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        let expected = "Name       Size  About\n─────────  ────  ─────\né             5  x y\nlong name  1234\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn on_a_narrow_terminal_flexible_columns_give_way() {
        let mut table = Table::new(&["ID", "~Source", "~About"]);
        table.row(["art_1_abcdef".to_owned(), "x".repeat(40), "a short text".to_owned()]);
        let written = |width| {
            let mut out = Vec::new();
            table.write_within(Some(width), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(written(50).lines().all(|line| line.chars().count() <= 50), "{}", written(50));
        assert!(written(50).contains("xxx…  a short text\n"), "{}", written(50));
        assert!(written(100).contains(&"x".repeat(40)));
        // What cannot give way stays whole.
        assert!(written(10).contains("art_1_abcdef  xxxxxxx…  a short…\n"), "{}", written(10));
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(2_415_919), "2,415,919");
        assert_eq!(counted(1, "artifact"), "1 artifact");
        assert_eq!(counted(1000, "artifact"), "1,000 artifacts");
    }
}

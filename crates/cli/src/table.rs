//! Tables for people: columns that line up, a rule under the heads.

use std::io::{self, Write};

/// A table of texts.
#[derive(Debug)]
pub(crate) struct Table {
    heads: Vec<&'static str>,
    /// Which columns hold numbers, and so end at the right.
    numbers: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads; one that begins with `>` is over numbers.
    pub(crate) fn new(heads: &[&'static str]) -> Table {
        Table {
            heads: heads.iter().map(|head| head.trim_start_matches('>')).collect(),
            numbers: heads.iter().map(|head| head.starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// Writes it.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads: Vec<String> = self.heads.iter().map(|head| (*head).to_owned()).collect();
        let widths: Vec<usize> = (0..heads.len())
            .map(|column| {
                let cells = self.rows.iter().chain([&heads]).filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        for row in [&heads, &rule].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let gap = widths.get(column).copied().unwrap_or(0).saturating_sub(cell.chars().count());
                let space = " ".repeat(gap);
                let number = self.numbers.get(column) == Some(&true);
                line.push_str(if column > 0 { "  " } else { "" });
                line.push_str(&if number { format!("{space}{cell}") } else { format!("{cell}{space}") });
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

fn one_line(cell: &str) -> String {
    cell.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
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
    fn thousands_are_set_apart() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(2_415_919), "2,415,919");
        assert_eq!(counted(1, "artifact"), "1 artifact");
        assert_eq!(counted(1000, "artifact"), "1,000 artifacts");
    }
}

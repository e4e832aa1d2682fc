//! Columns that line up.

use std::io::{self, Write};

/// A table of texts: the first columns begin at the left, all others hold numbers and end at the right.
#[derive(Debug)]
pub(crate) struct Table {
    texts: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads, the first `texts` of them over texts.
    pub(crate) fn new(texts: usize, heads: &[&str]) -> Table {
        Table { texts, rows: vec![heads.iter().map(|head| (*head).to_owned()).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes it.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let space = " ".repeat(width - cell.chars().count());
                line.push_str(if column > 0 { "  " } else { "" });
                line.push_str(&if column < self.texts { format!("{cell}{space}") } else { format!("{space}{cell}") });
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_begin_at_the_left_and_numbers_end_at_the_right() {
        let mut table = Table::new(1, &["kind", "items"]);
        table.row(["é".to_owned(), "5".to_owned()]);
        table.row(["listing".to_owned(), "1234".to_owned()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "kind     items\né            5\nlisting   1234\n");
    }
}

//! Records on their way into a result, and the result as text.

use std::io;
use std::sync::Arc;

use offcut_core::notice;

use super::fields::Fields;
use super::groups::Groups;
use super::listing::Listing;
use super::sorted::{Sorted, sort};
use super::{Aggregation, Cell};

/// The characters of a value that are told.
const LONGEST_VALUE: u64 = 200;

/// The characters of a record that are told.
const LONGEST_RECORD: u64 = 1000;

/// What has come of the records so far.
#[derive(Debug)]
pub(super) struct Table {
    aggregation: Arc<Aggregation>,
    fields: Fields,
    result: Outcome,
    records: u64,
    /// Those that fulfil the condition.
    matching: u64,
}

#[derive(Debug)]
enum Outcome {
    Groups(Groups),
    Listing(Listing),
}

impl Table {
    pub(super) fn new(aggregation: &Arc<Aggregation>) -> Table {
        let result = match aggregation.lists() {
            true => Outcome::Listing(Listing::new(aggregation)),
            false => Outcome::Groups(Groups::new(aggregation)),
        };
        let fields = Fields::new(&aggregation.keys);
        Table { aggregation: aggregation.clone(), fields, result, records: 0, matching: 0 }
    }

    /// Takes JSON records in, one a line; the brackets and commas of an array are passed over.
    pub(super) fn push_lines(&mut self, lines: &[u8]) -> io::Result<()> {
        let mut rest = lines;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let (line, behind) = rest.split_at(end);
            rest = behind.get(1..).unwrap_or_default();
            let Some(node) = node(line) else { continue };
            if node.len() > super::LONGEST {
                return Err(super::too_long());
            }
            self.fields.read(node).map_err(|error| {
                let why = format!("a record is not JSON: {error}: `{}`", beginning(node));
                io::Error::new(io::ErrorKind::InvalidData, why)
            })?;
            self.push_fields(|| String::from_utf8_lossy(node).into_owned());
        }
        Ok(())
    }

    /// Takes a record in whose values were set one by one.
    pub(super) fn push_row(&mut self, set: impl FnOnce(&mut Fields), record: impl FnOnce() -> String) {
        self.fields.clear();
        set(&mut self.fields);
        self.push_fields(record);
    }

    fn push_fields(&mut self, record: impl FnOnce() -> String) {
        self.records += 1;
        if self.aggregation.filter.as_ref().is_some_and(|filter| !filter.holds(&self.fields)) {
            return;
        }
        self.matching += 1;
        match &mut self.result {
            Outcome::Groups(groups) => groups.push(&self.fields),
            Outcome::Listing(listing) => {
                let record = if self.aggregation.shows_records() { record() } else { String::new() };
                listing.push(&self.fields, &record);
            }
        }
    }

    /// Takes in what has come of other records.
    pub(super) fn merge(&mut self, other: Table) {
        self.records += other.records;
        self.matching += other.matching;
        if let (Outcome::Groups(into), Outcome::Groups(from)) = (&mut self.result, other.result) {
            into.merge(from);
        }
    }

    /// The result: columns parted by tabs, and under it what was counted.
    pub(super) fn written(self) -> String {
        let Table { aggregation, result, records, matching, .. } = self;
        let grouped = !aggregation.group_by.is_empty();
        let (mut rows, lists) = match result {
            Outcome::Groups(groups) => (groups.rows(), false),
            Outcome::Listing(listing) => (listing.rows(), true),
        };
        sort(&mut rows, &aggregation.order);
        let all = if lists { matching } else { rows.len() as u64 };
        rows.truncate(aggregation.limit);
        let columns = aggregation.columns.get(..aggregation.shown).unwrap_or_default();
        let heads: Vec<&str> = columns.iter().map(|column| column.head.as_str()).collect();
        let mut table = heads.join("\t") + "\n";
        for row in &rows {
            let cells = row.iter().zip(columns).map(|(cell, column)| {
                let longest = if column.cell == Cell::Record { LONGEST_RECORD } else { LONGEST_VALUE };
                cell.text.as_deref().map_or("-".to_owned(), |text| notice::one_line(text, longest))
            });
            table.push_str(&(cells.collect::<Vec<String>>().join("\t") + "\n"));
        }
        let shown = rows.len() as u64;
        let greatest = aggregation.order.first().is_some_and(|order| order.descending);
        let first = if greatest && !lists && all > shown { ", the greatest first" } else { "" };
        let of = match (lists, grouped) {
            (true, _) => format!("{shown} of {matching} records"),
            (false, true) if all > shown => format!("{shown} of {all} groups of {matching} records"),
            (false, true) => format!("{all} groups of {matching} records"),
            (false, false) => format!("{matching} records"),
        };
        let filtered = if aggregation.filter.is_some() { format!(" that match, of {records}") } else { String::new() };
        let empty = columns.iter().enumerate().find_map(|(at, column)| {
            let key = |key: usize| aggregation.keys.get(key).filter(|_| rows.iter().all(|row| is_missing(row, at)));
            match column.cell {
                Cell::Measure(_, number) if matching > 0 => {
                    Some(format!("; none of them has a number in `{}`", key(number)?))
                }
                Cell::Key(number) if lists && shown > 0 => Some(format!("; none that is shown has `{}`", key(number)?)),
                _ => None,
            }
        });
        table + &format!("[{of}{filtered}{first}{}]\n", empty.unwrap_or_default())
    }
}

fn is_missing(row: &[Sorted], column: usize) -> bool {
    row.get(column).is_none_or(|cell| cell.text.is_none())
}

/// The node of a line of an array; none for its brackets.
fn node(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line).trim_ascii();
    (!matches!(line, b"" | b"[" | b"]" | b"[]")).then_some(line)
}

fn beginning(record: &[u8]) -> String {
    notice::one_line(&String::from_utf8_lossy(record.get(..80).unwrap_or(record)), 60)
}

//! The rows of a table, counted; those that differ from the others are noticed.

use std::ops::Range;

use super::rows::{Malformed, Rows};
use crate::bytes::Bytes;
use crate::document::Document;
use crate::line::severity;
use crate::strategy::CutError;
use crate::strategy::element::census::{Census, Traits, hash};
use crate::strategy::element::columns::Column;
use crate::strategy::element::numbers;
use crate::strategy::element::room::place;
use crate::strategy::element::tree::{Family, Form, Node};

/// A row longer than this may be shortened inside.
const LONG_ROW: u64 = 400;
/// Cells up to this length are compared with each other.
const LONGEST_COMPARED: usize = 64;
/// So far into a document severe words are searched for.
const SEARCHED: u64 = 64 * 1024 * 1024;
/// So far into it numbers are compared.
const NUMBERED: u64 = 16 * 1024 * 1024;
/// So much of a table's beginning says what separates its cells.
const BEGINNING: usize = 8192;

impl Malformed {
    /// The sentence that names line and column.
    pub(super) fn no_cut(self, document: &dyn Document) -> CutError {
        match self {
            Malformed::Unreadable(error) => CutError::Unreadable(error),
            Malformed::Shape(why) => CutError::Shape(why),
            Malformed::Quote(byte) => match place(document, byte) {
                Ok(place) => CutError::Shape(format!("malformed CSV at {place}: a quote that is never closed")),
                Err(error) => CutError::Unreadable(error),
            },
        }
    }
}

/// The delimiter that the first rows have most of, about as many in each; line ends inside quotes end no row.
fn delimiter(start: &[u8]) -> u8 {
    const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
    let mut rows: Vec<[usize; 4]> = vec![[0; 4]];
    let mut quoted = false;
    for &byte in start {
        quoted ^= byte == b'"';
        if !quoted && byte == b'\n' {
            rows.push([0; 4]);
        } else if !quoted && let Some(row) = rows.last_mut() {
            for (count, _) in row.iter_mut().zip(CANDIDATES).filter(|(_, candidate)| *candidate == byte) {
                *count += 1;
            }
        }
    }
    // The last row may be cut off.
    let rows = rows.get(..rows.len().saturating_sub(1).clamp(1, 20)).unwrap_or_default();
    let score = |candidate: usize| {
        let counts = || rows.iter().filter_map(|row| row.get(candidate)).copied();
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        (least > 0, least * 2 >= most, least)
    };
    let best = (0..CANDIDATES.len()).max_by_key(|&candidate| (score(candidate), CANDIDATES.len() - candidate));
    best.and_then(|best| CANDIDATES.get(best)).copied().unwrap_or(b',')
}

/// The rows of a table behind its header.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) family: Family,
    pub(super) header: Range<u64>,
    pub(super) columns: usize,
    pub(super) delimiter: u8,
    /// Where the last row ends.
    pub(super) end: u64,
}

impl Table {
    /// Reads all of `bytes`, whose cells are separated by tabs or by what their beginning shows; also where they end.
    pub(super) fn read(bytes: Bytes<'_>, tabs: bool, chars: u64) -> Result<(Table, u64), Malformed> {
        let beginning = bytes.window();
        let beginning = beginning.get(..BEGINNING).unwrap_or(beginning);
        let delimiter = if tabs { b'\t' } else { delimiter(beginning) };
        let mut rows = Rows::new(bytes, delimiter);
        let Some(header) = rows.next()? else { return Err(Malformed::Shape("there are no rows in it".into())) };
        let columns = rows.columns();
        let most = usize::try_from(chars / 6).unwrap_or(usize::MAX).clamp(64, 4096);
        let mut census = Census::default();
        census.start(most, most);
        let mut traits = Traits::default();
        let mut compared = Compared::default();
        let mut words = severity::InTurn::default();
        let mut before = header.end;
        while let Some(row) = rows.next()? {
            traits.clear();
            traits.shape = rows.columns() as u64;
            let are_numbered = row.start < NUMBERED;
            if !are_numbered {
                compared.meet(&mut rows, &row);
            }
            let bytes = rows.since(row.start).unwrap_or_default();
            if are_numbered {
                tell_all(&rows, bytes, &census, &mut traits);
            } else {
                compared.tell(&rows, bytes, &census, &mut traits);
            }
            if row.start < SEARCHED {
                traits.severity = words.of(rows.window_from(row.start), row.start, bytes.len());
            }
            let form = if row.end - row.start > LONG_ROW { Form::Text } else { Form::Scalar };
            let node = Node { before, index: census.count(), ..Node::at(row.clone(), form) };
            census.add_with(node, &traits);
            before = row.end;
        }
        if census.count() == 0 {
            return Err(Malformed::Shape("there is no row behind the header".into()));
        }
        let table = Table { family: census.family(), header, columns, delimiter, end: before };
        Ok((table, rows.position()))
    }

    pub(super) fn names(&self, document: &dyn Document, start: u64) -> Result<String, CutError> {
        let header = document.read_around(start..self.header.end.min(start + 400))?;
        let names = header.split(char::from(self.delimiter)).map(|name| name.trim().trim_matches('"'));
        Ok(names.collect::<Vec<_>>().join(", "))
    }
}

/// What is in a cell, if it is short enough to be compared with others.
fn short_cell<'b>(rows: &Rows<'_>, row: &'b [u8], column: usize) -> Option<&'b [u8]> {
    let cell = rows.cell(column)?;
    let within = usize::try_from(cell.start).ok()?..usize::try_from(cell.end).ok()?;
    row.get(within).filter(|cell| cell.len() <= LONGEST_COMPARED)
}

/// Notes in `traits` what all cells of a row tell: the number in each, and what is in those of columns with few values.
fn tell_all(rows: &Rows<'_>, row: &[u8], census: &Census, traits: &mut Traits) {
    for column in 0..rows.columns() {
        let Some(cell) = short_cell(rows, row, column) else { continue };
        let name = column as u64;
        if census.column(name, column).is_none_or(|(_, known)| known == Column::Few) {
            traits.push(name, hash(cell));
        }
        numbers::parse(cell).into_iter().for_each(|number| traits.push_number(name, number));
    }
}

/// The columns that are compared where numbers are not: those with few values, of which there are few.
#[derive(Debug, Default)]
struct Compared {
    columns: Vec<ComparedColumn>,
    /// So many columns were looked at; those of them that are not compared never will be.
    known: usize,
}

#[derive(Debug)]
struct ComparedColumn {
    nth: usize,
    /// Where the census has it.
    place: usize,
}

impl Compared {
    /// Has the cells of the `row` found that tell something. Whoever has asked for one row asks for all behind it.
    fn meet(&mut self, rows: &mut Rows<'_>, row: &Range<u64>) {
        if rows.columns() > self.known {
            rows.find_all(row);
            self.columns.extend((self.known..rows.columns()).map(|nth| ComparedColumn { nth, place: nth }));
            self.known = rows.columns();
        }
        rows.want(self.columns.last().map_or(0, |last| last.nth + 1));
    }

    /// Notes in `traits` what is in the cells of a row whose columns are compared.
    fn tell(&mut self, rows: &Rows<'_>, row: &[u8], census: &Census, traits: &mut Traits) {
        let mut some_are_various = false;
        for ComparedColumn { nth, place } in &mut self.columns {
            match census.column(*nth as u64, *place) {
                Some((_, Column::Various)) => some_are_various = true,
                known => {
                    *place = known.map_or(*place, |(found, _)| found);
                    if let Some(cell) = short_cell(rows, row, *nth) {
                        traits.push(*nth as u64, hash(cell));
                    }
                }
            }
        }
        if some_are_various {
            let is_various = |column: &ComparedColumn| {
                census.column(column.nth as u64, column.place).is_some_and(|(_, known)| known == Column::Various)
            };
            self.columns.retain(|column| !is_various(column));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_columns_that_are_compared_tell_the_same_as_all(
            rows in prop::collection::vec(prop::collection::vec("[ab]|[0-9]{3}|[a-z]{66}|", 1..9), 1..60),
        ) {
            let text: String = rows.iter().map(|cells| cells.join(",") + "\n").collect();
            let mut rows = Rows::new(Bytes::whole(text.as_bytes()), b',');
            let (mut census, mut compared) = (Census::default(), Compared::default());
            census.start(8, 8);
            while let Ok(Some(row)) = rows.next() {
                let (mut all, mut few) = (Traits::default(), Traits::default());
                compared.meet(&mut rows, &row);
                compared.tell(&rows, rows.since(row.start).unwrap(), &census, &mut few);
                rows.find_all(&row);
                tell_all(&rows, rows.since(row.start).unwrap(), &census, &mut all);
                prop_assert_eq!(&few.values, &all.values);
                census.add_with(Node { index: census.count(), ..Node::at(row, Form::Scalar) }, &few);
            }
        }
    }
}

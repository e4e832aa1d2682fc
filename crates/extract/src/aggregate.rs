//! Counts, groups, sums and sorted lists over the records of structured data, without a model.
//!
//! An [`Aggregation`] is what is wanted, by flags or as a small `SELECT`. An [`Aggregator`] is written to: NDJSON or the
//! rows of CSV or TSV as they stand, or JSON nodes one a line, as a JSONPath gives them. It keeps the groups (or the rows
//! that are shown) and nothing else, so that memory does not depend on how many records there are.

mod condition;
mod csv;
mod fields;
mod groups;
mod listing;
mod pool;
mod sorted;
mod sql;
mod table;

use std::io::{self, Write};
use std::sync::Arc;

use offcut::recall::{Recall, RecallError, Request, Selector};
use offcut_core::kind::Kind;

use condition::Condition;
use csv::Rows;
use pool::Pool;
use table::Table;

/// The longest record, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// How many bytes of NDJSON are taken apart at a time.
const CHUNK: usize = 1024 * 1024;

/// The JSONPath of every record.
const EVERY_RECORD: &str = "$[*]";

/// What is computed of the values of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The sum of the numbers.
    Sum,
    /// The mean of the numbers.
    Mean,
    /// The least: of the numbers, or of the texts where there are none.
    Min,
    /// The greatest.
    Max,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Measure::Sum => "sum",
            Measure::Mean => "mean",
            Measure::Min => "min",
            Measure::Max => "max",
        }
    }
}

/// What is computed over records. A key is the name of a member or column, or a path of names: `user.id`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aggregation {
    /// All keys that are looked at; everything else names them by their number.
    keys: Vec<String>,
    columns: Vec<Column>,
    /// How many of the columns are shown; those behind them are only sorted by.
    shown: usize,
    group_by: Vec<usize>,
    filter: Option<Condition>,
    order: Vec<Order>,
    limit: usize,
}

/// A column of the result, and what stands above it.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    head: String,
    cell: Cell,
}

/// What a column tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// The value of a key.
    Key(usize),
    /// The whole record.
    Record,
    /// How many records.
    Count,
    /// How many records have the key.
    CountOf(usize),
    Measure(Measure, usize),
}

impl Cell {
    fn is_aggregate(self) -> bool {
        match self {
            Cell::Count | Cell::CountOf(_) | Cell::Measure(..) => true,
            Cell::Key(_) | Cell::Record => false,
        }
    }
}

/// What the result is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Order {
    column: usize,
    descending: bool,
}

/// A `SELECT` that cannot be computed: what is wrong with it, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SqlError(pub(crate) String);

impl Aggregation {
    /// Counts records by the values of a key (all of them without one), with a measure of another; the `top` greatest
    /// groups are told.
    pub fn grouped(group_by: Option<&str>, measure: Option<(Measure, &str)>, top: usize) -> Aggregation {
        let mut new = Aggregation { limit: top, ..Aggregation::default() };
        if let Some((measure, key)) = measure {
            let cell = Cell::Measure(measure, new.key(key));
            new.columns.push(Column { head: format!("{}({key})", measure.name()), cell });
        }
        new.columns.push(Column { head: "count".to_owned(), cell: Cell::Count });
        if let Some(key) = group_by {
            let number = new.key(key);
            new.group_by.push(number);
            new.columns.push(Column { head: key.to_owned(), cell: Cell::Key(number) });
        }
        new.shown = new.columns.len();
        new.order.push(Order { column: 0, descending: true });
        new
    }

    /// Reads a `SELECT`: `SELECT level, count(*) FROM rows WHERE ms > 100 GROUP BY level ORDER BY 2 DESC LIMIT 10`.
    pub fn from_sql(sql: &str) -> Result<Aggregation, SqlError> {
        sql::read(sql)
    }

    /// The number of a key.
    fn key(&mut self, name: &str) -> usize {
        self.keys.iter().position(|known| known == name).unwrap_or_else(|| {
            self.keys.push(name.to_owned());
            self.keys.len() - 1
        })
    }

    /// Whether records are listed rather than counted.
    fn lists(&self) -> bool {
        self.group_by.is_empty() && !self.columns.iter().any(|column| column.cell.is_aggregate())
    }

    fn shows_records(&self) -> bool {
        self.columns.iter().any(|column| column.cell == Cell::Record)
    }
}

/// Whether a text is meant as a `SELECT` rather than as a JSONPath.
pub fn is_sql(text: &str) -> bool {
    text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"))
}

/// Computes over the records of an artifact: those that a JSONPath selects, else all of them, or the rows of CSV or TSV.
/// The result is a table: columns parted by tabs, and under it what was counted.
pub fn aggregate(
    recall: &Recall<'_>,
    id: &str,
    path: Option<&str>,
    aggregation: Aggregation,
) -> Result<String, RecallError> {
    let kind = recall.open(id)?.info().kind.parse();
    let path = path.filter(|path| !path.is_empty());
    let (records, selector) = match (path, kind) {
        (None, Ok(Kind::Csv)) => (Records::Rows(b','), Selector::Whole),
        (None, Ok(Kind::Tsv)) => (Records::Rows(b'\t'), Selector::Whole),
        (None | Some(EVERY_RECORD), Ok(Kind::Ndjson)) => (Records::Lines, Selector::Whole),
        (path, _) => (Records::Nodes, Selector::Query { path: path.unwrap_or(EVERY_RECORD).to_owned(), offset: 0 }),
    };
    let mut aggregator = Aggregator::new(aggregation, records);
    let written = recall.write(id, &selector, &mut aggregator);
    let table = written.and_then(|_| aggregator.finish().map_err(RecallError::Output));
    table.map_err(|error| match error {
        RecallError::Output(error) if error.kind() == io::ErrorKind::InvalidData => {
            RecallError::NotJson { why: error.to_string() }
        }
        error => error,
    })
}

/// What a model gets for `request`: a page of the artifact, or, where its query is a `SELECT`, as many rows of the result
/// as fit one.
pub fn page(recall: &Recall<'_>, request: &Request) -> Result<String, RecallError> {
    let Some(sql) = request.query.as_deref().filter(|query| is_sql(query)) else { return recall.page(request) };
    recall.allowed(&request.selector()?)?;
    let aggregation = Aggregation::from_sql(sql).map_err(|error| RecallError::BadQuery { why: error.to_string() })?;
    let table = aggregate(recall, &request.id, None, aggregation)?;
    let mut lines: Vec<&str> = table.lines().collect();
    let (last, rows) = (lines.pop().unwrap_or_default(), lines.len().saturating_sub(1));
    let mut shown = rows;
    loop {
        let under = match shown < rows {
            true => {
                format!("{last}\n[Only {shown} of these rows fit here: select fewer columns, or a smaller LIMIT]\n")
            }
            false => format!("{last}\n"),
        };
        let page = lines.iter().take(shown + 1).map(|line| format!("{line}\n")).collect::<String>() + &under;
        if shown == 0 || recall.fits(&page) {
            return Ok(page);
        }
        shown = shown * 3 / 4;
    }
}

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// A JSON array with one node a line.
    Nodes,
    /// A JSON value on each line.
    Lines,
    /// Rows under a heading, with this sign between columns.
    Rows(u8),
}

/// Takes records in, and computes over them.
#[derive(Debug)]
pub struct Aggregator {
    table: Table,
    rows: Option<Rows>,
    /// Several threads, once there is much NDJSON to count.
    pool: Option<Pool>,
    records: Records,
    aggregation: Arc<Aggregation>,
    line: Vec<u8>,
}

impl Aggregator {
    /// An aggregator of records that are written as `records` says.
    pub fn new(aggregation: Aggregation, records: Records) -> Aggregator {
        let aggregation = Arc::new(aggregation);
        let rows = match records {
            Records::Nodes | Records::Lines => None,
            Records::Rows(sign) => Some(Rows::new(sign, &aggregation)),
        };
        let table = Table::new(&aggregation);
        Aggregator { table, rows, pool: None, records, aggregation, line: Vec::new() }
    }

    /// The result as a table: columns parted by tabs, and under it what was counted.
    pub fn finish(mut self) -> io::Result<String> {
        let rest = std::mem::take(&mut self.line);
        self.table.push_lines(&rest)?;
        if let Some(rows) = self.rows.take() {
            rows.finish(&mut self.table);
        }
        if let Some(pool) = self.pool.take() {
            for part in pool.finish()? {
                self.table.merge(part);
            }
        }
        Ok(self.table.written())
    }

    /// Hands the whole lines that have come to whoever counts them.
    fn end_lines(&mut self) -> io::Result<()> {
        let Some(end) = memchr::memrchr(b'\n', &self.line) else {
            return if self.line.len() > LONGEST { Err(too_long()) } else { Ok(()) };
        };
        let rest = self.line.split_off(end + 1);
        let lines = std::mem::replace(&mut self.line, rest);
        // What is listed has an order, and the nodes of a query are read more slowly than they are counted.
        if self.records == Records::Nodes || self.aggregation.lists() {
            return self.table.push_lines(&lines);
        }
        let aggregation = &self.aggregation;
        self.pool.get_or_insert_with(|| Pool::new(aggregation)).push(lines)
    }
}

impl Write for Aggregator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(rows) = &mut self.rows {
            rows.push(bytes, &mut self.table)?;
            return Ok(bytes.len());
        }
        if self.line.capacity() < CHUNK {
            self.line.reserve(CHUNK + CHUNK / 2);
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() >= CHUNK {
            self.end_lines()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a record has more than {LONGEST} bytes"))
}

#[cfg(test)]
mod tests;

//! Counts, groups and sums over the records of structured data, without a model.
//!
//! An [`Aggregator`] is written to: the rows of CSV or TSV as they stand, or JSON nodes one a line, as a JSONPath gives
//! them. It keeps the groups and nothing else, so that memory does not depend on how many records there are.

mod csv;
mod groups;

use std::io::{self, Write};

use serde_json::Value;

use csv::Rows;
use groups::Groups;

/// The longest record, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// What is computed of the numbers of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The least.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregation {
    /// The key whose values make the groups; none for one group of all.
    pub group_by: Option<String>,
    /// What is computed beside the count, and of which key.
    pub measure: Option<(Measure, String)>,
    /// How many groups are told, the greatest first.
    pub top: usize,
}

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// A JSON array with one node a line.
    Nodes,
    /// Rows under a heading, with this sign between columns.
    Rows(u8),
}

/// Takes records in, and computes over them.
#[derive(Debug)]
pub struct Aggregator {
    groups: Groups,
    rows: Option<Rows>,
    line: Vec<u8>,
}

impl Aggregator {
    /// An aggregator of records that are written as `records` says.
    pub fn new(aggregation: Aggregation, records: Records) -> Aggregator {
        let rows = match records {
            Records::Nodes => None,
            Records::Rows(sign) => Some(Rows::new(sign)),
        };
        Aggregator { groups: Groups::new(aggregation), rows, line: Vec::new() }
    }

    /// The groups as a table: columns parted by tabs, the greatest first, and under it what was counted.
    pub fn finish(mut self) -> io::Result<String> {
        self.end_line()?;
        if let Some(rows) = self.rows.take() {
            rows.finish(&mut self.groups);
        }
        Ok(self.groups.table())
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let Some(node) = node(&line) else { return Ok(()) };
        let value: Value = serde_json::from_slice(node).map_err(io::Error::from)?;
        self.groups.push(&value);
        Ok(())
    }
}

impl Write for Aggregator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(rows) = &mut self.rows {
            rows.push(bytes, &mut self.groups)?;
            return Ok(bytes.len());
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.len() > LONGEST {
                return Err(too_long());
            }
            if part.ends_with(b"\n") {
                self.end_line()?;
            }
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

/// The node of a line of an array; none for its brackets.
fn node(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line).trim_ascii();
    (!matches!(line, b"" | b"[" | b"]" | b"[]")).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(records: Records, text: &str, group_by: Option<&str>, measure: Option<(Measure, &str)>) -> String {
        let measure = measure.map(|(measure, key)| (measure, key.to_owned()));
        let aggregation = Aggregation { group_by: group_by.map(str::to_owned), measure, top: 2 };
        // However the text is chunked, the table is the same.
        let tables: Vec<String> = [1, 3, text.len()]
            .iter()
            .map(|size| {
                let mut aggregator = Aggregator::new(aggregation.clone(), records);
                text.as_bytes().chunks(*size).for_each(|chunk| aggregator.write_all(chunk).unwrap());
                aggregator.finish().unwrap()
            })
            .collect();
        assert!(tables.iter().all(|table| *table == tables[0]), "{tables:?}");
        tables[0].clone()
    }

    const NODES: &str = "[\n{\"status\":200,\"ms\":3,\"user\":{\"id\":\"a\"}},\n{\"status\":500,\"ms\":9.5},\n\
                         {\"status\":200,\"ms\":4}\n]\n";

    #[test]
    fn nodes_are_counted_by_a_key() {
        assert_eq!(
            table(Records::Nodes, NODES, Some("status"), None),
            "count\tstatus\n2\t200\n1\t500\n[2 groups of 3 records]\n"
        );
        assert_eq!(
            table(Records::Nodes, NODES, Some("user.id"), None),
            "count\tuser.id\n2\t(none)\n1\ta\n[2 groups of 3 records]\n"
        );
        assert_eq!(table(Records::Nodes, NODES, None, None), "count\n3\n[3 records]\n");
        assert_eq!(table(Records::Nodes, "[]\n", None, None), "count\n0\n[0 records]\n");
    }

    #[test]
    fn numbers_are_computed_and_the_greatest_stand_first() {
        let status = Some("status");
        assert_eq!(
            table(Records::Nodes, NODES, status, Some((Measure::Sum, "ms"))),
            "sum(ms)\tcount\tstatus\n9.5\t1\t500\n7\t2\t200\n[2 groups of 3 records]\n"
        );
        assert_eq!(
            table(Records::Nodes, NODES, status, Some((Measure::Mean, "ms"))),
            "mean(ms)\tcount\tstatus\n9.5\t1\t500\n3.5\t2\t200\n[2 groups of 3 records]\n"
        );
        assert_eq!(
            table(Records::Nodes, NODES, None, Some((Measure::Max, "ms"))),
            "max(ms)\tcount\n9.5\t3\n[3 records]\n"
        );
        assert_eq!(
            table(Records::Nodes, NODES, None, Some((Measure::Min, "none"))),
            "min(none)\tcount\n-\t3\n[3 records; none of them has a number in `none`]\n"
        );
    }

    #[test]
    fn rows_are_counted_by_their_heading_and_quoted_fields_may_hold_anything() {
        let text = "city,note,size\r\nBonn,\"a, \"\"b\"\"\nc\",3\r\nOslo,x,4\r\nBonn,y,5\r\nRiga,z,1";
        assert_eq!(
            table(Records::Rows(b','), text, Some("city"), Some((Measure::Sum, "size"))),
            "sum(size)\tcount\tcity\n8\t2\tBonn\n4\t1\tOslo\n[2 of 3 groups of 4 records, the greatest first]\n"
        );
        assert_eq!(
            table(Records::Rows(b','), text, Some("note"), None),
            "count\tnote\n1\ta, \"b\" c\n1\tx\n[2 of 4 groups of 4 records, the greatest first]\n"
        );
    }

    #[test]
    fn what_is_no_node_is_an_error() {
        let aggregation = Aggregation { group_by: None, measure: None, top: 1 };
        let mut aggregator = Aggregator::new(aggregation, Records::Nodes);
        assert!(aggregator.write_all(b"[\n{\"a\":\n").is_err());
    }
}

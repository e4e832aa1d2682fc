//! Rows under a heading.

use std::io;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::table::Table;
use super::{Aggregation, LONGEST, too_long};

/// Takes rows apart as they come.
#[derive(Debug)]
pub(super) struct Rows {
    sign: u8,
    aggregation: Arc<Aggregation>,
    heading: Option<Vec<String>>,
    /// The column of each key that is looked at.
    columns: Vec<Option<usize>>,
    fields: Vec<String>,
    field: Vec<u8>,
    quoted: bool,
    /// Whether a quotation mark stood inside a quoted field: it closes it, unless another follows.
    closing: bool,
    size: usize,
}

impl Rows {
    pub(super) fn new(sign: u8, aggregation: &Arc<Aggregation>) -> Rows {
        Rows {
            sign,
            aggregation: aggregation.clone(),
            heading: None,
            columns: Vec::new(),
            fields: Vec::new(),
            field: Vec::new(),
            quoted: false,
            closing: false,
            size: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8], table: &mut Table) -> io::Result<()> {
        for byte in bytes {
            self.size += 1;
            if self.size > LONGEST {
                return Err(too_long());
            }
            let closed = std::mem::take(&mut self.closing);
            match *byte {
                b'"' if self.quoted && !closed => self.closing = true,
                b'"' if self.quoted => self.field.push(b'"'),
                b'"' if self.field.is_empty() => self.quoted = true,
                byte if self.quoted && !closed => self.field.push(byte),
                byte => {
                    self.quoted = false;
                    match byte {
                        b'\n' => self.end_row(table),
                        b'\r' => {}
                        byte if byte == self.sign => self.end_field(),
                        byte => self.field.push(byte),
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self, table: &mut Table) {
        if !self.fields.is_empty() || !self.field.is_empty() {
            self.end_row(table);
        }
    }

    fn end_field(&mut self) {
        let field = std::mem::take(&mut self.field);
        self.fields.push(String::from_utf8_lossy(&field).into_owned());
    }

    fn end_row(&mut self, table: &mut Table) {
        self.end_field();
        self.size = 0;
        let fields = std::mem::take(&mut self.fields);
        if fields.iter().all(String::is_empty) {
            return;
        }
        let Some(heading) = &self.heading else {
            let heading: Vec<String> =
                fields.iter().map(|name| name.trim().trim_start_matches('\u{feff}').to_owned()).collect();
            let place = |key: &String| heading.iter().rposition(|name| name == key);
            self.columns = self.aggregation.keys.iter().map(place).collect();
            self.heading = Some(heading);
            return;
        };
        let set = |into: &mut super::fields::Fields| {
            for (key, column) in self.columns.iter().enumerate() {
                if let Some(value) = column.and_then(|column| fields.get(column)) {
                    into.set(key, value);
                }
            }
        };
        let record = || {
            let members = heading.iter().cloned().zip(fields.iter().map(|field| Value::from(field.as_str())));
            Value::Object(members.collect::<Map<String, Value>>()).to_string()
        };
        table.push_row(set, record);
    }
}

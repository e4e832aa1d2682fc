//! Rows under a heading.

use std::io;

use serde_json::{Map, Value};

use super::groups::Groups;
use super::{LONGEST, too_long};

/// Takes rows apart as they come.
#[derive(Debug)]
pub(super) struct Rows {
    sign: u8,
    heading: Option<Vec<String>>,
    fields: Vec<String>,
    field: Vec<u8>,
    quoted: bool,
    /// Whether a quotation mark stood inside a quoted field: it closes it, unless another follows.
    closing: bool,
    size: usize,
}

impl Rows {
    pub(super) fn new(sign: u8) -> Rows {
        Rows { sign, heading: None, fields: Vec::new(), field: Vec::new(), quoted: false, closing: false, size: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8], groups: &mut Groups) -> io::Result<()> {
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
                        b'\n' => self.end_row(groups),
                        b'\r' => {}
                        byte if byte == self.sign => self.end_field(),
                        byte => self.field.push(byte),
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self, groups: &mut Groups) {
        if !self.fields.is_empty() || !self.field.is_empty() {
            self.end_row(groups);
        }
    }

    fn end_field(&mut self) {
        let field = std::mem::take(&mut self.field);
        self.fields.push(String::from_utf8_lossy(&field).into_owned());
    }

    fn end_row(&mut self, groups: &mut Groups) {
        self.end_field();
        self.size = 0;
        let fields = std::mem::take(&mut self.fields);
        if fields.iter().all(String::is_empty) {
            return;
        }
        let Some(heading) = &self.heading else {
            self.heading =
                Some(fields.iter().map(|name| name.trim().trim_start_matches('\u{feff}').to_owned()).collect());
            return;
        };
        let members = heading.iter().cloned().zip(fields.into_iter().map(Value::from));
        groups.push(&Value::Object(members.collect::<Map<String, Value>>()));
    }
}

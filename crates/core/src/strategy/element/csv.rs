//! Cutting comma- and tab-separated values by row.
//!
//! The header always stays; a row of the same width says how many rows were left out. Quoted cells may hold line
//! ends, and a row whose longest cell is very long is shortened inside that cell.

mod rows;
mod table;

use std::ops::Range;

use self::rows::Rows;
use self::table::Table;
use super::choose::Chooser;
use super::format::{Format, Short};
use super::pieces::Pieces;
use super::room::within;
use super::tree::{Family, Form, Node};
use crate::budget::Budget;
use crate::bytes::{Blocks, Bytes};
use crate::document::Document;
use crate::notice::counted;
use crate::strategy::{CutContext, CutError, Cutter};
use crate::text;

/// Reads a table that comes only once, for a cut of at most so many characters. Nothing where it is malformed.
pub(super) fn read_stream(blocks: &mut dyn Blocks, tabs: bool, chars: u64) -> Option<Streamed> {
    let mut bytes = Bytes::streamed(blocks);
    let start = if bytes.window().starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    bytes.advance(start);
    let (table, end) = Table::read(bytes, tabs, chars).ok()?;
    Some(Streamed { tabs, body: start as u64..end, chars, table })
}

/// What is known of a table that was read while it came.
#[derive(Debug)]
pub(super) struct Streamed {
    tabs: bool,
    body: Range<u64>,
    chars: u64,
    table: Table,
}

impl Streamed {
    /// The table, if it is of this `body`, read in this way, and if enough was remembered.
    fn of(&self, tabs: bool, body: &Range<u64>, chars: u64) -> Option<&Table> {
        (self.tabs == tabs && self.body == *body && self.chars >= chars).then_some(&self.table)
    }
}

/// Reads a table whose cells are separated by a tab, or by whatever its first lines show.
/// What is known of it from when it came is not read again.
pub(super) fn prepare<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
    tabs: bool,
    known: Option<&Streamed>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let end = document.extent().bytes;
    let start = if document.read_around(0..end.min(4))?.starts_with('\u{feff}') { 3 } else { 0 };
    let table = match known.and_then(|known| known.of(tabs, &(start..end), context.budget.chars)) {
        Some(table) => table.clone(),
        None => {
            let read = Table::read(Bytes::new(document, start..end)?, tabs, context.budget.chars);
            read.map_err(|malformed| malformed.no_cut(document))?.0
        }
    };
    let root = Node::at(start..table.end, Form::List);
    let names = table.names(document, start)?;
    let about = format!("{} rows; {} columns: {names}", table.family.count, table.columns);
    let mut format = Csv { document, table };
    let settings = context.settings;
    let cut = move |budget: &Budget| {
        within(budget, document, |limit, in_bytes| {
            let shown = Chooser::choose(document, settings, &mut format, root, limit.saturating_sub(2), in_bytes)?;
            let mut pieces = Pieces::default();
            pieces.omit_to(start, "");
            pieces.node(document, &format, &shown, 0)?;
            if end - root.end <= 2 {
                pieces.keep_to(end, "structure");
            }
            pieces.omit_to(end, "");
            let mut cut = pieces.cut("element", document)?;
            cut.about = Some(text::first_chars(&about, 240).to_string());
            Ok(cut)
        })
    };
    Ok(Box::new(cut))
}

/// A table as the chooser sees it.
struct Csv<'a> {
    document: &'a dyn Document,
    table: Table,
}

impl Format for Csv<'_> {
    fn family(&mut self, _node: &Node) -> Result<Family, CutError> {
        Ok(self.table.family.clone())
    }

    fn folded(&self, node: &Node, family: &Family) -> String {
        self.gap(node, family, family.count, 0)
    }

    fn frame_stays(&self, _node: &Node) -> bool {
        true
    }

    fn gap(&self, _parent: &Node, _family: &Family, count: u64, _nth: usize) -> String {
        let padding = String::from(char::from(self.table.delimiter)).repeat(self.table.columns.saturating_sub(1));
        format!("... {} omitted ...{padding}", counted(count, "row"))
    }

    fn shorten(&self, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
        let mut rows = Rows::new(Bytes::new(self.document, node.start..node.end)?, self.table.delimiter);
        let Some(row) = rows.next().map_err(|malformed| malformed.no_cut(self.document))? else { return Ok(None) };
        let longest = rows.cells().max_by_key(|cell| (cell.end - cell.start, u64::MAX - cell.start));
        let Some(cell) = longest.map(|cell| row.start + cell.start..row.start + cell.end) else { return Ok(None) };
        let others = node.bytes() - (cell.end - cell.start);
        let keep = room.saturating_sub(others).max(60);
        if cell.end - cell.start <= keep + 40 {
            return Ok(None);
        }
        // A cut between a doubled quote would end the cell: only places without quotes around them will do.
        let head = self.document.read_around(cell.start..(cell.start + keep * 2 / 3).max(cell.start + 8))?;
        let tail_from = self.document.position(cell.end - keep / 3)?.byte;
        let tail = self.document.read(tail_from..cell.end)?;
        let clear = |text: &str, at: usize| {
            let bytes = text.as_bytes();
            at > 1 && bytes.get(at - 1) != Some(&b'"') && bytes.get(at) != Some(&b'"')
        };
        let start = head.char_indices().map(|(at, _)| at).rfind(|&at| clear(&head, at));
        let end = tail.char_indices().map(|(at, _)| at).find(|&at| clear(&tail, at));
        let (Some(start), Some(end)) = (start, end) else { return Ok(None) };
        let omit = cell.start + start as u64..tail_from + end as u64;
        if omit.end <= omit.start {
            return Ok(None);
        }
        let omitted = self.document.position(omit.end)?.char - self.document.position(omit.start)?.char;
        Ok(Some(Short { omit, mark: format!("... [{omitted} chars omitted] ...") }))
    }
}

//! Cutting structured data by element, so that what is left still parses.
//!
//! [`Element`] keeps the first and the last elements of every list, and before ordinary ones those that differ from
//! their neighbours; says inside the data how many it left out; folds what lies deep; shortens long strings. What is
//! kept is copied byte by byte: numbers, the order of keys and duplicate keys come out as they went in.

mod bytes;
mod census;
mod choose;
mod csv;
mod json;
mod lines;
mod markup;
mod mention;
mod pieces;
mod tree;
mod yaml;

use std::io;
use std::ops::Range;

use super::{Brief, NoCut, Strategy};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::kind::Kind;
use crate::text;

/// The strategy `element`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Element;

impl Strategy for Element {
    fn name(&self) -> &str {
        "element"
    }

    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut> {
        match brief.classification.kind {
            Kind::Json => json::cut(document, brief, false),
            Kind::Ndjson => json::cut(document, brief, true),
            Kind::Csv => csv::cut(document, brief, false),
            Kind::Xml => markup::cut(document, brief, false),
            Kind::Html => markup::cut(document, brief, true),
            Kind::Yaml => yaml::cut(document, brief),
            Kind::Tsv => csv::cut(document, brief, true),
            Kind::Binary => Err(NoCut::Shape("binary content has no elements".into())),
            _ => lines::cut(document, brief),
        }
    }
}

/// Where the JSON value that begins at the start of `range` ends; if there is none, how far the text could be one.
pub(super) fn json_value_end(document: &dyn Document, range: Range<u64>) -> io::Result<Result<u64, u64>> {
    json::value_end(document, range)
}

/// Where `byte` is, in words.
fn place(document: &dyn Document, byte: u64) -> io::Result<String> {
    let position = document.position(byte)?;
    let line = document.line_start(position.line)?;
    Ok(format!("line {} column {}", position.line + 1, position.char - line.char + 1))
}

/// Makes the cut for the room that the brief gives. Characters and bytes are what the cutting itself counts; where
/// lines are bounded, too, it is given less room until they fit.
fn within(
    brief: &Brief<'_>,
    document: &dyn Document,
    mut cut: impl FnMut(u64, bool) -> Result<Cut, NoCut>,
) -> Result<Cut, NoCut> {
    let in_bytes = brief.budget.bytes.is_some();
    let mut limit = brief.budget.bytes.map_or(brief.budget.chars, |bytes| bytes.min(brief.budget.chars));
    loop {
        let made = cut(limit, in_bytes)?;
        let Some(most) = brief.budget.lines else { return Ok(made) };
        if shown_lines(&made, document)? <= most {
            return Ok(made);
        }
        limit = limit * 2 / 3;
    }
}

fn shown_lines(cut: &Cut, document: &dyn Document) -> io::Result<u64> {
    let mut shown = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => shown.push_str(&document.read(range.clone())?),
            Piece::Omit { .. } => {}
            Piece::Insert(inserted) => shown.push_str(inserted),
        }
    }
    Ok(text::lines(&shown))
}

#[cfg(test)]
mod tests;

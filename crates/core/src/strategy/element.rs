//! Cutting structured data by element, so that what is left still parses.
//!
//! [`Element`] keeps the first and the last elements of every list, and before ordinary ones those that differ from
//! their neighbours; says inside the data how many it left out; folds what lies deep; shortens long strings. What is
//! kept is copied byte by byte: numbers, the order of keys and duplicate keys come out as they went in.

mod census;
mod choose;
mod columns;
mod csv;
mod differing;
mod format;
mod gaps;
mod json;
mod lines;
mod markup;
mod mention;
mod numbers;
mod pieces;
mod room;
mod structure;
mod tree;
mod yaml;

use std::io;
use std::ops::Range;

pub use self::structure::{Blocks, Structure};
use super::{CutContext, CutError, Cutter, Strategy};
use crate::document::Document;
use crate::kind::Kind;

/// The strategy `element`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Element;

impl Strategy for Element {
    fn name(&self) -> &str {
        "element"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let json = context.structure.and_then(Structure::json);
        let table = context.structure.and_then(Structure::table);
        match context.classification.kind {
            Kind::Json => json::prepare(document, context, false, json),
            Kind::Ndjson => json::prepare(document, context, true, json),
            Kind::Csv => csv::prepare(document, context, false, table),
            Kind::Xml => markup::prepare(document, context, false),
            Kind::Html => markup::prepare(document, context, true),
            Kind::Yaml => yaml::prepare(document, context),
            Kind::Tsv => csv::prepare(document, context, true, table),
            Kind::Binary => Err(CutError::Shape("binary content has no elements".into())),
            _ => lines::prepare(document, context),
        }
    }
}

/// Cuts JSON that ends too early by its elements; no [`Strategy`] of its own, since what is left does not parse.
pub(super) fn torn_json<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let known = context.structure.and_then(Structure::json);
    json::prepare_torn(document, context, context.classification.kind == Kind::Ndjson, known)
}

/// Where the JSON value that begins at the start of `range` ends; if there is none, how far the text could be one.
pub(super) fn json_value_end(document: &dyn Document, range: Range<u64>) -> io::Result<Result<u64, u64>> {
    json::value_end(document, range)
}

#[cfg(test)]
mod tests;

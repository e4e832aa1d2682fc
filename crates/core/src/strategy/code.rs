//! Cutting source code by its functions and types.
//!
//! [`Code`] shows the outline first: imports, types, the signature of every function; then, where there is room,
//! whole bodies. A body is shown whole or not at all, and each omission names the functions that it hides with their
//! lines. Twelve languages are parsed with tree-sitter, each behind a feature of its own; other code, code that is too
//! large, and code that looks as if it was made to keep a parser busy are read by their indentation and keywords.

mod choose;
#[cfg(feature = "grammar")]
mod grammar;
mod lines;
mod unit;
mod weights;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use self::unit::{Source, Unit, What};
use super::{CutContext, CutError, Cutter, Strategy};
use crate::budget::Budget;
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::kind::{Kind, Language};

/// The largest source that is parsed.
pub const LARGEST_PARSED: u64 = 512 * 1024;
/// The largest source that is read at all; what is larger is not code that a person wrote.
pub const LARGEST: u64 = 8 * 1024 * 1024;

/// Cuts source code by its functions and types.
///
/// Parsing stops by itself after a number of steps that is in proportion to the size of the source. That bounds the
/// time for all sources but those that are made to defeat it; so the context's executor does it, which may have a
/// clock. Where it was not done in time, the source is read by its lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Code;

#[cfg(feature = "grammar")]
use self::grammar::{has_grammar, parsed};

#[cfg(not(feature = "grammar"))]
fn has_grammar(_language: Language) -> bool {
    false
}

#[cfg(not(feature = "grammar"))]
fn parsed(_source: &Source<'_>, _language: Language, _stopped: &dyn Fn() -> bool) -> Option<Vec<Unit>> {
    None
}

impl Strategy for Code {
    fn name(&self) -> &str {
        "code"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let extent = document.extent();
        if extent.bytes > LARGEST {
            return Err(CutError::Shape(format!("code of more than {LARGEST} bytes is not looked into")));
        }
        let language = match context.classification.kind {
            Kind::Code(language) => language,
            _ => Language::Other,
        };
        let text = document.read(0..extent.bytes)?;
        let units = parsed_in_time(&text, language, context).unwrap_or_else(|| lines::units(&Source::new(&text)));
        if units.is_empty() {
            return Err(CutError::Shape("no functions or types were found in it".into()));
        }
        let defines = units.iter().any(|unit| matches!(unit.what, What::Type | What::Function));
        Ok(Box::new(move |budget: &Budget| {
            let cut = choose::cut(document, &Source::new(&text), &units, budget)?;
            if !defines && shows_little(&cut, budget) {
                return Err(CutError::Shape("it has hardly any parts".into()));
            }
            Ok(cut)
        }))
    }
}

/// A cut shows little that leaves all but one in so many parts of its room empty.
const LITTLE: u64 = 4;

fn shows_little(cut: &Cut, budget: &Budget) -> bool {
    let shown = cut.pieces().iter().map(|piece| match piece {
        Piece::Keep { range, .. } => range.end - range.start,
        Piece::Insert(text) => text.len() as u64,
        Piece::Omit { .. } => 0,
    });
    cut.omits() && shown.sum::<u64>() * LITTLE < budget.chars
}

/// The units that a grammar finds, where there is one that finds some in time.
fn parsed_in_time(text: &str, language: Language, context: &CutContext<'_>) -> Option<Vec<Unit>> {
    if text.len() as u64 > LARGEST_PARSED || !has_grammar(language) || lines::looks_hostile(text) {
        return None;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let found = Arc::new(Mutex::new(None));
    let (source, stopped, slot) = (text.to_owned(), Arc::clone(&stop), Arc::clone(&found));
    let parse = move || {
        let units = parsed(&Source::new(&source), language, &|| stopped.load(Ordering::Relaxed));
        if let Ok(mut slot) = slot.lock() {
            *slot = Some(units);
        }
    };
    let done = context.executor.bounded(Box::new(parse), &stop);
    let units = found.lock().ok()?.take()?;
    units.filter(|_| done)
}

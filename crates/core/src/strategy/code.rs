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

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::unit::Source;
use super::{Brief, NoCut, Strategy};
use crate::cut::Cut;
use crate::document::Document;
use crate::kind::{Kind, Language};

/// The largest source that is parsed.
pub const LARGEST_PARSED: u64 = 512 * 1024;
/// The largest source that is read at all; what is larger is not code that a person wrote.
pub const LARGEST: u64 = 8 * 1024 * 1024;

/// Cuts source code; what `smart` does with [`Kind::Code`].
///
/// Parsing stops by itself after a number of steps that is in proportion to the size of the source. That bounds the
/// time for all sources but those that are made to defeat it, and core knows no clock: a caller with a deadline runs
/// the cut on a worker, sets [`stop`](Code::stop) when the time is over, and if even that has no effect within a
/// moment abandons the worker and cuts with [`Code::unparsed`].
#[derive(Debug, Clone, Default)]
pub struct Code {
    stop: Arc<AtomicBool>,
    unparsed: bool,
}

impl Code {
    /// A cut that never parses and so is always quick.
    pub fn unparsed() -> Code {
        Code { unparsed: true, ..Code::default() }
    }

    /// Setting it makes a parse that is under way give up; the cut is then made without it.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Whether a cut of this document would parse it, so that a deadline is worth its worker.
    pub fn parses(document: &dyn Document, language: Language) -> bool {
        document.extent().bytes <= LARGEST_PARSED && has_grammar(language)
    }

    fn units(&self, source: &Source<'_>, language: Language) -> Vec<unit::Unit> {
        if !self.unparsed && source.text.len() as u64 <= LARGEST_PARSED && !lines::looks_hostile(source.text) {
            let stopped = || self.stop.load(Ordering::Relaxed);
            if let Some(units) = parsed(source, language, &stopped) {
                return units;
            }
        }
        lines::units(source)
    }
}

#[cfg(feature = "grammar")]
use self::grammar::{has_grammar, parsed};

#[cfg(not(feature = "grammar"))]
fn has_grammar(_language: Language) -> bool {
    false
}

#[cfg(not(feature = "grammar"))]
fn parsed(_source: &Source<'_>, _language: Language, _stopped: &dyn Fn() -> bool) -> Option<Vec<unit::Unit>> {
    None
}

impl Strategy for Code {
    fn name(&self) -> &str {
        "code"
    }

    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut> {
        let extent = document.extent();
        if extent.bytes > LARGEST {
            return Err(NoCut::Shape(format!("code of more than {LARGEST} bytes is not looked into")));
        }
        let language = match brief.classification.kind {
            Kind::Code(language) => language,
            _ => Language::Other,
        };
        let text = document.read(0..extent.bytes)?;
        let source = Source::new(&text);
        let units = self.units(&source, language);
        if units.is_empty() {
            return Err(NoCut::Shape("no functions or types were found in it".into()));
        }
        choose::cut(document, &source, &units, brief)
    }
}

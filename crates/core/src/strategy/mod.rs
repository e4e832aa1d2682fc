//! Choosing what stays.
//!
//! A strategy is plain code that may pass over the document more than once: count first, then choose. It returns
//! which ranges stay, never formatted text.

pub mod code;
pub mod element;
pub mod ends;
pub mod lines;
pub mod registry;
pub mod smart;

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::budget::Budget;
use crate::cut::{BrokenCut, Cut};
use crate::document::Document;
use crate::kind::Classification;
use crate::line::LineRules;

/// Chooses what to show of a document.
pub trait Strategy: Send + Sync {
    /// The name that configuration and reports use.
    fn name(&self) -> &str;

    /// Which parts of `document` to show within the brief's budget.
    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut>;

    /// Cuts until a cut serves: hands each one to `next`, which returns the budget of another try, or `None` where
    /// no more is wanted. A strategy that can keep what it found out about the document from one try to the next
    /// should.
    fn cuts(
        &self,
        document: &dyn Document,
        brief: &Brief<'_>,
        next: &mut dyn FnMut(Cut) -> Option<Budget>,
    ) -> Result<(), NoCut> {
        let mut brief = *brief;
        while let Some(budget) = next(self.cut(document, &brief)?) {
            brief.budget = budget;
        }
        Ok(())
    }
}

/// What a strategy is told about the call.
#[derive(Debug, Clone, Copy)]
pub struct Brief<'a> {
    /// The room there is.
    pub budget: Budget,
    /// The counts and switches of the configuration.
    pub settings: &'a Settings,
    /// What the document looks like.
    pub classification: &'a Classification,
}

/// Why a strategy made no cut.
#[derive(Debug)]
pub enum NoCut {
    /// The document does not have this strategy's shape; another strategy may serve.
    Shape(String),
    /// The document could not be read.
    Unreadable(io::Error),
    /// The strategy is at fault: its pieces do not make the whole.
    Broken(BrokenCut),
}

impl fmt::Display for NoCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCut::Shape(why) => f.write_str(why),
            NoCut::Unreadable(error) => write!(f, "the output could not be read back: {error}"),
            NoCut::Broken(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoCut {}

impl From<io::Error> for NoCut {
    fn from(error: io::Error) -> NoCut {
        NoCut::Unreadable(error)
    }
}

impl From<BrokenCut> for NoCut {
    fn from(error: BrokenCut) -> NoCut {
        NoCut::Broken(error)
    }
}

/// The counts and switches that strategies read; every count is an upper bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The share of the budget that `head_tail` gives to the beginning.
    pub head_ratio: f64,
    /// Lines that `head` keeps.
    pub head_lines: u64,
    /// Lines that `tail` keeps.
    pub tail_lines: u64,
    /// Characters after which a line is shortened within itself.
    pub max_line_length: u64,
    /// Elements that `element` keeps at the beginning.
    pub first_elements: u64,
    /// Elements that `element` keeps at the end.
    pub last_elements: u64,
    /// How deep `element` shows nested values.
    pub max_depth: u64,
    /// Whether `element` may look deeper than `max_depth` where nothing else fills the budget (the profile `auto`).
    pub adaptive: bool,
    /// Whether `element` keeps JSON parseable, with marks that are data themselves; else they stand outside of it, as
    /// `... [12 items omitted] ...`. Other formats mark omissions in comments and rows, and stay parseable anyway.
    pub preserve_json: bool,
    /// Whether `smart` keeps functions whole.
    pub preserve_functions: bool,
    /// Whether `smart` puts errors before other lines.
    pub prioritize_errors: bool,
    /// The rules by which lines are told.
    pub line_rules: Arc<LineRules>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            head_ratio: 0.6,
            head_lines: 300,
            tail_lines: 200,
            max_line_length: 500,
            first_elements: 5,
            last_elements: 5,
            max_depth: 3,
            adaptive: true,
            preserve_json: true,
            preserve_functions: true,
            prioritize_errors: true,
            line_rules: Arc::default(),
        }
    }
}

//! Choosing what stays.
//!
//! A [`Strategy`] reads a document once, as often as it likes: count first, then choose. The [`Cutter`] that it hands
//! out then cuts to any number of budgets. A cut says which ranges stay, never formatted text.

pub mod code;
pub mod compact;
pub mod element;
pub mod ends;
pub mod lines;
pub mod plain;
pub mod registry;
pub mod smart;

use std::io;
use std::sync::Arc;

use self::element::Structure;
use crate::budget::Budget;
use crate::cut::{BrokenCut, Cut};
use crate::document::Document;
use crate::executor::{Executor, Sequential};
use crate::kind::Classification;
use crate::line::LineRules;
use crate::prescan::Candidates;

/// Chooses what to show of a document.
///
/// A simple strategy hands out a closure:
///
/// ```
/// use offcut_core::budget::Budget;
/// use offcut_core::cut::{Cut, Piece};
/// use offcut_core::document::Document;
/// use offcut_core::strategy::{CutContext, CutError, Cutter, Strategy};
///
/// struct FirstTen;
///
/// impl Strategy for FirstTen {
///     fn name(&self) -> &str {
///         "first_ten"
///     }
///
///     fn prepare<'a>(
///         &'a self,
///         document: &'a dyn Document,
///         _: &CutContext<'a>,
///     ) -> Result<Box<dyn Cutter + 'a>, CutError> {
///         let end = document.line_start(10)?.byte;
///         Ok(Box::new(move |_: &Budget| {
///             let pieces = vec![Piece::keep(0..end, "first ten"), Piece::omit(end..document.extent().bytes)];
///             Ok(Cut::of("first_ten", pieces, document.extent())?)
///         }))
///     }
/// }
/// ```
pub trait Strategy: Send + Sync {
    /// The name that configuration and reports use.
    fn name(&self) -> &str;

    /// Reads what it needs of `document`; an error where the document does not have this strategy's shape.
    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError>;

    /// The cut of `document` to the context's own budget.
    fn cut(&self, document: &dyn Document, context: &CutContext<'_>) -> Result<Cut, CutError> {
        self.prepare(document, context)?.cut(&context.budget)
    }
}

/// Cuts one document to any budget.
pub trait Cutter {
    /// Which parts of the document to show within `budget`.
    fn cut(&mut self, budget: &Budget) -> Result<Cut, CutError>;
}

impl<F: FnMut(&Budget) -> Result<Cut, CutError>> Cutter for F {
    fn cut(&mut self, budget: &Budget) -> Result<Cut, CutError> {
        self(budget)
    }
}

/// What a strategy is told about the call.
#[derive(Clone, Copy)]
pub struct CutContext<'a> {
    /// The largest budget that is going to be asked for; it bounds how much of a document is worth remembering.
    pub budget: Budget,
    /// The counts and switches of the configuration.
    pub settings: &'a Settings,
    /// What the document looks like.
    pub classification: &'a Classification,
    /// What a prescan found in the document while it was taken in, where one was made.
    pub candidates: Option<&'a Candidates>,
    /// What is known of the document's elements, where it was read while it was taken in.
    pub structure: Option<&'a Structure>,
    /// What does work that others may do at the same time, or that may take too long.
    pub executor: &'a dyn Executor,
}

impl<'a> CutContext<'a> {
    /// A context without a prescan, and without threads.
    pub fn new(budget: Budget, settings: &'a Settings, classification: &'a Classification) -> CutContext<'a> {
        CutContext { budget, settings, classification, candidates: None, structure: None, executor: &Sequential }
    }
}

/// Why a strategy made no cut.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// The document does not have this strategy's shape; another strategy may serve.
    #[error("{0}")]
    Shape(String),
    /// The document could not be read.
    #[error("the output could not be read back: {0}")]
    Unreadable(#[from] io::Error),
    /// The strategy is at fault: its pieces do not make the whole.
    #[error(transparent)]
    Broken(#[from] BrokenCut),
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
    /// Whether `smart` cuts source code by its functions, so that a body is shown whole or not at all; else it cuts
    /// code by its lines, as other text.
    pub preserve_functions: bool,
    /// Whether `smart` puts errors before other lines.
    pub prioritize_errors: bool,
    /// Whether kept lines are shown with what nearly every line begins with (a time, a job's name) in every profile;
    /// else `auto` says it once.
    pub keep_prefixes: bool,
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
            keep_prefixes: false,
            line_rules: Arc::default(),
        }
    }
}

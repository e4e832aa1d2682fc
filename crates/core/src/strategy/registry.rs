//! Strategies by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::element::Element;
use super::ends::HeadTail;
use super::plain::{Head, Tail, WholeLines};
use super::smart::Smart;
use super::{CutContext, CutError, Cutter, Strategy};
use crate::budget::Budget;
use crate::cut::Cut;
use crate::document::Document;

/// The name of the strategy that picks another one by what the output looks like.
pub const AUTO: &str = "auto";

/// `none`: shows an output whole, and cuts nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Whole;

impl Strategy for Whole {
    fn name(&self) -> &str {
        "none"
    }

    fn prepare<'a>(&'a self, document: &'a dyn Document, _: &CutContext<'a>) -> Result<Box<dyn Cutter + 'a>, CutError> {
        Ok(Box::new(|budget: &Budget| {
            if document.extent().chars <= budget.chars {
                return Ok(Cut::whole(document.extent()));
            }
            Err(CutError::Shape("strategy `none` cuts nothing, and the output is over the limit".to_owned()))
        }))
    }
}

/// `lines`: as many whole lines as `tail_lines` says, from the end.
#[derive(Debug, Clone, Copy, Default)]
struct LastWholeLines;

impl Strategy for LastWholeLines {
    fn name(&self) -> &str {
        "lines"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let lines = WholeLines::Last(context.settings.tail_lines);
        Ok(Box::new(move |budget: &Budget| lines.cut_to(document, budget)))
    }
}

/// The strategies that a configuration can name.
#[derive(Clone)]
pub struct Registry {
    known: BTreeMap<String, Arc<dyn Strategy>>,
}

impl Default for Registry {
    fn default() -> Registry {
        let mut registry = Registry { known: BTreeMap::new() };
        registry.add(Arc::new(Whole));
        registry.add(Arc::new(Head));
        registry.add(Arc::new(Tail));
        registry.add(Arc::new(HeadTail));
        registry.add(Arc::new(LastWholeLines));
        registry.add(Arc::new(Element));
        registry.add(Arc::new(Smart));
        registry
    }
}

impl Registry {
    /// Adds a strategy under its own name; one of that name is replaced.
    pub fn add(&mut self, strategy: Arc<dyn Strategy>) {
        self.known.insert(strategy.name().to_owned(), strategy);
    }

    /// The strategy called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Strategy>> {
        self.known.get(name)
    }

    /// Whether a configuration may name it: a known strategy, or `auto`.
    pub fn allows(&self, name: &str) -> bool {
        name == AUTO || self.known.contains_key(name)
    }

    /// Every name that a configuration may use, in order.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.known.keys().map(String::as_str).chain([AUTO]).collect();
        names.sort_unstable();
        names
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

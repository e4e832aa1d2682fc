//! Cutting with an eye for content: errors before noise, names before details, the rare before the frequent.
//!
//! All line-oriented kinds share one idea. Lines are weighed by what they say, how rare they are here and what stands
//! around them; the budget is filled with the best worth for its room, less for what was shown already; and what was
//! chosen is shown in document order with its gaps marked. A kind only decides how its lines are weighed.

mod diff;
mod fill;
mod judge;
mod listing;
mod log;
mod markdown;
mod paths;
mod pieces;
mod prefix;
mod search;
mod shape;
mod sieve;
mod signal;
mod table;

use crate::cut::Cut;
use crate::document::Document;
use crate::kind::Kind;
use crate::strategy::{Brief, NoCut, Strategy};

use table::Table;

/// Shows what matters of line-oriented text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Smart;

impl Strategy for Smart {
    fn name(&self) -> &str {
        "smart"
    }

    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut> {
        let kind = brief.classification.kind;
        let table = if Table::takes_whole(document.extent()) {
            Table::whole(document, brief.settings)?
        } else {
            Table::within(document, &sieve::sieve(document, kind)?, brief.settings)?
        };
        let (units, by_novelty) = match kind {
            Kind::Diff => (diff::units(&table), false),
            Kind::Search => (search::units(&table), false),
            Kind::Listing => (listing::units(&table), false),
            Kind::Markdown => (markdown::units(&table), false),
            _ => (log::units(&table, brief.settings.prioritize_errors), true),
        };
        let kept = fill::fill(&table, units, &brief.budget, by_novelty);
        pieces::cut(document, &table, &kept)
    }
}

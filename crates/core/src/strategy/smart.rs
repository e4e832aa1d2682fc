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
mod notes;
mod paths;
mod pieces;
mod places;
mod prefix;
mod prose;
mod results;
mod search;
mod shape;
mod sieve;
mod signal;
mod table;
#[cfg(test)]
mod tests;
mod trouble;

use crate::budget::Budget;
use crate::cut::Cut;
use crate::document::Document;
use crate::kind::Kind;
use crate::strategy::code::Code;
use crate::strategy::{Brief, NoCut, Strategy};

use fill::Unit;
use notes::Notes;
use table::Table;

/// Shows what matters of line-oriented text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Smart;

/// What one line says by itself, as the reason for which a cut would keep it (`error`, `failing test`, `summary`, …),
/// and what seeing it is worth, from 0 to 100; none for lines that say nothing in particular.
pub fn line_role(line: &str) -> Option<(&'static str, f32)> {
    let body = prefix::body(line);
    let verdict = judge::judge(body, signal::of_line(body));
    log::role(verdict.class).map(|why| (why, verdict.worth))
}

impl Strategy for Smart {
    fn name(&self) -> &str {
        "smart"
    }

    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut> {
        self.cut_with(document, brief, &|| Code::default().cut(document, brief))
    }
}

impl Smart {
    /// The cut, with `cut_code` for what is code: a caller with a clock can hold it to a deadline.
    pub fn cut_with(
        &self,
        document: &dyn Document,
        brief: &Brief<'_>,
        cut_code: &dyn Fn() -> Result<Cut, NoCut>,
    ) -> Result<Cut, NoCut> {
        // One line never takes more than half of the room.
        let room = brief.budget.chars.min(brief.budget.bytes.map_or(u64::MAX, |bytes| bytes / 4));
        let limit = brief.settings.max_line_length.min(room / 2);
        let mut kind = brief.classification.kind;
        let table = if Table::takes_whole(document.extent()) {
            Table::whole(document, limit)?
        } else {
            Table::within(document, &sieve::sieve(document, kind)?, limit)?
        };
        if matches!(kind, Kind::Code(_)) && log::is_output(&table) {
            kind = Kind::Log;
        }
        if matches!(kind, Kind::Code(_)) {
            match cut_code() {
                Err(NoCut::Shape(_)) => {}
                cut => return Ok(cut?.named("smart")),
            }
        }
        let Reading { units, notes, by_novelty } = match kind {
            Kind::Diff => diff::read(&table),
            Kind::Text if diff::is_history(&table) => diff::read(&table),
            Kind::Search => search::read(&table),
            Kind::Listing => listing::read(&table),
            Kind::Markdown => markdown::read(&table),
            Kind::Log | Kind::Test | Kind::Build | Kind::Trace => log::read(&table, brief.settings.prioritize_errors),
            _ => prose::read(&table, brief.settings.prioritize_errors),
        };
        // A little is set aside for what the gaps say.
        let share = if by_novelty { 60 } else { 25 };
        let narrow = brief.budget.bytes.map_or(brief.budget.chars, |bytes| bytes.min(brief.budget.chars));
        let aside = if brief.budget.markers_count { narrow.saturating_sub(3000) / share } else { 0 };
        let bytes = brief.budget.bytes.map(|bytes| bytes - aside);
        let budget = Budget { chars: brief.budget.chars - aside, bytes, ..brief.budget };
        let (mut kept, mut left) = fill::fill(&table, units, &budget, by_novelty);
        if kept.is_empty() {
            (kept, left) = fill::fill(&table, fill::ends(&table), &budget, false);
        }
        pieces::cut(document, &table, &kept, &notes, left.saturating_add(aside as i64))
    }
}

/// A kind's view of a table: what its rows are worth, and what can be said of those that are left out.
struct Reading {
    units: Vec<Unit>,
    notes: Notes,
    /// Whether lines lose worth when their words were shown before.
    by_novelty: bool,
}

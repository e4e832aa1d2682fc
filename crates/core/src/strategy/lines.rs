//! Cutting with an eye for content: errors before noise, names before details, the rare before the frequent.
//!
//! All line-oriented kinds share one idea. Lines are weighed by what they say, how rare they are here and what stands
//! around them; the budget is filled with the best worth for its room, less for what was shown already; and what was
//! chosen is shown in document order with its gaps marked. A kind only decides how its lines are weighed.

mod about;
mod candidates;
mod diff;
mod events;
mod fill;
mod insets;
mod listing;
mod log;
mod markdown;
mod notes;
mod pieces;
mod prose;
mod room;
mod scored;
mod search;
mod seen;
mod table;
#[cfg(test)]
mod tests;
mod traces;
mod whole;

use crate::budget::Budget;
use crate::cut::Cut;
use crate::document::Document;
use crate::kind::Kind;
use crate::strategy::{CutContext, CutError, Cutter, Settings, Strategy};

use fill::Choice;
use scored::Scored;
use table::Table;

/// Shows what matters of text that comes in lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines;

impl Strategy for Lines {
    fn name(&self) -> &str {
        "smart"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let table = Lines::table(document, context)?;
        Ok(Box::new(Lines::score(document, table, context)?))
    }
}

impl Lines {
    /// Whether more is shown of structured data by its lines than by its elements: search results that are JSON lines.
    /// What is shown of them parses.
    pub fn knows(document: &dyn Document, kind: Kind) -> bool {
        kind == Kind::Ndjson && events::are_events(document)
    }

    /// The lines to choose from.
    pub(super) fn table<'a>(document: &'a dyn Document, context: &CutContext<'a>) -> Result<Table<'a>, CutError> {
        if Table::takes_whole(document.extent()) {
            return Ok(Table::whole(document)?);
        }
        let kind = context.classification.kind;
        let kind = if Lines::knows(document, kind) { Kind::Search } else { kind };
        Ok(Table::within(document, &candidates::ranges(document, kind, context)?)?)
    }

    /// Whether a text that quotes code is what a run printed.
    pub(super) fn is_output(table: &Table<'_>, settings: &Settings) -> bool {
        log::is_output(table, &settings.line_rules)
    }

    /// Weighs the lines of `table` as those of the context's kind.
    pub(super) fn score<'a>(
        document: &'a dyn Document,
        table: Table<'a>,
        context: &CutContext<'a>,
    ) -> Result<LinesCutter<'a>, CutError> {
        let settings = context.settings;
        let kind = context.classification.kind;
        let parses = Lines::knows(document, kind);
        let mut scored = match kind {
            _ if parses => search::read(&table),
            Kind::Diff => diff::read(&table),
            Kind::Text if diff::is_history(&table) => diff::read(&table),
            Kind::Search => search::read(&table),
            Kind::Listing => listing::read(&table),
            Kind::Markdown => markdown::read(&table),
            Kind::Log | Kind::Test | Kind::Build | Kind::Trace => log::read(&table, settings),
            Kind::Code(_) if Lines::is_output(&table, settings) => log::read(&table, settings),
            _ => prose::read(&table, settings),
        };
        let mut about = None;
        if scored.by_novelty {
            let all = insets::read(document, &table, &mut scored)?;
            // Counts are exact only where every line was looked at.
            let known = if all { scored.insets.as_slice() } else { &[] };
            about = if Table::takes_whole(document.extent()) { scored.found.line(known) } else { None };
        }
        Ok(LinesCutter { document, table, scored, about, settings, parses })
    }
}

/// From so many characters on a line about the whole is worth its room.
const ROOMY: u64 = 5000;

/// A table whose lines are weighed; that serves every budget.
pub(super) struct LinesCutter<'a> {
    document: &'a dyn Document,
    table: Table<'a>,
    scored: Scored,
    about: Option<String>,
    settings: &'a Settings,
    /// Whether what is shown parses as the document's own format.
    parses: bool,
}

impl Cutter for LinesCutter<'_> {
    fn cut(&mut self, budget: &Budget) -> Result<Cut, CutError> {
        // A line that was shortened would not parse.
        self.table.line_limit = if self.parses { u64::MAX / 4 } else { self.line_limit(budget) };
        let mut cut = self.fitted(budget)?;
        cut.about = self.about.clone().filter(|_| budget.chars >= ROOMY);
        Ok(cut)
    }
}

impl LinesCutter<'_> {
    /// The most characters of a line that are shown: one line never takes more than half of the room.
    fn line_limit(&self, budget: &Budget) -> u64 {
        let room = budget.chars.min(budget.bytes.map_or(u64::MAX, |bytes| bytes / 4));
        self.settings.max_line_length.min(room / 2).max(24)
    }

    /// The cut that shows the best of what was weighed.
    fn fitted(&self, budget: &Budget) -> Result<Cut, CutError> {
        let LinesCutter { document, table, scored, settings, .. } = self;
        // A little is set aside for what the gaps say.
        let share = if scored.by_novelty { 60 } else { 25 };
        let narrow = budget.bytes.map_or(budget.chars, |bytes| bytes.min(budget.chars));
        let aside = if budget.markers_count { narrow.saturating_sub(3000) / share } else { 0 };
        let bytes = budget.bytes.map(|bytes| bytes - aside);
        let room = Budget { chars: budget.chars - aside, bytes, ..*budget };
        let Scored { units, bundles, insets, by_novelty, .. } = scored;
        let choice = Choice { units, bundles, insets, by_novelty: *by_novelty };
        let mut filled = fill::fill(table, choice, &room, settings);
        if filled.kept.is_empty() {
            let choice = Choice { units: &fill::ends(table), bundles: &[], insets: &[], by_novelty: false };
            filled = fill::fill(table, choice, &room, settings);
        }
        if self.parses {
            return events::cut(*document, table, &filled.kept);
        }
        pieces::cut(*document, table, &filled, scored, aside)
    }
}

//! Cutting with an eye for content: errors before noise, names before details, the rare before the frequent.
//!
//! All line-oriented kinds share one idea. Lines are weighed by what they say, how rare they are here and what stands
//! around them; the budget is selected with the best worth for its room, less for what was shown already; and what was
//! chosen is shown in document order with its gaps marked. A kind only decides how its lines are weighed.

mod candidates;
mod embedded;
mod events;
mod failed_steps;
mod findings;
mod gap_labels;
mod pieces;
mod score;
mod select;
mod table;
#[cfg(test)]
mod tests;
mod traces;
mod unit;
mod unseen;
mod verdict_rows;
mod weights;

use std::ops::Range;

use crate::budget::{Budget, Marks};
use crate::cut::Cut;
use crate::document::Document;
use crate::kind::Kind;
use crate::line::left_off::{LeftOff, left_off};
use crate::strategy::{CutContext, CutError, Cutter, Settings, Strategy};

use gap_labels::Style;
use score::access::{self, AccessLog};
use score::columns::ColumnTables;
use score::diff::{self, Diff};
use score::failures;
use score::git::Git;
use score::listing::Listing;
use score::log::{self, Log};
use score::markdown::Markdown;
use score::prose::Prose;
use score::records::Records;
use score::scored::{Scored, Scorer};
use score::search::SearchResults;
use select::{Choice, Selected};
use table::Table;
use verdict_rows::VerdictRows;

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
            return Ok(Table::whole(document, context.executor)?);
        }
        let kind = context.classification.kind;
        let kind = if Lines::knows(document, kind) { Kind::Search } else { kind };
        let worthy = candidates::worthy(document, kind, context)?;
        let mut table = Table::within(document, &worthy.ranges, context.executor)?;
        table.tally = worthy.tally;
        Ok(table)
    }

    /// Whether a text that quotes code is what a run printed.
    pub(super) fn is_output(table: &Table<'_>, settings: &Settings) -> bool {
        log::is_output(table, &settings.line_rules) || !failed_steps::rows(table).is_empty()
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
        let failed = if parses { Vec::new() } else { failed_steps::rows(&table) };
        let scorer: &dyn Scorer = match kind {
            _ if parses => &SearchResults,
            // Whatever it looks like, it is what commands printed.
            _ if !failed.is_empty() => &Log,
            Kind::Diff => &Diff,
            Kind::Text if diff::is_history(&table) => &Diff,
            Kind::Git => &Git,
            Kind::Search => &SearchResults,
            Kind::Listing => &Listing,
            Kind::Markdown => &Markdown,
            Kind::Table => &ColumnTables,
            Kind::Ndjson => &Records,
            Kind::Log | Kind::Text if access::is_access_log(&table) => &AccessLog,
            Kind::Log | Kind::Test | Kind::Build | Kind::Trace => &Log,
            Kind::Code(_) if log::is_output(&table, &settings.line_rules) => &Log,
            _ => &Prose,
        };
        let may_hide =
            !parses && failed.is_empty() && matches!(kind, Kind::Search | Kind::Listing | Kind::Markdown | Kind::Table);
        let verdicts = match kind {
            _ if may_hide => VerdictRows::of(&table, &settings.line_rules),
            Kind::Git | Kind::Diff if failed.is_empty() => VerdictRows::of_git(&table),
            _ => VerdictRows::default(),
        };
        let as_log =
            if verdicts.tell_of_a_run() { Some(laid_out(document, &table, &Log, &[], settings)?) } else { None };
        let in_time = matches!(kind, Kind::Log | Kind::Test | Kind::Build | Kind::Trace | Kind::Text);
        let may_leave_off = in_time && !settings.keep_prefixes;
        let beginnings = || (0..table.len()).map(|row| table.words(row)).zip(table.prefixes().iter().copied());
        let lay_out = || laid_out(document, &table, scorer, &failed, settings);
        let (mut layout, mut common) = (None, None);
        if may_leave_off {
            table.both(&mut || layout = Some(lay_out()), &mut || common = left_off(beginnings()));
        }
        let mut layout = layout.unwrap_or_else(lay_out)?;
        if as_log.is_none() && matches!(kind, Kind::Search | Kind::Listing | Kind::Git | Kind::Diff) {
            verdicts.raise(&mut layout.scored.units);
        }
        let as_log = as_log.map(|as_log| (as_log, verdicts));
        Ok(LinesCutter { document, table, layout, as_log, left_off: common, settings, parses })
    }
}

/// Weighs the lines of `table` by `scorer`, with the rows of the steps that failed before others.
fn laid_out(
    document: &dyn Document,
    table: &Table<'_>,
    scorer: &dyn Scorer,
    failed: &[Range<u32>],
    settings: &Settings,
) -> Result<Layout, CutError> {
    let mut scored = scorer.score(table, settings);
    if !failed.is_empty() {
        let outside = scored.units.iter_mut().filter(|unit| !select::overlaps(failed, &unit.rows));
        outside.for_each(|unit| unit.worth *= weights::OUTSIDE_FAILED);
    }
    scored.failed = failed.to_vec();
    let mut about = None;
    if scored.by_novelty {
        let all = embedded::find(document, table, &mut scored)?;
        // Of a large document only what may tell was looked at: the room is for more of that.
        if Table::takes_whole(document.extent()) {
            failures::join(&mut scored);
        }
        // Counts are exact only where every line was looked at.
        let known = if all { scored.embeds.as_slice() } else { &[] };
        about = if Table::takes_whole(document.extent()) { scored.found.line(known) } else { None };
    }
    Ok(Layout { scored, about })
}

/// The lines of a table, weighed as those of one kind.
struct Layout {
    scored: Scored,
    /// What was found in the whole text.
    about: Option<String>,
}

/// From so many characters on a line about the whole is worth its room.
const ROOMY: u64 = 5000;

/// A table whose lines are weighed; that serves every budget.
pub(super) struct LinesCutter<'a> {
    document: &'a dyn Document,
    table: Table<'a>,
    layout: Layout,
    /// The same as a log, and the rows that it is to be preferred for if it shows more of them.
    as_log: Option<(Layout, VerdictRows)>,
    /// What nearly every line begins with.
    left_off: Option<LeftOff>,
    settings: &'a Settings,
    /// Whether what is shown parses as the document's own format.
    parses: bool,
}

impl Cutter for LinesCutter<'_> {
    fn cut(&mut self, budget: &Budget) -> Result<Cut, CutError> {
        // A line that was shortened would not parse.
        self.table.line_limit = if self.parses { u64::MAX / 4 } else { self.line_limit(budget) };
        self.table.marks = budget.marks;
        // Only a header of `auto` says what was left off.
        let left_off = self.left_off.as_ref().filter(|_| matches!(budget.marks, Marks::Addresses { .. }));
        self.table.leave_off(left_off.map_or(&[], |left_off| &left_off.widths));
        let mut layout = &self.layout;
        let mut selected = self.select(layout, budget);
        // The kind decides how a text is laid out, never whether a failure is seen.
        if let Some((as_log, verdicts)) = &self.as_log {
            let other = self.select(as_log, budget);
            if verdicts.shown(&other.0) > verdicts.shown(&selected.0) {
                (layout, selected) = (as_log, other);
            }
        }
        let (selected, aside) = selected;
        if self.parses {
            return events::cut(self.document, &self.table, &selected.kept);
        }
        let mut cut = pieces::cut(self.document, &self.table, &selected, &layout.scored, aside, self.settings)?;
        cut.about = layout.about.clone().filter(|_| budget.chars >= ROOMY);
        cut.left_off = left_off.map(|left_off| left_off.said.clone());
        Ok(cut)
    }
}

impl LinesCutter<'_> {
    /// The most characters of a line that are shown: one line never takes more than half of the room, and few lines
    /// share it.
    fn line_limit(&self, budget: &Budget) -> u64 {
        let room = budget.chars.min(budget.bytes.map_or(u64::MAX, |bytes| bytes / 4));
        let share = room / 4 * 3 / (self.table.len() as u64).max(1);
        self.settings.max_line_length.max(share).min(room / 2).max(24)
    }

    /// The best of what was weighed, and the characters that were set aside for what the gaps say.
    fn select(&self, layout: &Layout, budget: &Budget) -> (Selected, u64) {
        let LinesCutter { table, settings, .. } = self;
        let scored = &layout.scored;
        // A little is set aside for what the gaps say.
        let narrow = budget.bytes.map_or(budget.chars, |bytes| bytes.min(budget.chars));
        let roomy = narrow.saturating_sub(weights::NOTHING_SAID);
        let aside = match scored.labels.style() {
            _ if !budget.marks.count() => 0,
            Style::Places => (narrow / weights::SAID_OF_PLACES)
                .max(weights::LEAST_SAID_OF_PLACES.min(narrow / weights::SAID_AT_MOST))
                .min(weights::MOST_SAID_OF_PLACES),
            _ if scored.by_novelty => roomy / weights::SAID_OF_LINES,
            _ => roomy / weights::SAID_OF_CHANGES,
        };
        let bytes = budget.bytes.map(|bytes| bytes - aside);
        let room = Budget { chars: budget.chars - aside, bytes, ..*budget };
        let Scored { units, bundles, embeds, failed, by_novelty, floor, .. } = scored;
        let choice = Choice { units, bundles, embeds, failed, by_novelty: *by_novelty, floor: *floor };
        let mut selected = select::select(table, choice, &room, settings);
        if selected.kept.is_empty() {
            let ends = select::ends(table);
            let (bundles, embeds, failed) = (&[], &[], &[]);
            let choice = Choice { units: &ends, bundles, embeds, failed, by_novelty: false, floor: weights::FLOOR };
            selected = select::select(table, choice, &room, settings);
        }
        (selected, aside)
    }
}

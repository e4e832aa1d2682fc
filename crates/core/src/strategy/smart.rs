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
use crate::strategy::code::Code;
use crate::strategy::{Brief, NoCut, Settings, Strategy};

use about::Found;
use fill::{Bundle, Choice, Unit};
use insets::Inset;
use notes::Notes;
use table::Table;

/// Shows what matters of line-oriented text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Smart;

/// Does two pieces of work, the second in another thread where the caller has one.
pub type Both = fn(&mut dyn FnMut(), &mut (dyn FnMut() + Send));

/// What a caller with a clock and with threads can lend.
#[derive(Clone, Copy)]
pub struct Help<'h> {
    /// Cuts what is code, by a deadline.
    pub cut_code: &'h dyn Fn(&Brief<'_>) -> Result<Cut, NoCut>,
    /// Does two pieces of work at the same time.
    pub both: Both,
}

impl Strategy for Smart {
    fn name(&self) -> &str {
        "smart"
    }

    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut> {
        only(|next| self.cuts(document, brief, next))
    }

    fn cuts(
        &self,
        document: &dyn Document,
        brief: &Brief<'_>,
        next: &mut dyn FnMut(Cut) -> Option<Budget>,
    ) -> Result<(), NoCut> {
        let help = Help {
            cut_code: &|brief| Code::default().cut(document, brief),
            both: |one, other| {
                one();
                other();
            },
        };
        self.cuts_with(document, brief, &help, next)
    }
}

/// The only cut that is wanted of `cuts`.
pub fn only(cuts: impl FnOnce(&mut dyn FnMut(Cut) -> Option<Budget>) -> Result<(), NoCut>) -> Result<Cut, NoCut> {
    let mut first = None;
    cuts(&mut |cut| {
        first = Some(cut);
        None
    })?;
    first.ok_or_else(|| NoCut::Shape("there is nothing to cut".to_owned()))
}

impl Smart {
    /// The cuts, with the caller's `help`.
    pub fn cuts_with(
        &self,
        document: &dyn Document,
        brief: &Brief<'_>,
        help: &Help<'_>,
        next: &mut dyn FnMut(Cut) -> Option<Budget>,
    ) -> Result<(), NoCut> {
        let mut brief = *brief;
        let mut kind = brief.classification.kind;
        let parses = Smart::knows(document, kind);
        kind = if parses { Kind::Search } else { kind };
        // A line that was shortened would not parse.
        let limit = |brief: &Brief<'_>| if parses { u64::MAX / 4 } else { line_limit(brief) };
        let mut table = if Table::takes_whole(document.extent()) {
            Table::whole(document, limit(&brief))?
        } else {
            Table::within(document, &candidates::ranges(document, kind, help.both)?, limit(&brief))?
        };
        if matches!(kind, Kind::Code(_)) && log::is_output(&table, &brief.settings.line_rules) {
            kind = Kind::Log;
        }
        if matches!(kind, Kind::Code(_)) {
            loop {
                match (help.cut_code)(&brief) {
                    Err(NoCut::Shape(_)) => break,
                    cut => match next(cut?.named("smart")) {
                        Some(budget) => brief.budget = budget,
                        None => return Ok(()),
                    },
                }
            }
        }
        let mut reading = read(&table, kind, brief.settings);
        let mut about = None;
        if reading.by_novelty {
            let all = insets::read(document, &table, &mut reading)?;
            // Counts are exact only where every line was looked at.
            let known = if all { reading.insets.as_slice() } else { &[] };
            about = if Table::takes_whole(document.extent()) { reading.found.line(known) } else { None };
        }
        // What was read serves every budget.
        loop {
            let mut cut = fitted(document, &table, &reading, &brief.budget, brief.settings, parses)?;
            cut.about = about.clone().filter(|_| brief.budget.chars >= ROOMY);
            let Some(budget) = next(cut) else { break };
            brief.budget = budget;
            table.line_limit = limit(&brief);
        }
        Ok(())
    }

    /// Whether `smart` shows more of structured data than its elements would: search results that are JSON lines.
    /// What it shows of them parses.
    pub fn knows(document: &dyn Document, kind: Kind) -> bool {
        kind == Kind::Ndjson && events::are_events(document)
    }
}

/// The most characters of a line that are shown: one line never takes more than half of the room.
fn line_limit(brief: &Brief<'_>) -> u64 {
    let room = brief.budget.chars.min(brief.budget.bytes.map_or(u64::MAX, |bytes| bytes / 4));
    brief.settings.max_line_length.min(room / 2).max(24)
}

/// What the rows are worth to one who looks for what a kind tells.
fn read(table: &Table<'_>, kind: Kind, settings: &Settings) -> Reading {
    match kind {
        Kind::Diff => diff::read(table),
        Kind::Text if diff::is_history(table) => diff::read(table),
        Kind::Search => search::read(table),
        Kind::Listing => listing::read(table),
        Kind::Markdown => markdown::read(table),
        Kind::Log | Kind::Test | Kind::Build | Kind::Trace => log::read(table, settings),
        _ => prose::read(table, settings),
    }
}

/// From so many characters on a line about the whole is worth its room.
const ROOMY: u64 = 5000;

/// The cut that shows the best of what was read within `budget`.
fn fitted(
    document: &dyn Document,
    table: &Table<'_>,
    reading: &Reading,
    budget: &Budget,
    settings: &Settings,
    parses: bool,
) -> Result<Cut, NoCut> {
    // A little is set aside for what the gaps say.
    let share = if reading.by_novelty { 60 } else { 25 };
    let narrow = budget.bytes.map_or(budget.chars, |bytes| bytes.min(budget.chars));
    let aside = if budget.markers_count { narrow.saturating_sub(3000) / share } else { 0 };
    let bytes = budget.bytes.map(|bytes| bytes - aside);
    let room = Budget { chars: budget.chars - aside, bytes, ..*budget };
    let Reading { units, bundles, insets, by_novelty, .. } = reading;
    let choice = Choice { units, bundles, insets, by_novelty: *by_novelty };
    let mut filled = fill::fill(table, choice, &room, settings);
    if filled.kept.is_empty() {
        let choice = Choice { units: &fill::ends(table), bundles: &[], insets: &[], by_novelty: false };
        filled = fill::fill(table, choice, &room, settings);
    }
    if parses {
        return events::cut(document, table, &filled.kept);
    }
    pieces::cut(document, table, &filled, reading, aside)
}

/// A kind's view of a table: what its rows are worth, and what can be said of those that are left out.
struct Reading {
    units: Vec<Unit>,
    /// Rows that say most together.
    bundles: Vec<Bundle>,
    /// Values of another kind.
    insets: Vec<Inset>,
    notes: Notes,
    /// What was found, shown or not.
    found: Found,
    /// Whether lines lose worth when their words were shown before.
    by_novelty: bool,
}

//! Counts of what is not a call: artifacts, retrievals, questions, redactions by kind, refusals.

use std::collections::BTreeMap;

use offcut::event::Event;
use rusqlite::{Connection, params};

use crate::history::{History, HistoryError};
use crate::sums::HOUR_MS;

/// Nanodollars of a dollar: costs are summed up as whole numbers.
pub(crate) const NANO: f64 = 1e9;

/// What is counted. The words in brackets are the labels that it is counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TallyName {
    /// Artifacts that were created (tool); the amount is their bytes.
    Artifact,
    /// Secrets that were taken out (tool, kind); the amount is how many.
    Redaction,
    /// Retrievals (what was asked for: `whole`, `lines`, …; by whom; outcome); the amount is the bytes returned.
    Retrieval,
    /// Questions (mode, outcome).
    Extraction,
    /// Calls to models (mode).
    ExtractionCalls,
    /// Tokens of requests to models (mode).
    ExtractionInput,
    /// Tokens of models' answers (mode).
    ExtractionOutput,
    /// How often another mode had to stand in (mode).
    ExtractionFallbacks,
    /// How long questions took, in microseconds (mode).
    ExtractionTime,
    /// Ids that were refused (reason, by whom).
    Refusal,
    /// Outputs over the maximum size (tool).
    Oversize,
    /// Requests that the proxy passed on (format); the amount is the tokens that they have less than they came with.
    Request,
    /// What requests would have cost as they came, in nanodollars (format).
    RequestCostBefore,
    /// What requests cost as they were sent, in nanodollars (format).
    RequestCostAfter,
    /// Requests that cost more than they would have (format).
    CostlierRequest,
}

impl TallyName {
    const ALL: [TallyName; 15] = [
        TallyName::Artifact,
        TallyName::Redaction,
        TallyName::Retrieval,
        TallyName::Extraction,
        TallyName::ExtractionCalls,
        TallyName::ExtractionInput,
        TallyName::ExtractionOutput,
        TallyName::ExtractionFallbacks,
        TallyName::ExtractionTime,
        TallyName::Refusal,
        TallyName::Oversize,
        TallyName::Request,
        TallyName::RequestCostBefore,
        TallyName::RequestCostAfter,
        TallyName::CostlierRequest,
    ];

    /// The name in the table.
    fn as_str(self) -> &'static str {
        match self {
            TallyName::Artifact => "artifact",
            TallyName::Redaction => "redaction",
            TallyName::Retrieval => "retrieval",
            TallyName::Extraction => "extraction",
            TallyName::ExtractionCalls => "extraction_calls",
            TallyName::ExtractionInput => "extraction_input",
            TallyName::ExtractionOutput => "extraction_output",
            TallyName::ExtractionFallbacks => "extraction_fallbacks",
            TallyName::ExtractionTime => "extraction_time",
            TallyName::Refusal => "refusal",
            TallyName::Oversize => "oversize",
            TallyName::Request => "request",
            TallyName::RequestCostBefore => "request_cost_before",
            TallyName::RequestCostAfter => "request_cost_after",
            TallyName::CostlierRequest => "costlier_request",
        }
    }
}

/// A count under its labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledCount {
    /// What is counted.
    pub name: TallyName,
    /// Its labels; those that it does not have are empty.
    pub labels: [String; 3],
    /// How often it happened.
    pub count: u64,
    /// How much it came to.
    pub amount: u64,
    /// The moments of the first and the last of them, in milliseconds since 1970.
    pub between_ms: (u64, u64),
}

/// Counts by name and labels, in one hour each.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    counts: BTreeMap<(u64, TallyName, [String; 3]), LabelledCount>,
}

impl Tallies {
    /// Counts an event.
    pub(crate) fn add(&mut self, at_ms: u64, event: &Event) {
        let mut count = |name, labels: [&str; 3], amount| self.count(at_ms, name, labels, amount);
        match event {
            Event::Reply { tool, redactions, .. } => {
                for (kind, found) in redactions {
                    count(TallyName::Redaction, [tool, kind, ""], *found);
                }
            }
            Event::Artifact { tool, bytes, .. } => count(TallyName::Artifact, [tool, "", ""], *bytes),
            Event::Retrieval { range, by, outcome, bytes, .. } => {
                let asked = range.split_whitespace().next().unwrap_or("whole");
                count(TallyName::Retrieval, [asked, &by.to_string(), outcome], *bytes);
            }
            Event::Extraction { mode, calls, input_tokens, output_tokens, fallbacks, outcome, duration_us, .. } => {
                count(TallyName::Extraction, [mode, outcome, ""], 1);
                let amounts = [
                    (TallyName::ExtractionCalls, calls),
                    (TallyName::ExtractionInput, input_tokens),
                    (TallyName::ExtractionOutput, output_tokens),
                    (TallyName::ExtractionFallbacks, fallbacks),
                    (TallyName::ExtractionTime, duration_us),
                ];
                for (name, amount) in amounts.into_iter().filter(|(_, amount)| **amount > 0) {
                    count(name, [mode, "", ""], *amount);
                }
            }
            Event::Refusal { reason, by, .. } => count(TallyName::Refusal, [reason, &by.to_string(), ""], 1),
            Event::Request { format, tokens_before, tokens_after, cost_before, cost_after, .. } => {
                count(TallyName::Request, [format, "", ""], tokens_before.saturating_sub(*tokens_after));
                for (name, cost) in
                    [(TallyName::RequestCostBefore, cost_before), (TallyName::RequestCostAfter, cost_after)]
                {
                    // A negative number, and one that is none, become 0.
                    count(name, [format, "", ""], (cost * NANO).round() as u64);
                }
                if cost_after > cost_before {
                    count(TallyName::CostlierRequest, [format, "", ""], 1);
                }
            }
            Event::Oversize { tool, bytes, .. } => count(TallyName::Oversize, [tool, "", ""], *bytes),
        }
    }

    fn count(&mut self, at_ms: u64, name: TallyName, labels: [&str; 3], amount: u64) {
        let labels = labels.map(str::to_owned);
        let none = LabelledCount { name, labels: labels.clone(), count: 0, amount: 0, between_ms: (at_ms, at_ms) };
        let tally = self.counts.entry((at_ms / HOUR_MS, name, labels)).or_insert(none);
        tally.count += 1;
        tally.amount += amount;
        tally.between_ms = (tally.between_ms.0.min(at_ms), tally.between_ms.1.max(at_ms));
    }

    /// Adds the counts to those in the table.
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut put = connection.prepare_cached(
            "INSERT INTO tallies (hour, name, first, second, third, first_ms, last_ms, count, amount)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET first_ms = min(first_ms, excluded.first_ms),
                 last_ms = max(last_ms, excluded.last_ms),
                 count = count + excluded.count, amount = amount + excluded.amount",
        )?;
        for ((hour, name, [first, second, third]), tally) in &self.counts {
            let (first_ms, last_ms) = tally.between_ms;
            let LabelledCount { count, amount, .. } = tally;
            put.execute(params![hour, name.as_str(), first, second, third, first_ms, last_ms, count, amount])?;
        }
        Ok(())
    }

    /// The counts, whatever their hour.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = LabelledCount> {
        self.counts.into_values()
    }
}

impl History {
    /// Everything that was counted since the history began, by name and labels.
    pub fn tallies(&self) -> Result<Vec<LabelledCount>, HistoryError> {
        self.tallies_of_hours(0, u64::MAX)
    }

    /// What was counted in the hours from `first` up to (not including) `end`.
    pub(crate) fn tallies_of_hours(&self, first: u64, end: u64) -> Result<Vec<LabelledCount>, HistoryError> {
        let mut find = self.connection.prepare_cached(
            "SELECT name, first, second, third, sum(count), sum(amount), min(first_ms), max(last_ms) FROM tallies
             WHERE hour >= ? AND hour < ? GROUP BY name, first, second, third",
        )?;
        let mut rows = find.query(params![first, i64::try_from(end).unwrap_or(i64::MAX)])?;
        let mut tallies = Vec::new();
        while let Some(row) = rows.next()? {
            let name = row.get_ref(0)?.as_str().unwrap_or_default();
            let Some(name) = TallyName::ALL.into_iter().find(|known| known.as_str() == name) else { continue };
            tallies.push(LabelledCount {
                name,
                labels: [row.get(1)?, row.get(2)?, row.get(3)?],
                count: row.get(4)?,
                amount: row.get(5)?,
                between_ms: (row.get(6)?, row.get(7)?),
            });
        }
        Ok(tallies)
    }
}

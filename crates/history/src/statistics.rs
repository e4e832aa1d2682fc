//! Statistics: what was cut, kept and fetched, in all and by group.

use std::collections::BTreeMap;

use offcut::clock;
use rusqlite::params;
use serde::Serialize;

use crate::history::{History, HistoryError};
use crate::sums::{self, Grain, Group, HOUR_MS, Sums};
use crate::tallies::{LabelledCount, Tallies, TallyName};

/// How many artifacts are listed as fetched most.
const MOST_ASKED: u64 = 10;

/// From when to when is counted, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Period {
    /// The first moment that counts.
    pub since_ms: u64,
}

/// What calls are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// The tool whose output it was.
    Tool,
    /// The kind of content.
    Kind,
    /// The strategy that was used.
    Strategy,
    /// The coding agent.
    Agent,
    /// The day (UTC).
    Day,
}

/// What is counted, for all calls or for one group of them.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Counts {
    /// Outputs that became replies.
    pub calls: u64,
    /// Replies from which something was left out.
    pub truncated: u64,
    /// `truncated` ÷ `calls`.
    pub truncation_rate: f64,
    /// Characters of the outputs.
    pub original_size: u64,
    /// Characters of the replies.
    pub truncated_size: u64,
    /// The share of characters that was saved.
    pub size_reduction: f64,
    /// Tokens of the outputs.
    pub original_tokens: u64,
    /// Tokens of the replies.
    pub truncated_tokens: u64,
    /// Artifacts that were created.
    pub artifacts: u64,
    /// Their bytes.
    pub artifact_bytes: u64,
    /// Secrets that were taken out.
    pub redactions: u64,
    /// Degraded replies.
    pub degraded: u64,
    /// Outputs that were larger than anything that may be kept.
    pub oversize: u64,
    /// The time that half of the replies were made in, in microseconds, off by at most one part in 16.
    pub median_us: u64,
    /// The time that 95 of 100 replies were made in.
    pub p95_us: u64,
}

impl Counts {
    /// What sums come to.
    pub fn of(sums: &Sums) -> Counts {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Counts {
            calls: sums.calls,
            truncated: sums.truncated,
            truncation_rate: share(sums.truncated, sums.calls),
            original_size: sums.original_size,
            truncated_size: sums.truncated_size,
            size_reduction: share(sums.original_size.saturating_sub(sums.truncated_size), sums.original_size),
            original_tokens: sums.original_tokens,
            truncated_tokens: sums.truncated_tokens,
            artifacts: sums.artifacts,
            artifact_bytes: sums.artifact_bytes,
            redactions: sums.redactions,
            degraded: sums.degraded,
            oversize: 0,
            median_us: sums.durations.percentile(50),
            p95_us: sums.durations.percentile(95),
        }
    }

    /// Tokens that the replies have less than the outputs.
    pub fn saved_tokens(&self) -> u64 {
        self.original_tokens.saturating_sub(self.truncated_tokens)
    }
}

/// What was asked for again.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Retrievals {
    /// How often something was asked for.
    pub total: u64,
    /// How often it could not be given.
    pub failed: u64,
    /// How often a model asked.
    pub by_models: u64,
    /// Bytes that were returned.
    pub bytes: u64,
    /// Bytes that were returned to models.
    pub model_bytes: u64,
    /// How often, by what was asked for: `whole`, `lines`, `bytes`, `pattern`, `query`.
    pub by_range: BTreeMap<String, u64>,
    /// How often, by artifact; the ones that were asked for most.
    pub most_asked: Vec<(String, u64)>,
}

/// Questions that artifacts were asked.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Extractions {
    /// How often one was asked.
    pub total: u64,
    /// How often no mode could answer.
    pub failed: u64,
    /// How often another mode had to stand in.
    pub fallbacks: u64,
    /// How often, by the mode that answered.
    pub by_mode: BTreeMap<String, u64>,
    /// Calls to models.
    pub calls: u64,
    /// Tokens of the requests.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// How long it took in all, in microseconds.
    pub duration_us: u64,
}

/// What one day came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Day {
    /// The date (UTC): `2026-11-01`.
    pub day: String,
    /// What was counted.
    #[serde(flatten)]
    pub counts: Counts,
}

/// All of it.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// The first moment of what was counted, in milliseconds since 1970.
    pub from_ms: Option<u64>,
    /// The last moment of what was counted.
    pub to_ms: Option<u64>,
    /// All calls.
    pub total: Counts,
    /// Secrets that were taken out, by kind.
    pub redactions_by_kind: BTreeMap<String, u64>,
    /// What was asked for again.
    pub retrievals: Retrievals,
    /// Questions that artifacts were asked.
    pub extractions: Extractions,
    /// What each group came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<BTreeMap<String, Counts>>,
    /// What each day with a call came to, in order.
    pub days: Vec<Day>,
}

impl History {
    /// The sums of all calls since the history began, by tool.
    pub fn sums_by_tool(&self) -> Result<BTreeMap<String, Sums>, HistoryError> {
        let mut tools: BTreeMap<String, Sums> = BTreeMap::new();
        let add = |_, group: Group, sums: Sums| tools.entry(group.tool).or_default().merge(&sums);
        sums::read(&self.connection, Grain::Day, 0..u64::MAX, add)?;
        Ok(tools)
    }

    /// What was counted in a period, in all and, where that is asked for, by group, with the artifacts that were asked
    /// for most.
    ///
    /// Costs what [`History::figures`] does, and an entry of an index for each retrieval.
    pub fn statistics(&self, period: Period, by: Option<GroupBy>) -> Result<Statistics, HistoryError> {
        let mut statistics = self.figures(period, by)?;
        statistics.retrievals.most_asked = self.most_asked(period)?;
        Ok(statistics)
    }

    /// The same without the artifacts that were asked for most.
    ///
    /// Costs a row for each day and group that there was, the hours of at most one day, and the single calls of at most
    /// one hour.
    pub fn figures(&self, period: Period, by: Option<GroupBy>) -> Result<Statistics, HistoryError> {
        let mut counted = Counting { by, ..Counting::default() };
        counted.tallies = self.each_sum(period, |day, group, sums| counted.add(day, group, sums))?;
        Ok(counted.conclude())
    }

    /// Hands the sums of the calls of a period to `take`, each with its day; returns what else was counted.
    pub(crate) fn each_sum(
        &self,
        period: Period,
        mut take: impl FnMut(u64, &Group, &Sums),
    ) -> Result<Vec<LabelledCount>, HistoryError> {
        let first_hour = period.since_ms.div_ceil(HOUR_MS);
        let first_day = first_hour.div_ceil(24);
        let hours = first_hour..first_day * 24;
        sums::read(&self.connection, Grain::Hour, hours, |hour, group, sums| take(hour / 24, &group, &sums))?;
        let days = first_day..u64::MAX;
        sums::read(&self.connection, Grain::Day, days, |day, group, sums| take(day, &group, &sums))?;
        // Of the hour in which the period begins only a part counts.
        let mut part = Tallies::default();
        self.each_between(period.since_ms, first_hour * HOUR_MS, |record, call| {
            part.add(record.at_ms, &record.event);
            if let Some((group, created)) = call {
                let mut sums = Sums::default();
                sums.add(record.at_ms, &record.event, created);
                take(record.at_ms / HOUR_MS / 24, &group, &sums);
            }
        })?;
        let mut tallies = self.tallies_of_hours(first_hour, u64::MAX)?;
        tallies.extend(part.into_iter());
        Ok(tallies)
    }

    fn most_asked(&self, period: Period) -> Result<Vec<(String, u64)>, HistoryError> {
        // All of them are counted in the index alone.
        let since = if period.since_ms == 0 { "" } else { "AND at_ms >= ?1" };
        let find = format!(
            "SELECT subject, count(*) AS times FROM events WHERE name = 'retrieval' {since}
             GROUP BY subject ORDER BY times DESC, subject LIMIT ?2"
        );
        let mut find = self.connection.prepare_cached(&find)?;
        let rows = find.query_map(params![period.since_ms, MOST_ASKED], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Statistics that are being counted.
#[derive(Default)]
struct Counting {
    by: Option<GroupBy>,
    total: Sums,
    groups: BTreeMap<String, Sums>,
    days: BTreeMap<u64, Sums>,
    tallies: Vec<LabelledCount>,
}

impl Counting {
    fn add(&mut self, day: u64, group: &Group, sums: &Sums) {
        self.total.merge(sums);
        if day > 0 {
            self.days.entry(day).or_default().merge(sums);
        }
        let name = match self.by {
            None => return,
            Some(GroupBy::Tool) => group.tool.clone(),
            Some(GroupBy::Kind) => group.kind.clone(),
            Some(GroupBy::Strategy) => group.strategy.clone(),
            Some(GroupBy::Agent) => group.agent.clone(),
            Some(GroupBy::Day) if day == 0 => "before".to_owned(),
            Some(GroupBy::Day) => date(day),
        };
        self.groups.entry(named(name)).or_default().merge(sums);
    }

    fn conclude(mut self) -> Statistics {
        let mut statistics = Statistics { total: Counts::of(&self.total), ..Statistics::default() };
        if self.total.calls > 0 {
            (statistics.from_ms, statistics.to_ms) = (Some(self.total.first_ms), Some(self.total.last_ms));
        }
        let by_tool = self.by == Some(GroupBy::Tool);
        // Artifacts that no reply speaks of are their tool's, and are in the total.
        statistics.total.artifacts = 0;
        statistics.total.artifact_bytes = 0;
        if by_tool {
            self.groups.values_mut().for_each(|sums| (sums.artifacts, sums.artifact_bytes) = (0, 0));
        }
        let mut groups: BTreeMap<String, Counts> =
            self.groups.iter().map(|(name, sums)| (name.clone(), Counts::of(sums))).collect();
        for tally in &self.tallies {
            let (from, to) = tally.between_ms;
            statistics.from_ms = Some(statistics.from_ms.map_or(from, |first| first.min(from)));
            statistics.to_ms = Some(statistics.to_ms.map_or(to, |last| last.max(to)));
            statistics.add(tally);
            if let (true, TallyName::Artifact | TallyName::Oversize) = (by_tool, tally.name) {
                let [tool, ..] = &tally.labels;
                groups.entry(named(tool.clone())).or_default().add(tally);
            }
        }
        statistics.groups = self.by.map(|_| groups);
        let day = |(day, sums): (&u64, &Sums)| Day { day: date(*day), counts: Counts::of(sums) };
        statistics.days = self.days.iter().map(day).collect();
        statistics
    }
}

impl Counts {
    fn add(&mut self, tally: &LabelledCount) {
        match tally.name {
            TallyName::Artifact => {
                self.artifacts += tally.count;
                self.artifact_bytes += tally.amount;
            }
            TallyName::Oversize => self.oversize += tally.count,
            _ => {}
        }
    }
}

impl Statistics {
    fn add(&mut self, tally: &LabelledCount) {
        let [first, second, third] = &tally.labels;
        match tally.name {
            TallyName::Artifact | TallyName::Oversize => self.total.add(tally),
            TallyName::Redaction => *self.redactions_by_kind.entry(second.clone()).or_default() += tally.amount,
            TallyName::Retrieval => {
                self.retrievals.total += tally.count;
                self.retrievals.bytes += tally.amount;
                self.retrievals.failed += if third == "ok" { 0 } else { tally.count };
                if second == "model" {
                    self.retrievals.by_models += tally.count;
                    self.retrievals.model_bytes += tally.amount;
                }
                *self.retrievals.by_range.entry(first.clone()).or_default() += tally.count;
            }
            _ => self.extractions.add(tally),
        }
    }
}

impl Extractions {
    /// Adds what was counted of questions; nothing else.
    pub(crate) fn add(&mut self, tally: &LabelledCount) {
        let [mode, outcome, _] = &tally.labels;
        match tally.name {
            TallyName::Extraction => {
                self.total += tally.count;
                self.failed += if matches!(outcome.as_str(), "ok" | "nothing") { 0 } else { tally.count };
                *self.by_mode.entry(mode.clone()).or_default() += tally.count;
            }
            TallyName::ExtractionCalls => self.calls += tally.amount,
            TallyName::ExtractionInput => self.input_tokens += tally.amount,
            TallyName::ExtractionOutput => self.output_tokens += tally.amount,
            TallyName::ExtractionFallbacks => self.fallbacks += tally.amount,
            TallyName::ExtractionTime => self.duration_us += tally.amount,
            _ => {}
        }
    }
}

/// A group's name; one without says so.
pub(crate) fn named(name: String) -> String {
    if name.is_empty() { "-".to_owned() } else { name }
}

/// The date of a day that is so many days after the first of 1970.
fn date(day: u64) -> String {
    clock::utc(day * 24 * HOUR_MS).chars().take(10).collect()
}

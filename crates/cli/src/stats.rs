//! `offcut stats`: what was cut, kept and fetched, counted from the event log.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use clap::{Args, ValueEnum};
use offcut::core::limit::human_size;
use offcut::event::{Event, Record};
use offcut::event_log::EventLog;
use serde::Serialize;

use crate::duration;
use crate::failure::{Failure, while_doing};
use crate::flags::PlaceFlags;
use crate::setup;
use crate::table::{Table, counted, thousands};

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Print a row for each of these
    #[arg(long, value_enum)]
    pub(crate) by: Option<StatsBy>,
    /// Count only the last `24h` or `7d`, or since a date (`2026-11-01`)
    #[arg(long, value_name = "TIME", value_parser = duration::since)]
    pub(crate) since: Option<u64>,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// What to group statistics by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsBy {
    /// The tool whose output it was.
    Tool,
    /// The kind of content.
    Kind,
    /// The strategy that was used.
    Strategy,
}

/// What is counted, for all calls or for one group of them.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
struct Counts {
    /// Outputs that became replies.
    calls: u64,
    /// Replies from which something was left out.
    truncated: u64,
    /// `truncated` ÷ `calls`.
    truncation_rate: f64,
    /// Characters of the outputs.
    original_size: u64,
    /// Characters of the replies.
    truncated_size: u64,
    /// The share of characters that was saved.
    size_reduction: f64,
    /// Artifacts that were created.
    artifacts: u64,
    /// Their bytes.
    artifact_bytes: u64,
    /// Secrets that were taken out.
    redactions: u64,
    /// Degraded replies.
    degraded: u64,
    /// Outputs that were larger than anything that may be kept.
    oversize: u64,
    /// The time that half of the replies were made in, in microseconds.
    median_us: u64,
    /// The time that 95 of a hundred replies were made in.
    p95_us: u64,
    #[serde(skip)]
    durations: Vec<u64>,
}

/// What was asked for again.
#[derive(Debug, Default, Serialize)]
struct Retrievals {
    /// How often something was asked for.
    total: u64,
    /// How often it could not be given.
    failed: u64,
    /// How often, by what was asked for: `whole`, `lines`, `bytes`, `pattern`, `query`.
    by_range: BTreeMap<String, u64>,
    /// How often, by artifact; the ones that were asked for most.
    most_asked: Vec<(String, u64)>,
}

/// Questions that artifacts were asked.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Extractions {
    /// How often one was asked.
    total: u64,
    /// How often no mode could answer.
    failed: u64,
    /// How often another mode had to stand in.
    fallbacks: u64,
    /// How often, by the mode that answered.
    by_mode: BTreeMap<String, u64>,
    /// Calls to models.
    calls: u64,
    /// Tokens of the requests.
    input_tokens: u64,
    /// Tokens of the answers.
    output_tokens: u64,
    /// How long it took in all, in microseconds.
    duration_us: u64,
}

impl Extractions {
    fn add(&mut self, event: &Event) {
        let Event::Extraction { mode, calls, input_tokens, output_tokens, fallbacks, outcome, duration_us, .. } = event
        else {
            return;
        };
        self.total += 1;
        self.failed += u64::from(!matches!(outcome.as_str(), "ok" | "nothing"));
        self.fallbacks += fallbacks;
        *self.by_mode.entry(mode.clone()).or_default() += 1;
        self.calls += calls;
        self.input_tokens += input_tokens;
        self.output_tokens += output_tokens;
        self.duration_us += duration_us;
    }
}

/// All of it.
#[derive(Debug, Default, Serialize)]
struct Stats {
    /// The first and last moment of what was counted, in milliseconds since 1970.
    from_ms: Option<u64>,
    to_ms: Option<u64>,
    total: Counts,
    retrievals: Retrievals,
    extractions: Extractions,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<BTreeMap<String, Counts>>,
}

/// Prints the statistics of the project's store.
pub(crate) fn stats(args: &StatsArgs) -> Result<(), Failure> {
    let (_, place) = setup::load(&args.place, None)?;
    let Some(directory) = place.log_directory() else {
        return Err(
            Failure::usage("no statistics are kept here: the store is `none`").hint("name one with `--store DIR`")
        );
    };
    let log = EventLog::in_store(directory);
    let records = log.records().map_err(while_doing(format!("read `{}`", log.path().display())))?;
    let since = args.since.unwrap_or(0);
    let stats = count(records.filter(|record| record.at_ms >= since), args.by);
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &stats)?;
        writeln!(out)?;
    } else {
        write(&stats, args.by, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

fn count(records: impl Iterator<Item = Record>, by: Option<StatsBy>) -> Stats {
    let mut stats = Stats { groups: by.map(|_| BTreeMap::new()), ..Stats::default() };
    let mut asked: BTreeMap<String, u64> = BTreeMap::new();
    // Artifacts whose reply, which knows its kind and strategy, is still to come.
    let mut awaited: BTreeMap<String, Event> = BTreeMap::new();
    for record in records {
        stats.from_ms = Some(stats.from_ms.map_or(record.at_ms, |from| from.min(record.at_ms)));
        stats.to_ms = Some(stats.to_ms.map_or(record.at_ms, |to| to.max(record.at_ms)));
        if let Event::Retrieval { id, range, outcome, .. } = &record.event {
            let retrievals = &mut stats.retrievals;
            retrievals.total += 1;
            retrievals.failed += u64::from(outcome != "ok");
            let kind = range.split_whitespace().next().unwrap_or("whole").to_owned();
            *retrievals.by_range.entry(kind).or_default() += 1;
            *asked.entry(id.clone()).or_default() += 1;
            continue;
        }
        stats.extractions.add(&record.event);
        stats.total.add(&record.event);
        if let (Some(groups), Some(name)) = (&mut stats.groups, by.and_then(|by| group(&record.event, by))) {
            let counts = groups.entry(name.to_owned()).or_default();
            counts.add(&record.event);
            if let Some(artifact) = artifact_of(&record.event).and_then(|id| awaited.remove(id)) {
                counts.add(&artifact);
            }
        }
        if let (Event::Artifact { id, .. }, Some(StatsBy::Kind | StatsBy::Strategy)) = (&record.event, by) {
            awaited.insert(id.clone(), record.event.clone());
        }
    }
    let mut asked: Vec<(String, u64)> = asked.into_iter().collect();
    asked.sort_by_key(|(id, times)| (std::cmp::Reverse(*times), id.clone()));
    asked.truncate(10);
    stats.retrievals.most_asked = asked;
    stats.total.conclude();
    stats.groups.iter_mut().flat_map(BTreeMap::values_mut).for_each(Counts::conclude);
    stats
}

/// The artifact that a reply names.
fn artifact_of(event: &Event) -> Option<&str> {
    match event {
        Event::Reply { artifact_id, .. } => artifact_id.as_deref(),
        _ => None,
    }
}

/// The group that an event belongs to; none for those that do not say.
fn group(event: &Event, by: StatsBy) -> Option<&str> {
    let name = match (event, by) {
        (Event::Reply { tool, .. } | Event::Artifact { tool, .. } | Event::Oversize { tool, .. }, StatsBy::Tool) => {
            tool
        }
        (Event::Reply { kind, .. }, StatsBy::Kind) => kind,
        (Event::Reply { strategy, .. }, StatsBy::Strategy) => strategy,
        _ => return None,
    };
    Some(if name.is_empty() { "-" } else { name })
}

impl Counts {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Reply {
                original_size, truncated_size, was_truncated, redactions, degraded, duration_us, ..
            } => {
                self.calls += 1;
                self.truncated += u64::from(*was_truncated);
                self.original_size += original_size;
                self.truncated_size += truncated_size;
                self.redactions += redactions.values().sum::<u64>();
                self.degraded += u64::from(*degraded > 0);
                self.durations.push(*duration_us);
            }
            Event::Artifact { bytes, .. } => {
                self.artifacts += 1;
                self.artifact_bytes += bytes;
            }
            Event::Oversize { .. } => self.oversize += 1,
            Event::Retrieval { .. } | Event::Extraction { .. } | Event::Refusal { .. } => {}
        }
    }

    fn conclude(&mut self) {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        self.truncation_rate = share(self.truncated, self.calls);
        self.size_reduction = share(self.original_size.saturating_sub(self.truncated_size), self.original_size);
        self.durations.sort_unstable();
        let at = |percent: usize| self.durations.get(self.durations.len() * percent / 100).copied().unwrap_or(0);
        (self.median_us, self.p95_us) = (at(50), at(95));
    }

    fn cells(&self) -> [String; 8] {
        [
            thousands(self.calls),
            thousands(self.truncated),
            percent(self.truncation_rate),
            thousands(self.original_size),
            thousands(self.truncated_size),
            percent(self.size_reduction),
            thousands(self.artifacts),
            format!("{:.1}", self.median_us as f64 / 1000.0),
        ]
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

fn write(stats: &Stats, by: Option<StatsBy>, out: &mut dyn Write) -> io::Result<()> {
    let (Some(from), Some(to)) = (stats.from_ms, stats.to_ms) else {
        return writeln!(out, "No statistics yet: counting starts with the first output that is kept.");
    };
    writeln!(out, "{} to {}", offcut::clock::utc(from), offcut::clock::utc(to))?;
    let head = match by {
        None => "",
        Some(StatsBy::Tool) => "~Tool",
        Some(StatsBy::Kind) => "~Kind",
        Some(StatsBy::Strategy) => "~Strategy",
    };
    let mut table =
        Table::new(&[head, ">Calls", ">Cut", ">Rate", ">Chars in", ">Shown", ">Saved", ">Kept", ">Median ms"]);
    for (name, counts) in stats.groups.iter().flatten() {
        table.row([name.clone()].into_iter().chain(counts.cells()));
    }
    table.row(["total".to_owned()].into_iter().chain(stats.total.cells()));
    table.write(out)?;
    let total = &stats.total;
    writeln!(out, "Kept: {}, {}", counted(total.artifacts, "artifact"), human_size(total.artifact_bytes))?;
    let retrievals = &stats.retrievals;
    let ranges: Vec<String> = retrievals.by_range.iter().map(|(range, times)| format!("{times} {range}")).collect();
    let ranges = if ranges.is_empty() { String::new() } else { format!(" ({})", ranges.join(", ")) };
    writeln!(out, "Fetched: {}{ranges}, {} failed", counted(retrievals.total, "time"), retrievals.failed)?;
    for (id, times) in &retrievals.most_asked {
        writeln!(out, "  {id}: {}", counted(*times, "time"))?;
    }
    let asked = &stats.extractions;
    if asked.total > 0 {
        let modes: Vec<String> = asked.by_mode.iter().map(|(mode, times)| format!("{times} {mode}")).collect();
        writeln!(
            out,
            "Asked: {} ({}), {} failed, {}; {} to models, {} tokens in, {} out",
            counted(asked.total, "time"),
            modes.join(", "),
            asked.failed,
            counted(asked.fallbacks, "fall-back"),
            counted(asked.calls, "call"),
            thousands(asked.input_tokens),
            thousands(asked.output_tokens)
        )?;
    }
    writeln!(
        out,
        "Secrets taken out: {}; degraded replies: {}; outputs over the maximum size: {}",
        thousands(total.redactions),
        thousands(total.degraded),
        thousands(total.oversize)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(tool: &str, original_size: u64, truncated_size: u64, duration_us: u64) -> Record {
        Record {
            at_ms: 1000 + duration_us,
            event: Event::Reply {
                tool: tool.to_owned(),
                session: "s".to_owned(),
                kind: "log".to_owned(),
                strategy: "smart".to_owned(),
                original_size,
                truncated_size,
                was_truncated: truncated_size < original_size,
                redactions: BTreeMap::from([("JWT".to_owned(), 2)]),
                artifact_id: (truncated_size < original_size).then(|| "art_1_a".to_owned()),
                degraded: 0,
                duration_us,
            },
        }
    }

    fn retrieval(id: &str, range: &str, outcome: &str) -> Record {
        let (id, session) = (id.to_owned(), "s".to_owned());
        let (range, outcome) = (range.to_owned(), outcome.to_owned());
        let event = Event::Retrieval { id, session, range, by: Default::default(), outcome };
        Record { at_ms: 9000, event }
    }

    #[test]
    fn rates_and_reductions_are_counted_by_tool() {
        let records = [
            reply("a", 1000, 100, 10),
            reply("a", 50, 50, 20),
            reply("b", 10, 10, 30),
            retrieval("art_1_a", "lines 1-5", "ok"),
            retrieval("art_1_a", "whole", "not_found"),
        ];
        let stats = count(records.into_iter(), Some(StatsBy::Tool));
        assert_eq!((stats.total.calls, stats.total.truncated, stats.total.redactions), (3, 1, 6));
        assert_eq!(stats.total.median_us, 20);
        let groups = stats.groups.unwrap();
        assert_eq!(groups["a"].truncation_rate, 0.5);
        assert_eq!(groups["a"].size_reduction, 900.0 / 1050.0);
        assert_eq!(groups["b"].truncation_rate, 0.0);
        assert_eq!((stats.retrievals.total, stats.retrievals.failed), (2, 1));
        assert_eq!(stats.retrievals.by_range, BTreeMap::from([("lines".to_owned(), 1), ("whole".to_owned(), 1)]));
        assert_eq!(stats.retrievals.most_asked, [("art_1_a".to_owned(), 2)]);
        assert_eq!((stats.from_ms, stats.to_ms), (Some(1010), Some(9000)));
    }

    #[test]
    fn artifacts_are_counted_under_the_kind_of_their_reply() {
        let artifact = |id: &str| {
            let (id, session, tool) = (id.to_owned(), "s".to_owned(), "a".to_owned());
            Record { at_ms: 1, event: Event::Artifact { id, session, tool, bytes: 1000 } }
        };
        let records =
            || [artifact("art_1_a"), reply("a", 1000, 100, 10), reply("a", 1000, 100, 10), artifact("art_2_b")];
        let stats = count(records().into_iter(), Some(StatsBy::Kind));
        assert_eq!((stats.total.artifacts, stats.groups.unwrap()["log"].artifacts), (2, 1));
        let stats = count(records().into_iter(), Some(StatsBy::Strategy));
        assert_eq!(stats.groups.unwrap()["smart"].artifact_bytes, 1000);
    }

    #[test]
    fn questions_are_counted_with_their_calls_and_tokens() {
        let event = |mode: &str, outcome: &str, fallbacks| Event::Extraction {
            id: "art_1_a".to_owned(),
            session: "s".to_owned(),
            tool: "bash".to_owned(),
            by: Default::default(),
            mode: mode.to_owned(),
            model: "m".to_owned(),
            calls: 3,
            input_tokens: 1000,
            output_tokens: 10,
            fallbacks,
            outcome: outcome.to_owned(),
            duration_us: 5,
        };
        let events = [event("search", "ok", 0), event("truncate", "nothing", 2), event("auto", "evicted", 0)];
        let stats = count(events.into_iter().map(|event| Record { at_ms: 1, event }), None);
        let asked = &stats.extractions;
        assert_eq!((asked.total, asked.failed, asked.fallbacks, asked.calls), (3, 1, 2, 9));
        assert_eq!((asked.input_tokens, asked.output_tokens, stats.total.calls), (3000, 30, 0));
        let mut out = Vec::new();
        write(&stats, None, &mut out).unwrap();
        let line = "Asked: 3 times (1 auto, 1 search, 1 truncate), 1 failed, 2 fall-backs; 9 calls to models, 3,000 tokens in, 30 out\n";
        assert!(String::from_utf8(out).unwrap().contains(line));
    }

    #[test]
    fn nothing_counted_is_said_so() {
        let mut out = Vec::new();
        write(&count(std::iter::empty(), None), None, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().starts_with("No statistics yet"));
    }
}

//! Sums of calls that have something in common: their hour, tool, kind, strategy and agent.

use std::collections::BTreeMap;
use std::ops::Range;

use offcut::event::{Event, Record};
use rusqlite::{Connection, Row, params};

use crate::histogram::Histogram;

/// Milliseconds of an hour.
pub(crate) const HOUR_MS: u64 = 3_600_000;

/// What calls are grouped by.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The tool.
    pub tool: String,
    /// The kind of content.
    pub kind: String,
    /// The strategy.
    pub strategy: String,
    /// The coding agent; empty where it is not known.
    pub agent: String,
}

/// What is summed up of the calls of a group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// The moment of the first of them, in milliseconds since 1970; 0 without any.
    pub first_ms: u64,
    /// The moment of the last of them.
    pub last_ms: u64,
    /// How many there were.
    pub calls: u64,
    /// How many replies had something left out.
    pub truncated: u64,
    /// Characters of the outputs.
    pub original_size: u64,
    /// Characters of the replies.
    pub truncated_size: u64,
    /// Tokens of the outputs.
    pub original_tokens: u64,
    /// Tokens of the replies.
    pub truncated_tokens: u64,
    /// Secrets that were taken out.
    pub redactions: u64,
    /// Degraded replies.
    pub degraded: u64,
    /// Artifacts that were created.
    pub artifacts: u64,
    /// Their bytes.
    pub artifact_bytes: u64,
    /// How long the replies took, all together, in microseconds.
    pub duration_us: u64,
    /// How long each took, in microseconds.
    pub durations: Histogram,
    /// The characters of each output.
    pub sizes: Histogram,
}

impl Sums {
    /// Adds a reply that created an artifact of `created_bytes`, if it created one.
    pub(crate) fn add(&mut self, at_ms: u64, reply: &Event, created_bytes: Option<u64>) {
        let Event::Reply {
            original_size,
            truncated_size,
            original_tokens,
            truncated_tokens,
            was_truncated,
            redactions,
            degraded,
            duration_us,
            ..
        } = reply
        else {
            return;
        };
        self.reach(at_ms, at_ms);
        self.calls += 1;
        self.truncated += u64::from(*was_truncated);
        self.original_size += original_size;
        self.truncated_size += truncated_size;
        self.original_tokens += original_tokens;
        self.truncated_tokens += truncated_tokens;
        self.redactions += redactions.values().sum::<u64>();
        self.degraded += u64::from(*degraded > 0);
        self.artifacts += u64::from(created_bytes.is_some());
        self.artifact_bytes += created_bytes.unwrap_or(0);
        self.duration_us += duration_us;
        self.durations.add(*duration_us);
        self.sizes.add(*original_size);
    }

    /// Adds the sums of other calls.
    pub fn merge(&mut self, other: &Sums) {
        if other.calls > 0 {
            self.reach(other.first_ms, other.last_ms);
        }
        self.calls += other.calls;
        self.truncated += other.truncated;
        self.original_size += other.original_size;
        self.truncated_size += other.truncated_size;
        self.original_tokens += other.original_tokens;
        self.truncated_tokens += other.truncated_tokens;
        self.redactions += other.redactions;
        self.degraded += other.degraded;
        self.artifacts += other.artifacts;
        self.artifact_bytes += other.artifact_bytes;
        self.duration_us += other.duration_us;
        self.durations.merge(&other.durations);
        self.sizes.merge(&other.sizes);
    }

    fn reach(&mut self, first_ms: u64, last_ms: u64) {
        self.first_ms = if self.calls == 0 { first_ms } else { self.first_ms.min(first_ms) };
        self.last_ms = self.last_ms.max(last_ms);
    }

    /// The sums in a row that begins with the time and the group. By number: a name is looked up anew in every row.
    fn of_row(row: &Row<'_>) -> rusqlite::Result<Sums> {
        Ok(Sums {
            first_ms: row.get(5)?,
            last_ms: row.get(6)?,
            calls: row.get(7)?,
            truncated: row.get(8)?,
            original_size: row.get(9)?,
            truncated_size: row.get(10)?,
            original_tokens: row.get(11)?,
            truncated_tokens: row.get(12)?,
            redactions: row.get(13)?,
            degraded: row.get(14)?,
            artifacts: row.get(15)?,
            artifact_bytes: row.get(16)?,
            duration_us: row.get(17)?,
            durations: Histogram::from_bytes(row.get_ref(18)?.as_blob().unwrap_or_default()),
            sizes: Histogram::from_bytes(row.get_ref(19)?.as_blob().unwrap_or_default()),
        })
    }
}

/// The group of a reply; none of another event.
pub(crate) fn group(record: &Record) -> Option<Group> {
    match &record.event {
        Event::Reply { tool, kind, strategy, .. } => Some(Group {
            tool: tool.clone(),
            kind: kind.clone(),
            strategy: strategy.clone(),
            agent: record.agent.clone(),
        }),
        _ => None,
    }
}

/// How long a time is summed up in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grain {
    Hour,
    Day,
}

impl Grain {
    /// The table, and the column that says when.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Grain::Hour => ("hours", "hour"),
            Grain::Day => ("days", "day"),
        }
    }
}

/// Sums by hour, or by day, and group.
pub(crate) type ByTime = BTreeMap<(u64, Group), Sums>;

/// Adds sums by the hour to those in the tables, also to those of their days.
pub(crate) fn add(connection: &Connection, hours: &ByTime) -> rusqlite::Result<()> {
    write(connection, Grain::Hour, hours)?;
    write(connection, Grain::Day, &by_day(hours))
}

/// Makes the sums by the day from those by the hour.
pub(crate) fn fill_days(connection: &Connection) -> rusqlite::Result<()> {
    let mut hours = ByTime::new();
    read(connection, Grain::Hour, 0..u64::MAX, |hour, group, sums| {
        hours.insert((hour, group), sums);
    })?;
    write(connection, Grain::Day, &by_day(&hours))
}

fn by_day(hours: &ByTime) -> ByTime {
    let mut days = ByTime::new();
    for ((hour, group), sums) in hours {
        days.entry((hour / 24, group.clone())).or_default().merge(sums);
    }
    days
}

/// Adds the sums before `oldest` to those of time 0.
pub(crate) fn fold(connection: &Connection, grain: Grain, oldest: u64) -> rusqlite::Result<()> {
    let (table, time) = grain.names();
    let mut before = ByTime::new();
    read(connection, grain, 1..oldest, |_, group, sums| before.entry((0, group)).or_default().merge(&sums))?;
    write(connection, grain, &before)?;
    connection.execute(&format!("DELETE FROM {table} WHERE {time} > 0 AND {time} < ?"), [oldest])?;
    Ok(())
}

/// Adds sums to those in a table.
fn write(connection: &Connection, grain: Grain, added: &ByTime) -> rusqlite::Result<()> {
    let (table, time) = grain.names();
    let find =
        format!("SELECT * FROM {table} WHERE {time} = ? AND tool = ? AND kind = ? AND strategy = ? AND agent = ?");
    let put = format!(
        "INSERT OR REPLACE INTO {table} ({time}, tool, kind, strategy, agent, first_ms, last_ms, calls, truncated,
             original_size, truncated_size, original_tokens, truncated_tokens, redactions, degraded, artifacts,
             artifact_bytes, duration_us, durations, sizes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    );
    let (mut find, mut put) = (connection.prepare_cached(&find)?, connection.prepare_cached(&put)?);
    for ((time, group), sums) in added {
        let Group { tool, kind, strategy, agent } = group;
        let mut all = sums.clone();
        let mut rows = find.query(params![time, tool, kind, strategy, agent])?;
        if let Some(row) = rows.next()? {
            all.merge(&Sums::of_row(row)?);
        }
        drop(rows);
        put.execute(params![
            time,
            tool,
            kind,
            strategy,
            agent,
            all.first_ms,
            all.last_ms,
            all.calls,
            all.truncated,
            all.original_size,
            all.truncated_size,
            all.original_tokens,
            all.truncated_tokens,
            all.redactions,
            all.degraded,
            all.artifacts,
            all.artifact_bytes,
            all.duration_us,
            all.durations.to_bytes(),
            all.sizes.to_bytes(),
        ])?;
    }
    Ok(())
}

/// Hands every row of a table within `times` to `take`.
pub(crate) fn read(
    connection: &Connection,
    grain: Grain,
    times: Range<u64>,
    mut take: impl FnMut(u64, Group, Sums),
) -> rusqlite::Result<()> {
    let (table, time) = grain.names();
    // The columns stand in the same order in both tables.
    let find = format!("SELECT * FROM {table} WHERE {time} >= ? AND {time} < ?");
    let mut find = connection.prepare_cached(&find)?;
    let mut rows = find.query(params![times.start, i64::try_from(times.end).unwrap_or(i64::MAX)])?;
    while let Some(row) = rows.next()? {
        let group = Group { tool: row.get(1)?, kind: row.get(2)?, strategy: row.get(3)?, agent: row.get(4)? };
        take(row.get(0)?, group, Sums::of_row(row)?);
    }
    Ok(())
}

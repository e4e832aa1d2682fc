//! Calls and other events one by one, a page at a time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use offcut::event::{Event, Record};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;

use crate::history::{History, HistoryError};
use crate::sums::Group;

/// A call, as the history knows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallRow {
    /// Its number; later calls have higher ones.
    pub id: i64,
    /// When it happened, in milliseconds since 1970.
    pub at_ms: u64,
    /// The session.
    pub session: String,
    /// The coding agent; empty where it is not known.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The kind of content.
    pub kind: String,
    /// The strategy.
    pub strategy: String,
    /// Characters of the output.
    pub original_size: u64,
    /// Characters of the reply.
    pub truncated_size: u64,
    /// Tokens of the output.
    pub original_tokens: u64,
    /// Tokens of the reply.
    pub truncated_tokens: u64,
    /// Whether anything was left out.
    pub was_truncated: bool,
    /// How many promises could not be kept.
    pub degraded: usize,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// The artifact that holds the whole output.
    pub artifact_id: Option<String>,
    /// The bytes of the artifact that it created, if it created one.
    pub created_bytes: Option<u64>,
    /// Secrets that were taken out, by kind.
    pub redactions: BTreeMap<String, u64>,
    /// The lines of which something is shown: first and last, 1-based.
    pub kept: Vec<(u64, u64)>,
}

/// Another event, as the history knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Its number; later events have higher ones.
    pub id: i64,
    /// What happened.
    pub record: Record,
}

/// Which calls are wanted.
#[derive(Debug, Clone, Default)]
pub struct CallFilter {
    /// Only those of this tool.
    pub tool: Option<String>,
    /// Only those whose reply had something left out.
    pub truncated: bool,
    /// Only those with degraded replies.
    pub degraded: bool,
    /// Only those with secrets.
    pub redacted: bool,
    /// Only those after the call of this number.
    pub after: Option<i64>,
    /// Only those before the call of this number.
    pub before: Option<i64>,
}

/// In which order calls are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallOrder {
    /// The latest first.
    #[default]
    Latest,
    /// The largest output first.
    Largest,
    /// The slowest first.
    Slowest,
}

const COLUMNS: &str = "id, at_ms, session, agent, tool, kind, strategy, original_size, truncated_size, \
    original_tokens, truncated_tokens, was_truncated, degraded, duration_us, artifact_id, created_bytes, redactions, \
    kept";

impl CallRow {
    fn of_row(row: &Row<'_>) -> rusqlite::Result<CallRow> {
        let json = |at: &str| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
        Ok(CallRow {
            id: row.get("id")?,
            at_ms: row.get("at_ms")?,
            session: row.get("session")?,
            agent: row.get("agent")?,
            tool: row.get("tool")?,
            kind: row.get("kind")?,
            strategy: row.get("strategy")?,
            original_size: row.get("original_size")?,
            truncated_size: row.get("truncated_size")?,
            original_tokens: row.get("original_tokens")?,
            truncated_tokens: row.get("truncated_tokens")?,
            was_truncated: row.get("was_truncated")?,
            degraded: row.get("degraded")?,
            duration_us: row.get("duration_us")?,
            artifact_id: row.get("artifact_id")?,
            created_bytes: row.get("created_bytes")?,
            redactions: serde_json::from_str(&json("redactions")?).unwrap_or_default(),
            kept: serde_json::from_str(&json("kept")?).unwrap_or_default(),
        })
    }

    /// The event that it was made from.
    pub(crate) fn event(self) -> (Group, Event) {
        let CallRow { tool, kind, strategy, agent, .. } = self.clone();
        let event = Event::Reply {
            tool: self.tool,
            session: self.session,
            kind: self.kind,
            strategy: self.strategy,
            original_size: self.original_size,
            truncated_size: self.truncated_size,
            was_truncated: self.was_truncated,
            redactions: self.redactions,
            artifact_id: self.artifact_id,
            degraded: self.degraded,
            duration_us: self.duration_us,
            original_tokens: self.original_tokens,
            truncated_tokens: self.truncated_tokens,
            kept: self.kept,
        };
        (Group { tool, kind, strategy, agent }, event)
    }
}

impl History {
    /// At most `count` calls.
    pub fn calls(&self, filter: &CallFilter, order: CallOrder, count: u64) -> Result<Vec<CallRow>, HistoryError> {
        let mut wanted = vec!["1"];
        let mut values = Vec::new();
        wanted.extend(filter.truncated.then_some("was_truncated"));
        wanted.extend(filter.degraded.then_some("degraded > 0"));
        wanted.extend(filter.redacted.then_some("redacted > 0"));
        if let Some(tool) = &filter.tool {
            // Of the few that are degraded or had secrets, their own indexes find the tool's soonest.
            let is_rare = filter.degraded || filter.redacted;
            wanted.push(if is_rare { "+tool = ?" } else { "tool = ?" });
            values.push(Value::from(tool.clone()));
        }
        for (bound, id) in [("id > ?", filter.after), ("id < ?", filter.before)] {
            if let Some(id) = id {
                wanted.push(bound);
                values.push(Value::from(id));
            }
        }
        values.push(Value::from(i64::try_from(count).unwrap_or(i64::MAX)));
        let order = match order {
            CallOrder::Latest => "id",
            CallOrder::Largest => "original_size",
            CallOrder::Slowest => "duration_us",
        };
        let find = format!("SELECT {COLUMNS} FROM calls WHERE {} ORDER BY {order} DESC LIMIT ?", wanted.join(" AND "));
        let mut find = self.connection.prepare_cached(&find)?;
        let rows = find.query_map(params_from_iter(values), CallRow::of_row)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The call of this number.
    pub fn call(&self, id: i64) -> Result<Option<CallRow>, HistoryError> {
        let find = format!("SELECT {COLUMNS} FROM calls WHERE id = ?");
        Ok(self.connection.prepare_cached(&find)?.query_row([id], CallRow::of_row).optional()?)
    }

    /// The latest call whose output this artifact holds.
    pub fn call_of_artifact(&self, artifact_id: &str) -> Result<Option<CallRow>, HistoryError> {
        let find = format!("SELECT {COLUMNS} FROM calls WHERE artifact_id = ? ORDER BY id DESC LIMIT 1");
        Ok(self.connection.prepare_cached(&find)?.query_row([artifact_id], CallRow::of_row).optional()?)
    }

    /// The names of the tools that there were calls of, by name.
    pub fn tools(&self) -> Result<Vec<String>, HistoryError> {
        let mut find = self.connection.prepare_cached("SELECT DISTINCT tool FROM days ORDER BY tool LIMIT 500")?;
        let rows = find.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// At most `count` events of these names (`retrieval`, `extraction`, `refusal`, `oversize`, `artifact`), latest
    /// first, before the event of this number, and about this artifact where one is named.
    pub fn events(
        &self,
        names: &[&str],
        subject: Option<&str>,
        before: Option<i64>,
        count: u64,
    ) -> Result<Vec<EventRow>, HistoryError> {
        let about = if subject.is_some() { "AND subject = ?" } else { "" };
        let find = format!("SELECT id, record FROM events WHERE name = ? {about} AND id < ? ORDER BY id DESC LIMIT ?");
        let mut find = self.connection.prepare_cached(&find)?;
        let mut found: Vec<(i64, String)> = Vec::new();
        // Each name's events stand in order in an index; those of several names do not.
        for name in names {
            let mut values = vec![Value::from((*name).to_owned())];
            values.extend(subject.map(|subject| Value::from(subject.to_owned())));
            values.push(before.unwrap_or(i64::MAX).into());
            values.push(i64::try_from(count).unwrap_or(i64::MAX).into());
            let rows = find.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
            found.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
        }
        found.sort_unstable_by_key(|(id, _)| Reverse(*id));
        found.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        let read = |(id, json): (i64, String)| Some(EventRow { id, record: serde_json::from_str(&json).ok()? });
        Ok(found.into_iter().filter_map(read).collect())
    }

    /// The subjects of the events of this name, those with the latest event first: how many events each has, and the
    /// latest of them.
    pub fn subjects(&self, name: &str, count: u64) -> Result<Vec<(u64, EventRow)>, HistoryError> {
        let mut find = self.connection.prepare_cached(
            "SELECT times, id, record FROM events
             JOIN (SELECT max(id) AS latest, count(*) AS times FROM events WHERE name = ? GROUP BY subject)
             ON id = latest ORDER BY id DESC LIMIT ?",
        )?;
        let rows =
            find.query_map(params![name, count], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?)))?;
        let rows = rows.collect::<rusqlite::Result<Vec<(u64, i64, String)>>>()?;
        let read = |(times, id, json): (u64, i64, String)| {
            Some((times, EventRow { id, record: serde_json::from_str(&json).ok()? }))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Hands every call and event from `first_ms` up to (not including) `end_ms` to `take`.
    pub(crate) fn each_between(
        &self,
        first_ms: u64,
        end_ms: u64,
        mut take: impl FnMut(Record, Option<(Group, Option<u64>)>),
    ) -> Result<(), HistoryError> {
        let find = format!("SELECT {COLUMNS} FROM calls WHERE at_ms >= ? AND at_ms < ?");
        let mut find = self.connection.prepare_cached(&find)?;
        let mut rows = find.query([first_ms, end_ms])?;
        while let Some(row) = rows.next()? {
            let call = CallRow::of_row(row)?;
            let (at_ms, created, agent) = (call.at_ms, call.created_bytes, call.agent.clone());
            let (group, event) = call.event();
            take(Record { at_ms, agent, trace: None, event }, Some((group, created)));
        }
        let mut find = self.connection.prepare_cached("SELECT record FROM events WHERE at_ms >= ? AND at_ms < ?")?;
        let mut rows = find.query([first_ms, end_ms])?;
        while let Some(row) = rows.next()? {
            if let Ok(record) = serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default()) {
                take(record, None);
            }
        }
        Ok(())
    }
}

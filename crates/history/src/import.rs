//! Taking in the event log: every line exactly once, whoever else is at it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use offcut::event::{Event, Record, Requester};
use offcut::event_log::EventLog;
use offcut_platform::{file_index, open_regular};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::history::{History, HistoryError};
use crate::sums::{self, ByTime, HOUR_MS, group};
use crate::tallies::{NANO, Tallies};

/// How many lines are taken in within one transaction: readers see them in steps, and memory stays small.
const BATCH: usize = 20_000;

/// How much of a file's first line tells it from another file that has got its inode.
const OPENING: u64 = 120;

/// A longer line is none of ours.
const LONGEST_LINE: u64 = 256 * 1024;

/// No size and no time of ours is larger; a number in the database has 63 bits.
const LARGEST: u64 = 1 << 50;

impl History {
    /// Takes in the lines that are new.
    pub(crate) fn import(&mut self) -> Result<(), HistoryError> {
        for path in self.log.as_ref().map(EventLog::paths).unwrap_or_default() {
            let file = match open_regular(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error.into()),
            };
            while self.import_batch(&file)? {}
        }
        Ok(())
    }

    /// Takes in some lines of a file; says whether there may be more.
    fn import_batch(&mut self, file: &File) -> Result<bool, HistoryError> {
        let metadata = file.metadata()?;
        let Some(opening) = opening(file)? else { return Ok(false) };
        let inode = file_index(file, &metadata)?.cast_signed();
        if taken(&self.connection, inode, &opening)? >= metadata.len() {
            return Ok(false);
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have taken them in by now.
        let start = taken(&transaction, inode, &opening)?;
        let mut reader = BufReader::with_capacity(256 * 1024, file);
        reader.seek(SeekFrom::Start(start))?;
        let mut batch = Batch { transaction: &transaction, hours: ByTime::new(), tallies: Tallies::default() };
        let (mut at, mut lines, mut line) = (start, 0, Vec::new());
        while lines < BATCH {
            line.clear();
            let read = (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            // A line without an end is still being written, or is none of ours.
            if !line.ends_with(b"\n") && (read as u64) < LONGEST_LINE {
                break;
            }
            at += read as u64;
            lines += 1;
            if let Some(record) = serde_json::from_slice(&line).ok().filter(is_plausible) {
                batch.take(&record)?;
            }
        }
        batch.write()?;
        transaction.execute(
            "INSERT INTO sources (inode, opening, taken) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET taken = excluded.taken",
            params![inode, opening, at],
        )?;
        transaction.commit()?;
        Ok(lines == BATCH)
    }
}

/// Lines on their way into the tables.
struct Batch<'t> {
    transaction: &'t Transaction<'t>,
    hours: ByTime,
    tallies: Tallies,
}

impl Batch<'_> {
    fn take(&mut self, record: &Record) -> rusqlite::Result<()> {
        self.tallies.add(record.at_ms, &record.event);
        match (&record.event, group(record)) {
            (reply, Some(group)) => {
                let created = self.write_call(record)?;
                self.hours.entry((record.at_ms / HOUR_MS, group)).or_default().add(record.at_ms, reply, created);
                Ok(())
            }
            (event, None) => self.write_event(record, event),
        }
    }

    /// Writes a reply's row; returns the bytes of the artifact that it created, if it created one.
    fn write_call(&self, record: &Record) -> rusqlite::Result<Option<u64>> {
        let Event::Reply {
            tool,
            session,
            kind,
            strategy,
            original_size,
            truncated_size,
            was_truncated,
            redactions,
            artifact_id,
            degraded,
            duration_us,
            original_tokens,
            truncated_tokens,
            kept,
        } = &record.event
        else {
            return Ok(None);
        };
        let created: Option<u64> = match artifact_id {
            None => None,
            Some(id) => self
                .transaction
                .prepare_cached("DELETE FROM awaited WHERE artifact_id = ? RETURNING bytes")?
                .query_row([id], |row| row.get(0))
                .optional()?,
        };
        let json = |value: serde_json::Result<String>, is_empty: bool| value.ok().filter(|_| !is_empty);
        self.transaction
            .prepare_cached(
                "INSERT INTO calls (at_ms, session, agent, tool, kind, strategy, original_size, truncated_size,
                     original_tokens, truncated_tokens, was_truncated, degraded, redacted, duration_us, artifact_id,
                     created_bytes, redactions, kept)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                record.at_ms,
                session,
                record.agent,
                tool,
                kind,
                strategy,
                original_size,
                truncated_size,
                original_tokens,
                truncated_tokens,
                was_truncated,
                degraded,
                redactions.values().sum::<u64>(),
                duration_us,
                artifact_id,
                created,
                json(serde_json::to_string(redactions), redactions.is_empty()),
                json(serde_json::to_string(kept), kept.is_empty()),
            ])?;
        Ok(created)
    }

    fn write_event(&self, record: &Record, event: &Event) -> rusqlite::Result<()> {
        let (name, subject) = match event {
            Event::Reply { .. } => return Ok(()),
            Event::Artifact { id, bytes, .. } => {
                self.transaction
                    .prepare_cached("INSERT OR REPLACE INTO awaited VALUES (?, ?)")?
                    .execute(params![id, bytes])?;
                ("artifact", id.as_str())
            }
            Event::Retrieval { id, by, bytes, .. } => {
                if *by == Requester::Model {
                    self.count_fetch(id, *bytes)?;
                }
                ("retrieval", id.as_str())
            }
            Event::Extraction { id, .. } => ("extraction", id.as_str()),
            Event::Refusal { id, .. } => ("refusal", id.as_str()),
            Event::Request { conversation, .. } => ("request", conversation.as_str()),
            Event::Oversize { tool, .. } => ("oversize", tool.as_str()),
        };
        let Ok(json) = serde_json::to_string(record) else { return Ok(()) };
        self.transaction
            .prepare_cached("INSERT INTO events (at_ms, name, subject, record) VALUES (?, ?, ?, ?)")?
            .execute(params![record.at_ms, name, subject, json])?;
        Ok(())
    }

    /// Adds what a model read back of an artifact to the call that it comes from.
    fn count_fetch(&self, artifact_id: &str, bytes: u64) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached(
                "UPDATE calls SET fetches = fetches + 1, fetched_bytes = fetched_bytes + ?2
                 WHERE id = (SELECT max(id) FROM calls WHERE artifact_id = ?1)",
            )?
            .execute(params![artifact_id, bytes])?;
        Ok(())
    }

    fn write(&self) -> rusqlite::Result<()> {
        sums::add(self.transaction, &self.hours)?;
        self.tallies.write(self.transaction)
    }
}

/// The beginning of a file's first line; none while that has no end.
fn opening(mut file: &File) -> io::Result<Option<String>> {
    let mut first = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(OPENING).read_to_end(&mut first)?;
    let is_whole = first.len() as u64 == OPENING || first.contains(&b'\n');
    let end = first.iter().position(|byte| *byte == b'\n').unwrap_or(first.len());
    first.truncate(end);
    Ok(is_whole.then(|| String::from_utf8_lossy(&first).into_owned()))
}

/// How many bytes of a file were taken in.
fn taken(connection: &Connection, inode: i64, opening: &str) -> rusqlite::Result<u64> {
    let mut find = connection.prepare_cached("SELECT taken FROM sources WHERE inode = ? AND opening = ?")?;
    Ok(find.query_row(params![inode, opening], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Whether the numbers of a record can be ones of ours.
fn is_plausible(record: &Record) -> bool {
    let sizes = match &record.event {
        Event::Reply { original_size, truncated_size, duration_us, original_tokens, truncated_tokens, .. } => {
            [*original_size, *truncated_size, *duration_us, *original_tokens, *truncated_tokens]
        }
        Event::Artifact { bytes, .. } | Event::Retrieval { bytes, .. } => [*bytes, 0, 0, 0, 0],
        Event::Extraction { calls, input_tokens, output_tokens, fallbacks, duration_us, .. } => {
            [*calls, *input_tokens, *output_tokens, *fallbacks, *duration_us]
        }
        Event::Request { tokens_before, tokens_after, cost_before, cost_after, request, .. } => {
            let nano = |cost: f64| (cost * NANO) as u64;
            [*tokens_before, *tokens_after, nano(*cost_before), nano(*cost_after), *request]
        }
        Event::Refusal { .. } => [0; 5],
        Event::Oversize { bytes, .. } => [*bytes, 0, 0, 0, 0],
    };
    record.at_ms < LARGEST && sizes.into_iter().all(|size| size < LARGEST)
}

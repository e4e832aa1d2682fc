//! Events by recipe, and a store for them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use offcut::event::{Event, Observer, Record, Requester};
use offcut::event_log::EventLog;
use offcut_history::{Bounds, History};
use tempfile::TempDir;

/// An hour in milliseconds.
pub(crate) const HOUR: u64 = 3_600_000;

/// A directory with an event log.
pub(crate) struct Place {
    directory: TempDir,
    pub(crate) log: EventLog,
}

impl Place {
    pub(crate) fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let log = EventLog::in_store(directory.path());
        Place { directory, log }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().to_owned()
    }

    pub(crate) fn add(&self, records: impl IntoIterator<Item = Record>) {
        records.into_iter().for_each(|record| self.log.observe(&record));
    }

    /// The history with everything in the log taken in, however long ago it happened.
    pub(crate) fn history(&self) -> History {
        let bounds = Bounds { days: u64::MAX, ..Bounds::default() };
        let mut history = History::open(self.path()).unwrap().bounded(bounds);
        history.refresh().unwrap();
        history
    }
}

/// A reply that shows `truncated_size` of `original_size` characters.
pub(crate) fn reply(at_ms: u64, tool: &str, original_size: u64, truncated_size: u64, duration_us: u64) -> Record {
    let was_truncated = truncated_size < original_size;
    Record {
        at_ms,
        agent: "claude".to_owned(),
        trace: None,
        event: Event::Reply {
            tool: tool.to_owned(),
            session: "s".to_owned(),
            kind: "log".to_owned(),
            strategy: if was_truncated { "smart" } else { "none" }.to_owned(),
            original_size,
            truncated_size,
            was_truncated,
            redactions: BTreeMap::from([("JWT".to_owned(), 2)]),
            artifact_id: was_truncated.then(|| format!("art_{at_ms}_a")),
            degraded: 0,
            duration_us,
            original_tokens: original_size / 4,
            truncated_tokens: truncated_size / 4,
            kept: if was_truncated { vec![(1, 5), (90, 95)] } else { Vec::new() },
        },
    }
}

pub(crate) fn artifact(at_ms: u64, id: &str, bytes: u64) -> Record {
    let (id, session, tool) = (id.to_owned(), "s".to_owned(), "bash".to_owned());
    Record { at_ms, agent: String::new(), trace: None, event: Event::Artifact { id, session, tool, bytes } }
}

pub(crate) fn retrieval(at_ms: u64, id: &str, range: &str, by: Requester, outcome: &str) -> Record {
    let (id, session) = (id.to_owned(), "s".to_owned());
    let (range, outcome) = (range.to_owned(), outcome.to_owned());
    let event = Event::Retrieval { id, session, range, by, outcome, bytes: 100 };
    Record { at_ms, agent: String::new(), trace: None, event }
}

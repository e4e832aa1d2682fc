//! A log of every event in a store's directory, from which calls are counted.

use std::io;
use std::path::{Path, PathBuf};

use crate::event::{Observer, Record};
use crate::json_lines::JsonLines;

/// When the log has so many bytes, it is put aside and a new one begins; one that was put aside before goes.
const LONGEST: u64 = 32 * 1024 * 1024;

/// Writes events to `events.jsonl` in a store's directory; where the directory is missing it writes nothing.
///
/// Any number of processes write to it at once. That an event could not be written never fails the call that it comes
/// from.
#[derive(Debug)]
pub struct EventLog {
    lines: JsonLines,
}

impl EventLog {
    /// The log of the store in `directory`.
    pub fn in_store(directory: impl AsRef<Path>) -> EventLog {
        EventLog { lines: JsonLines::new(directory.as_ref(), "events", LONGEST, 1) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// The files of the log, oldest first; some may be missing.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.lines.paths()
    }

    /// Every event in the log, oldest first; lines that cannot be read are passed over. No log is no event.
    pub fn records(&self) -> io::Result<impl Iterator<Item = Record> + use<>> {
        self.lines.records()
    }
}

impl Observer for EventLog {
    fn observe(&self, record: &Record) {
        self.lines.append(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    #[test]
    fn events_are_read_back_as_they_were_and_those_of_before_are_understood() {
        let directory = tempfile::tempdir().unwrap();
        let log = EventLog::in_store(directory.path());
        let (tool, session) = ("t".to_owned(), String::new());
        let event = Event::Oversize { tool, session, bytes: 2, max: 1 };
        let record = Record { at_ms: 1, agent: String::new(), trace: None, event };
        log.observe(&record);
        let before = "{\"at_ms\":1,\"event\":\"oversize\",\"tool\":\"t\",\"bytes\":2,\"max\":1}\n";
        let written = std::fs::read_to_string(log.path()).unwrap();
        std::fs::write(log.path(), written + before).unwrap();
        assert_eq!(log.records().unwrap().collect::<Vec<_>>(), [record.clone(), record]);
    }
}

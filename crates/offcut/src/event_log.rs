//! An append-only log of events in a file, one JSON object a line, which any number of processes write at once.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use crate::event::{Observer, Record};

/// The log's name in a store's directory.
const NAME: &str = "events.jsonl";

/// When the log has so many bytes, it is put aside and a new one begins; one that was put aside before goes.
const LONGEST: u64 = 32 * 1024 * 1024;

/// Writes events to a file in a store's directory; where the directory is missing it writes nothing.
///
/// Each event is a single write to a file opened for appending, so lines of several processes do not mix. That an
/// event could not be written never fails the call that it comes from.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
}

impl EventLog {
    /// The log of the store in `directory`.
    pub fn in_store(directory: impl AsRef<Path>) -> EventLog {
        EventLog { path: directory.as_ref().join(NAME) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every event in the log, oldest first; lines that cannot be read are passed over. No log is no event.
    pub fn records(&self) -> io::Result<impl Iterator<Item = Record> + use<>> {
        let mut files = Vec::new();
        for path in [self.aside(), self.path.clone()] {
            match File::open(&path) {
                Ok(file) => files.push(BufReader::new(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let lines = files.into_iter().flat_map(|file| file.split(b'\n').map_while(Result::ok));
        Ok(lines.filter_map(|line| serde_json::from_slice(&line).ok()))
    }

    fn aside(&self) -> PathBuf {
        self.path.with_extension("1.jsonl")
    }

    fn write(&self, record: &Record) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut file = open(&self.path)?;
        if file.metadata()?.len() >= LONGEST {
            std::fs::rename(&self.path, self.aside())?;
            file = open(&self.path)?;
        }
        file.write_all(&line)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A link that somebody put here must not lead our lines into another file.
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path)
}

impl Observer for EventLog {
    fn observe(&self, record: &Record) {
        match self.write(record) {
            Ok(()) => {}
            // Nothing was ever kept here, and counting outputs that fit is no reason to begin.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, path = %self.path.display(), "the event log could not be written"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    fn record(at_ms: u64) -> Record {
        Record { at_ms, event: Event::Oversize { tool: "t".to_owned(), bytes: 2, max: 1 } }
    }

    #[test]
    fn what_was_written_is_read_back_in_order_and_broken_lines_are_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let log = EventLog::in_store(directory.path());
        log.observe(&record(1));
        open(log.path()).unwrap().write_all(b"half a li\n\xff\n").unwrap();
        log.observe(&record(2));
        assert_eq!(log.records().unwrap().collect::<Vec<_>>(), [record(1), record(2)]);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_in_its_place_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("target");
        std::fs::write(&target, "mine\n").unwrap();
        let log = EventLog::in_store(directory.path());
        std::os::unix::fs::symlink(&target, log.path()).unwrap();
        log.observe(&record(1));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine\n");
    }

    #[test]
    fn a_missing_directory_stays_missing() {
        let directory = tempfile::tempdir().unwrap();
        let log = EventLog::in_store(directory.path().join("none"));
        log.observe(&record(1));
        assert_eq!(log.records().unwrap().count(), 0);
        assert!(!directory.path().join("none").exists());
    }

    #[test]
    fn a_log_that_is_too_long_is_put_aside_and_still_read() {
        let directory = tempfile::tempdir().unwrap();
        let log = EventLog::in_store(directory.path());
        log.observe(&record(1));
        let file = open(log.path()).unwrap();
        file.set_len(LONGEST).unwrap();
        log.observe(&record(2));
        assert!(std::fs::metadata(log.path()).unwrap().len() < 1000);
        assert_eq!(log.records().unwrap().collect::<Vec<_>>(), [record(1), record(2)]);
    }
}

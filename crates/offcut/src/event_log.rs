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
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
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

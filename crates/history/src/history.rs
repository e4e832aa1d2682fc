//! The database: opening it, and what happens where that is not possible.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use offcut::event_log::EventLog;
use offcut::options::Options;
use offcut::policy::{PolicyError, bytes_of, count};
use offcut_platform::create_private;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::schema;

/// The name of the file beside the event log.
pub const FILE: &str = "history.sqlite";

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of the past is kept call by call. Sums reach back further: to the day by the hour, and all of it in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Days (90).
    pub days: u64,
    /// Bytes of the file (1 GiB, enough for a million calls).
    pub bytes: u64,
}

impl Bounds {
    /// Checks what the options say.
    pub fn of(options: &Options) -> Result<Bounds, PolicyError> {
        let (said, usual) = (&options.history, Bounds::default());
        let bytes = said.max_bytes.as_ref().map_or(Ok(usual.bytes), |bytes| bytes_of("history.max_bytes", bytes))?;
        Ok(Bounds { days: count("history.max_days", said.max_days, usual.days)?, bytes })
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { days: 90, bytes: 1024 * 1024 * 1024 }
    }
}

/// Why the history cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The database says no.
    #[error("the history cannot be read")]
    Database(#[from] rusqlite::Error),
    /// The event log cannot be read.
    #[error("the event log cannot be read")]
    Log(#[from] io::Error),
}

/// The history of one store. Any number of processes may have it open.
#[derive(Debug)]
pub struct History {
    pub(crate) connection: Connection,
    /// The log that it takes in; none where there is nothing to take in.
    pub(crate) log: Option<EventLog>,
    pub(crate) bounds: Bounds,
    /// The file; none where the history lies in memory.
    path: Option<PathBuf>,
}

impl History {
    /// Opens the history of the store in `directory`, and creates it where there is none yet.
    ///
    /// Where the file cannot be written, or the directory is missing, the history is made from the event log in memory,
    /// for this process alone. A damaged file is put aside (`history.sqlite.damaged`) and made anew.
    pub fn open(directory: impl AsRef<Path>) -> Result<History, HistoryError> {
        let path = directory.as_ref().join(FILE);
        let log = Some(EventLog::in_store(directory));
        let connection = match connect(&path) {
            Err(error) if is_damaged(&error) => {
                tracing::warn!(%error, path = %path.display(), "the history is damaged, and made anew");
                put_aside(&path);
                connect(&path)
            }
            connected => connected,
        };
        match connection {
            Ok(connection) => Ok(History { connection, log, bounds: Bounds::default(), path: Some(path) }),
            Err(error) => {
                tracing::info!(%error, path = %path.display(), "the history is kept in memory");
                Ok(History { log, ..History::empty()? })
            }
        }
    }

    /// A history of nothing, for where nothing is logged.
    pub fn empty() -> Result<History, HistoryError> {
        let mut connection = Connection::open_in_memory()?;
        schema::migrate(&mut connection)?;
        Ok(History { connection, log: None, bounds: Bounds::default(), path: None })
    }

    /// The same within other bounds.
    #[must_use]
    pub fn bounded(mut self, bounds: Bounds) -> History {
        self.bounds = bounds;
        self
    }

    /// The file; none where the history lies in memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Takes in what was logged since the last time, and now and then forgets what is too old.
    ///
    /// Costs two `stat` calls where nothing is new. Where another process writes for longer than five seconds, what
    /// is known already is all there is.
    pub fn refresh(&mut self) -> Result<(), HistoryError> {
        match self.import().and_then(|()| self.sweep_now_and_then()) {
            Err(HistoryError::Database(error)) if is_busy(&error) => {
                tracing::debug!(%error, "another process writes the history");
                Ok(())
            }
            Err(HistoryError::Database(error)) if is_damaged(&error) => {
                // The next one who opens it makes it anew.
                if let Some(path) = &self.path {
                    put_aside(path);
                }
                Err(error.into())
            }
            done => done,
        }
    }
}

/// Opens the file, for its owner alone; a link in its place is not followed.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // The files that the database puts beside it have the same mode. Where this fails, opening it says why.
    let _ = create_private(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(canonical(path), flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What a power cut takes away is taken in again from the log.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// The path with the links above the file followed: only one in the file's own place is refused.
fn canonical(path: &Path) -> PathBuf {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    parent.and_then(|parent| Some(parent.join(path.file_name()?))).unwrap_or_else(|| path.to_owned())
}

fn put_aside(path: &Path) {
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(with_suffix(path, suffix));
    }
    if let Err(error) = std::fs::rename(path, with_suffix(path, ".damaged")) {
        tracing::warn!(%error, path = %path.display(), "a damaged history cannot be put aside");
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

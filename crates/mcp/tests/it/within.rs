//! Waiting that has an end: a test that hangs says where, and fails.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far more than anything takes: a test that waits longer has found a hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The lines of a pipe, read beside the test.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    pub(crate) fn of(reader: impl Read + Send + 'static) -> Lines {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            // As they came: `lines` would take the carriage returns away.
            let lines = BufReader::new(reader).split(b'\n').map_while(Result::ok);
            lines.map(|line| String::from_utf8(line).unwrap()).all(|line| sender.send(line).is_ok())
        });
        Lines(receiver)
    }

    /// The next line; none at the end of the pipe.
    pub(crate) fn next(&self) -> Option<String> {
        match self.0.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line came within {PATIENCE:?}"),
        }
    }
}

/// Waits for a thread.
pub(crate) fn joined<T>(thread: JoinHandle<T>, what: &str) -> T {
    until(&format!("{what} ends"), || thread.is_finished());
    thread.join().unwrap()
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until the process whose id is in `file` is gone.
pub(crate) fn gone(file: &std::path::Path) {
    let pid = std::fs::read_to_string(file).unwrap().trim().to_owned();
    assert!(!pid.is_empty(), "no process id in {}", file.display());
    until(&format!("process {pid} ({}) is gone", file.display()), || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}

//! The terminal while a command runs: its output, and below it one line of progress.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use offcut::core::limit::human_size;

use crate::table::counted;

/// Commands that are done sooner show no progress.
const QUIET: Duration = Duration::from_secs(1);

/// How often the line is drawn at most.
const PACE: Duration = Duration::from_millis(100);

/// What is on the terminal.
pub(super) struct Screen {
    /// Whether the output itself is shown.
    streams: bool,
    /// Whether there is somebody to show progress to.
    watched: bool,
    drawn: Option<Instant>,
    /// Whether the cursor is at the beginning of a line.
    at_start: bool,
}

impl Screen {
    pub(super) fn new(streams: bool) -> Screen {
        Screen { streams, watched: io::stderr().is_terminal(), drawn: None, at_start: true }
    }

    /// Shows what the command wrote, if anything is shown.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        if !self.streams || bytes.is_empty() {
            return;
        }
        self.clear();
        let mut stdout = io::stdout().lock();
        // A terminal that has gone is no reason to stop: the reply is made all the same.
        if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
            self.streams = false;
        }
        self.at_start = bytes.last() == Some(&b'\n');
    }

    /// Draws the line of progress, unless it would stand in the middle of the command's own line.
    pub(super) fn progress(&mut self, elapsed: Duration, lines: u64, bytes: u64) {
        let fresh = self.drawn.is_some_and(|drawn| drawn.elapsed() < PACE);
        if !self.watched || !self.at_start || elapsed < QUIET || fresh {
            return;
        }
        let line = format!("offcut: {} s, {}, {}", elapsed.as_secs(), counted(lines, "line"), human_size(bytes));
        // One write, so that it does not mix with others.
        let _ = io::stderr().write_all(format!("\r\x1b[2K\x1b[2m{line}\x1b[0m").as_bytes());
        self.drawn = Some(Instant::now());
    }

    /// Takes the line of progress away.
    pub(super) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = io::stderr().write_all(b"\r\x1b[2K");
        }
    }

    /// Says something of our own, on a line of its own.
    pub(super) fn say(&mut self, sentence: &str) {
        self.clear();
        let mut stderr = anstream::stderr().lock();
        let dim = anstyle::Style::new().dimmed();
        let start = if self.at_start { "" } else { "\n" };
        self.at_start = true;
        let _ = writeln!(stderr, "{start}{dim}offcut: {sentence}{dim:#}");
    }
}

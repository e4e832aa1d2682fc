//! The terminal while a command runs: its output, and below it one line of progress.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use offcut_core::limit::human_size;

use super::stream::Stream;
use crate::table::counted;

/// Commands that are done sooner show no progress.
const QUIET: Duration = Duration::from_secs(1);

/// How often the line is drawn at most.
const PACE: Duration = Duration::from_millis(100);

/// A command that has written nothing for so long in the middle of a line waits for an answer, or for its own work.
const WAITS: Duration = Duration::from_millis(60);

/// What is on the terminal.
pub(super) struct Screen {
    /// What is shown of the output itself, if anything is.
    stream: Option<Stream>,
    /// When the command last wrote something.
    wrote: Instant,
    /// Whether there is somebody to show progress to.
    watched: bool,
    drawn: Option<Instant>,
    /// Whether the cursor is at the beginning of a line.
    at_start: bool,
}

impl Screen {
    /// A terminal on which `stream` is shown; only its reader sees progress, not one who gets the reply alone.
    pub(super) fn new(stream: Option<Stream>) -> Screen {
        let watched = stream.is_some() && io::stdout().is_terminal() && io::stderr().is_terminal();
        Screen { stream, wrote: Instant::now(), watched, drawn: None, at_start: true }
    }

    /// Shows what the command wrote, if anything is shown.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        self.wrote = Instant::now();
        let text = self.stream.as_mut().map(|stream| stream.push(bytes)).unwrap_or_default();
        self.write(&text);
    }

    /// Shows what is still held back at the end.
    pub(super) fn finish(&mut self) {
        let text = self.stream.as_mut().map(Stream::finish).unwrap_or_default();
        self.write(&text);
        self.clear();
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.clear();
        let mut stdout = io::stdout().lock();
        // A terminal that has gone is no reason to stop: the reply is made all the same.
        if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
            self.stream = None;
        }
        self.at_start = text.ends_with('\n');
    }

    /// Shows an open line on which the command waits. Else draws the line of progress, unless it would stand in the
    /// middle of the command's own line.
    pub(super) fn progress(&mut self, elapsed: Duration, lines: u64, bytes: u64) {
        if self.wrote.elapsed() > WAITS {
            let text = self.stream.as_mut().map(Stream::pause).unwrap_or_default();
            self.write(&text);
        }
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

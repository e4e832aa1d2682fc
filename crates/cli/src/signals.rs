//! Signals that ask us to end, and a stdin that ends when one comes.
//!
//! Whoever reads or runs something for a model has something to hand over whatever happens: so a signal ends the input,
//! not the process.

use std::io::{self, Read};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use offcut_platform::{Signal, Signals, read_stdin, wait_for_stdin, without_ignored};

/// How long what is already in the pipe is read after a signal.
const DRAIN: Duration = Duration::from_millis(100);

/// Takes the signals that ask a process to end, but for those that our starter wants ignored (`nohup`).
pub(crate) fn take() -> io::Result<Signals> {
    Signals::take(&without_ignored(&[Signal::INTERRUPT, Signal::TERMINATE, Signal::HANG_UP, Signal::QUIT]))
}

/// Stdin, which ends where it ends or when a signal comes.
///
/// Ctrl-C ends the command that writes to us, and what it still says is read; a second one ends the input.
pub(crate) struct Input {
    /// None where signals cannot be heard: then they end us at once.
    signals: Option<Signals>,
    /// The last one that came.
    came: Option<Signal>,
    /// When the one came that ends the input.
    ending: Option<Instant>,
}

impl Input {
    /// Takes stdin, and the signals.
    pub(crate) fn open() -> Input {
        Input { signals: take().ok(), came: None, ending: None }
    }

    /// Reads what there is; none where nothing came within `patience`.
    pub(crate) fn read_within(&mut self, buffer: &mut [u8], patience: Option<Duration>) -> io::Result<Option<usize>> {
        let was_ending = self.ending.is_some();
        let ready = wait_for_stdin(self.signals.as_ref(), if was_ending { Some(Duration::ZERO) } else { patience });
        if ready.signal {
            self.hear();
        }
        match self.ending {
            Some(since) if was_ending && (!ready.stdin || since.elapsed() > DRAIN) => Ok(Some(0)),
            _ if ready.stdin => read_stdin(buffer),
            _ => Ok(None),
        }
    }

    /// The exit code that says which signal came, if one did.
    pub(crate) fn interrupted(&mut self) -> Option<ExitCode> {
        self.hear();
        self.came.map(|signal| ExitCode::from(u8::try_from(128 + signal.number()).unwrap_or(u8::MAX)))
    }

    /// Takes note of the signals that came.
    fn hear(&mut self) {
        for heard in self.signals.iter_mut().flat_map(Signals::heard) {
            let before = self.came.replace(heard.signal);
            if !heard.typed || heard.signal != Signal::INTERRUPT || before.is_some() {
                self.ending.get_or_insert_with(Instant::now);
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(read) = self.read_within(buffer, None)? {
                return Ok(read);
            }
        }
    }
}

//! Signals that ask us to end, and a stdin that ends when one comes.
//!
//! Whoever reads or runs something for a model has something to hand over whatever happens: so a signal ends the input,
//! not the process.

use std::io::{self, PipeReader, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use offcut_platform::{Ready, Signal, Signals, read_stdin, wait_for_stdin, without_ignored};

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
    signal: Arc<AtomicI32>,
    /// Has something to read once a signal has come; none where signals cannot be heard.
    wake: Option<PipeReader>,
    /// When the signal was noticed.
    ending: Option<Instant>,
}

impl Input {
    /// Takes stdin, and the signals.
    pub(crate) fn open() -> Input {
        let signal = Arc::new(AtomicI32::new(0));
        // Where signals cannot be heard they end us at once: no worse than without this.
        let wake = Input::listen(signal.clone()).ok();
        Input { signal, wake, ending: None }
    }

    fn listen(signal: Arc<AtomicI32>) -> io::Result<PipeReader> {
        let (wake, mut waker) = io::pipe()?;
        take()?.tell(move |heard| {
            let before = signal.swap(heard.signal.number(), Ordering::Relaxed);
            if !heard.typed || heard.signal != Signal::INTERRUPT || before != 0 {
                // Nobody is left to wake where this fails.
                let _ = waker.write_all(b"!");
            }
        });
        Ok(wake)
    }

    /// Reads what there is; none where nothing came within `patience`.
    pub(crate) fn read_within(&mut self, buffer: &mut [u8], patience: Option<Duration>) -> io::Result<Option<usize>> {
        let ready = self.poll(if self.ending.is_some() { Some(Duration::ZERO) } else { patience });
        match self.ending {
            Some(since) if !ready.stdin || since.elapsed() > DRAIN => return Ok(Some(0)),
            None if ready.wake => self.ending = Some(Instant::now()),
            _ => {}
        }
        if !ready.stdin {
            return Ok(None);
        }
        read_stdin(buffer)
    }

    /// The exit code that says which signal came, if one did.
    pub(crate) fn interrupted(&self) -> Option<ExitCode> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            number => Some(ExitCode::from(u8::try_from(128 + number).unwrap_or(u8::MAX))),
        }
    }

    /// Which of stdin and the signals have something to say.
    fn poll(&self, patience: Option<Duration>) -> Ready {
        wait_for_stdin(self.wake.as_ref(), patience)
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

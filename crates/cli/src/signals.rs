//! Signals that ask us to end, and a stdin that ends when one comes.
//!
//! Whoever reads or runs something for a model has something to hand over whatever happens: so a signal ends the input,
//! not the process.

use std::fs;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

/// How long what is already in the pipe is read after a signal.
const DRAIN: Duration = Duration::from_millis(100);

/// A signal that came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    /// Its number.
    pub(crate) number: i32,
    /// Whether somebody typed it (Ctrl-C): then the whole foreground group has it too.
    pub(crate) typed: bool,
}

/// Signals that no longer end us.
pub(crate) struct Signals(SignalsInfo<WithOrigin>);

impl Signals {
    /// Takes the signals that ask a process to end, but for those that our starter wants ignored (`nohup`).
    pub(crate) fn take() -> io::Result<Signals> {
        let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
        Ok(Signals(SignalsInfo::new(wanted.into_iter().filter(|signal| !is_ignored(*signal)))?))
    }

    /// Calls `heard` for each of them, in a thread of its own.
    pub(crate) fn tell(mut self, mut heard: impl FnMut(Heard) + Send + 'static) {
        std::thread::spawn(move || {
            for origin in self.0.forever() {
                heard(Heard { number: origin.signal, typed: matches!(origin.cause, Cause::Kernel) });
            }
        });
    }
}

/// Whether our starter wants a signal ignored, as far as the system tells.
pub(crate) fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal - 1) != 0
}

/// Makes a file that grows over the limit of `ulimit -f` an error of the write instead of our end.
pub(crate) fn survive_file_limits() {
    // Where this fails it is as it was.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
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
        Signals::take()?.tell(move |heard| {
            let before = signal.swap(heard.number, Ordering::Relaxed);
            if !heard.typed || heard.number != SIGINT || before != 0 {
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
            None if ready.signal => self.ending = Some(Instant::now()),
            _ => {}
        }
        if !ready.stdin {
            return Ok(None);
        }
        // Past the buffer of the standard library, of which `poll` knows nothing.
        match rustix::io::read(io::stdin(), buffer) {
            Err(rustix::io::Errno::INTR) => Ok(None),
            read => Ok(Some(read?)),
        }
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
        let stdin = io::stdin();
        let fds: [Option<BorrowedFd<'_>>; 2] = [Some(stdin.as_fd()), self.wake.as_ref().map(AsFd::as_fd)];
        let mut fds: Vec<_> = fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => Ready::default(),
            // What cannot be waited for can still be read.
            Err(_) => Ready { stdin: true, signal: false },
            Ok(_) => {
                let is_ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
                Ready { stdin: is_ready(0), signal: is_ready(1) }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Ready {
    stdin: bool,
    signal: bool,
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

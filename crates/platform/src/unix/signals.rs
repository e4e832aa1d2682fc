//! Signals that ask us to end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::event::{PollFd, PollFlags};
use signal_hook::consts::SIGXFSZ;
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

use crate::{ReceivedSignal, Signal};

/// Signals that no longer end us.
pub struct Signals(SignalDelivery<UnixStream, WithOrigin>);

impl Signals {
    /// Takes these signals.
    pub fn take(wanted: &[Signal]) -> io::Result<Signals> {
        let (read, write) = UnixStream::pair()?;
        let wanted = wanted.iter().map(|signal| signal.number());
        Ok(Signals(SignalDelivery::with_pipe(read, write, WithOrigin::default(), wanted)?))
    }

    /// Those that came since this was asked last.
    pub fn heard(&mut self) -> impl Iterator<Item = ReceivedSignal> {
        self.0.pending().map(|origin| ReceivedSignal {
            signal: Signal::new(origin.signal),
            typed: matches!(origin.cause, Cause::Kernel),
        })
    }

    /// Calls `heard` for each of them, in a thread of its own.
    pub fn tell(mut self, mut heard: impl FnMut(ReceivedSignal) + Send + 'static) {
        std::thread::spawn(move || {
            loop {
                // Where waiting is interrupted, what interrupted it is told.
                let _ = rustix::event::poll(&mut [PollFd::from_borrowed_fd(self.as_fd(), PollFlags::IN)], None);
                self.heard().for_each(&mut heard);
            }
        });
    }
}

impl AsFd for Signals {
    /// Has something to read once a signal has come.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.get_read().as_fd()
    }
}

/// Makes a file that grows over the limit of `ulimit -f` an error of the write instead of our end.
pub fn survive_file_limits() {
    // Where this fails it is as it was.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_signal_that_was_taken_is_told_and_does_not_end_us() {
        let (sender, heard) = mpsc::channel();
        Signals::take(&[Signal::HANG_UP]).unwrap().tell(move |signal| sender.send(signal).unwrap());
        let itself = rustix::process::getpid();
        rustix::process::kill_process(itself, rustix::process::Signal::HUP).unwrap();
        assert_eq!(heard.recv().unwrap(), ReceivedSignal { signal: Signal::HANG_UP, typed: false });
    }

    #[test]
    fn a_signal_that_nobody_is_told_of_is_heard_once() {
        let mut signals = Signals::take(&[Signal::new(signal_hook::consts::SIGUSR1)]).unwrap();
        assert_eq!(signals.heard().next(), None);
        let itself = rustix::process::getpid();
        rustix::process::kill_process(itself, rustix::process::Signal::USR1).unwrap();
        // Another thread may be the one that is interrupted, a little later.
        while !crate::wait_for_stdin(Some(&signals), None).signal {}
        assert_eq!(
            signals.heard().next(),
            Some(ReceivedSignal { signal: Signal::new(signal_hook::consts::SIGUSR1), typed: false })
        );
        assert_eq!(signals.heard().next(), None);
    }
}

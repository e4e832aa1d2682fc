//! Signals that ask us to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

use crate::{Heard, Signal};

/// Signals that no longer end us.
pub struct Signals(SignalsInfo<WithOrigin>);

impl Signals {
    /// Takes these signals.
    pub fn take(wanted: &[Signal]) -> io::Result<Signals> {
        Ok(Signals(SignalsInfo::new(wanted.iter().map(|signal| signal.number()))?))
    }

    /// Calls `heard` for each of them, in a thread of its own.
    pub fn tell(mut self, mut heard: impl FnMut(Heard) + Send + 'static) {
        std::thread::spawn(move || {
            for origin in self.0.forever() {
                heard(Heard { signal: Signal::new(origin.signal), typed: matches!(origin.cause, Cause::Kernel) });
            }
        });
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
        assert_eq!(heard.recv().unwrap(), Heard { signal: Signal::HANG_UP, typed: false });
    }
}

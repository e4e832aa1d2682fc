//! Signals that ask us to end, of which this system has Ctrl-C and SIGTERM within a program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::{ReceivedSignal, Signal};

/// The signals that there are.
const KNOWN: [Signal; 2] = [Signal::INTERRUPT, Signal::TERMINATE];

/// How often is looked whether one came.
const TICK: Duration = Duration::from_millis(20);

/// Signals that no longer end us.
pub struct Signals(Vec<(Signal, Arc<AtomicBool>)>);

impl Signals {
    /// Takes those of these signals that the system has.
    pub fn take(wanted: &[Signal]) -> io::Result<Signals> {
        let known = wanted.iter().filter(|signal| KNOWN.contains(signal));
        let flags = known.map(|signal| {
            let came = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal.number(), came.clone())?;
            Ok((*signal, came))
        });
        Ok(Signals(flags.collect::<io::Result<_>>()?))
    }

    /// Those that came since this was asked last.
    pub fn heard(&mut self) -> impl Iterator<Item = ReceivedSignal> {
        let came = self.0.iter().filter(|(_, came)| came.swap(false, Ordering::Relaxed));
        came.map(|(signal, _)| ReceivedSignal { signal: *signal, typed: *signal == Signal::INTERRUPT })
    }

    /// Calls `heard` for each of them, in a thread of its own.
    pub fn tell(mut self, mut heard: impl FnMut(ReceivedSignal) + Send + 'static) {
        std::thread::spawn(move || {
            loop {
                self.heard().for_each(&mut heard);
                std::thread::sleep(TICK);
            }
        });
    }
}

/// Does nothing: a file that cannot grow is an error of the write on this system.
pub fn survive_file_limits() {}

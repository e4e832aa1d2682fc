//! Signals, of which this system has Ctrl-C.

use std::io;

use crate::{Heard, Signal};

/// Signals that no longer end us: none on this system.
pub struct Signals(std::convert::Infallible);

impl Signals {
    /// An error: what asks a process to end here ends it.
    pub fn take(_wanted: &[Signal]) -> io::Result<Signals> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no signals to be heard"))
    }

    /// Never called, since there are none.
    pub fn tell(self, _heard: impl FnMut(Heard) + Send + 'static) {
        match self.0 {}
    }
}

/// Does nothing: a file that cannot grow is an error of the write on this system.
pub fn survive_file_limits() {}

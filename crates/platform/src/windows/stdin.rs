//! Reading stdin, which cannot be waited for on this system.

use std::io::{self, Read as _};
use std::time::Duration;

use crate::{Ready, Signals};

/// Says at once that stdin can be read; reading it waits for as long as it takes.
pub fn wait_for_stdin(_signals: Option<&Signals>, _patience: Option<Duration>) -> Ready {
    Ready { stdin: true, signal: false }
}

/// Reads from stdin. `None` where a signal came first.
pub fn read_stdin(buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match io::stdin().lock().read(buffer) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        read => read.map(Some),
    }
}

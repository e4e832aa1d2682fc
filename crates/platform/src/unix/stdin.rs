//! Waiting for stdin.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::{Ready, Signals};

/// Waits until stdin has something to read or one of `signals` has come, for `patience` at the longest; which of them.
pub fn wait_for_stdin(signals: Option<&Signals>, patience: Option<Duration>) -> Ready {
    let stdin = io::stdin();
    let fds: [Option<BorrowedFd<'_>>; 2] = [Some(stdin.as_fd()), signals.map(AsFd::as_fd)];
    let mut fds: Vec<_> = fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match rustix::event::poll(&mut fds, timeout.as_ref()) {
        Err(Errno::INTR) => Ready::default(),
        // What cannot be waited for can still be read.
        Err(_) => Ready { stdin: true, signal: false },
        Ok(_) => {
            let is_ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
            Ready { stdin: is_ready(0), signal: is_ready(1) }
        }
    }
}

/// Reads from stdin, past the buffer of the standard library, of which waiting knows nothing. `None` where a signal
/// came first.
pub fn read_stdin(buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match rustix::io::read(io::stdin(), buffer) {
        Err(Errno::INTR) => Ok(None),
        read => Ok(Some(read?)),
    }
}

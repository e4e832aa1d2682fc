//! Processes: their groups, their ends, and becoming another.

use std::io::{self, PipeReader};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitCode, ExitStatus};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions};

use crate::Signal;

/// A process by its id, which stays its own until it is reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessId(pub(super) Pid);

impl ProcessId {
    /// The id of a child.
    pub fn of(child: &Child) -> Option<ProcessId> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw).map(ProcessId)
    }

    /// Sends it a signal. It may have ended meanwhile.
    pub fn send(self, signal: Signal) {
        if let Some(signal) = named(signal) {
            let _ = rustix::process::kill_process(self.0, signal);
        }
    }
}

/// The process group of a child that was started with [`Group::spawn`].
///
/// Its id stays its own until the child is reaped: signal it before that only.
#[derive(Debug, Clone, Copy)]
pub struct Group(Option<ProcessId>);

impl Group {
    /// Starts `command` in a process group of its own, so that all of what it starts can be ended.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
        let child = in_own_group(command).spawn()?;
        let group = Group::of(ProcessId::of(&child));
        Ok((child, group))
    }

    /// The group that this process leads.
    pub fn of(leader: Option<ProcessId>) -> Group {
        Group(leader)
    }

    /// Sends SIGTERM to all of them.
    pub fn terminate(self) {
        self.send(Signal::TERMINATE);
    }

    /// Sends SIGKILL to all of them.
    pub fn kill(self) {
        self.send(Signal::KILL);
    }

    /// Sends a signal to all of them. They may have ended meanwhile.
    pub fn send(self, signal: Signal) {
        if let (Some(leader), Some(signal)) = (self.0, named(signal)) {
            let _ = rustix::process::kill_process_group(leader.0, signal);
        }
    }
}

/// The system's own signal of this number; none where it has no name for it.
pub(super) fn named(signal: Signal) -> Option<rustix::process::Signal> {
    rustix::process::Signal::from_named_raw(signal.number())
}

/// Has `command` started in a process group of its own: the terminal's signals do not reach it.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Waits until a child has ended, and does not reap it: its id is still its own.
pub fn wait_unreaped(child: &mut Child) {
    if let Some(ProcessId(pid)) = ProcessId::of(child) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
    }
}

/// The number of the signal that ended a process, if one did.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Whether something is in a pipe that nobody has read yet, as far as the system tells.
pub fn has_unread(pipe: &PipeReader) -> bool {
    rustix::io::ioctl_fionread(pipe).is_ok_and(|bytes| bytes > 0)
}

/// Waits until there is something to read in a pipe, or nothing more will come. `false`, and at once, where the system
/// does not tell.
pub fn wait_readable(pipe: &PipeReader) -> bool {
    let mut fds = [PollFd::new(pipe, PollFlags::IN)];
    loop {
        match rustix::event::poll(&mut fds, None) {
            Err(Errno::INTR) => {}
            told => return told.is_ok(),
        }
    }
}

/// Becomes the program of `command`; returns only where it cannot be started.
pub fn replace_process(command: &mut Command) -> io::Result<ExitCode> {
    Err(command.exec())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn a_group_is_ended_as_a_whole() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & echo started; wait"]).stdout(writer);
        let (mut child, group) = Group::spawn(&mut command).unwrap();
        drop(command);
        let mut line = [0; 8];
        reader.read_exact(&mut line).unwrap();
        group.terminate();
        wait_unreaped(&mut child);
        group.kill();
        // Whoever holds the other end of the pipe is gone.
        assert_eq!(reader.read(&mut line).unwrap(), 0);
        assert_eq!(signal_of(child.wait().unwrap()), Some(Signal::TERMINATE.number()));
    }

    #[test]
    fn what_waits_in_a_pipe_is_seen() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        assert!(!has_unread(&reader));
        writer.write_all(b"x").unwrap();
        assert!(has_unread(&reader));
        reader.read_exact(&mut [0]).unwrap();
        assert!(!has_unread(&reader));
    }

    #[test]
    fn a_program_that_is_not_there_replaces_nothing() {
        let error = replace_process(&mut Command::new("/nonexistent/program")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}

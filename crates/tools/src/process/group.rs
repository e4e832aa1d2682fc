//! A process group: a child and everything that it started.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

/// The process group of a child that was started with [`Group::spawn`].
///
/// Its id stays its own until the child is reaped: signal it before that only.
#[derive(Debug, Clone, Copy)]
pub struct Group(Option<Pid>);

impl Group {
    /// Starts `command` in a process group of its own, so that all of what it starts can be ended.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
        let child = command.process_group(0).spawn()?;
        let group = Group::of(pid_of(&child));
        Ok((child, group))
    }

    /// The group that this process leads.
    pub(super) fn of(leader: Option<Pid>) -> Group {
        Group(leader)
    }

    /// Sends SIGTERM to all of them.
    pub fn terminate(self) {
        self.send(Signal::TERM);
    }

    /// Sends SIGKILL to all of them.
    pub fn kill(self) {
        self.send(Signal::KILL);
    }

    pub(super) fn send(self, signal: Signal) {
        if let Some(pid) = self.0 {
            // They may have ended meanwhile.
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }

    /// Waits until the child itself has ended, and does not reap it.
    pub fn wait(self) {
        wait_unreaped(self.0);
    }
}

pub(super) fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Waits until a child has ended, and does not reap it: its id is still its own.
pub(super) fn wait_unreaped(pid: Option<Pid>) {
    if let Some(pid) = pid {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
    }
}

//! Processes: their trees, their ends, and becoming another.

use std::io::{self, PipeReader};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use crate::Signal;

/// Starts a process that Ctrl-C in our terminal does not reach (`CREATE_NEW_PROCESS_GROUP`).
const OWN_GROUP: u32 = 0x200;

/// A process by its id, which stays its own while its [`Child`] is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessId(u32);

impl ProcessId {
    /// The id of a child.
    pub fn of(child: &Child) -> Option<ProcessId> {
        Some(ProcessId(child.id()))
    }

    /// Asks it to end, or ends it where the signal is SIGKILL. It may have ended meanwhile.
    pub fn send(self, signal: Signal) {
        self.taskkill(signal, false);
    }

    /// The same for what it has started too.
    pub(super) fn send_to_tree(self, signal: Signal) {
        self.taskkill(signal, true);
    }

    fn taskkill(self, signal: Signal, tree: bool) {
        let mut command = Command::new("taskkill");
        command.args(["/PID", &self.0.to_string()]).args(tree.then_some("/T"));
        command.args((signal == Signal::KILL).then_some("/F"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // It may have ended meanwhile.
        let _ = command.status();
    }
}

/// A child that was started with [`Group::spawn`], and everything that it started.
#[derive(Debug, Clone, Copy)]
pub struct Group(Option<ProcessId>);

impl Group {
    /// Starts `command` so that all of what it starts can be ended.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
        let child = in_own_group(command).spawn()?;
        let group = Group::of(ProcessId::of(&child));
        Ok((child, group))
    }

    /// This process and what it has started.
    pub fn of(leader: Option<ProcessId>) -> Group {
        Group(leader)
    }

    /// Asks all of them to end; programs without a window do not hear of it.
    pub fn terminate(self) {
        self.send(Signal::TERMINATE);
    }

    /// Ends all of them.
    pub fn kill(self) {
        self.send(Signal::KILL);
    }

    /// Asks all of them to end, or ends them where the signal is SIGKILL.
    pub fn send(self, signal: Signal) {
        if let Some(leader) = self.0 {
            leader.send_to_tree(signal);
        }
    }
}

/// Has `command` started where Ctrl-C in our terminal does not reach it.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    command.creation_flags(OWN_GROUP)
}

/// Waits until a child has ended. Its id stays its own while `child` is held.
pub fn wait_unreaped(child: &mut Child) {
    // Its status is kept, and told again to whoever waits next; what went wrong here goes wrong there too.
    let _ = child.wait();
}

/// `None`: no signal ends a process here.
pub fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// `false`: this system is not asked what is in a pipe.
pub fn has_unread(_pipe: &PipeReader) -> bool {
    false
}

/// `false`, at once: this system is not asked what is in a pipe.
pub fn wait_readable(_pipe: &PipeReader) -> bool {
    false
}

/// Runs the program of `command` in our place, and returns the code that it ended with: a process cannot become
/// another here.
pub fn replace_process(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}

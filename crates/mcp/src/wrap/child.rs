//! A server in a process of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use offcut::core::text;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

/// How much of a command is shown.
const SHOWN: u64 = 80;

/// How a server is started.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables that it gets beside ours.
    pub environment: BTreeMap<String, String>,
    /// The directory that it starts in, if not ours.
    pub directory: Option<PathBuf>,
}

impl ServerCommand {
    /// The command in `words`; none where there is no word.
    pub fn new(words: &[OsString]) -> Option<ServerCommand> {
        let (program, arguments) = words.split_first()?;
        Some(ServerCommand { program: program.clone(), arguments: arguments.to_vec(), ..ServerCommand::default() })
    }

    /// Starts it, in a process group of its own so that all of what it starts can be ended; its stderr is ours.
    pub(crate) fn start(&self) -> io::Result<Started> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(&self.environment).process_group(0);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("the process has no pipe");
        let group = Group(i32::try_from(child.id()).ok().and_then(Pid::from_raw));
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        Ok(Started { group, stdin, stdout, child })
    }
}

/// The command as a person would write it.
impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let line = words.join(" ");
        // It is for a person to know it by, and may have a script in it.
        let first = line.lines().next().unwrap_or_default();
        let shown = text::first_chars(first, SHOWN);
        write!(f, "{shown}{}", if shown.len() < line.len() { "…" } else { "" })
    }
}

/// A server that was started.
pub(crate) struct Started {
    pub(crate) group: Group,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) child: Child,
}

/// A process and everything that it started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(Option<Pid>);

impl Group {
    /// Asks all of them to end.
    pub(crate) fn terminate(self) {
        self.send(Signal::TERM);
    }

    /// Ends all of them.
    pub(crate) fn kill(self) {
        self.send(Signal::KILL);
    }

    fn send(self, signal: Signal) {
        if let Some(pid) = self.0 {
            // They may have ended meanwhile.
            let _ = rustix::process::kill_process_group(pid, signal);
        }
    }

    /// Waits until the process itself has ended. It is not reaped yet: its id, and its group's, are still its own.
    pub(crate) fn wait(self) {
        if let Some(pid) = self.0 {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
        }
    }
}

/// The exit code of a process as a shell tells it: its own, or 128 and the signal that ended it.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// How a process ended, in words.
pub(crate) fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".to_owned(),
    }
}

//! A server in a process of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use offcut_core::text;
use offcut_platform::Group;
use offcut_tools::process::SECRETS;

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
        for secret in SECRETS {
            command.env_remove(secret);
        }
        command.args(&self.arguments).envs(&self.environment).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let (mut child, group) = Group::spawn(&mut command)?;
        let missing = || io::Error::other("the process has no pipe");
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

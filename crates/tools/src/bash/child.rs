//! A shell in a process group of its own, told about by events.

use std::io::{self, PipeReader, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::error::{ToolError, while_doing};

/// How much is read at a time: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// How many chunks may wait.
const WAITING: usize = 16;

/// How long a group has to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long a killed command is waited for: one that hangs in the system cannot be.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What a command does.
#[derive(Debug)]
pub(super) enum Event {
    /// It wrote this.
    Bytes(Vec<u8>),
    /// It will write nothing more.
    Closed,
    /// It ended; it is not reaped yet, so that its id is still its own.
    Exited,
}

/// How a command ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(super) status: Option<ExitStatus>,
    pub(super) timed_out: bool,
    pub(super) cancelled: bool,
    pub(super) too_much: bool,
}

impl Ended {
    /// The code that the command itself chose.
    pub(super) fn code(&self) -> Option<i32> {
        self.status?.code()
    }

    /// The code as a shell tells it: the command's own, or 128 and the signal that ended it.
    pub(super) fn exit_code(&self) -> Option<i32> {
        self.code().or_else(|| self.status?.signal().map(|signal| 128 + signal))
    }

    /// The signal that ended the command, if one did, and its name.
    pub(super) fn signal(&self) -> Option<(i32, &'static str)> {
        const NAMES: [(i32, &str); 10] = [
            (1, "SIGHUP"),
            (2, "SIGINT"),
            (3, "SIGQUIT"),
            (4, "SIGILL"),
            (6, "SIGABRT"),
            (8, "SIGFPE"),
            (9, "SIGKILL"),
            (11, "SIGSEGV"),
            (13, "SIGPIPE"),
            (15, "SIGTERM"),
        ];
        let signal = self.status?.signal()?;
        let name = NAMES.iter().find(|(number, _)| *number == signal).map_or("another signal", |(_, name)| name);
        Some((signal, name))
    }
}

/// A running command.
pub(super) struct Child {
    child: process::Child,
    events: Receiver<Event>,
    /// The pipe that is read elsewhere, to look whether something is in it.
    pipe: Option<PipeReader>,
    group: Option<Pid>,
    /// When the group was told to end.
    told: Option<Instant>,
    /// When it was killed.
    killed: Option<Instant>,
}

impl Child {
    /// Starts a shell on `command` in `directory`, with stdout and stderr in one pipe and nothing to read.
    pub(super) fn start(command: &str, directory: &Path) -> Result<Child, ToolError> {
        let (reader, writer) = io::pipe().map_err(while_doing("make a pipe"))?;
        let child = match spawn("bash", command, directory, &writer) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && directory.is_dir() => {
                spawn("sh", command, directory, &writer)
            }
            spawned => spawned,
        };
        // Ours must go, or the pipe would never close.
        drop(writer);
        let doing = format!("start a shell in {}", directory.display());
        let child = child.map_err(while_doing(doing))?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (sender, events) = mpsc::sync_channel(WAITING);
        let reading = sender.clone();
        let pipe = reader.try_clone().ok();
        std::thread::spawn(move || read(reader, &reading));
        std::thread::spawn(move || watch(group, &sender));
        Ok(Child { child, events, pipe, group, told: None, killed: None })
    }

    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Whether there is something to read that has not been read yet: on a busy machine that takes a while.
    pub(super) fn has_more(&self) -> bool {
        self.pipe.as_ref().is_some_and(|pipe| rustix::io::ioctl_fionread(pipe).is_ok_and(|bytes| bytes > 0))
    }

    /// Ends the whole group: at first politely, after a while not.
    pub(super) fn end(&mut self) {
        match (self.told, self.killed) {
            (None, _) => {
                self.told = Some(Instant::now());
                self.send(Signal::TERM);
            }
            (Some(told), None) if told.elapsed() >= GRACE => {
                self.killed = Some(Instant::now());
                self.send(Signal::KILL);
            }
            (Some(_), _) => {}
        }
    }

    /// Whether it was killed long ago and still has not ended.
    pub(super) fn is_hopeless(&self) -> bool {
        self.killed.is_some_and(|killed| killed.elapsed() > LAST_WAIT)
    }

    /// Lets go of the command, reaped if it has `exited`. What is left of a group that was told to end is killed.
    pub(super) fn finish(mut self, exited: bool) -> Option<ExitStatus> {
        if self.told.is_some() {
            self.send(Signal::KILL);
        }
        if exited {
            return self.child.wait().ok();
        }
        // It may end one day, and somebody must be there.
        std::thread::spawn(move || self.child.wait());
        None
    }

    /// The leader is not reaped before [`Child::finish`], so the group's id is its own until then.
    fn send(&self, signal: Signal) {
        if let Some(group) = self.group {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

fn spawn(shell: &str, command: &str, directory: &Path, pipe: &io::PipeWriter) -> io::Result<process::Child> {
    Command::new(shell)
        .arg("-c")
        .arg(command)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(pipe.try_clone()?)
        .stderr(pipe.try_clone()?)
        .process_group(0)
        .spawn()
}

fn read(mut pipe: PipeReader, events: &SyncSender<Event>) {
    let mut heard = true;
    loop {
        let mut chunk = vec![0; CHUNK];
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                chunk.truncate(read);
                // A process left in the background would die of a pipe that nobody reads.
                heard = heard && events.send(Event::Bytes(chunk)).is_ok();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // Nobody listens any more where this fails.
    let _ = events.send(Event::Closed);
}

fn watch(pid: Option<Pid>, events: &SyncSender<Event>) {
    if let Some(pid) = pid {
        while let Err(rustix::io::Errno::INTR) =
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
    }
    let _ = events.send(Event::Exited);
}

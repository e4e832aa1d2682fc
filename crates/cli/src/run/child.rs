//! A command in a process of its own, told about by events.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::failure::{Failure, while_doing};
use crate::run::processes::Family;
use crate::run::signals;

/// How much is read at a time: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// How many chunks may wait.
const WAITING: usize = 16;

/// How long a command has to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// What a command does.
#[derive(Debug)]
pub(super) enum Event {
    /// It wrote this.
    Bytes(Vec<u8>),
    /// It will write nothing more.
    Closed,
    /// It ended.
    Exited(ExitStatus),
}

/// The process id of a command, for as long as it is its own.
pub(super) type Alive = Arc<Mutex<Option<Pid>>>;

/// A running command.
pub(super) struct Child {
    events: Receiver<Event>,
    alive: Alive,
    pid: Option<Pid>,
    ending: Option<Ending>,
    /// Why signals do not reach the command, where they do not.
    deaf: Option<String>,
}

/// A command that was told to end.
struct Ending {
    since: Instant,
    family: Family,
    killed: bool,
}

impl Child {
    /// Starts `command`, with stdout and stderr in one pipe.
    pub(super) fn start(command: &[OsString]) -> Result<Child, Failure> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(Failure::usage("no command was given").hint("offcut run -- CMD ARG…"));
        };
        let (reader, writer) = io::pipe().map_err(while_doing("make a pipe"))?;
        let errors = writer.try_clone().map_err(while_doing("make a pipe"))?;
        let alive = Alive::default();
        let deaf = signals::forward(alive.clone()).err().map(|error| format!("signals are not passed on: {error}"));
        // A signal that comes while the command starts waits for its process id.
        let mut starting = alive.lock().unwrap_or_else(PoisonError::into_inner);
        // The command keeps its ends of the pipe only while it runs: `Command` is dropped here, and ours with it.
        let spawned = Command::new(program).args(arguments).stdout(writer).stderr(errors).spawn();
        let child = spawned.map_err(|error| refused(program, command.len(), &error))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        *starting = pid;
        drop(starting);
        let (sender, events) = mpsc::sync_channel(WAITING);
        let reading = sender.clone();
        std::thread::spawn(move || read(reader, &reading));
        let watched = alive.clone();
        std::thread::spawn(move || wait(child, pid, &watched, &sender));
        Ok(Child { events, alive, pid, ending: None, deaf })
    }

    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Ends the command and everything that it started: at first politely, after a while not.
    pub(super) fn end(&mut self) {
        // While this lock is held the command is not reaped, and its id is its own.
        let alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pid) = *alive else { return };
        match &mut self.ending {
            None => {
                let family = Family::of(pid);
                family.send(Signal::TERM);
                self.ending = Some(Ending { since: Instant::now(), family, killed: false });
            }
            Some(ending) if !ending.killed && ending.since.elapsed() >= GRACE => {
                ending.killed = true;
                ending.family.grow(pid);
                ending.family.send(Signal::KILL);
            }
            Some(_) => {}
        }
    }

    /// Lets go of the command; says why signals did not reach it, where they did not.
    pub(super) fn finish(self) -> Option<String> {
        set(&self.alive, None);
        if let Some(mut ending) = self.ending.filter(|ending| !ending.killed) {
            // The command has ended, but what it started may not have listened.
            ending.family.forget(self.pid);
            ending.family.send(Signal::KILL);
        }
        self.deaf
    }
}

/// The exit code of a command as a shell tells it: its own, or 128 and the signal that ended it.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// The signal that ended a command, if one did.
pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

fn refused(program: &OsString, words: usize, error: &io::Error) -> Failure {
    let name = program.to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => {
            let failure = Failure::other(format!("command not found: `{name}`")).code(127);
            let line = words == 1 && name.contains(|c: char| c.is_whitespace() || "|&;<>()$`".contains(c));
            if line { failure.hint("for a line of shell, write `offcut run -- sh -c '…'`") } else { failure }
        }
        io::ErrorKind::PermissionDenied => Failure::other(format!("`{name}` cannot be executed: {error}")).code(126),
        _ => Failure::other(format!("could not start `{name}`: {error}")).code(126),
    }
}

fn read(mut pipe: PipeReader, events: &SyncSender<Event>) {
    loop {
        let mut chunk = vec![0; CHUNK];
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                chunk.truncate(read);
                if events.send(Event::Bytes(chunk)).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // Nobody listens any more where this fails.
    let _ = events.send(Event::Closed);
}

fn wait(mut child: process::Child, pid: Option<Pid>, alive: &Alive, events: &SyncSender<Event>) {
    if let Some(pid) = pid {
        // While it is not reaped its id is its own: signals stop before it can become another's.
        while let Err(rustix::io::Errno::INTR) =
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
    }
    set(alive, None);
    if let Ok(status) = child.wait() {
        let _ = events.send(Event::Exited(status));
    }
}

fn set(alive: &Alive, pid: Option<Pid>) {
    *alive.lock().unwrap_or_else(PoisonError::into_inner) = pid;
}

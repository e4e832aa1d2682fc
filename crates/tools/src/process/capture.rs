//! A command whose output is captured while it runs.

use std::io::{self, PipeReader, Read as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use offcut_platform::{
    Group, ProcessId, Signal, Tree, has_unread, in_own_group, signal_of, wait_readable, wait_unreaped,
};

use super::status::{exit_code, signal_name};
use super::{GRACE, Scope};

/// How much is read at a time: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// How many chunks may wait.
const WAITING: usize = 16;

/// How often a supervisor is asked.
const TICK: Duration = Duration::from_millis(50);

/// How long a background process may hold the pipe open in silence after the command itself has ended.
const SILENCE: Duration = Duration::from_millis(200);

/// How long such a process may go on writing.
const LINGER: Duration = Duration::from_secs(1);

/// How much may come after a command has ended: more than a pipe and its reader hold is not the command's own.
const LEFT_OVER: u64 = 8 << 20;

/// How long a killed command is waited for: one that hangs in the system cannot be.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Why a command was ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its time was up.
    TimedOut,
    /// The caller wants no more of it.
    Cancelled,
    /// It wrote more than may be kept.
    TooMuch,
}

/// Follows a command while it runs.
pub trait Supervisor {
    /// Takes in what the command wrote.
    fn output(&mut self, bytes: &[u8]);

    /// Called many times a second, whether or not there was output: why the command is to be ended, if it is.
    fn stop(&mut self) -> Option<Stop>;
}

/// How a command ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ended {
    /// What the system says; none where it could not even be killed.
    pub status: Option<ExitStatus>,
    /// Why it was ended, if it did not end by itself.
    pub stopped: Option<Stop>,
}

impl Ended {
    /// The code that the command itself chose.
    pub fn code(&self) -> Option<i32> {
        self.status?.code()
    }

    /// The code as a shell gives it.
    pub fn exit_code(&self) -> Option<u8> {
        self.status.map(exit_code)
    }

    /// The signal that ended the command, if one did, and its name.
    pub fn signal(&self) -> Option<(i32, &'static str)> {
        signal_of(self.status?).map(|signal| (signal, signal_name(signal)))
    }
}

enum Event {
    Bytes(Vec<u8>),
    /// Nothing more will be written.
    Closed,
    /// The command has ended; it is not reaped yet, so that its id is still its own.
    Exited(Child),
    /// A signal is to be passed on.
    Signal(Signal),
}

/// Passes signals on to a command from another thread.
#[derive(Debug, Clone)]
pub struct Remote(SyncSender<Event>);

impl Remote {
    /// Passes a signal on to the command. SIGTERM goes to what it started too, once it has ended, and is followed by
    /// SIGKILL where it does not end.
    pub fn signal(&self, signal: Signal) {
        // It may have ended meanwhile.
        let _ = self.0.send(Event::Signal(signal));
    }
}

/// A command under way, stdout and stderr in one pipe.
pub struct Capture {
    id: Option<ProcessId>,
    scope: Scope,
    events: Receiver<Event>,
    remote: Remote,
    /// The pipe that is read elsewhere, to see whether something is in it.
    pipe: Option<PipeReader>,
    /// Whether the reader holds something that it has not handed over yet.
    in_hand: Arc<AtomicBool>,
    ending: Option<Ending>,
}

/// A command that was told to end.
struct Ending {
    since: Instant,
    tree: Option<Tree>,
    killed: Option<Instant>,
}

impl Capture {
    /// Starts `command`. Its stdin is as the caller has set it.
    pub fn start(mut command: Command, scope: Scope) -> io::Result<Capture> {
        let (reader, writer) = io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        if scope == Scope::Group {
            in_own_group(&mut command);
        }
        let mut child = command.spawn()?;
        // It holds our ends of the pipe, which would keep it open.
        drop(command);
        let id = ProcessId::of(&child);
        let (sender, events) = mpsc::sync_channel(WAITING);
        let pipe = reader.try_clone().ok();
        let (reading, watching) = (sender.clone(), sender.clone());
        let in_hand = Arc::new(AtomicBool::new(false));
        let taking = in_hand.clone();
        std::thread::spawn(move || read(reader, &reading, &taking));
        std::thread::spawn(move || {
            wait_unreaped(&mut child);
            // Nobody listens any more where this fails.
            let _ = watching.send(Event::Exited(child));
        });
        Ok(Capture { id, scope, events, remote: Remote(sender), pipe, in_hand, ending: None })
    }

    /// A way to pass signals on.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Takes in what the command writes until it has ended.
    pub fn drive(mut self, supervisor: &mut dyn Supervisor) -> Ended {
        let mut after: Option<After> = None;
        let mut exited: Option<Child> = None;
        let (mut closed, mut heard, mut stopped) = (false, Instant::now(), None);
        loop {
            let mut silent = false;
            match self.events.recv_timeout(TICK) {
                Ok(Event::Bytes(bytes)) => {
                    if let Some(after) = &mut after {
                        after.bytes += bytes.len() as u64;
                    }
                    supervisor.output(&bytes);
                    // What it takes to take this in is no silence of whoever writes.
                    heard = Instant::now();
                }
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => closed = true,
                Ok(Event::Exited(child)) => {
                    exited = Some(child);
                    heard = Instant::now();
                    if self.ending.is_some() {
                        // What it started may not have heard of it.
                        self.send(Signal::TERMINATE);
                    }
                    after = Some(After { exited: heard, drained: false, bytes: 0 });
                }
                Ok(Event::Signal(signal)) => self.pass_on(signal),
                Err(RecvTimeoutError::Timeout) if self.has_more() => heard = Instant::now(),
                Err(RecvTimeoutError::Timeout) => {
                    silent = heard.elapsed() > SILENCE;
                    if let Some(after) = &mut after {
                        after.drained = true;
                    }
                }
            }
            let wanted = supervisor.stop();
            let over = |after: &After| {
                let unwanted = after.drained && wanted.is_some();
                closed || unwanted || silent || after.is_another()
            };
            if after.as_ref().is_some_and(over) || self.is_hopeless() {
                return Ended { status: self.finish(exited, closed), stopped };
            }
            if after.is_none() {
                stopped = stopped.or(wanted);
            }
            if stopped.is_some() || self.ending.is_some() {
                self.end();
            }
        }
    }

    /// Whether there is something to read that has not been read yet: on a busy machine that takes a while.
    fn has_more(&self) -> bool {
        self.pipe.as_ref().is_some_and(has_unread) || self.in_hand.load(Ordering::SeqCst)
    }

    fn pass_on(&mut self, signal: Signal) {
        let Some(id) = self.id else { return };
        if signal == Signal::TERMINATE {
            self.begin_to_end();
        }
        id.send(signal);
    }

    /// Remembers what is to end; says whether that is news.
    fn begin_to_end(&mut self) -> bool {
        if self.ending.is_some() {
            return false;
        }
        let tree = self.id.filter(|_| self.scope == Scope::Tree).map(Tree::of);
        self.ending = Some(Ending { since: Instant::now(), tree, killed: None });
        true
    }

    /// Ends the command and what it started: SIGTERM, then SIGKILL after a while.
    fn end(&mut self) {
        if self.begin_to_end() {
            return self.send(Signal::TERMINATE);
        }
        let late = |ending: &&mut Ending| ending.killed.is_none() && ending.since.elapsed() >= GRACE;
        if let Some(ending) = self.ending.as_mut().filter(|ending| late(ending)) {
            ending.killed = Some(Instant::now());
            self.send(Signal::KILL);
        }
    }

    /// Sends a signal to all that is to end. The command is not reaped yet, so that its id is its own.
    fn send(&mut self, signal: Signal) {
        match self.ending.as_mut().and_then(|ending| ending.tree.as_mut()) {
            Some(tree) => {
                tree.grow();
                tree.send(signal);
            }
            None => Group::of(self.id).send(signal),
        }
    }

    /// Whether it was killed long ago and still has not ended.
    fn is_hopeless(&self) -> bool {
        self.ending.as_ref().and_then(|ending| ending.killed).is_some_and(|killed| killed.elapsed() > LAST_WAIT)
    }

    /// Lets go of the command, reaped if it has `exited`. What is left of one that was told to end is killed.
    fn finish(mut self, exited: Option<Child>, closed: bool) -> Option<ExitStatus> {
        if self.ending.is_some() {
            self.send(Signal::KILL);
        } else if !closed {
            self.leave_a_reader();
        }
        if let Some(mut child) = exited {
            return child.wait().ok();
        }
        // It may end one day, and somebody must be there.
        std::thread::spawn(move || {
            self.events.iter().find_map(|event| match event {
                Event::Exited(mut child) => Some(child.wait()),
                Event::Bytes(_) | Event::Closed | Event::Signal(_) => None,
            })
        });
        None
    }

    /// Leaves somebody to read what a background process goes on writing, who outlives us: it would die of a pipe that
    /// nobody reads, as it would not have done without us.
    fn leave_a_reader(&mut self) {
        let Some(pipe) = self.pipe.take() else { return };
        let mut reader = Command::new("cat");
        in_own_group(reader.stdin(pipe).stdout(Stdio::null()).stderr(Stdio::null()));
        // Where there is no `cat`, our own thread reads for as long as we live.
        if let Ok(mut reader) = reader.spawn() {
            std::thread::spawn(move || reader.wait());
        }
    }
}

/// What comes after a command has ended.
struct After {
    exited: Instant,
    /// Whether all that the command itself had written was read.
    drained: bool,
    bytes: u64,
}

impl After {
    /// Whether what is heard now is a process in the background.
    fn is_another(&self) -> bool {
        (self.drained && self.exited.elapsed() > LINGER) || self.bytes > LEFT_OVER
    }
}

/// What it takes out of the pipe is `in_hand` until it is handed over.
fn read(mut pipe: PipeReader, events: &SyncSender<Event>, in_hand: &AtomicBool) {
    let mut heard = true;
    loop {
        let mut chunk = vec![0; CHUNK];
        in_hand.store(false, Ordering::SeqCst);
        let is_told = wait_readable(&pipe);
        in_hand.store(is_told, Ordering::SeqCst);
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                chunk.truncate(read);
                heard = heard && events.send(Event::Bytes(chunk)).is_ok();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // Nobody listens any more where this fails.
    let _ = events.send(Event::Closed);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes as long as a busy machine to take each part in.
    struct Slow(u64);

    impl Supervisor for Slow {
        fn output(&mut self, bytes: &[u8]) {
            std::thread::sleep(SILENCE + SILENCE / 4);
            self.0 += bytes.len() as u64;
        }

        fn stop(&mut self) -> Option<Stop> {
            None
        }
    }

    #[test]
    fn whoever_takes_long_to_take_output_in_loses_none_of_it() {
        let mut command = Command::new("sh");
        command.args(["-c", "(sleep 0.1; echo late; sleep 0.1; echo later) & echo early"]);
        let mut slow = Slow(0);
        let ended = Capture::start(command, Scope::Group).unwrap().drive(&mut slow);
        assert_eq!((ended.exit_code(), slow.0), (Some(0), 17));
    }
}

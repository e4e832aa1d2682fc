//! A client on our own pipes, a server in a process below us.
//!
//! One thread reads the client, one writes to the server, one reads it; what they read goes to the [`Session`], and what
//! that says is written. A loop beside them hears of ends (the client's, the server's, a signal) and decides what follows.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use offcut_platform::{Group, wait_unreaped};
use offcut_tools::process;
use parking_lot::{Condvar, Mutex};

use super::child::{ServerCommand, Started};
use super::session::{Exchange, Session, Step};
use super::view::views;
use super::{Teller, WrapError};
use crate::wire::id::RequestId;
use crate::wire::lines::MessageReader;
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;

/// How long a server may go on after the client has left.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How long it may go on where it still owes answers, since its last word.
pub(crate) const OWED: Duration = Duration::from_secs(30);

/// How long what a server started may keep its pipe open without a word after it has ended itself.
const PATIENCE: Duration = Duration::from_millis(300);

/// How many messages of the client may wait for a server that does not read.
const WAITING: usize = 16;

/// How often deadlines are looked at.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// How often one that ends is looked at.
const BEAT: Duration = Duration::from_millis(2);

/// JSON-RPC's code for what a server answers when something is wrong with itself.
const SERVER_ERROR: i32 = -32000;

/// What happens, told to the loop that decides.
#[derive(Debug)]
enum Event {
    /// The client has closed its end.
    ClientGone,
    /// The server said something.
    ServerSpoke,
    /// The server of this generation will say nothing more.
    ServerClosed(u32),
    /// The server of this generation has ended. It is not reaped yet: its id, and its group's, are still its own.
    ServerExited(u32, Child),
    /// Somebody asked us to end, by this signal.
    Stop(i32),
}

/// Asks a running wrap to end; clones are one and the same.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn(i32) + Send + Sync>);

impl Stop {
    pub(crate) fn by(stop: impl Fn(i32) + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(stop))
    }

    /// Ends it as the signal `number` would.
    pub fn stop(&self, number: i32) {
        (self.0)(number);
    }
}

/// A wrap between our own pipes and a server's process.
pub struct Piped {
    shared: Arc<Shared>,
    events: Receiver<Event>,
}

struct Shared {
    session: Session,
    command: ServerCommand,
    client: Mutex<Box<dyn Write + Send>>,
    /// Where the server reads; none where it has ended, or is to end. Writing may take as long as the server likes, so
    /// nobody who decides waits for it.
    stdin: Mutex<Option<ChildStdin>>,
    link: Mutex<Link>,
    /// The client's handshake, for a server that is started again.
    hello: Mutex<Hello>,
    answers: (Mutex<usize>, Condvar),
    events: Sender<Event>,
    tell: Teller,
}

/// What is known of the server's process.
struct Link {
    group: Option<Group>,
    /// Whether it runs, as far as anybody has noticed.
    runs: bool,
    generation: u32,
    restarts: u32,
    /// Whether it is over for good.
    over: bool,
}

#[derive(Default)]
struct Hello {
    initialize: Option<RawMessage>,
    initialized: Option<RawMessage>,
    /// The id of a handshake of our own, and who waits for its answer.
    replayed: Option<(RequestId, Sender<()>)>,
}

impl Piped {
    pub(crate) fn new(session: Session, command: ServerCommand, restarts: u32, tell: Teller) -> Piped {
        let (sender, events) = mpsc::channel();
        let shared = Shared {
            session,
            command,
            client: Mutex::new(Box::new(io::sink())),
            stdin: Mutex::new(None),
            link: Mutex::new(Link { group: None, runs: false, generation: 0, restarts, over: false }),
            hello: Mutex::default(),
            answers: (Mutex::new(0), Condvar::new()),
            events: sender,
            tell,
        };
        Piped { shared: Arc::new(shared), events }
    }

    /// A way to end it from outside.
    pub fn stopper(&self) -> Stop {
        let events = self.shared.events.clone();
        // It may have ended meanwhile.
        Stop::by(move |signal| drop(events.send(Event::Stop(signal))))
    }

    /// Starts the server and passes messages on until one side has ended; the exit code is the server's.
    pub fn run(
        self,
        client_in: impl Read + Send + 'static,
        client_out: impl Write + Send + 'static,
    ) -> Result<u8, WrapError> {
        *self.shared.client.lock() = Box::new(client_out);
        let shared = Arc::downgrade(&self.shared);
        self.shared.session.connect(Box::new(move |message| {
            shared.upgrade().iter().for_each(|shared| shared.to_client(message));
        }));
        *self.shared.stdin.lock() = Some(self.shared.start()?);
        let shared = self.shared.clone();
        let (passed, messages) = mpsc::sync_channel(WAITING);
        let passing = std::thread::spawn(move || messages.iter().all(|raw_message| shared.pass_to_server(raw_message)));
        let shared = self.shared.clone();
        std::thread::spawn(move || shared.read_client(MessageReader::new(client_in), passed, &passing));
        let code = self.decide();
        self.shared.finish_answers();
        // The thread that reads the client may wait for ever; the client must hear that it is over.
        *self.shared.client.lock() = Box::new(io::sink());
        Ok(code)
    }

    /// Hears of ends until all is over.
    fn decide(&self) -> u8 {
        let shared = &self.shared;
        let (mut exited, mut closed): (Option<(Child, Instant)>, bool) = (None, false);
        let mut leaving: Option<(Instant, Option<i32>)> = None;
        let mut asked = false;
        let mut spoke = Instant::now();
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::ServerSpoke) => spoke = Instant::now(),
                Ok(Event::ClientGone) => {
                    shared.hang_up();
                    shared.session.client_left(false);
                    leaving = leaving.or(Some((Instant::now(), None)));
                }
                Ok(Event::Stop(signal)) => {
                    leaving = Some((Instant::now(), Some(signal)));
                    shared.hang_up();
                    shared.session.client_left(true);
                }
                Ok(Event::ServerExited(generation, child)) if generation == shared.generation() => {
                    exited = Some((child, Instant::now()));
                }
                Ok(Event::ServerClosed(generation)) if generation == shared.generation() => closed = true,
                Ok(Event::ServerExited(_, mut child)) => drop(child.wait()),
                Ok(Event::ServerClosed(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return 1,
            }
            let group = shared.link.lock().group;
            if let Some((mut child, _)) = exited.take_if(|_| std::mem::take(&mut closed)) {
                if leaving.is_some() {
                    // Nothing that it started outlives us.
                    group.iter().for_each(|group| group.kill());
                }
                let code = match child.wait() {
                    Ok(status) => shared.server_ended(status, leaving.is_some()),
                    Err(_) => Some(1),
                };
                if let Some(code) = code {
                    return leaving.and_then(|(_, signal)| signal).map_or(code, by_signal);
                }
                continue;
            }
            match (&exited, leaving) {
                (Some((_, at)), _) if spoke.max(*at).elapsed() > PATIENCE => {
                    group.iter().for_each(|group| group.kill());
                }
                (_, Some((since, signal))) => {
                    let patience = match signal {
                        Some(_) => Duration::ZERO,
                        None if shared.session.waiting() > 0 => OWED.max(spoke.duration_since(since) + OWED),
                        None => GRACE,
                    };
                    if since.elapsed() >= patience + GRACE {
                        group.iter().for_each(|group| group.kill());
                    } else if since.elapsed() >= patience && !asked {
                        asked = true;
                        group.iter().for_each(|group| group.terminate());
                    }
                    if group.is_none() {
                        return signal.map_or(0, by_signal);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The exit code of who was ended by a signal.
pub(crate) fn by_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

impl Shared {
    fn generation(&self) -> u32 {
        self.link.lock().generation
    }

    /// Starts the server, and the threads that read it and wait for it; where it reads.
    fn start(self: &Arc<Self>) -> Result<ChildStdin, WrapError> {
        // Who decides that it is over waits until the process is known, and so can be ended.
        let mut link = self.link.lock();
        let started = if link.over { Err(io::ErrorKind::Interrupted.into()) } else { self.command.start() };
        let Started { group, stdin, stdout, mut child } = started.map_err(|source| WrapError::Start {
            program: self.command.program.to_string_lossy().into_owned(),
            source,
        })?;
        link.generation += 1;
        link.group = Some(group);
        link.runs = true;
        let generation = link.generation;
        drop(link);
        let shared = self.clone();
        std::thread::spawn(move || {
            shared.read_server(MessageReader::new(stdout));
            let _ = shared.events.send(Event::ServerClosed(generation));
        });
        let events = self.events.clone();
        std::thread::spawn(move || {
            wait_unreaped(&mut child);
            // Where nobody listens any more, nobody waits for it either.
            let _ = events.send(Event::ServerExited(generation, child));
        });
        Ok(stdin)
    }

    // ── The client ───────────────────────────────────────────────────────────────────────────────────────────────

    /// Reads the client beside what is written to the server, so that its end is noticed whatever the server does.
    fn read_client(
        &self,
        mut lines: MessageReader<impl Read>,
        passed: SyncSender<RawMessage>,
        passing: &JoinHandle<bool>,
    ) {
        loop {
            match lines.next() {
                Ok(Some(raw_message)) => {
                    if passed.send(raw_message).is_err() {
                        return;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    (self.tell)(&format!("the client cannot be read: {error}"));
                    break;
                }
            }
        }
        drop(passed);
        let since = Instant::now();
        while !passing.is_finished() && since.elapsed() < OWED {
            std::thread::sleep(BEAT);
        }
        // Nobody listens any more where this fails.
        let _ = self.events.send(Event::ClientGone);
    }

    /// Keeps the client's handshake.
    fn note_hello(&self, raw_message: &RawMessage) {
        for view in views(raw_message) {
            match view.text(&["method"]).as_deref() {
                Some("initialize") => self.hello.lock().initialize = Some(raw_message.clone()),
                Some("notifications/initialized") => self.hello.lock().initialized = Some(raw_message.clone()),
                _ => {}
            }
        }
    }

    /// Passes a client's message on; says whether there will ever be somebody to pass the next one to.
    fn pass_to_server(self: &Arc<Self>, raw_message: RawMessage) -> bool {
        if self.link.lock().over {
            return false;
        }
        self.note_hello(&raw_message);
        let is_request = views(&raw_message).any(|view| view.is_request());
        if is_request && !self.link.lock().runs {
            let greets = views(&raw_message).any(|view| view.text(&["method"]).as_deref() == Some("initialize"));
            self.restart(greets);
        }
        for step in self.session.client_said(raw_message.clone(), &mut Exchange::default()) {
            match step {
                Step::Answer(call) => {
                    *self.answers.0.lock() += 1;
                    let shared = self.clone();
                    std::thread::spawn(move || {
                        shared.to_client(&call.answer(&shared.session));
                        *shared.answers.0.lock() -= 1;
                        shared.answers.1.notify_all();
                    });
                }
                Step::Forward(outgoing) => {
                    if let Err(why) = self.to_server(&outgoing) {
                        for id in self.session.forget(&raw_message) {
                            self.to_client(&failure(&id, &format!("the server could not be asked: {why}")));
                        }
                    }
                }
            }
        }
        true
    }

    /// Writes to the server; says why that cannot be done.
    fn to_server(&self, outgoing: &Outgoing) -> Result<(), String> {
        match &mut *self.stdin.lock() {
            Some(stdin) => outgoing.write_line(stdin).map_err(|error| error.to_string()),
            None => Err("it has ended".to_owned()),
        }
    }

    /// Starts a server that has crashed again, and greets it as the client did, unless the client is about to.
    fn restart(self: &Arc<Self>, greets: bool) {
        {
            let mut link = self.link.lock();
            if link.restarts == 0 {
                return;
            }
            link.restarts -= 1;
        }
        match self.start() {
            Ok(stdin) => *self.stdin.lock() = Some(stdin),
            Err(error) => return (self.tell)(&format!("the server could not be started again: {error}")),
        }
        (self.tell)("the server was started again");
        if greets {
            return;
        }
        let (answered, waits) = mpsc::channel();
        let generation = self.generation();
        let (initialize, initialized) = {
            let mut hello = self.hello.lock();
            let initialize = hello.initialize.as_ref().and_then(|raw_message| again(raw_message, generation));
            let Some((id, initialize)) = initialize else { return };
            hello.replayed = Some((id, answered));
            (initialize, hello.initialized.clone())
        };
        if self.to_server(&initialize).is_ok() {
            // The sender is dropped where the server ends before it answers. One that does not answer in time gets the
            // request that follows all the same.
            let _ = waits.recv_timeout(OWED);
            if let Some(initialized) = initialized {
                // Where it fails, so will the request that follows.
                let _ = self.to_server(&Outgoing::unchanged(initialized));
            }
        }
    }

    fn to_client(&self, outgoing: &Outgoing) {
        if outgoing.write_line(&mut *self.client.lock()).is_err() {
            let _ = self.events.send(Event::ClientGone);
        }
    }

    /// Waits for answers of our own that are under way.
    fn finish_answers(&self) {
        let (count, changed) = &self.answers;
        changed.wait_while_for(&mut count.lock(), |count| *count > 0, OWED);
    }

    // ── The server ───────────────────────────────────────────────────────────────────────────────────────────────

    fn read_server(&self, mut lines: MessageReader<impl Read>) {
        loop {
            let raw_message = match lines.next() {
                Ok(Some(raw_message)) => raw_message,
                Ok(None) => return,
                Err(error) => return (self.tell)(&format!("the server cannot be read: {error}")),
            };
            if let Err(malformed) = raw_message.outline() {
                let bytes = raw_message.len();
                (self.tell)(&format!("skipped {bytes} bytes of the server's stdout that are no message: {malformed}"));
                continue;
            }
            let _ = self.events.send(Event::ServerSpoke);
            if !self.is_replayed(&raw_message) {
                self.to_client(&self.session.server_said(raw_message, &mut Exchange::default()));
            }
        }
    }

    /// Whether this answers a handshake of our own.
    fn is_replayed(&self, raw_message: &RawMessage) -> bool {
        let mut hello = self.hello.lock();
        let Some((id, _)) = &hello.replayed else { return false };
        let answers = views(raw_message).any(|view| view.answers(id));
        if answers && let Some((_, answered)) = hello.replayed.take() {
            let _ = answered.send(());
        }
        answers
    }

    /// Lets the server know that nothing more will come. Where something is being written to it that it does not read,
    /// only its end will.
    fn hang_up(&self) {
        self.link.lock().over = true;
        if let Some(mut stdin) = self.stdin.try_lock() {
            *stdin = None;
        }
    }

    /// Answers what the server still owed; the exit code, unless it is started again with the next request.
    fn server_ended(&self, status: ExitStatus, leaving: bool) -> Option<u8> {
        self.hello.lock().replayed = None;
        if let Some(mut stdin) = self.stdin.try_lock() {
            *stdin = None;
        }
        let again = {
            let mut link = self.link.lock();
            link.group = None;
            link.runs = false;
            let crashed = !status.success() && self.session.is_greeted() || self.session.is_probed();
            let again = !leaving && crashed && link.restarts > 0;
            link.over = !again;
            again
        };
        let how = process::describe(status);
        let next = if again { "; it is started again with the next request" } else { "" };
        if !again && !leaving && !self.session.is_greeted() {
            let command = self.command.to_string();
            (self.tell)(&format!(
                "`{command}` ended ({how}) before it answered anything: is it an MCP server on pipes?"
            ));
        } else if again || !status.success() && !leaving {
            (self.tell)(&format!("the server ended ({how}){next}"));
        }
        for id in self.session.forget_all() {
            self.to_client(&failure(&id, &format!("the server ended ({how}) before it answered{next}")));
        }
        for id in self.session.forget_server() {
            self.to_client(&Outgoing::own(format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{},\
                 \"reason\":\"the server ended ({how})\"}}}}",
                id.json()
            )));
        }
        (!again).then(|| process::exit_code(status))
    }
}

/// The client's handshake under an id of our own.
fn again(raw_message: &RawMessage, generation: u32) -> Option<(RequestId, Outgoing)> {
    let id = format!("\"offcut-restart-{generation}\"");
    let outgoing = views(raw_message).find_map(|view| view.with_id(&id))?;
    Some((RequestId::read(id.as_bytes())?, outgoing))
}

/// An answer that says that there is none.
pub(crate) fn failure(id: &RequestId, message: &str) -> Outgoing {
    let message = serde_json::Value::from(message);
    Outgoing::own(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{SERVER_ERROR},\"message\":{message}}}}}",
        id.json()
    ))
}

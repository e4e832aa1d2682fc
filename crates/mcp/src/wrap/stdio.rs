//! A client on our own pipes, a server in a process below us.
//!
//! One thread reads the client, one the server; each hands what it reads to the [`Session`] and writes what that says.
//! A third loop hears of ends (the client's, the server's, a signal) and decides what follows.

use std::io::{self, Read, Write};
use std::process::{ChildStdin, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::child::{self, Group, ServerCommand, Started};
use super::seen::seen;
use super::session::{Exchange, Session, Step};
use super::{Teller, WrapError};
use crate::wire::id::RequestId;
use crate::wire::lines::Lines;
use crate::wire::outgoing::Outgoing;
use crate::wire::parcel::Parcel;

/// How long a server may go on after the client has left.
const GRACE: Duration = Duration::from_secs(2);

/// How long it may go on where it still owes answers, since its last word.
const OWED: Duration = Duration::from_secs(30);

/// How long what a server started may keep its pipe open without a word after it has ended itself.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often deadlines are looked at.
const TICK: Duration = Duration::from_millis(50);

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
    /// The server of this generation has ended.
    ServerExited(u32, ExitStatus),
    /// Somebody asked us to end, by this signal.
    Stop(i32),
}

/// Asks a running wrap to end; clones are one and the same.
#[derive(Debug, Clone)]
pub struct Stop(Sender<Event>);

impl Stop {
    /// Ends it as the signal `number` would.
    pub fn stop(&self, number: i32) {
        // It may have ended meanwhile.
        let _ = self.0.send(Event::Stop(number));
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
    link: Mutex<Link>,
    /// The client's handshake, for a server that is started again.
    hello: Mutex<Hello>,
    answers: (Mutex<usize>, Condvar),
    events: Sender<Event>,
    tell: Teller,
}

/// The way to the server.
struct Link {
    /// Where it reads; none where it has ended, or is to end.
    stdin: Option<ChildStdin>,
    group: Option<Group>,
    generation: u32,
    restarts: u32,
    /// Whether it is over for good.
    over: bool,
}

#[derive(Default)]
struct Hello {
    initialize: Option<Parcel>,
    initialized: Option<Parcel>,
    /// The id of a handshake of our own, and who waits for its answer.
    replayed: Option<(RequestId, Sender<()>)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Piped {
    pub(crate) fn new(session: Session, command: ServerCommand, restarts: u32, tell: Teller) -> Piped {
        let (sender, events) = mpsc::channel();
        let shared = Shared {
            session,
            command,
            client: Mutex::new(Box::new(io::sink())),
            link: Mutex::new(Link { stdin: None, group: None, generation: 0, restarts, over: false }),
            hello: Mutex::default(),
            answers: (Mutex::new(0), Condvar::new()),
            events: sender,
            tell,
        };
        Piped { shared: Arc::new(shared), events }
    }

    /// A way to end it from outside.
    pub fn stopper(&self) -> Stop {
        Stop(self.shared.events.clone())
    }

    /// Starts the server and passes messages on until one side has ended; the exit code is the server's.
    pub fn run(
        self,
        client_in: impl Read + Send + 'static,
        client_out: impl Write + Send + 'static,
    ) -> Result<u8, WrapError> {
        *lock(&self.shared.client) = Box::new(client_out);
        let shared = Arc::downgrade(&self.shared);
        self.shared.session.connect(Box::new(move |message| {
            shared.upgrade().iter().for_each(|shared| shared.to_client(message));
        }));
        self.shared.start(&mut lock(&self.shared.link))?;
        let shared = self.shared.clone();
        std::thread::spawn(move || shared.read_client(Lines::new(client_in)));
        let code = self.decide();
        self.shared.finish_answers();
        // The thread that reads the client may wait for ever; the client must hear that it is over.
        *lock(&self.shared.client) = Box::new(io::sink());
        Ok(code)
    }

    /// Hears of ends until all is over.
    fn decide(&self) -> u8 {
        let shared = &self.shared;
        let (mut exited, mut closed) = (None, false);
        let mut leaving: Option<(Instant, Option<i32>)> = None;
        let mut asked = false;
        let mut spoke = Instant::now();
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::ServerSpoke) => spoke = Instant::now(),
                Ok(Event::ClientGone) => {
                    shared.hang_up();
                    leaving = leaving.or(Some((Instant::now(), None)));
                }
                Ok(Event::Stop(signal)) => {
                    leaving = Some((Instant::now(), Some(signal)));
                    lock(&shared.link).over = true;
                }
                Ok(Event::ServerExited(generation, status)) if generation == shared.generation() => {
                    exited = Some((status, Instant::now()));
                }
                Ok(Event::ServerClosed(generation)) if generation == shared.generation() => closed = true,
                Ok(Event::ServerExited(..) | Event::ServerClosed(_)) => {}
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return 1,
            }
            let group = lock(&shared.link).group;
            match (exited, leaving) {
                (Some((status, _)), _) if closed => {
                    (exited, closed) = (None, false);
                    if let Some(code) = shared.server_ended(status, leaving.is_some()) {
                        return leaving.and_then(|(_, signal)| signal).map_or(code, by_signal);
                    }
                }
                (Some((_, at)), _) if at.elapsed() > PATIENCE.max(at.saturating_duration_since(spoke)) => {
                    group.iter().for_each(|group| group.kill());
                }
                (None, Some((since, signal))) => {
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

fn by_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

impl Shared {
    fn generation(&self) -> u32 {
        lock(&self.link).generation
    }

    /// Starts the server, and the threads that read it and wait for it.
    fn start(self: &Arc<Self>, link: &mut Link) -> Result<(), WrapError> {
        let started = self.command.start().map_err(|source| WrapError::Start {
            program: self.command.program.to_string_lossy().into_owned(),
            source,
        })?;
        let Started { group, stdin, stdout, mut child } = started;
        link.generation += 1;
        link.stdin = Some(stdin);
        link.group = Some(group);
        let generation = link.generation;
        let shared = self.clone();
        std::thread::spawn(move || {
            shared.read_server(Lines::new(stdout));
            let _ = shared.events.send(Event::ServerClosed(generation));
        });
        let events = self.events.clone();
        std::thread::spawn(move || {
            group.wait();
            if let Ok(status) = child.wait() {
                let _ = events.send(Event::ServerExited(generation, status));
            }
        });
        Ok(())
    }

    // ── The client ───────────────────────────────────────────────────────────────────────────────────────────────

    fn read_client(self: &Arc<Self>, mut lines: Lines<impl Read>) {
        loop {
            match lines.next() {
                Ok(Some(parcel)) => {
                    self.note_hello(&parcel);
                    if !self.pass_to_server(parcel) {
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
        // Nobody listens any more where this fails.
        let _ = self.events.send(Event::ClientGone);
    }

    /// Keeps the client's handshake.
    fn note_hello(&self, parcel: &Parcel) {
        for seen in seen(parcel) {
            match seen.text(&["method"]).as_deref() {
                Some("initialize") => lock(&self.hello).initialize = Some(parcel.clone()),
                Some("notifications/initialized") => lock(&self.hello).initialized = Some(parcel.clone()),
                _ => {}
            }
        }
    }

    /// Passes a client's message on; says whether there will ever be somebody to pass the next one to.
    fn pass_to_server(self: &Arc<Self>, parcel: Parcel) -> bool {
        let mut link = lock(&self.link);
        if link.over {
            return false;
        }
        let is_request = seen(&parcel).any(|seen| seen.is_request());
        if link.stdin.is_none() && is_request {
            link = self.restart(link);
        }
        for step in self.session.client_said(parcel.clone(), &mut Exchange::default()) {
            match step {
                Step::Answer(call) => {
                    *lock(&self.answers.0) += 1;
                    let shared = self.clone();
                    std::thread::spawn(move || {
                        shared.to_client(&call.answer(&shared.session));
                        *lock(&shared.answers.0) -= 1;
                        shared.answers.1.notify_all();
                    });
                }
                Step::Forward(outgoing) => {
                    let written = match &mut link.stdin {
                        Some(stdin) => outgoing.write_line(stdin).map_err(|error| error.to_string()),
                        None => Err("it has ended".to_owned()),
                    };
                    if let Err(why) = written {
                        for id in self.session.forget(&parcel) {
                            self.to_client(&failure(&id, &format!("the server could not be asked: {why}")));
                        }
                    }
                }
            }
        }
        true
    }

    /// Starts a server that has crashed again, and greets it as the client did.
    fn restart<'l>(self: &'l Arc<Self>, mut link: MutexGuard<'l, Link>) -> MutexGuard<'l, Link> {
        if link.restarts == 0 {
            return link;
        }
        link.restarts -= 1;
        if let Err(error) = self.start(&mut link) {
            (self.tell)(&format!("the server could not be started again: {error}"));
            return link;
        }
        (self.tell)("the server was started again");
        let (answered, waits) = mpsc::channel();
        let hello = {
            let mut hello = lock(&self.hello);
            let initialize = hello.initialize.as_ref().and_then(|parcel| again(parcel, link.generation));
            let Some((id, initialize)) = initialize else { return link };
            hello.replayed = Some((id, answered));
            (initialize, hello.initialized.clone())
        };
        let (initialize, initialized) = hello;
        if let Some(stdin) = &mut link.stdin
            && initialize.write_line(stdin).is_ok()
        {
            drop(link);
            // The sender is dropped where the server ends before it answers.
            let _ = waits.recv();
            link = lock(&self.link);
            if let (Some(stdin), Some(initialized)) = (&mut link.stdin, initialized) {
                // Where it fails, so will the request that follows.
                let _ = Outgoing::unchanged(initialized).write_line(stdin);
            }
        }
        link
    }

    fn to_client(&self, outgoing: &Outgoing) {
        if outgoing.write_line(&mut *lock(&self.client)).is_err() {
            let _ = self.events.send(Event::ClientGone);
        }
    }

    /// Waits for answers of our own that are under way.
    fn finish_answers(&self) {
        let (count, changed) = &self.answers;
        let _unused = changed.wait_timeout_while(lock(count), OWED, |count| *count > 0);
    }

    // ── The server ───────────────────────────────────────────────────────────────────────────────────────────────

    fn read_server(&self, mut lines: Lines<impl Read>) {
        loop {
            let parcel = match lines.next() {
                Ok(Some(parcel)) => parcel,
                Ok(None) => return,
                Err(error) => return (self.tell)(&format!("the server cannot be read: {error}")),
            };
            if let Err(malformed) = parcel.outline() {
                let bytes = parcel.len();
                (self.tell)(&format!("skipped {bytes} bytes of the server's stdout that are no message: {malformed}"));
                continue;
            }
            let _ = self.events.send(Event::ServerSpoke);
            if !self.is_replayed(&parcel) {
                self.to_client(&self.session.server_said(parcel, &mut Exchange::default()));
                self.session.news().iter().for_each(|news| self.to_client(news));
            }
        }
    }

    /// Whether this answers a handshake of our own.
    fn is_replayed(&self, parcel: &Parcel) -> bool {
        let mut hello = lock(&self.hello);
        let Some((id, _)) = &hello.replayed else { return false };
        let answers = seen(parcel).any(|seen| seen.answers(id));
        if answers && let Some((_, answered)) = hello.replayed.take() {
            let _ = answered.send(());
        }
        answers
    }

    /// Lets the server know that nothing more will come.
    fn hang_up(&self) {
        let mut link = lock(&self.link);
        link.over = true;
        link.stdin = None;
    }

    /// Answers what the server still owed; the exit code, unless it is started again with the next request.
    fn server_ended(&self, status: ExitStatus, leaving: bool) -> Option<u8> {
        lock(&self.hello).replayed = None;
        let again = {
            let mut link = lock(&self.link);
            link.stdin = None;
            link.group = None;
            let again = !leaving && !status.success() && link.restarts > 0 && self.session.is_greeted();
            link.over = !again;
            again
        };
        let how = child::ended(status);
        let next = if again { "; it is started again with the next request" } else { "" };
        if again || !status.success() && !leaving {
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
        (!again).then(|| child::exit_code(status))
    }
}

/// The client's handshake under an id of our own.
fn again(parcel: &Parcel, generation: u32) -> Option<(RequestId, Outgoing)> {
    let id = format!("\"offcut-restart-{generation}\"");
    let outgoing = seen(parcel).find_map(|seen| seen.with_id(&id))?;
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

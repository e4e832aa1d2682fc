//! Several servers as one: their tools and prompts under a prefix each, everything else by where it belongs.
//!
//! Each server stands behind a wrap of its own, in a thread of its own, on pipes; the hub reads and writes lines. What
//! concerns one server is passed on to it with the prefix taken off; what concerns all (the handshake, listings) is
//! asked of each, and the answers become one.

mod client;
mod server;

mod gather;
mod listen;
mod revision;

use std::collections::BTreeMap;
use std::io::{self, PipeWriter, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Instant;

use offcut_core::causes::with_causes;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use self::gather::Fan;
use self::listen::Listen;
use super::servers::{Reach, Server};
use super::session::Session;
use super::stdio::{GRACE, OWED, Stop, TICK, by_signal};
use super::view::{MessageView, views};
use super::{Teller, Wrap, WrapError};
use crate::wire::id::RequestId;
use crate::wire::lines::MessageReader;
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;

/// JSON-RPC's code for a method that nobody has.
const NO_METHOD: i32 = -32601;

/// JSON-RPC's code for something that nobody has under the name that was given.
const BAD_PARAMS: i32 = -32602;

/// How many tasks are remembered by the server that runs them.
const MOST_TASKS: usize = 4096;

/// A wrap around several servers.
pub struct Hub {
    shared: Arc<Shared>,
    servers: Vec<Server>,
    wrap: Wrap,
    events: Receiver<Event>,
    sender: Sender<Event>,
}

/// What ends a hub.
enum Event {
    /// The client has closed its end.
    ClientGone,
    /// Somebody asked us to end, by this signal.
    Stop(i32),
}

struct Shared {
    /// Answers calls of our own tools.
    host: Session,
    peers: Vec<Peer>,
    client: Mutex<Box<dyn Write + Send>>,
    state: Mutex<HubState>,
    /// Answers of our own that are under way.
    answers: Mutex<Vec<JoinHandle<()>>>,
    tell: Teller,
}

/// A server as the hub sees it.
struct Peer {
    name: String,
    prefix: String,
    to: Mutex<Option<PipeWriter>>,
}

#[derive(Default)]
struct HubState {
    /// What was asked of several servers at once.
    fans: BTreeMap<RequestId, Fan>,
    /// Which server a request went to.
    routes: Routes,
    /// Which server runs a task.
    tasks: BTreeMap<String, usize>,
    /// Which server has a resource, and in which list it stands.
    uris: BTreeMap<String, (usize, &'static str)>,
    /// What each server is.
    known: Vec<ServerInfo>,
    /// Subscriptions of a client without a handshake.
    listens: BTreeMap<RequestId, Listen>,
    /// Whether the servers were asked what they can do, for a client without a handshake.
    discovery: Discovery,
    /// Requests that came before that was known.
    early: Vec<RawMessage>,
    /// Whether the client has shaken hands.
    greeted: bool,
    /// Whether it is over.
    over: bool,
}

/// The requests that went to one server each. An id that is used again before it was answered does not take the place of
/// the first.
#[derive(Default)]
struct Routes(BTreeMap<RequestId, Vec<Route>>);

impl Routes {
    fn insert(&mut self, id: RequestId, route: Route) {
        self.0.entry(id).or_default().push(route);
    }

    /// Takes out the oldest request under `id` for which `wanted` holds.
    fn take(&mut self, id: &RequestId, wanted: impl Fn(&Route) -> bool) -> Option<Route> {
        let routes = self.0.get_mut(id)?;
        let at = routes.iter().position(wanted)?;
        let route = routes.remove(at);
        if routes.is_empty() {
            self.0.remove(id);
        }
        Some(route)
    }

    /// Takes out all that went to the server `at`.
    fn take_all(&mut self, at: usize) -> Vec<RequestId> {
        let mut taken = Vec::new();
        for (id, routes) in &mut self.0 {
            let before = routes.len();
            routes.retain(|route| route.at != at);
            taken.extend(std::iter::repeat_n(id.clone(), before - routes.len()));
        }
        self.0.retain(|_, routes| !routes.is_empty());
        taken
    }
}

/// A request that went to one server.
struct Route {
    at: usize,
    /// Its method, where the answer has to be made one of the revision without a handshake.
    dress: Option<String>,
}

/// What is known of a server.
#[derive(Default, Clone)]
struct ServerInfo {
    capabilities: Map<String, Value>,
    /// Its answer to a handshake of our own, where the client needs none but it does.
    greeting: Option<Value>,
}

/// How far a client without a handshake has got with the servers.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Discovery {
    #[default]
    NotYet,
    UnderWay,
    Done,
}

impl Hub {
    pub(crate) fn new(wrap: Wrap, servers: Vec<Server>) -> Hub {
        let peers = servers
            .iter()
            .map(|server| Peer { name: server.name.clone(), prefix: server.prefix.clone(), to: Mutex::new(None) })
            .collect();
        let shared = Shared {
            host: wrap.session(),
            peers,
            client: Mutex::new(Box::new(io::sink())),
            state: Mutex::new(HubState { known: vec![ServerInfo::default(); servers.len()], ..HubState::default() }),
            answers: Mutex::default(),
            tell: wrap.tell.clone(),
        };
        let (sender, events) = mpsc::channel();
        Hub { shared: Arc::new(shared), servers, wrap, events, sender }
    }

    /// A way to end it from outside.
    pub fn stopper(&self) -> Stop {
        let events = self.sender.clone();
        // It may have ended meanwhile.
        Stop::by(move |signal| drop(events.send(Event::Stop(signal))))
    }

    /// Starts the servers and passes messages on until the client has left, or we are asked to end; 0, or 128 and the
    /// signal.
    pub fn run(
        self,
        client_in: impl Read + Send + 'static,
        client_out: impl Write + Send + 'static,
    ) -> Result<u8, WrapError> {
        *self.shared.client.lock() = Box::new(client_out);
        let shared = Arc::downgrade(&self.shared);
        self.shared.host.connect(Box::new(move |message| {
            shared.upgrade().iter().for_each(|shared| shared.say(message));
        }));
        let mut threads = Vec::new();
        let mut stops = Vec::new();
        for (at, server) in self.servers.iter().enumerate() {
            match self.start(at, server) {
                Ok((thread, stop)) => {
                    threads.push(thread);
                    stops.extend(stop);
                }
                Err(error) if self.servers.len() == 1 => return Err(error),
                Err(error) => (self.shared.tell)(&format!("`{}` is left out: {error}", server.name)),
            }
        }
        let (shared, events) = (self.shared.clone(), self.sender.clone());
        std::thread::spawn(move || {
            let mut lines = MessageReader::new(client_in);
            while let Ok(Some(raw_message)) = lines.next() {
                shared.client_said(raw_message);
            }
            // Nobody listens any more where this fails.
            let _ = events.send(Event::ClientGone);
        });
        let signal = self.leave(&threads, &stops);
        // The thread that reads the client may wait for ever; the client must hear that it is over.
        *self.shared.client.lock() = Box::new(io::sink());
        Ok(signal.map_or(0, by_signal))
    }

    /// Waits until it is to end and everybody has; the signal, if it was one.
    fn leave(&self, threads: &[JoinHandle<()>], stops: &[Stop]) -> Option<i32> {
        let mut signal = None;
        let mut leaving: Option<Instant> = None;
        loop {
            match self.events.recv_timeout(TICK) {
                Ok(Event::ClientGone) => {
                    self.shared.host.client_left(false);
                    leaving = leaving.or(Some(Instant::now()));
                }
                Ok(Event::Stop(number)) => {
                    signal = Some(number);
                    leaving = Some(Instant::now());
                    self.shared.host.client_left(true);
                    stops.iter().for_each(|stop| stop.stop(number));
                }
                Err(_) => {}
            }
            let Some(since) = leaving else { continue };
            self.shared.state.lock().over = true;
            for peer in &self.shared.peers {
                // Somebody may be writing what the server does not read; then only its end ends that.
                if let Some(mut to) = peer.to.try_lock() {
                    *to = None;
                }
            }
            let answered = self.shared.answers.lock().iter().all(JoinHandle::is_finished) || since.elapsed() > OWED;
            let late = signal.is_some() && since.elapsed() > 3 * GRACE;
            if late || answered && threads.iter().all(JoinHandle::is_finished) {
                return signal;
            }
        }
    }

    /// Starts one server behind a wrap of its own.
    fn start(&self, at: usize, server: &Server) -> Result<(JoinHandle<()>, Option<Stop>), WrapError> {
        let (name, general) = (server.name.clone(), self.shared.tell.clone());
        let tell: Teller = Arc::new(move |what| general(&format!("`{name}`: {what}")));
        let rules = Arc::new(server.rules.clone());
        let wrap = Wrap { rules, guest: true, tell: tell.clone(), ..self.wrap.clone() };
        let pipe = || io::pipe().map_err(WrapError::Runtime);
        let ((its_in, to), (from, its_out)) = (pipe()?, pipe()?);
        let mut stop = None;
        let run: Box<dyn FnOnce() -> Result<u8, WrapError> + Send> = match &server.reach {
            Reach::Command(command) => {
                let piped = wrap.piped(command.clone());
                stop = Some(piped.stopper());
                Box::new(move || piped.run(its_in, its_out))
            }
            Reach::Remote(remote) => {
                let calling = wrap.calling(remote)?;
                Box::new(move || calling.run(its_in, its_out))
            }
        };
        let peer = self.shared.peers.get(at).ok_or(WrapError::Runtime(io::ErrorKind::NotFound.into()))?;
        *peer.to.lock() = Some(to);
        let shared = self.shared.clone();
        std::thread::spawn(move || {
            let mut lines = MessageReader::new(from);
            while let Ok(Some(raw_message)) = lines.next() {
                shared.server_said(at, &raw_message);
            }
            shared.gone(at);
        });
        let thread = std::thread::spawn(move || {
            if let Err(error) = run() {
                tell(&with_causes(&error));
            }
        });
        Ok((thread, stop))
    }
}

impl Shared {
    fn say(&self, message: &Outgoing) {
        // A client that reads no longer has closed its other end too, or will.
        let _ = message.write_line(&mut *self.client.lock());
    }

    fn answer(&self, id: &RequestId, result: &Value) {
        self.say(&Outgoing::own(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", id.json())));
    }

    fn refuse(&self, id: &RequestId, code: i32, message: &str) {
        self.say(&refusal(id, code, message));
    }

    /// Tells the client that a list has changed.
    fn tell_changed(&self, list: &str) {
        self.say(&Outgoing::own(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/{list}/list_changed\"}}")));
    }

    /// Writes to a server; says whether it is there.
    fn tell_server(&self, at: usize, message: &Outgoing) -> bool {
        let Some(peer) = self.peers.get(at) else { return false };
        let mut to = peer.to.lock();
        let written = to.as_mut().is_some_and(|to| message.write_line(to).is_ok());
        if !written {
            *to = None;
        }
        written
    }

    fn name(&self, at: usize) -> &str {
        self.peers.get(at).map_or("", |peer| &peer.name)
    }

    fn alive(&self) -> Vec<usize> {
        let alive = |at: &usize| self.peers.get(*at).is_some_and(|peer| peer.to.lock().is_some());
        (0..self.peers.len()).filter(alive).collect()
    }

    /// The servers that can do something.
    fn with(&self, capability: &str) -> Vec<usize> {
        let alive = self.alive();
        let state = self.state.lock();
        let can = |at: &usize| state.known.get(*at).is_some_and(|known| known.capabilities.contains_key(capability));
        alive.into_iter().filter(can).collect()
    }
}

/// The id under which the client is asked what a server asks under `id`.
fn asked_by(at: usize, id: &RequestId) -> String {
    Value::from(format!("offcut-server-{at}:{}", id.json())).to_string()
}

/// An answer that refuses.
fn refusal(id: &RequestId, code: i32, message: &str) -> Outgoing {
    let message = Value::from(message);
    Outgoing::own(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{code},\"message\":{message}}}}}",
        id.json()
    ))
}

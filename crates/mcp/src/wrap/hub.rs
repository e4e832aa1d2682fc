//! Several servers as one: their tools and prompts under a prefix each, everything else by where it belongs.
//!
//! Each server stands behind a wrap of its own, in a thread of its own, on pipes; the hub reads and writes lines. What
//! concerns one server is passed on to it with the prefix taken off; what concerns all (the handshake, listings) is
//! asked of each, and the answers become one.

use std::collections::BTreeMap;
use std::io::{self, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::{Map, Value, json};

use super::names::OwnTool;
use super::seen::{Seen, seen};
use super::servers::{Reach, Server};
use super::session::{Exchange, Session, Step};
use super::stdio::failure;
use super::{Teller, Wrap, WrapError};
use crate::wire::id::RequestId;
use crate::wire::lines::Lines;
use crate::wire::outgoing::{Edit, Outgoing};
use crate::wire::parcel::Parcel;

/// JSON-RPC's code for a method that nobody has.
const NO_METHOD: i32 = -32601;

/// A wrap around several servers.
pub struct Hub {
    shared: Arc<Shared>,
    servers: Vec<Server>,
    wrap: Wrap,
}

struct Shared {
    /// Answers calls of our own tools.
    host: Session,
    peers: Vec<Peer>,
    client: Mutex<Box<dyn Write + Send>>,
    state: Mutex<State>,
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
struct State {
    /// What was asked of several servers at once.
    fans: BTreeMap<RequestId, Fan>,
    /// Which server a request went to.
    routes: BTreeMap<RequestId, usize>,
    /// Which server has a resource.
    uris: BTreeMap<String, usize>,
    /// What each server can do.
    capabilities: Vec<Map<String, Value>>,
}

/// A request to several servers, as far as it is answered.
struct Fan {
    what: Gathered,
    request: Parcel,
    /// What each has said so far.
    said: BTreeMap<usize, Vec<Value>>,
    /// Those that have more to say.
    missing: Vec<usize>,
}

/// What several answers become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gathered {
    Handshake,
    /// One list of all lists under this key.
    List(&'static str),
    /// Nothing but that it was done.
    Done,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
            state: Mutex::new(State { capabilities: vec![Map::new(); servers.len()], ..State::default() }),
            answers: Mutex::default(),
            tell: wrap.tell.clone(),
        };
        Hub { shared: Arc::new(shared), servers, wrap }
    }

    /// Starts the servers and passes messages on until the client has left; 0 unless no server could be started.
    pub fn run(
        self,
        client_in: impl Read + Send + 'static,
        client_out: impl Write + Send + 'static,
    ) -> Result<u8, WrapError> {
        *lock(&self.shared.client) = Box::new(client_out);
        let mut threads = Vec::new();
        for (at, server) in self.servers.iter().enumerate() {
            match self.start(at, server) {
                Ok(thread) => threads.push(thread),
                Err(error) if self.servers.len() == 1 => return Err(error),
                Err(error) => (self.shared.tell)(&format!("`{}` is left out: {error}", server.name)),
            }
        }
        let mut lines = Lines::new(client_in);
        while let Ok(Some(parcel)) = lines.next() {
            self.shared.client_said(parcel);
        }
        self.shared.peers.iter().for_each(|peer| *lock(&peer.to) = None);
        // A thread that panicked has nothing more to say.
        let answers = std::mem::take(&mut *lock(&self.shared.answers));
        threads.into_iter().chain(answers).for_each(|thread| drop(thread.join()));
        *lock(&self.shared.client) = Box::new(io::sink());
        Ok(0)
    }

    /// Starts one server behind a wrap of its own.
    fn start(&self, at: usize, server: &Server) -> Result<JoinHandle<()>, WrapError> {
        let wrap = Wrap { rules: Arc::new(server.rules.clone()), guest: true, ..self.wrap.clone() };
        let pipe = || io::pipe().map_err(WrapError::Runtime);
        let ((its_in, to), (from, its_out)) = (pipe()?, pipe()?);
        let (name, tell) = (server.name.clone(), self.shared.tell.clone());
        let run: Box<dyn FnOnce() -> Result<u8, WrapError> + Send> = match &server.reach {
            Reach::Command(command) => {
                let piped = wrap.piped(command.clone());
                Box::new(move || piped.run(its_in, its_out))
            }
            Reach::Remote(remote) => {
                let calling = wrap.calling(remote)?;
                Box::new(move || calling.run(its_in, its_out))
            }
        };
        *lock(&self.shared.peers.get(at).ok_or(WrapError::Runtime(io::ErrorKind::NotFound.into()))?.to) = Some(to);
        let shared = self.shared.clone();
        std::thread::spawn(move || {
            let mut lines = Lines::new(from);
            while let Ok(Some(parcel)) = lines.next() {
                shared.server_said(at, parcel);
            }
            shared.gone(at);
        });
        Ok(std::thread::spawn(move || {
            if let Err(error) = run() {
                tell(&format!("`{name}`: {error}"));
            }
        }))
    }
}

impl Shared {
    fn say(&self, message: &Outgoing) {
        // A client that reads no longer has closed its other end too, or will.
        let _ = message.write_line(&mut *lock(&self.client));
    }

    fn answer(&self, id: &RequestId, result: &Value) {
        self.say(&Outgoing::own(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", id.json())));
    }

    fn refuse(&self, id: &RequestId, code: i32, message: &str) {
        let message = Value::from(message);
        self.say(&Outgoing::own(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{{\"code\":{code},\"message\":{message}}}}}",
            id.json()
        )));
    }

    /// Writes to a server; says whether it is there.
    fn tell_server(&self, at: usize, message: &Outgoing) -> bool {
        let Some(peer) = self.peers.get(at) else { return false };
        let mut to = lock(&peer.to);
        let written = to.as_mut().is_some_and(|to| message.write_line(to).is_ok());
        if !written {
            *to = None;
        }
        written
    }

    fn alive(&self) -> Vec<usize> {
        let alive = |at: &usize| self.peers.get(*at).is_some_and(|peer| lock(&peer.to).is_some());
        (0..self.peers.len()).filter(alive).collect()
    }

    // ── From the client ──────────────────────────────────────────────────────────────────────────────────────────

    fn client_said(self: &Arc<Self>, parcel: Parcel) {
        let messages: Vec<Parcel> = seen(&parcel).filter_map(|seen| seen.alone()).collect();
        for message in messages {
            // There is exactly one in it.
            if let Some(one) = seen(&message).next() {
                self.route(&message, &one);
            }
        }
    }

    fn route(self: &Arc<Self>, parcel: &Parcel, one: &Seen<'_>) {
        let whole = Outgoing::unchanged(parcel.clone());
        let id = one.id();
        let Some(method) = one.text(&["method"]) else { return self.answered(one, id) };
        let Some(id) = id else {
            let route = one.raw(&["params", "requestId"]).and_then(|raw| RequestId::read(raw.as_bytes()));
            let route = route.and_then(|id| lock(&self.state).routes.get(&id).copied());
            let all = || self.alive();
            let to = if method == "notifications/cancelled" { route.map_or_else(all, |at| vec![at]) } else { all() };
            for at in to {
                self.tell_server(at, &whole);
            }
            return;
        };
        match method.as_str() {
            "ping" => self.answer(&id, &json!({})),
            "initialize" => self.fan(id, Gathered::Handshake, parcel, self.alive()),
            "tools/list" => self.fan(id, Gathered::List("tools"), parcel, self.with("tools")),
            "prompts/list" => self.fan(id, Gathered::List("prompts"), parcel, self.with("prompts")),
            "resources/list" => self.fan(id, Gathered::List("resources"), parcel, self.with("resources")),
            "resources/templates/list" => {
                self.fan(id, Gathered::List("resourceTemplates"), parcel, self.with("resources"));
            }
            "logging/setLevel" => self.fan(id, Gathered::Done, parcel, self.with("logging")),
            "tools/call" => self.call(id, parcel, one),
            "prompts/get" => self.named(&id, parcel, one, &["params", "name"]),
            "completion/complete" if one.text(&["params", "ref", "name"]).is_some() => {
                self.named(&id, parcel, one, &["params", "ref", "name"]);
            }
            "completion/complete" => self.at_uri(&id, parcel, one.text(&["params", "ref", "uri"])),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                self.at_uri(&id, parcel, one.text(&["params", "uri"]));
            }
            _ => self.refuse(&id, NO_METHOD, &format!("Method not found: {method}")),
        }
    }

    /// The servers that can do something.
    fn with(&self, capability: &str) -> Vec<usize> {
        let state = lock(&self.state);
        let can = |at: &usize| state.capabilities.get(*at).is_some_and(|can| can.contains_key(capability));
        self.alive().into_iter().filter(can).collect()
    }

    /// A client's answer to what a server asked.
    fn answered(&self, one: &Seen<'_>, id: Option<RequestId>) {
        let name = id.and_then(|id| serde_json::from_str::<String>(id.json()).ok()).unwrap_or_default();
        let Some((at, raw)) = name.strip_prefix("offcut-server-").and_then(|rest| rest.split_once(':')) else { return };
        if let (Ok(at), Some(message)) = (at.parse(), one.with_id(raw)) {
            self.tell_server(at, &message);
        }
    }

    fn call(self: &Arc<Self>, id: RequestId, parcel: &Parcel, one: &Seen<'_>) {
        let name = one.text(&["params", "name"]).unwrap_or_default();
        if !OwnTool::ALL.iter().any(|tool| tool.name() == name) {
            return self.named(&id, parcel, one, &["params", "name"]);
        }
        for step in self.host.own_call(parcel.clone(), &mut Exchange::default()) {
            if let Step::Answer(call) = step {
                let shared = self.clone();
                let answer = std::thread::spawn(move || shared.say(&call.answer(&shared.host)));
                let mut answers = lock(&self.answers);
                answers.retain(|answer| !answer.is_finished());
                answers.push(answer);
            }
        }
    }

    /// Passes a request on to the server whose prefix its name has, without it.
    fn named(&self, id: &RequestId, parcel: &Parcel, one: &Seen<'_>, path: &[&str]) {
        let name = one.text(path).unwrap_or_default();
        let fitting = self.peers.iter().enumerate().filter_map(|(at, peer)| {
            let rest = name.strip_prefix(peer.prefix.as_str())?.strip_prefix('_')?;
            Some((peer.prefix.len(), at, rest))
        });
        let (Some((_, at, rest)), Some(range)) = (fitting.max(), one.range(path)) else {
            return self.refuse(id, -32602, &format!("Unknown name: {name}"));
        };
        let edit = Edit::new(range, Value::from(rest).to_string());
        self.pass(id, at, &Outgoing::changed(parcel.clone(), vec![edit]));
    }

    /// Passes a request on to the server that has the resource; one that nobody listed, to the first that has any.
    fn at_uri(&self, id: &RequestId, parcel: &Parcel, uri: Option<String>) {
        let known = uri.and_then(|uri| {
            let state = lock(&self.state);
            let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme).to_owned() + ":";
            let near = || state.uris.iter().find(|(known, _)| known.starts_with(&scheme)).map(|(_, at)| *at);
            state.uris.get(&uri).copied().or_else(near)
        });
        match known.or_else(|| self.with("resources").first().copied()) {
            Some(at) => self.pass(id, at, &Outgoing::unchanged(parcel.clone())),
            None => self.refuse(id, NO_METHOD, "no server has resources"),
        }
    }

    fn pass(&self, id: &RequestId, at: usize, message: &Outgoing) {
        lock(&self.state).routes.insert(id.clone(), at);
        if !self.tell_server(at, message) {
            lock(&self.state).routes.remove(id);
            let name = self.peers.get(at).map_or("", |peer| &peer.name);
            self.say(&failure(id, &format!("the server `{name}` has ended")));
        }
    }

    // ── From the servers ─────────────────────────────────────────────────────────────────────────────────────────

    fn server_said(&self, at: usize, parcel: Parcel) {
        for one in seen(&parcel) {
            let (id, asks) = (one.id(), one.text(&["method"]).is_some());
            match id {
                Some(id) if asks => {
                    let named = Value::from(format!("offcut-server-{at}:{}", id.json())).to_string();
                    one.with_id(&named).iter().for_each(|message| self.say(message));
                }
                Some(id) if lock(&self.state).fans.contains_key(&id) => self.gather(at, &id, one.value()),
                id => {
                    if let Some(id) = id {
                        lock(&self.state).routes.remove(&id);
                    }
                    one.alone().iter().for_each(|message| self.say(&Outgoing::unchanged(message.clone())));
                }
            }
        }
    }

    /// A server will say nothing more.
    fn gone(&self, at: usize) {
        if let Some(peer) = self.peers.get(at) {
            *lock(&peer.to) = None;
        }
        let waiting: Vec<RequestId> = {
            let state = lock(&self.state);
            state.fans.iter().filter(|(_, fan)| fan.missing.contains(&at)).map(|(id, _)| id.clone()).collect()
        };
        waiting.iter().for_each(|id| self.gather(at, id, None));
    }

    /// Asks several servers the same.
    fn fan(&self, id: RequestId, what: Gathered, request: &Parcel, to: Vec<usize>) {
        let fan = Fan { what, request: request.clone(), said: BTreeMap::new(), missing: to.clone() };
        lock(&self.state).fans.insert(id.clone(), fan);
        let message = Outgoing::unchanged(request.clone());
        for at in &to {
            if !self.tell_server(*at, &message) {
                self.gather(*at, &id, None);
            }
        }
        if to.is_empty() {
            self.finish(&id);
        }
    }

    /// Takes one server's answer in; asks for its next page where there is one.
    fn gather(&self, at: usize, id: &RequestId, answer: Option<Value>) {
        let mut answer = answer.unwrap_or_default();
        let result = answer.get_mut("result").map(Value::take);
        let next = result.as_ref().and_then(|result| result.get("nextCursor")).filter(|next| next.is_string()).cloned();
        let again = {
            let mut state = lock(&self.state);
            let Some(fan) = state.fans.get_mut(id) else { return };
            if let Some(result) = result {
                fan.said.entry(at).or_default().push(result);
            }
            match next {
                Some(next) if matches!(fan.what, Gathered::List(_)) => Some((fan.request.clone(), next)),
                _ => {
                    fan.missing.retain(|missing| *missing != at);
                    None
                }
            }
        };
        if let Some((request, next)) = again {
            let mut request = seen(&request).find_map(|one| one.value()).unwrap_or_default();
            if let Value::Object(request) = &mut request
                && let Value::Object(params) = request.entry("params").or_insert_with(|| json!({}))
            {
                params.insert("cursor".to_owned(), next);
            }
            if self.tell_server(at, &Outgoing::own(request.to_string())) {
                return;
            }
            if let Some(fan) = lock(&self.state).fans.get_mut(id) {
                fan.missing.retain(|missing| *missing != at);
            }
        }
        let done = lock(&self.state).fans.get(id).is_some_and(|fan| fan.missing.is_empty());
        if done {
            self.finish(id);
        }
    }

    /// Makes one answer of all.
    fn finish(&self, id: &RequestId) {
        let Some(fan) = lock(&self.state).fans.remove(id) else { return };
        let result = match fan.what {
            Gathered::Done => json!({}),
            Gathered::List(key) => self.list(key, fan.said),
            Gathered::Handshake if fan.said.is_empty() => return self.say(&failure(id, "no server could be greeted")),
            Gathered::Handshake => self.greeting(fan.said),
        };
        self.answer(id, &result);
    }

    fn list(&self, key: &str, said: BTreeMap<usize, Vec<Value>>) -> Value {
        let mut all = Vec::new();
        for (at, pages) in said {
            let prefix = self.peers.get(at).map_or("", |peer| &peer.prefix);
            for mut page in pages {
                let Some(Value::Array(items)) = page.get_mut(key).map(Value::take) else { continue };
                for mut item in items {
                    let uri = item.get("uri").or_else(|| item.get("uriTemplate")).and_then(Value::as_str);
                    if let Some(uri) = uri {
                        lock(&self.state).uris.insert(uri.to_owned(), at);
                    } else if let Some(name) = item.get_mut("name") {
                        *name = format!("{prefix}_{}", name.as_str().unwrap_or_default()).into();
                    }
                    all.push(item);
                }
            }
        }
        if key == "tools" {
            let offcut = self.host.offcut();
            let kept = offcut.recall().list().is_ok_and(|kept| !kept.is_empty());
            let offered = OwnTool::ALL.into_iter().filter(|tool| *tool == OwnTool::GetArtifact || kept);
            all.extend(offered.filter_map(|tool| serde_json::from_str(&tool.definition(tool.name())).ok()));
        }
        json!({ key: all })
    }

    /// One server that can do what any of them can, in the oldest revision that one of them speaks.
    fn greeting(&self, said: BTreeMap<usize, Vec<Value>>) -> Value {
        let mut capabilities = Map::new();
        let mut versions = Vec::new();
        let mut instructions = Vec::new();
        for (at, result) in said.into_iter().filter_map(|(at, mut said)| Some((at, said.pop()?))) {
            let text = |key: &str| result.get(key).and_then(Value::as_str).map(str::to_owned);
            versions.extend(text("protocolVersion"));
            let name = self.peers.get(at).map_or("", |peer| &peer.name);
            instructions.extend(text("instructions").map(|said| format!("{name}: {said}")));
            let can = result.get("capabilities").and_then(Value::as_object).cloned().unwrap_or_default();
            for (key, value) in &can {
                match (capabilities.get_mut(key), value) {
                    (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
                    (Some(_), _) => {}
                    (None, value) => drop(capabilities.insert(key.clone(), value.clone())),
                }
            }
            if let Some(own) = lock(&self.state).capabilities.get_mut(at) {
                *own = can;
            }
        }
        capabilities.entry("tools").or_insert_with(|| json!({}));
        let mut greeting = json!({
            "protocolVersion": versions.iter().min(),
            "capabilities": capabilities,
            "serverInfo": {"name": "offcut", "version": env!("CARGO_PKG_VERSION")},
        });
        if let Value::Object(greeting) = &mut greeting
            && !instructions.is_empty()
        {
            greeting.insert("instructions".to_owned(), instructions.join("\n\n").into());
        }
        greeting
    }
}

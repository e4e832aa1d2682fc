//! One client with one server: which message is what, and what becomes of it.
//!
//! It knows nothing of pipes and sockets: a transport hands it each message and sends what it says.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use offcut::core::notice::Recall;
use offcut::{Call, Cancel, Offcut};
use offcut_extract::Model;

use super::asked::{Asked, What, arguments, is_handle, what};
use super::clients;
use super::cut::Cutter;
use super::names::{Names, OwnTool};
use super::own::OwnCall;
use super::rules::Rules;
use super::sampling::ClientModel;
use super::seen::{Seen, seen};
use crate::wire::id::RequestId;
use crate::wire::outgoing::{Edit, Outgoing, remove_items};
use crate::wire::outline::{Shape, Value};
use crate::wire::parcel::Parcel;

/// How many requests may wait for an answer before the oldest is forgotten.
const MOST_PENDING: usize = 16 * 1024;

/// How many tasks are remembered by the tool that they run.
const MOST_TASKS: usize = 1024;

/// How many times the limit an error may take.
const ERROR_FACTOR: u64 = 4;

/// One client with one server.
pub(crate) struct Session {
    rules: Arc<Rules>,
    state: Mutex<State>,
    /// The way to the client, where we may speak to it by ourselves.
    outlet: OnceLock<Outlet>,
    /// The model that answers questions where the client offers none.
    model: Option<Arc<dyn Model>>,
    /// Whether the client can be told of changes without an outlet: on the stream of an answer.
    tells: bool,
    /// Whether another offers our tools, and this one only cuts.
    guest: bool,
}

/// Sends a message of our own to the client.
pub(crate) type Outlet = Box<dyn Fn(&Outgoing) + Send + Sync>;

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct State {
    /// The library, worded with the name under which the client sees our tool.
    offcut: Offcut,
    /// What the client asked and the server has not answered.
    pending: BTreeMap<RequestId, Asked>,
    /// The order in which requests came.
    count: u64,
    /// The name that the client gives itself.
    client: Option<String>,
    names: Names,
    /// The tool that a task runs, by the task's id.
    tasks: BTreeMap<String, Asked>,
    /// Whether the server has answered the handshake.
    greeted: bool,
    /// Whether the client has asked what only servers of the latest revision know.
    probed: bool,
    /// What the server asked and the client has not answered.
    server_asked: BTreeMap<RequestId, ()>,
    /// Whether something was kept, so that it can be asked about.
    has_artifacts: bool,
    /// Whether the client does not know yet that there are more tools now.
    has_news: bool,
    /// Whether the client listens to changes of the tools.
    hears_changes: bool,
    /// Whether the client's model may be asked, and whether it takes tools.
    samples: Option<bool>,
    /// Whether the client can be asked no longer.
    left: bool,
    /// What we asked the client ourselves, and who waits for the answer.
    own_asked: BTreeMap<RequestId, Sender<serde_json::Value>>,
    /// Calls of our own tools that are under way.
    own_calls: BTreeMap<RequestId, Cancel>,
}

/// What was asked together, and is answered together: the requests of one HTTP exchange, or of a whole connection.
#[derive(Debug, Default)]
pub(crate) struct Exchange(BTreeMap<RequestId, Asked>);

/// What a single message of the client is to us.
enum Heard {
    /// Nothing: the server gets it.
    Passes,
    /// A call of one of our own tools.
    Call(OwnCall),
    /// Meant for us, and heard.
    Ours,
}

/// What becomes of a client's message.
#[derive(Debug)]
pub(crate) enum Step {
    /// The server gets it.
    Forward(Outgoing),
    /// We answer it.
    Answer(OwnCall),
}

impl Session {
    /// A session whose artifacts are those of `offcut`.
    pub(crate) fn new(offcut: Offcut, rules: Arc<Rules>) -> Session {
        let offcut = offcut.worded(Recall::Tool(OwnTool::GetArtifact.name().to_owned()));
        let state = State {
            offcut,
            pending: BTreeMap::new(),
            count: 0,
            client: None,
            names: Names::default(),
            tasks: BTreeMap::new(),
            greeted: false,
            probed: false,
            server_asked: BTreeMap::new(),
            has_artifacts: false,
            has_news: false,
            hears_changes: false,
            samples: None,
            left: false,
            own_asked: BTreeMap::new(),
            own_calls: BTreeMap::new(),
        };
        Session { rules, state: Mutex::new(state), outlet: OnceLock::new(), model: None, tells: false, guest: false }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The library, worded for this client.
    pub(crate) fn offcut(&self) -> Offcut {
        self.state().offcut.clone()
    }

    /// Keeps artifacts from now on in the session `name` of the store of `offcut`.
    pub(crate) fn move_to(&self, offcut: &Offcut, name: &str) {
        let mut state = self.state();
        if let Ok(moved) = offcut.in_session(name) {
            let own = state.names.own(OwnTool::GetArtifact);
            state.offcut = moved.worded(Recall::Tool(own));
        }
    }

    /// Whether the server has answered the handshake, or any request of a client that needs none.
    pub(crate) fn is_greeted(&self) -> bool {
        self.state().greeted
    }

    /// Whether the server was asked, before anything else, what servers of earlier revisions do not know. Some of them
    /// end of that.
    pub(crate) fn is_probed(&self) -> bool {
        let state = self.state();
        state.probed && !state.greeted
    }

    // ── From the client ──────────────────────────────────────────────────────────────────────────────────────────

    /// What becomes of a message from the client. What it asks is noted in the session, and in `exchange`, where
    /// clients that share the session may use the same ids.
    pub(crate) fn client_said(&self, parcel: Parcel, exchange: &mut Exchange) -> Vec<Step> {
        let Ok(outline) = parcel.outline() else { return vec![Step::Forward(Outgoing::unchanged(parcel))] };
        let mut calls = Vec::new();
        let mut ours = Vec::new();
        for (at, seen) in seen(&parcel).enumerate() {
            match self.heard(&seen, exchange) {
                Heard::Passes => continue,
                Heard::Call(call) => calls.push(Step::Answer(call)),
                Heard::Ours => {}
            }
            ours.push(at);
        }
        let messages: Vec<Range<u64>> = outline.messages().iter().map(|message| message.range.clone()).collect();
        let mut steps = Vec::new();
        if ours.is_empty() {
            steps.push(Step::Forward(Outgoing::unchanged(parcel)));
        } else if ours.len() < messages.len() {
            let edits = remove_items(&messages, |at| ours.contains(&at));
            steps.push(Step::Forward(Outgoing::changed(parcel.clone(), edits)));
        }
        steps.extend(calls);
        steps
    }

    /// Notes what a client's message asks for.
    fn heard(&self, seen: &Seen<'_>, exchange: &mut Exchange) -> Heard {
        let id = seen.id();
        let Some(method) = seen.text(&["method"]) else {
            return id.map_or(Heard::Passes, |id| self.heard_answer(seen, &id));
        };
        let mut state = self.state();
        state.client = seen.client().or_else(|| state.client.take());
        let Some(id) = id else {
            return if method == "notifications/cancelled" { state.cancel(seen) } else { Heard::Passes };
        };
        state.probed |= method == "server/discover";
        let mut asked = Asked { what: what(&method), ..Asked::default() };
        match asked.what {
            What::CallTool => {
                asked.tool = seen.text(&["params", "name"]).unwrap_or_default();
                let own = state.names.find(&asked.tool, || is_handle(seen)).filter(|_| !self.rules.off && !self.guest);
                if let Some(tool) = own {
                    return state.call(id, tool, seen);
                }
                asked.arguments = arguments(seen);
            }
            What::ReadResource => {
                asked.arguments = seen.text(&["params", "uri"]).unwrap_or_default();
                asked.tool = "resources/read".to_owned();
            }
            What::TaskResult => {
                let task = seen.text(&["params", "taskId"]).unwrap_or_default();
                asked = Asked { what: What::TaskResult, ..state.tasks.get(&task).cloned().unwrap_or_default() };
            }
            What::ListTools => asked.first_page = seen.text(&["params", "cursor"]).is_none(),
            What::Initialize => {
                let sampling = seen.raw(&["params", "capabilities", "sampling"]);
                state.samples = sampling.map(|sampling| sampling.contains("\"tools\""));
            }
            What::Other => {}
        }
        exchange.0.insert(id.clone(), asked.clone());
        state.ask(id, asked);
        Heard::Passes
    }

    /// An answer of the client: to the server, or to ourselves.
    fn heard_answer(&self, seen: &Seen<'_>, id: &RequestId) -> Heard {
        let mut state = self.state();
        let Some(waits) = state.own_asked.remove(id) else {
            state.server_asked.remove(id);
            return Heard::Passes;
        };
        // Nobody waits any longer where this fails.
        seen.value().map(|answer| waits.send(answer));
        Heard::Ours
    }

    // ── Ourselves ────────────────────────────────────────────────────────────────────────────────────────────────

    /// Lets us speak to the client by ourselves.
    pub(crate) fn connect(&self, outlet: Outlet) {
        // The first connection stays.
        let _ = self.outlet.set(outlet);
    }

    /// With a model that answers questions where the client offers none.
    pub(crate) fn with_model(mut self, model: Option<Arc<dyn Model>>) -> Session {
        self.model = model;
        self
    }

    /// Where the client hears of changes on the streams of answers.
    pub(crate) fn telling(mut self) -> Session {
        self.tells = true;
        self
    }

    /// Where another offers our tools, and this one only cuts.
    pub(crate) fn hosted(mut self, guest: bool) -> Session {
        self.guest = guest;
        self
    }

    /// Whether our own tools are offered.
    pub(crate) fn offers(&self) -> bool {
        !self.rules.off
    }

    /// A call of one of our own tools under its own name, whatever the server's tools are called.
    pub(crate) fn own_call(&self, parcel: Parcel, exchange: &mut Exchange) -> Vec<Step> {
        self.state().names.page(true, true, []);
        self.client_said(parcel, exchange)
    }

    /// Whether the client offers its model.
    pub(crate) fn samples(&self) -> bool {
        self.state().samples.is_some()
    }

    /// The client's model, where it may be asked: through `outlet`, else through the connection's own.
    pub(crate) fn model<'s>(&'s self, outlet: Option<&'s Outlet>) -> Option<ClientModel<'s>> {
        let takes_tools = self.state().samples?;
        let outlet = outlet.or(self.outlet.get())?;
        Some(ClientModel { session: self, outlet, takes_tools })
    }

    /// The model that the configuration names.
    pub(crate) fn configured_model(&self) -> Option<&dyn Model> {
        self.model.as_deref()
    }

    /// Asks the client; its response comes through the channel.
    pub(crate) fn ask_client(
        &self,
        outlet: &Outlet,
        method: &str,
        params: &serde_json::Value,
    ) -> Option<Receiver<serde_json::Value>> {
        let (sender, receiver) = mpsc::channel();
        let id = {
            let mut state = self.state();
            if state.left {
                return None;
            }
            state.count += 1;
            let id = RequestId::read(format!("\"offcut-{}\"", state.count).as_bytes())?;
            state.own_asked.insert(id.clone(), sender);
            id
        };
        outlet(&Outgoing::own(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{method}\",\"params\":{params}}}",
            id.json()
        )));
        Some(receiver)
    }

    /// The client can be asked no longer; where it wants no answers either, calls of our own stop too.
    pub(crate) fn client_left(&self, for_good: bool) {
        let mut state = self.state();
        state.left = true;
        state.own_asked.clear();
        if for_good {
            state.own_calls.values().for_each(Cancel::cancel);
        }
    }

    /// A call of our own was answered.
    pub(crate) fn answered_own(&self, id: &RequestId) {
        self.state().own_calls.remove(id);
    }

    /// What the client should hear of by itself: that there are more tools now.
    pub(crate) fn news(&self) -> Option<Outgoing> {
        let mut state = self.state();
        let told = std::mem::take(&mut state.has_news) && state.hears_changes;
        let message = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";
        told.then(|| Outgoing::own(message.to_owned()))
    }

    /// The requests in a message that would now wait for an answer for ever: they do no longer.
    pub(crate) fn forget(&self, parcel: &Parcel) -> Vec<RequestId> {
        let mut state = self.state();
        let asked = seen(parcel).filter(|seen| seen.message.get("method").is_some()).filter_map(|seen| seen.id());
        asked.filter(|id| state.pending.remove(id).is_some()).collect()
    }

    /// Everything that waits for an answer of the server; it does no longer.
    pub(crate) fn forget_all(&self) -> Vec<RequestId> {
        let pending = std::mem::take(&mut self.state().pending);
        let mut asked: Vec<(RequestId, Asked)> = pending.into_iter().collect();
        asked.sort_by_key(|(_, asked)| asked.nth);
        asked.into_iter().map(|(id, _)| id).collect()
    }

    /// What the server asked and the client has not answered; nobody waits for that any longer.
    pub(crate) fn forget_server(&self) -> Vec<RequestId> {
        std::mem::take(&mut self.state().server_asked).into_keys().collect()
    }

    /// Whether this request waits for an answer of the server.
    pub(crate) fn is_waiting(&self, id: &RequestId) -> bool {
        self.state().pending.contains_key(id)
    }

    /// A request waits for an answer no longer.
    pub(crate) fn forget_one(&self, id: &RequestId) {
        self.state().pending.remove(id);
    }

    /// How many requests wait for an answer of the server.
    pub(crate) fn waiting(&self) -> usize {
        self.state().pending.len()
    }

    // ── From the server ──────────────────────────────────────────────────────────────────────────────────────────

    /// What the client gets of a message from the server.
    pub(crate) fn server_said(&self, parcel: Parcel, exchange: &mut Exchange) -> Outgoing {
        let mut edits = Vec::new();
        for seen in seen(&parcel) {
            edits.extend(self.told(&seen, exchange));
        }
        if edits.is_empty() { Outgoing::unchanged(parcel) } else { Outgoing::changed(parcel, edits) }
    }

    fn told(&self, seen: &Seen<'_>, exchange: &mut Exchange) -> Vec<Edit> {
        let Some(id) = seen.id() else { return Vec::new() };
        if seen.message.get("method").is_some() {
            let mut state = self.state();
            if state.server_asked.len() < MOST_PENDING {
                state.server_asked.insert(id, ());
            }
            return Vec::new();
        }
        let pending = self.state().pending.remove(&id);
        match exchange.0.remove(&id).or(pending) {
            Some(asked) => self.answered(seen, &asked),
            None => Vec::new(),
        }
    }

    /// The changes to the answer to `asked`.
    fn answered(&self, seen: &Seen<'_>, asked: &Asked) -> Vec<Edit> {
        let Some(result) = seen.message.get("result").filter(|result| matches!(result.shape, Shape::Object(_))) else {
            return Vec::new();
        };
        self.state().greeted = true;
        if self.rules.off {
            return Vec::new();
        }
        match asked.what {
            What::ListTools => self.listed(seen.parcel, result, asked),
            What::CallTool | What::TaskResult => {
                if let Some(task) =
                    seen.text(&["result", "task", "taskId"]).or_else(|| seen.text(&["result", "taskId"]))
                {
                    self.state().remember(task, asked);
                }
                if !self.rules.may_cut(&asked.tool) {
                    return Vec::new();
                }
                // What a task of the later revisions ends in stands inside of what it is asked.
                let inner = result.get("result").filter(|inner| matches!(inner.shape, Shape::Object(_)));
                self.cut(seen.parcel, inner.unwrap_or(result), asked)
            }
            What::ReadResource if self.rules.resources => self.cut(seen.parcel, result, asked),
            What::Initialize => self.greeted(seen, result),
            What::ReadResource | What::Other => Vec::new(),
        }
    }

    /// Says in the answer to a handshake that the tools may change, where the server has tools.
    fn greeted(&self, seen: &Seen<'_>, result: &Value) -> Vec<Edit> {
        let hears = self.tells || self.outlet.get().is_some();
        if self.guest {
            // Who hosts us says so for us.
            self.state().hears_changes = hears;
            return Vec::new();
        }
        let tools = result.get("capabilities").and_then(|capabilities| capabilities.get("tools"));
        let Some(tools) = tools.filter(|_| hears) else { return Vec::new() };
        let Some(raw) = seen.raw(&["result", "capabilities", "tools"]) else { return Vec::new() };
        let Ok(serde_json::Value::Object(mut said)) = serde_json::from_str(&raw) else { return Vec::new() };
        self.state().hears_changes = true;
        if said.get("listChanged") == Some(&true.into()) {
            return Vec::new();
        }
        said.insert("listChanged".to_owned(), true.into());
        vec![Edit::new(tools.range.clone(), serde_json::Value::Object(said).to_string())]
    }

    fn cut(&self, parcel: &Parcel, result: &Value, asked: &Asked) -> Vec<Edit> {
        let (offcut, client) = {
            let state = self.state();
            (state.offcut.clone(), state.client.clone().unwrap_or_default())
        };
        let call = Call::new(&asked.tool).arguments(&asked.arguments);
        let limits = match self.rules.limit(&asked.tool) {
            Some(limits) => limits.clone(),
            None => match offcut.policy().plan(&call) {
                Ok(plan) => plan.limits,
                Err(_) => return Vec::new(),
            },
        };
        let error_limits = clients::times(&limits, ERROR_FACTOR);
        let narrowed = |limits| self.for_client(limits, &client);
        let cutter = Cutter {
            parcel,
            offcut: &offcut,
            call,
            limits: narrowed(limits),
            error_limits: narrowed(error_limits),
            escapes_count: clients::counts_escapes(&client),
        };
        let (edits, kept) = cutter.result(result);
        let mut state = self.state();
        state.has_news |= kept && !state.has_artifacts;
        state.has_artifacts |= kept;
        edits
    }

    /// `limits`, and no more than the client shows.
    fn for_client(&self, limits: offcut::core::limit::Limits, client: &str) -> offcut::core::limit::Limits {
        if let Some(said) = self.rules.client(client) {
            let both = limits.each().iter().chain(said.each()).copied();
            return offcut::core::limit::Limits::new(both).unwrap_or(limits);
        }
        match clients::known_bytes(client) {
            Some(bytes) => clients::at_most(&limits, bytes),
            None => limits,
        }
    }

    /// The most characters of a page that is read back.
    pub(crate) fn page_chars(&self) -> Option<u64> {
        let client = self.state().client.clone().unwrap_or_default();
        match self.rules.client(&client) {
            Some(said) => said.of(offcut::core::limit::Unit::Chars).or(said.of(offcut::core::limit::Unit::Bytes)),
            None => clients::known_bytes(&client),
        }
    }

    /// The changes to a page of the server's tools.
    fn listed(&self, parcel: &Parcel, result: &Value, asked: &Asked) -> Vec<Edit> {
        let Some(tools) = result.get("tools").filter(|tools| matches!(tools.shape, Shape::Array { .. })) else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        let mut names = Vec::new();
        for tool in tools.elements() {
            let name = (Seen { parcel, message: tool }).text(&["name"]).unwrap_or_default();
            if self.rules.may_cut(&name) {
                let members: Vec<Range<u64>> = tool.members().iter().map(|member| member.range()).collect();
                let gone = |at: usize| tool.members().get(at).is_some_and(|member| &*member.key == "outputSchema");
                edits.extend(remove_items(&members, gone));
            }
            names.push(name);
        }
        let more = result.get("nextCursor").is_some_and(Value::is_text);
        let mut state = self.state();
        state.names.page(asked.first_page, !more, names);
        if more || self.guest {
            return edits;
        }
        let name = state.names.own(OwnTool::GetArtifact);
        state.offcut = state.offcut.worded(Recall::Tool(name));
        let offered = OwnTool::ALL.into_iter().filter(|tool| *tool == OwnTool::GetArtifact || state.has_artifacts);
        let own = offered.map(|tool| tool.definition(&state.names.own(tool))).collect::<Vec<_>>().join(",");
        let comma = if tools.elements().is_empty() { "" } else { "," };
        edits.push(Edit::insert(tools.range.end - 1, format!("{comma}{own}")));
        edits
    }
}

impl State {
    /// A call of one of our own tools begins.
    fn call(&mut self, id: RequestId, tool: OwnTool, seen: &Seen<'_>) -> Heard {
        let arguments = seen.raw(&["params", "arguments"]).unwrap_or_else(|| "{}".to_owned());
        let stateless = seen.text(&["params", "_meta", "io.modelcontextprotocol/protocolVersion"]).is_some();
        let cancel = Cancel::new();
        self.own_calls.insert(id.clone(), cancel.clone());
        Heard::Call(OwnCall { id, tool, arguments, stateless, cancel })
    }

    /// A client that cancels one of our own calls means us.
    fn cancel(&self, seen: &Seen<'_>) -> Heard {
        let id = seen.raw(&["params", "requestId"]).and_then(|raw| RequestId::read(raw.as_bytes()));
        match id.and_then(|id| self.own_calls.get(&id)) {
            Some(cancel) => {
                cancel.cancel();
                Heard::Ours
            }
            None => Heard::Passes,
        }
    }

    fn ask(&mut self, id: RequestId, mut asked: Asked) {
        self.count += 1;
        asked.nth = self.count;
        self.pending.insert(id, asked);
        if self.pending.len() > MOST_PENDING {
            let oldest = self.pending.iter().min_by_key(|(_, asked)| asked.nth).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.pending.remove(&id));
        }
    }

    fn remember(&mut self, task: String, asked: &Asked) {
        self.count += 1;
        self.tasks.insert(task, Asked { nth: self.count, ..asked.clone() });
        if self.tasks.len() > MOST_TASKS {
            let oldest = self.tasks.iter().min_by_key(|(_, asked)| asked.nth).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.tasks.remove(&id));
        }
    }
}

//! One client with one server: which message is what, and what becomes of it.
//!
//! It knows nothing of pipes and sockets: a transport hands it each message and sends what it says. What is pending
//! between the two is known to [`Requests`], the client to [`ClientState`], the tools' names to [`ToolNames`]; none of them
//! knows of the others.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, OnceLock};

use offcut::event::Requester;
use offcut::{Call, Offcut};
use offcut_core::limit::Unit;
use offcut_core::notice::Recall;
use offcut_core::redact::JsonKeys;
use offcut_extract::Model;
use parking_lot::Mutex;

use super::client::{ClientMessage, ClientState};
use super::clients;
use super::cut::Cutter;
use super::listing;
use super::names::{OwnTool, ToolNames};
use super::own::OwnCall;
use super::requests::{Method, PendingRequest, Requests, arguments, names_artifact};
use super::rules::Rules;
use super::sampling::ClientModel;
use super::stdio::failure;
use super::view::{MessageView, views};
use crate::wire::id::RequestId;
use crate::wire::outgoing::{Edit, Outgoing, remove_items};
use crate::wire::outline::{Shape, Value};
use crate::wire::raw_message::RawMessage;

/// How many times the limit an error may take.
const ERROR_FACTOR: u64 = 4;

/// What the protocol's own members hold: ids and cursors, which a peer compares, and base64.
const KEYS: JsonKeys = JsonKeys {
    opaque: &["id", "jsonrpc", "method", "nextCursor", "cursor", "progressToken", "requestId", "taskId"],
    opaque_depth: 2,
    media: &["data", "blob"],
};

/// One client with one server.
pub(crate) struct Session {
    rules: Arc<Rules>,
    /// Whether another offers our tools, and this one only cuts.
    guest: bool,
    /// The model that answers questions where the client offers none.
    model: Option<Arc<dyn Model>>,
    /// The way to the client, where we may speak to it by ourselves.
    outlet: OnceLock<Outlet>,
    tools: Mutex<OwnTools>,
    requests: Mutex<Requests>,
    client: Mutex<ClientState>,
}

/// What our own tools read, and what they are called.
#[derive(Debug)]
struct OwnTools {
    /// The library, worded with the name under which the client sees our tool.
    offcut: Offcut,
    names: ToolNames,
}

/// Sends a message of our own to the client.
pub(crate) type Outlet = Box<dyn Fn(&Outgoing) + Send + Sync>;

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("requests", &self.requests)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

/// What was asked together, and is answered together: the requests of one HTTP exchange, or of a whole connection.
#[derive(Debug, Default)]
pub(crate) struct Exchange(BTreeMap<RequestId, PendingRequest>);

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
        Session {
            rules,
            guest: false,
            model: None,
            outlet: OnceLock::new(),
            tools: Mutex::new(OwnTools { offcut, names: ToolNames::default() }),
            requests: Mutex::default(),
            client: Mutex::default(),
        }
    }

    /// With a model that answers questions where the client offers none.
    pub(crate) fn with_model(mut self, model: Option<Arc<dyn Model>>) -> Session {
        self.model = model;
        self
    }

    /// Where another offers our tools, and this one only cuts.
    pub(crate) fn hosted(mut self, guest: bool) -> Session {
        self.guest = guest;
        self
    }

    /// Lets us speak to the client by ourselves.
    pub(crate) fn connect(&self, outlet: Outlet) {
        // The first connection stays.
        let _ = self.outlet.set(outlet);
    }

    /// The library, worded for this client.
    pub(crate) fn offcut(&self) -> Offcut {
        self.tools.lock().offcut.clone()
    }

    /// Keeps artifacts from now on in the session `name` of the store of `offcut`.
    pub(crate) fn move_to(&self, offcut: &Offcut, name: &str) {
        let mut tools = self.tools.lock();
        if let Ok(moved) = offcut.in_session(name) {
            let own = tools.names.own(OwnTool::GetArtifact);
            tools.offcut = moved.worded(Recall::Tool(own));
        }
    }

    /// Returns whether our own tools are offered.
    pub(crate) fn offers(&self) -> bool {
        !self.rules.off
    }

    // ── Requests that are pending ────────────────────────────────────────────────────────────────────────────────

    /// Returns whether the server has answered the handshake, or any request of a client that needs none.
    pub(crate) fn is_greeted(&self) -> bool {
        self.requests.lock().greeted
    }

    /// Returns whether the server was asked, before anything else, what servers of earlier revisions do not know. Some
    /// of them end because of that.
    pub(crate) fn is_probed(&self) -> bool {
        let requests = self.requests.lock();
        requests.probed && !requests.greeted
    }

    /// The requests in a message that would now wait for an answer for ever: they do no longer.
    pub(crate) fn forget(&self, raw_message: &RawMessage) -> Vec<RequestId> {
        let mut requests = self.requests.lock();
        let asked = views(raw_message).filter(|view| view.message.get("method").is_some()).filter_map(|view| view.id());
        asked.filter(|id| requests.answer(id).is_some()).collect()
    }

    /// Everything that waits for an answer of the server; it does no longer.
    pub(crate) fn forget_all(&self) -> Vec<RequestId> {
        self.requests.lock().answer_all()
    }

    /// What the server asked and the client has not answered; nobody waits for that any longer.
    pub(crate) fn forget_server(&self) -> Vec<RequestId> {
        self.requests.lock().forget_server()
    }

    /// Returns whether this request waits for an answer of the server.
    pub(crate) fn is_waiting(&self, id: &RequestId) -> bool {
        self.requests.lock().is_waiting(id)
    }

    /// A request waits for an answer no longer.
    pub(crate) fn forget_one(&self, id: &RequestId) {
        self.requests.lock().answer(id);
    }

    /// How many requests wait for an answer of the server.
    pub(crate) fn waiting(&self) -> usize {
        self.requests.lock().waiting()
    }

    // ── The client, asked and answered by us ─────────────────────────────────────────────────────────────────────

    /// Returns whether the client offers its model.
    pub(crate) fn samples(&self) -> bool {
        self.client.lock().samples.is_some()
    }

    /// The client's model, where it may be asked: through `outlet`, else through the connection's own.
    pub(crate) fn model<'s>(&'s self, outlet: Option<&'s Outlet>) -> Option<ClientModel<'s>> {
        let takes_tools = self.client.lock().samples?;
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
        let (id, receiver) = self.client.lock().ask()?;
        outlet(&Outgoing::own(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{method}\",\"params\":{params}}}",
            id.json()
        )));
        Some(receiver)
    }

    /// The client can be asked no longer; where it wants no answers either, calls of our own stop too.
    pub(crate) fn client_left(&self, for_good: bool) {
        self.client.lock().leave(for_good);
    }

    /// A call of our own was answered.
    pub(crate) fn answered_own(&self, id: &RequestId) {
        self.client.lock().end_call(id);
    }

    /// Reading back from `offcut` in pages that the client shows whole.
    pub(crate) fn recall<'o>(&self, offcut: &'o Offcut) -> offcut::recall::Recall<'o> {
        let client = self.client.lock().name.clone();
        match self.rules.client(&client).map(|said| said.of(Unit::Chars).or(said.of(Unit::Bytes))) {
            Some(chars) => offcut.recall().by(Requester::Model).within(chars.unwrap_or(u64::MAX)),
            None => clients::recall(offcut, &client),
        }
    }

    // ── From the client ──────────────────────────────────────────────────────────────────────────────────────────

    /// Decides what becomes of a message from the client. What it asks is noted in the session, and in `exchange`, where
    /// clients that share the session may use the same ids.
    pub(crate) fn client_said(&self, raw_message: RawMessage, exchange: &mut Exchange) -> Vec<Step> {
        let Ok(outline) = raw_message.outline() else { return vec![Step::Forward(Outgoing::unchanged(raw_message))] };
        let mut calls = Vec::new();
        let mut ours = Vec::new();
        for (at, view) in views(&raw_message).enumerate() {
            match self.sort(&view, exchange) {
                ClientMessage::Forwarded => continue,
                ClientMessage::OwnCall(call) => calls.push(Step::Answer(call)),
                ClientMessage::Handled => {}
            }
            ours.push(at);
        }
        let messages: Vec<Range<u64>> = outline.messages().iter().map(|message| message.range.clone()).collect();
        let mut steps = Vec::new();
        if ours.is_empty() {
            steps.push(Step::Forward(Outgoing::unchanged(raw_message)));
        } else if ours.len() < messages.len() {
            let edits = remove_items(&messages, |at| ours.contains(&at));
            steps.push(Step::Forward(Outgoing::changed(raw_message.clone(), edits)));
        }
        steps.extend(calls);
        steps
    }

    /// A call of one of our own tools under its own name, whatever the server's tools are called.
    pub(crate) fn own_call(&self, raw_message: RawMessage, exchange: &mut Exchange) -> Vec<Step> {
        self.tools.lock().names.page(true, true, []);
        self.client_said(raw_message, exchange)
    }

    /// Says whose a message of the client is, and notes what it asks of the server.
    fn sort(&self, view: &MessageView<'_>, exchange: &mut Exchange) -> ClientMessage {
        let id = view.id();
        let Some(method) = view.text(&["method"]) else {
            return match id {
                Some(id) if self.client.lock().answer(view, &id) => ClientMessage::Handled,
                Some(id) => {
                    self.requests.lock().answer_server(&id);
                    ClientMessage::Forwarded
                }
                None => ClientMessage::Forwarded,
            };
        };
        self.client.lock().introduce(view, &method);
        let Some(id) = id else {
            let ours = method == "notifications/cancelled" && self.client.lock().cancel(view);
            return if ours { ClientMessage::Handled } else { ClientMessage::Forwarded };
        };
        let mut request = PendingRequest { method: Method::named(&method), ..PendingRequest::default() };
        match request.method {
            Method::CallTool => {
                request.tool = view.text(&["params", "name"]).unwrap_or_default();
                if let Some(tool) = self.own_tool(&request.tool, view) {
                    return ClientMessage::OwnCall(self.client.lock().begin_call(id, tool, view));
                }
                request.arguments = arguments(view);
                request.trace = view.trace();
            }
            Method::ReadResource => {
                request.arguments = view.text(&["params", "uri"]).unwrap_or_default();
                request.tool = "resources/read".to_owned();
                request.trace = view.trace();
            }
            Method::TaskResult => {
                let task = view.text(&["params", "taskId"]).unwrap_or_default();
                request = PendingRequest { method: Method::TaskResult, ..self.requests.lock().task(&task) };
            }
            Method::ListTools => request.first_page = view.text(&["params", "cursor"]).is_none(),
            Method::Other => {}
        }
        exchange.0.insert(id.clone(), request.clone());
        let mut requests = self.requests.lock();
        requests.probed |= method == "server/discover";
        requests.ask(id, request);
        ClientMessage::Forwarded
    }

    /// The tool of ours that a call means.
    fn own_tool(&self, name: &str, view: &MessageView<'_>) -> Option<OwnTool> {
        let tools = self.tools.lock();
        tools.names.find(name, || names_artifact(view)).filter(|_| !self.rules.off && !self.guest)
    }

    // ── From the server ──────────────────────────────────────────────────────────────────────────────────────────

    /// What the client gets of a message from the server: results that are too large are cut, and no message of any
    /// kind leaves with a secret in it.
    pub(crate) fn server_said(&self, raw_message: RawMessage, exchange: &mut Exchange) -> Outgoing {
        let mut edits = Vec::new();
        let mut tool = String::new();
        for view in views(&raw_message) {
            let Some(id) = view.id() else { continue };
            if view.message.get("method").is_some() {
                self.requests.lock().server_asks(id);
                continue;
            }
            let pending = self.requests.lock().answer(&id);
            if let Some(request) = exchange.0.remove(&id).or(pending) {
                edits.extend(self.answered(&view, &request));
                tool = request.tool;
            }
        }
        let outgoing = match edits.is_empty() {
            true => Outgoing::unchanged(raw_message.clone()),
            false => Outgoing::changed(raw_message.clone(), edits),
        };
        if self.rules.off {
            return outgoing;
        }
        self.without_secrets(outgoing, &raw_message, &tool)
    }

    /// A message without its secrets; where they could not be taken out, an error in its place.
    fn without_secrets(&self, outgoing: Outgoing, raw_message: &RawMessage, tool: &str) -> Outgoing {
        let Some(redactor) = self.offcut().redactor(tool) else { return outgoing };
        match outgoing.redacted(&redactor, KEYS) {
            Ok((outgoing, counts)) => {
                if !counts.is_empty() {
                    tracing::info!(tool, redactions = ?counts, "secrets were taken out of a message");
                }
                outgoing
            }
            Err(error) => {
                let id = views(raw_message).find_map(|view| view.id()).or_else(|| RequestId::read(b"0"));
                let why = format!("the server's message could not be redacted: {error}");
                id.map_or_else(|| Outgoing::own("{}".to_owned()), |id| failure(&id, &why))
            }
        }
    }

    /// The changes to the answer to `request`.
    fn answered(&self, view: &MessageView<'_>, request: &PendingRequest) -> Vec<Edit> {
        let Some(result) = view.message.get("result").filter(|result| matches!(result.shape, Shape::Object(_))) else {
            return Vec::new();
        };
        self.requests.lock().greeted = true;
        if self.rules.off {
            return Vec::new();
        }
        match request.method {
            Method::ListTools => {
                let mut tools = self.tools.lock();
                let offered = !self.guest;
                let edits = listing::edits(
                    view.raw_message,
                    result,
                    request.first_page,
                    &self.rules,
                    &mut tools.names,
                    offered,
                );
                let name = tools.names.own(OwnTool::GetArtifact);
                tools.offcut = tools.offcut.worded(Recall::Tool(name));
                edits
            }
            Method::CallTool | Method::TaskResult => {
                if let Some(task) =
                    view.text(&["result", "task", "taskId"]).or_else(|| view.text(&["result", "taskId"]))
                {
                    self.requests.lock().remember_task(task, request);
                }
                if !self.rules.may_cut(&request.tool) {
                    return Vec::new();
                }
                // What a task of the later revisions ends in stands inside of what it is asked.
                let inner = result.get("result").filter(|inner| matches!(inner.shape, Shape::Object(_)));
                self.cut(view.raw_message, inner.unwrap_or(result), request)
            }
            Method::ReadResource if self.rules.resources => self.cut(view.raw_message, result, request),
            Method::ReadResource | Method::Other => Vec::new(),
        }
    }

    fn cut(&self, raw_message: &RawMessage, result: &Value, request: &PendingRequest) -> Vec<Edit> {
        let (offcut, client) = (self.offcut().in_trace(request.trace), self.client.lock().name.clone());
        let call = Call::new(&request.tool).arguments(&request.arguments);
        let limits = match self.rules.limit(&request.tool) {
            Some(limits) => limits.clone(),
            None => match offcut.policy().plan(&call) {
                Ok(plan) => plan.limits,
                Err(_) => return Vec::new(),
            },
        };
        let error_limits = clients::times(&limits, ERROR_FACTOR);
        let cutter = Cutter {
            raw_message,
            offcut: &offcut,
            call,
            limits: clients::narrowed(limits, &self.rules, &client),
            error_limits: clients::narrowed(error_limits, &self.rules, &client),
            escapes_count: clients::counts_escapes(&client),
            shows_meta: clients::shows_meta(&client),
        };
        cutter.result(result)
    }
}

//! What is known of the client, what we asked it ourselves, and its calls of our own tools.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};

use offcut::Cancel;
use serde_json::Value;

use super::names::OwnTool;
use super::own::OwnCall;
use super::view::MessageView;
use crate::wire::id::RequestId;

/// What a message of the client is to us.
pub(crate) enum ClientMessage {
    /// The server's: it is passed on.
    Forwarded,
    /// A call of one of our own tools.
    OwnCall(OwnCall),
    /// An answer to us, or the end of one of our own calls.
    Handled,
}

/// The client of one session.
#[derive(Debug, Default)]
pub(crate) struct ClientState {
    /// The name that it gives itself; empty where it has given none.
    pub(crate) name: String,
    /// Whether its model may be asked, and if so whether it takes tools.
    pub(crate) samples: Option<bool>,
    /// Whether it can be asked no longer.
    left: bool,
    /// How much we have asked so far.
    count: u64,
    /// What we asked and it has not answered, and who waits for that.
    asked: BTreeMap<RequestId, Sender<Value>>,
    /// Calls of our own tools that are under way.
    calls: BTreeMap<RequestId, Cancel>,
}

impl ClientState {
    /// Takes note of what the client says of itself.
    pub(crate) fn introduce(&mut self, view: &MessageView<'_>, method: &str) {
        if let Some(name) = view.client() {
            self.name = name;
        }
        if method == "initialize" {
            let sampling = view.raw(&["params", "capabilities", "sampling"]);
            self.samples = sampling.map(|sampling| sampling.contains("\"tools\""));
        }
    }

    /// Prepares a question to the client: its id, and where the answer comes; none where it has left.
    pub(crate) fn ask(&mut self) -> Option<(RequestId, Receiver<Value>)> {
        if self.left {
            return None;
        }
        self.count += 1;
        let id = RequestId::read(format!("\"offcut-{}\"", self.count).as_bytes())?;
        let (sender, receiver) = mpsc::channel();
        self.asked.insert(id.clone(), sender);
        Some((id, receiver))
    }

    /// Hands an answer to who waits for it; says whether it was an answer to us.
    pub(crate) fn answer(&mut self, view: &MessageView<'_>, id: &RequestId) -> bool {
        let Some(waits) = self.asked.remove(id) else { return false };
        // Nobody waits any longer where this fails.
        view.value().map(|answer| waits.send(answer));
        true
    }

    /// A call of one of our own tools begins.
    pub(crate) fn begin_call(&mut self, id: RequestId, tool: OwnTool, view: &MessageView<'_>) -> OwnCall {
        let arguments = view.raw(&["params", "arguments"]).unwrap_or_else(|| "{}".to_owned());
        let stateless = view.text(&["params", "_meta", "io.modelcontextprotocol/protocolVersion"]).is_some();
        let cancel = Cancel::new();
        self.calls.insert(id.clone(), cancel.clone());
        OwnCall { id, tool, arguments, stateless, trace: view.trace(), cancel }
    }

    /// A call of one of our own tools was answered.
    pub(crate) fn end_call(&mut self, id: &RequestId) {
        self.calls.remove(id);
    }

    /// Cancels a call of one of our own tools; says whether it is one.
    pub(crate) fn cancel(&self, view: &MessageView<'_>) -> bool {
        let id = view.raw(&["params", "requestId"]).and_then(|raw| RequestId::read(raw.as_bytes()));
        let call = id.and_then(|id| self.calls.get(&id));
        call.iter().for_each(|cancel| cancel.cancel());
        call.is_some()
    }

    /// The client can be asked no longer; where it wants no answers either, our own calls stop too.
    pub(crate) fn leave(&mut self, for_good: bool) {
        self.left = true;
        self.asked.clear();
        if for_good {
            self.calls.values().for_each(Cancel::cancel);
        }
    }
}

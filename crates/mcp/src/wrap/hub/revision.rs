//! A client without a handshake (2026-07-28) before servers that need one, and before those that do not.
//!
//! What such a client asks stands for itself. A server that does not know that revision is greeted by us, gets its
//! requests without what only that revision has, and its answers get what that revision wants.

use std::sync::Arc;

use serde_json::{Value, json};

use super::gather::Gathered;
use super::{Discovery, MessageView, NO_METHOD, Shared, views};
use crate::wire::id::RequestId;
use crate::wire::outgoing::{Edit, Outgoing, remove_items};
use crate::wire::outline::Shape;
use crate::wire::raw_message::RawMessage;

/// What all keys of the protocol in `_meta` begin with.
const KEYS: &str = "io.modelcontextprotocol/";

/// The revision without a handshake.
pub(super) const STATELESS: &str = "2026-07-28";

/// The revision in which we greet.
const GREETED: &str = "2025-11-25";

/// The id of what we ask the servers ourselves before the first request of such a client.
const DISCOVERS: &str = "\"offcut-discovers\"";

/// Whether we asked that ourselves.
pub(super) fn is_own(id: &RequestId) -> bool {
    id.json() == DISCOVERS
}

/// Whether a request stands for itself.
pub(super) fn is_stateless(one: &MessageView<'_>) -> bool {
    one.text(&["params", "_meta", "io.modelcontextprotocol/protocolVersion"]).is_some()
}

/// What makes a request one that a server of an earlier revision takes.
fn undressed(one: &MessageView<'_>) -> Vec<Edit> {
    let meta = one.message.get("params").and_then(|params| params.get("_meta"));
    let Some(meta) = meta.filter(|meta| matches!(meta.shape, Shape::Object(_))) else { return Vec::new() };
    let members: Vec<_> = meta.members().iter().map(|member| member.range()).collect();
    remove_items(&members, |at| meta.members().get(at).is_some_and(|member| member.key.starts_with(KEYS)))
}

/// What makes the answer of such a server to `method` one that the client takes.
pub(super) fn dressed(one: &MessageView<'_>, method: &str) -> Option<Edit> {
    let result = one.message.get("result").filter(|result| matches!(result.shape, Shape::Object(_)))?;
    let cached = if method == "resources/read" { ",\"ttlMs\":0,\"cacheScope\":\"private\"" } else { "" };
    let comma = if result.members().is_empty() { "" } else { "," };
    Some(Edit::insert(result.range.start + 1, format!("\"resultType\":\"complete\"{cached}{comma}")))
}

/// What a listing, or what was found out, says of itself in that revision.
pub(super) fn dress(result: &mut Value) {
    if let Value::Object(result) = result {
        result.insert("resultType".to_owned(), "complete".into());
        result.insert("ttlMs".to_owned(), 0.into());
        result.insert("cacheScope".to_owned(), "private".into());
    }
}

/// The handshake with a server that needs one, for the client that asked `request`.
pub(super) fn greeting(request: &RawMessage, id: &RequestId) -> Outgoing {
    let client = views(request).find_map(|one| one.raw(&["params", "_meta", "io.modelcontextprotocol/clientInfo"]));
    let client = client.and_then(|raw| serde_json::from_str(&raw).ok());
    let client: Value = client.unwrap_or_else(|| json!({"name": "offcut", "version": env!("CARGO_PKG_VERSION")}));
    let params = json!({"protocolVersion": GREETED, "capabilities": {}, "clientInfo": client});
    Outgoing::own(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"initialize\",\"params\":{params}}}", id.json()))
}

impl Shared {
    /// Whether a server was greeted by us and not by the client.
    pub(super) fn is_translated(&self, at: usize) -> bool {
        let state = self.state.lock();
        !state.greeted && state.known.get(at).is_some_and(|known| known.greeting.is_some())
    }

    /// What has to change in a request for this server; nothing has to where both speak the same revision.
    pub(super) fn translated(&self, at: usize, request: &RawMessage) -> Option<Vec<Edit>> {
        let one = views(request).next().filter(is_stateless)?;
        self.is_translated(at).then(|| undressed(&one))
    }

    /// Whether it is known what the servers can do, so that a request that stands for itself finds its way. Until it is,
    /// the request waits.
    pub(super) fn is_discovered(
        self: &Arc<Self>,
        raw_message: &RawMessage,
        id: &RequestId,
        one: &MessageView<'_>,
        method: &str,
    ) -> bool {
        let mut state = self.state.lock();
        match state.discovery {
            Discovery::Done => return true,
            Discovery::UnderWay => {
                state.early.push(raw_message.clone());
                return false;
            }
            Discovery::NotYet => state.discovery = Discovery::UnderWay,
        }
        if method == "server/discover" {
            drop(state);
            self.fan(id.clone(), Gathered::Discovery, raw_message, self.alive());
            return false;
        }
        state.early.push(raw_message.clone());
        drop(state);
        let meta = one.raw(&["params", "_meta"]).unwrap_or_else(|| "{}".to_owned());
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{DISCOVERS},\"method\":\"server/discover\",\"params\":{{\"_meta\":{meta}}}}}"
        );
        if let Some(id) = RequestId::read(DISCOVERS.as_bytes()) {
            self.fan(id, Gathered::Discovery, &RawMessage::new(request.into_bytes()), self.alive());
        }
        false
    }

    /// What the servers can do is known: what waited for that goes on.
    pub(super) fn discovered(self: &Arc<Self>, id: &RequestId, result: &Value) {
        if !is_own(id) {
            self.answer(id, result);
        }
        self.go_on(Discovery::Done);
    }

    /// No server knows the revision that the client asked for: it is told so, as each of them would tell it.
    pub(super) fn not_discovered(self: &Arc<Self>, id: &RequestId) {
        self.refuse(id, NO_METHOD, "Method not found: server/discover");
        self.go_on(Discovery::NotYet);
    }

    fn go_on(self: &Arc<Self>, discovery: Discovery) {
        let early = {
            let mut state = self.state.lock();
            state.discovery = discovery;
            std::mem::take(&mut state.early)
        };
        early.into_iter().for_each(|raw_message| self.client_said(raw_message));
    }
}

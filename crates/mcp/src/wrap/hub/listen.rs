//! Subscriptions of a client without a handshake: one for the client, one with each server.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{HubState, MessageView, Shared};
use crate::wire::id::RequestId;
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// The lists whose changes can be listened to: the name in a method, and in what is asked for.
const LISTS: [(&str, &str); 3] =
    [("tools", "toolsListChanged"), ("prompts", "promptsListChanged"), ("resources", "resourcesListChanged")];

/// A subscription.
#[derive(Default)]
pub(super) struct Listen {
    /// What the servers let it hear.
    accepted: Map<String, Value>,
    /// The servers that have not said yet what they let it hear.
    missing: Vec<usize>,
    /// The servers that have it.
    open: Vec<usize>,
    /// The servers that know nothing of it, and whose news we pass on.
    translated: Vec<usize>,
    /// Whether the client was told what it will hear.
    told: bool,
}

impl HubState {
    /// The client wants to hear no more; the servers that have the subscription say when it is over.
    pub(super) fn unlisten(&mut self, id: &RequestId) {
        if let Some(listen) = self.listens.get_mut(id) {
            listen.translated.clear();
            if listen.open.is_empty() {
                self.listens.remove(id);
            }
        }
    }
}

impl Shared {
    /// Subscribes with each server.
    pub(super) fn listen(self: &Arc<Self>, id: RequestId, raw_message: &RawMessage, one: &MessageView<'_>) {
        let (translated, open): (Vec<usize>, Vec<usize>) =
            self.alive().into_iter().partition(|at| self.is_translated(*at));
        let asked = one.raw(&["params", "notifications"]).and_then(|raw| serde_json::from_str::<Value>(&raw).ok());
        let mut accepted = Map::new();
        {
            let mut state = self.state.lock();
            for (list, key) in LISTS {
                let wanted = asked.as_ref().is_some_and(|asked| asked.get(key) == Some(&true.into()));
                let heard = translated.iter().filter_map(|at| state.known.get(*at)).any(|known| {
                    known.capabilities.get(list).is_some_and(|can| can.get("listChanged") == Some(&true.into()))
                });
                if wanted && heard {
                    accepted.insert(key.to_owned(), true.into());
                }
            }
            let listen = Listen { accepted, missing: open.clone(), open: open.clone(), translated, told: false };
            state.listens.insert(id.clone(), listen);
        }
        let message = Outgoing::unchanged(raw_message.clone());
        for at in &open {
            if !self.tell_server(*at, &message) {
                self.listened(*at, &id, None);
            }
        }
        self.acknowledge(&id);
    }

    /// A server says what it lets a subscription hear; says whether it is one of ours.
    pub(super) fn acknowledged(self: &Arc<Self>, at: usize, one: &MessageView<'_>) -> bool {
        let id = one.raw(&["params", "_meta", SUBSCRIPTION]).and_then(|raw| RequestId::read(raw.as_bytes()));
        let Some(id) = id else { return false };
        {
            let mut state = self.state.lock();
            let Some(listen) = state.listens.get_mut(&id) else { return false };
            listen.missing.retain(|missing| *missing != at);
            let said = one.raw(&["params", "notifications"]).and_then(|raw| serde_json::from_str::<Value>(&raw).ok());
            for (key, value) in said.as_ref().and_then(Value::as_object).into_iter().flatten() {
                match (listen.accepted.get_mut(key), value) {
                    (Some(Value::Array(known)), Value::Array(more)) => known.extend(more.iter().cloned()),
                    (Some(Value::Bool(known)), Value::Bool(more)) => *known |= *more,
                    (Some(_), _) => {}
                    (None, value) => drop(listen.accepted.insert(key.clone(), value.clone())),
                }
            }
        }
        self.acknowledge(&id);
        true
    }

    /// Tells the client what it will hear, once every server has said it.
    fn acknowledge(&self, id: &RequestId) {
        let accepted = {
            let mut state = self.state.lock();
            let Some(listen) = state.listens.get_mut(id).filter(|listen| listen.missing.is_empty()) else { return };
            if std::mem::replace(&mut listen.told, true) {
                return;
            }
            listen.accepted.clone()
        };
        let id: Value = serde_json::from_str(id.json()).unwrap_or_default();
        self.say(&Outgoing::own(
            json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                   "params": {"_meta": {SUBSCRIPTION: id}, "notifications": accepted}})
            .to_string(),
        ));
    }

    /// A subscription with one server is over, by its answer or by its end; with the last one it is for the client.
    pub(super) fn listened(self: &Arc<Self>, at: usize, id: &RequestId, answer: Option<RawMessage>) {
        let over = {
            let mut state = self.state.lock();
            let Some(listen) = state.listens.get_mut(id) else { return };
            listen.missing.retain(|missing| *missing != at);
            listen.open.retain(|open| *open != at);
            listen.translated.retain(|translated| *translated != at);
            let over = listen.open.is_empty() && listen.translated.is_empty();
            if over {
                state.listens.remove(id);
            }
            over
        };
        match answer {
            Some(answer) if over => self.say(&Outgoing::unchanged(answer)),
            None if over => {
                let own: Value = serde_json::from_str(id.json()).unwrap_or_default();
                self.answer(id, &json!({"resultType": "complete", "_meta": {SUBSCRIPTION: own}}));
            }
            _ => self.acknowledge(id),
        }
    }

    /// Passes news of a server that knows nothing of subscriptions on to those that want to hear them.
    pub(super) fn tell_listeners(&self, at: usize, one: &MessageView<'_>, method: &str) {
        let list = method.strip_prefix("notifications/").and_then(|rest| rest.strip_suffix("/list_changed"));
        let Some((_, key)) = LISTS.into_iter().find(|(name, _)| list == Some(name)) else { return };
        let hears = |listen: &Listen| {
            listen.told && listen.translated.contains(&at) && listen.accepted.get(key) == Some(&true.into())
        };
        let ids: Vec<RequestId> = {
            let state = self.state.lock();
            state.listens.iter().filter(|(_, listen)| hears(listen)).map(|(id, _)| id.clone()).collect()
        };
        for id in ids {
            let Some(mut message) = one.value() else { return };
            let id: Value = serde_json::from_str(id.json()).unwrap_or_default();
            if let Value::Object(message) = &mut message
                && let Value::Object(params) = message.entry("params").or_insert_with(|| json!({}))
                && let Value::Object(meta) = params.entry("_meta").or_insert_with(|| json!({}))
            {
                meta.insert(SUBSCRIPTION.to_owned(), id);
            }
            self.say(&Outgoing::own(message.to_string()));
        }
    }
}

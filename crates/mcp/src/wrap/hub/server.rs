//! What the servers say: what the client gets of it.

use std::sync::Arc;

use super::super::stdio::failure;
use super::{MOST_TASKS, MessageView, NO_METHOD, Shared, asked_by, refusal, revision, views};
use crate::wire::id::RequestId;
use crate::wire::outgoing::{Edit, Outgoing};
use crate::wire::raw_message::RawMessage;

impl Shared {
    pub(super) fn server_said(self: &Arc<Self>, at: usize, raw_message: &RawMessage) {
        for one in views(raw_message) {
            match (one.id(), one.text(&["method"])) {
                (Some(id), Some(method)) => self.server_asked(at, &one, &id, &method),
                (None, Some(method)) => self.server_told(at, &one, &method),
                (Some(id), None) => self.server_answered(at, &one, &id),
                (None, None) => one.alone().iter().for_each(|message| self.say(&Outgoing::unchanged(message.clone()))),
            }
        }
    }

    /// A server asks the client: under an id that tells whose it is.
    fn server_asked(&self, at: usize, one: &MessageView<'_>, id: &RequestId, method: &str) {
        if self.is_translated(at) {
            // The client cannot be asked in the revision that it speaks.
            let answer = match method {
                "ping" => Outgoing::own(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}", id.json())),
                _ => refusal(id, NO_METHOD, "the client cannot be asked"),
            };
            self.tell_server(at, &answer);
            return;
        }
        one.with_id(&asked_by(at, id)).iter().for_each(|message| self.say(message));
    }

    fn server_told(self: &Arc<Self>, at: usize, one: &MessageView<'_>, method: &str) {
        if method == "notifications/subscriptions/acknowledged" && self.acknowledged(at, one) {
            return;
        }
        if self.is_translated(at) && method != "notifications/progress" {
            return self.tell_listeners(at, one, method);
        }
        let Some(message) = one.alone() else { return };
        let id = one.raw(&["params", "requestId"]).and_then(|raw| RequestId::read(raw.as_bytes()));
        let edits = match (method, id, one.range(&["params", "requestId"])) {
            // The client knows what the server asked under another id.
            ("notifications/cancelled", Some(id), Some(range)) => {
                let start = one.message.range.start;
                vec![Edit::new(range.start - start..range.end - start, asked_by(at, &id))]
            }
            _ => Vec::new(),
        };
        self.say(&Outgoing::changed(message, edits));
    }

    fn server_answered(self: &Arc<Self>, at: usize, one: &MessageView<'_>, id: &RequestId) {
        let (is_fan, is_listen) = {
            let state = self.state.lock();
            (state.fans.contains_key(id), state.listens.contains_key(id))
        };
        if is_fan {
            return self.gather(at, id, one.value());
        }
        if is_listen {
            return self.listened(at, id, one.alone());
        }
        let task = one.text(&["result", "task", "taskId"]).or_else(|| one.text(&["result", "taskId"]));
        let route = {
            let mut state = self.state.lock();
            if let Some(task) = task {
                state.tasks.insert(task, at);
                if state.tasks.len() > MOST_TASKS {
                    state.tasks.pop_first();
                }
            }
            state.routes.take(id, |route| route.at == at)
        };
        // Nobody waits for the answer to what was cancelled.
        let (Some(route), Some(message)) = (route, one.alone()) else { return };
        let edits = match route.dress {
            Some(method) => views(&message).find_map(|one| revision::dressed(&one, &method)).into_iter().collect(),
            None => Vec::new(),
        };
        self.say(&Outgoing::changed(message, edits));
    }

    /// A server will say nothing more: who waits for it is told.
    pub(super) fn gone(self: &Arc<Self>, at: usize) {
        if let Some(peer) = self.peers.get(at) {
            *peer.to.lock() = None;
        }
        let (fans, routes, listens, lists) = {
            let mut state = self.state.lock();
            let fans: Vec<RequestId> =
                state.fans.iter().filter(|(_, fan)| fan.waits_for(at)).map(|(id, _)| id.clone()).collect();
            let routes = state.routes.take_all(at);
            let listens: Vec<RequestId> = state.listens.keys().cloned().collect();
            let told = state.greeted && !state.over;
            let can = state.known.get(at).map(|known| known.capabilities.clone()).unwrap_or_default();
            let lists =
                ["tools", "prompts", "resources"].into_iter().filter(move |list| told && can.contains_key(*list));
            (fans, routes, listens, lists)
        };
        for id in routes {
            self.say(&failure(&id, &format!("the server `{}` has ended", self.name(at))));
        }
        fans.iter().for_each(|id| self.gather(at, id, None));
        listens.iter().for_each(|id| self.listened(at, id, None));
        lists.for_each(|list| self.tell_changed(list));
    }
}

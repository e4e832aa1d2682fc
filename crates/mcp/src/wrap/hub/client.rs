//! What the client says: to whom it goes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::names::OwnTool;
use super::super::session::{Exchange, Step};
use super::super::stdio::failure;
use super::gather::Gathered;
use super::{BAD_PARAMS, MessageView, NO_METHOD, Route, Shared, revision, views};
use crate::wire::id::RequestId;
use crate::wire::outgoing::{Edit, Outgoing};
use crate::wire::raw_message::RawMessage;

impl Shared {
    pub(super) fn client_said(self: &Arc<Self>, raw_message: RawMessage) {
        let messages: Vec<RawMessage> = views(&raw_message).filter_map(|view| view.alone()).collect();
        for message in messages {
            // There is exactly one in it.
            if let Some(one) = views(&message).next() {
                self.route(&message, &one);
            }
        }
    }

    fn route(self: &Arc<Self>, raw_message: &RawMessage, one: &MessageView<'_>) {
        let id = one.id();
        let Some(method) = one.text(&["method"]) else { return self.answered(raw_message, one, id) };
        let Some(id) = id else { return self.told(raw_message, one, &method) };
        if revision::is_stateless(one) && !self.is_discovered(raw_message, &id, one, &method) {
            return;
        }
        match method.as_str() {
            "ping" => self.answer(&id, &json!({})),
            "initialize" => {
                // It names the client and what it offers; there is no answer to that from us.
                self.host.client_said(raw_message.clone(), &mut Exchange::default());
                self.host.forget(raw_message);
                self.fan(id, Gathered::Handshake, raw_message, self.alive());
            }
            "server/discover" => self.fan(id, Gathered::Discovery, raw_message, self.alive()),
            "subscriptions/listen" => self.listen(id, raw_message, one),
            "tools/list" => self.fan(id, Gathered::List("tools"), raw_message, self.with("tools")),
            "prompts/list" => self.fan(id, Gathered::List("prompts"), raw_message, self.with("prompts")),
            "resources/list" => self.fan(id, Gathered::List("resources"), raw_message, self.with("resources")),
            "resources/templates/list" => {
                self.fan(id, Gathered::List("resourceTemplates"), raw_message, self.with("resources"));
            }
            "tasks/list" => self.fan(id, Gathered::List("tasks"), raw_message, self.with("tasks")),
            "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
                self.of_task(&id, raw_message, one, &method)
            }
            "logging/setLevel" => self.fan(id, Gathered::Done, raw_message, self.with("logging")),
            "tools/call" => self.call(&id, raw_message, one, &method),
            "prompts/get" => self.named(&id, raw_message, one, &method, &["params", "name"]),
            "completion/complete" if one.text(&["params", "ref", "name"]).is_some() => {
                self.named(&id, raw_message, one, &method, &["params", "ref", "name"]);
            }
            "completion/complete" => self.at_uri(&id, raw_message, &method, one.text(&["params", "ref", "uri"])),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                self.at_uri(&id, raw_message, &method, one.text(&["params", "uri"]));
            }
            _ => self.refuse(&id, NO_METHOD, &format!("Method not found: {method}")),
        }
    }

    /// A client's notification: for all, but for the end of something that only one knows of.
    fn told(&self, raw_message: &RawMessage, one: &MessageView<'_>, method: &str) {
        let mut to = None;
        if method == "notifications/cancelled" {
            // Where it means a call of our own, we hear it.
            self.host.client_said(raw_message.clone(), &mut Exchange::default());
            let id = one.raw(&["params", "requestId"]).and_then(|raw| RequestId::read(raw.as_bytes()));
            if let Some(id) = id {
                let mut state = self.state.lock();
                to = state.routes.take(&id, |_| true).map(|route| vec![route.at]);
                state.fans.remove(&id);
                state.unlisten(&id);
            }
        }
        let message = Outgoing::unchanged(raw_message.clone());
        for at in to.unwrap_or_else(|| self.alive()) {
            self.tell_server(at, &message);
        }
    }

    /// A client's answer to what a server asked, or we.
    fn answered(&self, raw_message: &RawMessage, one: &MessageView<'_>, id: Option<RequestId>) {
        let name = id.and_then(|id| serde_json::from_str::<String>(id.json()).ok()).unwrap_or_default();
        let Some((at, raw)) = name.strip_prefix("offcut-server-").and_then(|rest| rest.split_once(':')) else {
            self.host.client_said(raw_message.clone(), &mut Exchange::default());
            return;
        };
        if let (Ok(at), Some(message)) = (at.parse(), one.with_id(raw)) {
            self.tell_server(at, &message);
        }
    }

    fn call(self: &Arc<Self>, id: &RequestId, raw_message: &RawMessage, one: &MessageView<'_>, method: &str) {
        let name = one.text(&["params", "name"]).unwrap_or_default();
        if !self.host.offers() || !OwnTool::ALL.iter().any(|tool| tool.name() == name) {
            return self.named(id, raw_message, one, method, &["params", "name"]);
        }
        for step in self.host.own_call(raw_message.clone(), &mut Exchange::default()) {
            if let Step::Answer(call) = step {
                let shared = self.clone();
                let answer = std::thread::spawn(move || shared.say(&call.answer(&shared.host)));
                let mut answers = self.answers.lock();
                answers.retain(|answer| !answer.is_finished());
                answers.push(answer);
            }
        }
    }

    /// Passes a request on to the server whose prefix its name has, without it.
    fn named(&self, id: &RequestId, raw_message: &RawMessage, one: &MessageView<'_>, method: &str, path: &[&str]) {
        let name = one.text(path).unwrap_or_default();
        let fitting = self.peers.iter().enumerate().filter_map(|(at, peer)| {
            let rest = name.strip_prefix(peer.prefix.as_str())?.strip_prefix('_')?;
            Some((peer.prefix.len(), at, rest))
        });
        let (Some((_, at, rest)), Some(range)) = (fitting.max(), one.range(path)) else {
            return self.refuse(id, BAD_PARAMS, &format!("Unknown name: {name}"));
        };
        let edit = Edit::new(range, Value::from(rest).to_string());
        self.pass(id, at, method, raw_message, vec![edit]);
    }

    /// Passes a request on to the server that has the resource; one that nobody listed, to the first that has any.
    fn at_uri(&self, id: &RequestId, raw_message: &RawMessage, method: &str, uri: Option<String>) {
        let known = uri.and_then(|uri| {
            let state = self.state.lock();
            let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme).to_owned() + ":";
            let near = || state.uris.iter().find(|(known, _)| known.starts_with(&scheme)).map(|(_, (at, _))| *at);
            state.uris.get(&uri).map(|(at, _)| *at).or_else(near)
        });
        match known.or_else(|| self.with("resources").first().copied()) {
            Some(at) => self.pass(id, at, method, raw_message, Vec::new()),
            None => self.refuse(id, NO_METHOD, "no server has resources"),
        }
    }

    /// Passes a request on to the server that runs the task.
    fn of_task(&self, id: &RequestId, raw_message: &RawMessage, one: &MessageView<'_>, method: &str) {
        let task = one.text(&["params", "taskId"]).unwrap_or_default();
        let at = self.state.lock().tasks.get(&task).copied();
        match at {
            Some(at) => self.pass(id, at, method, raw_message, Vec::new()),
            None => self.refuse(id, BAD_PARAMS, &format!("Unknown task: {task}")),
        }
    }

    fn pass(&self, id: &RequestId, at: usize, method: &str, raw_message: &RawMessage, mut edits: Vec<Edit>) {
        let translated = self.translated(at, raw_message);
        let dress = translated.as_ref().map(|_| method.to_owned());
        edits.extend(translated.unwrap_or_default());
        self.state.lock().routes.insert(id.clone(), Route { at, dress });
        let told = self.tell_server(at, &Outgoing::changed(raw_message.clone(), edits));
        if !told && self.state.lock().routes.take(id, |route| route.at == at).is_some() {
            self.say(&failure(id, &format!("the server `{}` has ended", self.name(at))));
        }
    }
}

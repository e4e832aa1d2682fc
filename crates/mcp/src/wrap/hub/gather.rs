//! What is asked of several servers, and the one answer that their answers become.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::names::OwnTool;
use super::super::stdio::failure;
use super::{Shared, revision, views};
use crate::wire::id::RequestId;
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;

/// A request to several servers, as far as it is answered.
pub(super) struct Fan {
    what: Gathered,
    request: RawMessage,
    /// What each has said so far.
    said: BTreeMap<usize, Vec<Value>>,
    /// Those that have more to say.
    missing: Vec<usize>,
    /// Those that do not know what they were asked.
    refused: Vec<usize>,
    /// Those that we greet.
    greeted: Vec<usize>,
}

impl Fan {
    pub(super) fn waits_for(&self, at: usize) -> bool {
        self.missing.contains(&at)
    }
}

/// What several answers become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gathered {
    Handshake,
    /// What a client without a handshake finds out.
    Discovery,
    /// One list of all lists under this key.
    List(&'static str),
    /// Nothing but that it was done.
    Done,
}

impl Shared {
    /// Asks several servers the same.
    pub(super) fn fan(self: &Arc<Self>, id: RequestId, what: Gathered, request: &RawMessage, to: Vec<usize>) {
        let mut fan = Fan {
            what,
            request: request.clone(),
            said: BTreeMap::new(),
            missing: to,
            refused: Vec::new(),
            greeted: Vec::new(),
        };
        let missing = {
            let mut state = self.state.lock();
            if matches!(what, Gathered::Handshake | Gathered::Discovery) {
                // Who was greeted by us has said this already.
                let said = fan.missing.iter().filter_map(|at| Some((*at, state.known.get(*at)?.greeting.clone()?)));
                fan.said = said.map(|(at, greeting)| (at, vec![greeting])).collect();
                fan.missing.retain(|at| !fan.said.contains_key(at));
            }
            let missing = fan.missing.clone();
            state.fans.insert(id.clone(), fan);
            missing
        };
        for at in &missing {
            let edits = self.translated(*at, request).unwrap_or_default();
            if !self.tell_server(*at, &Outgoing::changed(request.clone(), edits)) {
                self.gather(*at, &id, None);
            }
        }
        if missing.is_empty() {
            self.finish(&id);
        }
    }

    /// Takes one server's answer in; asks for its next page where there is one.
    pub(super) fn gather(self: &Arc<Self>, at: usize, id: &RequestId, answer: Option<Value>) {
        let gone = answer.is_none();
        let mut answer = answer.unwrap_or_default();
        let result = answer.get_mut("result").map(Value::take);
        let next = {
            let mut state = self.state.lock();
            let Some(fan) = state.fans.get_mut(id).filter(|fan| fan.missing.contains(&at)) else { return };
            let next = fan.heard(at, gone, result);
            if let (None, Some(greeting)) = (&next, fan.greeted_with(at))
                && let Some(known) = state.known.get_mut(at)
            {
                known.greeting = Some(greeting);
            }
            next
        };
        if next.is_some_and(|(request, cursor)| self.ask_page(at, &request, cursor)) {
            return;
        }
        if let Some(error) = answer.pointer("/error/message").and_then(Value::as_str) {
            self.left_out(at, id, error);
        }
        let done = {
            let mut state = self.state.lock();
            let Some(fan) = state.fans.get_mut(id) else { return };
            fan.missing.retain(|missing| *missing != at);
            if fan.greeted_with(at).is_some() {
                drop(state);
                let done = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
                self.tell_server(at, &Outgoing::own(done.to_owned()));
                state = self.state.lock();
            }
            state.fans.get(id).is_some_and(|fan| fan.missing.is_empty())
        };
        if done {
            self.finish(id);
        }
    }

    /// Tells of a server that refuses to be greeted.
    fn left_out(&self, at: usize, id: &RequestId, error: &str) {
        let greets = |fan: &Fan| fan.what == Gathered::Handshake || fan.greeted.contains(&at);
        if self.state.lock().fans.get(id).is_some_and(greets) {
            (self.tell)(&format!("`{}` is left out: it could not be greeted: {error}", self.name(at)));
        }
    }

    fn ask_page(&self, at: usize, request: &RawMessage, cursor: Value) -> bool {
        let edits = self.translated(at, request).unwrap_or_default();
        let request = Outgoing::changed(request.clone(), edits).small().unwrap_or_default();
        let mut request: Value = serde_json::from_slice(&request).unwrap_or_default();
        if let Value::Object(request) = &mut request
            && let Value::Object(params) = request.entry("params").or_insert_with(|| json!({}))
        {
            params.insert("cursor".to_owned(), cursor);
        }
        self.tell_server(at, &Outgoing::own(request.to_string()))
    }

    /// Makes one answer of all.
    fn finish(self: &Arc<Self>, id: &RequestId) {
        let Some(fan) = self.state.lock().fans.remove(id) else { return };
        let stateless = views(&fan.request).next().is_some_and(|one| revision::is_stateless(&one));
        let mut result = match fan.what {
            Gathered::Done => json!({}),
            Gathered::List(key) => self.list(key, fan.said),
            Gathered::Handshake if fan.said.is_empty() => return self.say(&failure(id, "no server could be greeted")),
            Gathered::Handshake => {
                let greeting = self.greeting(fan.said);
                self.state.lock().greeted = true;
                greeting
            }
            Gathered::Discovery => return self.found_out(id, fan),
        };
        if stateless {
            revision::dress(&mut result);
        }
        self.answer(id, &result);
    }

    /// What the servers can do is known, but for those that need a handshake: they get it from us, unless all of them
    /// do. Then the client, which asked whether any does not, had better greet them itself.
    fn found_out(self: &Arc<Self>, id: &RequestId, mut fan: Fan) {
        if fan.said.is_empty() && !revision::is_own(id) {
            return self.not_discovered(id);
        }
        if fan.refused.is_empty() {
            let mut found = self.found(fan.said);
            revision::dress(&mut found);
            return self.discovered(id, &found);
        }
        let greeted = std::mem::take(&mut fan.refused);
        let message = revision::greeting(&fan.request, id);
        (fan.missing, fan.greeted) = (greeted.clone(), greeted.clone());
        self.state.lock().fans.insert(id.clone(), fan);
        for at in greeted {
            if !self.tell_server(at, &message) {
                self.gather(at, id, None);
            }
        }
    }

    fn list(&self, key: &'static str, said: BTreeMap<usize, Vec<Value>>) -> Value {
        let mut all = Vec::new();
        let mut state = self.state.lock();
        // What a server no longer lists is no longer its.
        state.uris.retain(|_, (at, list)| *list != key || !said.contains_key(at));
        for (at, pages) in said {
            let prefix = self.peers.get(at).map_or("", |peer| &peer.prefix);
            for mut page in pages {
                let Some(Value::Array(items)) = page.get_mut(key).map(Value::take) else { continue };
                for mut item in items {
                    let uri = item.get("uri").or_else(|| item.get("uriTemplate")).and_then(Value::as_str);
                    if let Some(uri) = uri {
                        state.uris.insert(uri.to_owned(), (at, key));
                    } else if let Some(task) = item.get("taskId").and_then(Value::as_str) {
                        state.tasks.insert(task.to_owned(), at);
                    } else if let Some(name) = item.get_mut("name") {
                        *name = format!("{prefix}_{}", name.as_str().unwrap_or_default()).into();
                    }
                    all.push(item);
                }
            }
        }
        drop(state);
        if key == "tools" && self.host.offers() {
            let own = OwnTool::ALL.into_iter().map(|tool| tool.definition(tool.name()));
            all.extend(own.filter_map(|definition| serde_json::from_str::<Value>(&definition).ok()));
        }
        json!({ key: all })
    }

    /// One server that can do what any of them can, in the oldest revision that one of them speaks.
    fn greeting(&self, said: BTreeMap<usize, Vec<Value>>) -> Value {
        let together = self.together(said);
        let mut capabilities = together.capabilities;
        if self.host.offers() {
            // A server that ends takes its tools along.
            let tools = capabilities.entry("tools").or_insert_with(|| json!({}));
            if let Value::Object(tools) = tools {
                tools.insert("listChanged".to_owned(), true.into());
            }
        }
        let mut greeting = json!({
            "protocolVersion": together.versions.iter().min(),
            "capabilities": capabilities,
            "serverInfo": {"name": "offcut", "version": env!("CARGO_PKG_VERSION")},
        });
        instruct(&mut greeting, &together.instructions);
        greeting
    }

    /// What a client without a handshake finds: the same, and the revisions that all of them speak.
    fn found(&self, said: BTreeMap<usize, Vec<Value>>) -> Value {
        let together = self.together(said);
        let mut capabilities = together.capabilities;
        if self.host.offers() {
            capabilities.entry("tools").or_insert_with(|| json!({}));
        }
        let mut supported = together.supported.unwrap_or_else(|| {
            let mut own = vec![revision::STATELESS.to_owned()];
            own.extend(together.versions.iter().min().cloned());
            own
        });
        if !supported.iter().any(|version| version == revision::STATELESS) {
            supported.insert(0, revision::STATELESS.to_owned());
        }
        let mut found = json!({
            "supportedVersions": supported,
            "capabilities": capabilities,
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "offcut", "version": env!("CARGO_PKG_VERSION")}},
        });
        instruct(&mut found, &together.instructions);
        found
    }

    /// What all have said of themselves; what each can do is remembered.
    fn together(&self, said: BTreeMap<usize, Vec<Value>>) -> Together {
        let mut together = Together::default();
        for (at, result) in said.into_iter().filter_map(|(at, mut said)| Some((at, said.pop()?))) {
            let text = |key: &str| result.get(key).and_then(Value::as_str).map(str::to_owned);
            together.versions.extend(text("protocolVersion"));
            together.instructions.extend(text("instructions").map(|said| format!("{}: {said}", self.name(at))));
            if let Some(Value::Array(own)) = result.get("supportedVersions") {
                let own: Vec<String> = own.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                together.supported = Some(match together.supported.take() {
                    Some(both) => both.into_iter().filter(|version| own.contains(version)).collect(),
                    None => own,
                });
            }
            let can = result.get("capabilities").and_then(Value::as_object).cloned().unwrap_or_default();
            for (key, value) in &can {
                match (together.capabilities.get_mut(key), value) {
                    (Some(Value::Object(known)), Value::Object(more)) => known.extend(more.clone()),
                    (Some(_), _) => {}
                    (None, value) => drop(together.capabilities.insert(key.clone(), value.clone())),
                }
            }
            if let Some(known) = self.state.lock().known.get_mut(at) {
                known.capabilities = can;
            }
        }
        together
    }
}

impl Fan {
    /// Takes an answer in; what it takes to ask for the next page, where there is one.
    fn heard(&mut self, at: usize, gone: bool, result: Option<Value>) -> Option<(RawMessage, Value)> {
        let Some(result) = result else {
            // One that does not know what it is asked has said so; one that has left says nothing.
            if !gone && !self.greeted.contains(&at) {
                self.refused.push(at);
            }
            return None;
        };
        let cursor = result.get("nextCursor").filter(|cursor| cursor.is_string()).cloned();
        self.said.entry(at).or_default().push(result);
        let cursor = cursor.filter(|_| matches!(self.what, Gathered::List(_)))?;
        Some((self.request.clone(), cursor))
    }

    /// The answer to a handshake of ours in this fan.
    fn greeted_with(&self, at: usize) -> Option<Value> {
        self.said.get(&at)?.last().filter(|_| self.greeted.contains(&at)).cloned()
    }
}

/// What several servers say of themselves together.
#[derive(Default)]
struct Together {
    capabilities: Map<String, Value>,
    /// The revisions of those that shook hands.
    versions: Vec<String>,
    /// The revisions that all of those speak that need no handshake.
    supported: Option<Vec<String>>,
    instructions: Vec<String>,
}

fn instruct(answer: &mut Value, instructions: &[String]) {
    if let Value::Object(answer) = answer
        && !instructions.is_empty()
    {
        answer.insert("instructions".to_owned(), instructions.join("\n\n").into());
    }
}

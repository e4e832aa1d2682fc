//! The requests of a conversation as a client sends them, and as the provider reads them.
//!
//! The client is one of Anthropic's Messages that marks its instructions and the last block of its last two messages,
//! as coding agents do. The shape is the same for every price, since only sizes and positions matter to a bill.

use serde_json::{Value, json};

use super::bill::{Counter, Prompt};
use super::talks::Talk;

/// The bodies of all requests of a conversation, each made from its messages.
#[derive(Debug)]
pub(super) struct Bodies {
    head: String,
    /// Each message plain, and with a mark.
    messages: Vec<[String; 2]>,
    /// How many messages each request has.
    ends: Vec<usize>,
}

impl Bodies {
    pub(super) fn of(talk: &Talk) -> Bodies {
        let system = json!([{"type": "text", "text": talk.instructions, "cache_control": {"type": "ephemeral"}}]);
        let tools = json!([{"name": "bash"}, {"name": "get_artifact"}, {"name": "get_task_trace"}]);
        let head = format!(r#"{{"model":"m","system":{system},"tools":{tools},"messages":["#);
        let mut bodies = Bodies { head, messages: Vec::new(), ends: Vec::new() };
        bodies.user(vec![json!({"type": "text", "text": talk.task})]);
        for (number, turn) in talk.turns.iter().enumerate() {
            let id = |call: usize| format!("toolu_{number}_{call}");
            let calls = (0..turn.results.len())
                .map(|call| json!({"type": "tool_use", "id": id(call), "name": "bash", "input": {"command": "make"}}));
            let answer = [json!({"type": "text", "text": turn.answer})].into_iter().chain(calls).collect();
            bodies.add("assistant", answer, false);
            let results = turn.results.iter().enumerate();
            let result = |(call, text)| json!({"type": "tool_result", "tool_use_id": id(call), "content": text});
            let mut results: Vec<Value> = results.map(result).collect();
            if results.is_empty() {
                results.push(json!({"type": "text", "text": "Go on."}));
            }
            bodies.user(results);
        }
        bodies
    }

    fn user(&mut self, blocks: Vec<Value>) {
        self.add("user", blocks, true);
        self.ends.push(self.messages.len());
    }

    fn add(&mut self, role: &str, mut blocks: Vec<Value>, marked: bool) {
        let message = |blocks: &[Value]| json!({"role": role, "content": blocks}).to_string();
        let plain = message(&blocks);
        if let Some(last) = blocks.last_mut().filter(|_| marked) {
            last["cache_control"] = json!({"type": "ephemeral"});
        }
        self.messages.push([plain, message(&blocks)]);
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The body of one request, counted from 0.
    pub(super) fn body(&self, request: usize) -> String {
        let end = self.ends.get(request).copied().unwrap_or_default();
        let mut body = self.head.clone();
        for (number, [plain, marked]) in self.messages.iter().take(end).enumerate() {
            // Messages alternate: the last and the one before the last but one are the client's.
            let is_marked = number + 1 == end || number + 3 == end;
            body.push_str(if number > 0 { "," } else { "" });
            body.push_str(if is_marked { marked } else { plain });
        }
        body.push_str("]}");
        body
    }
}

/// What a provider makes of a body.
pub(super) fn prompt(body: &str, at_s: u64, counter: &mut Counter) -> Prompt {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let mut prompt = Prompt { at_s, ..Prompt::default() };
    let mut add = |block: &Value| {
        let text = ["text", "content"].iter().find_map(|key| block.get(key)?.as_str());
        let called = || format!("{} {}", block["name"], block["input"]);
        let text = text.map_or_else(called, str::to_owned);
        prompt.blocks.push(counter.block(&text));
        if block.get("cache_control").is_some() {
            prompt.marks.push(prompt.blocks.len());
        }
    };
    for block in body["system"].as_array().into_iter().flatten() {
        add(block);
    }
    for message in body["messages"].as_array().into_iter().flatten() {
        message["content"].as_array().into_iter().flatten().for_each(&mut add);
    }
    prompt
}

/// The texts of a body's tool results, in order.
pub(super) fn results(body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let messages = body["messages"].as_array().into_iter().flatten();
    let blocks = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results.map(|block| block["content"].as_str().unwrap_or_default().to_owned()).collect()
}

//! The client's own model, asked by `sampling/createMessage` where the client offers that.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use offcut_extract::{Completion, Message, Model, ModelError, Prompt, ToolCall, Usage};
use serde_json::{Value, json};

use super::session::{Outlet, Session};
use crate::sampling::{BEAT, CONTEXT_TOKENS, OUTPUT_TOKENS};

/// The model behind a client.
pub(crate) struct ClientModel<'s> {
    pub(crate) session: &'s Session,
    /// The way to the client.
    pub(crate) outlet: &'s Outlet,
    /// Whether it can be offered tools.
    pub(crate) takes_tools: bool,
}

impl Model for ClientModel<'_> {
    fn name(&self) -> &str {
        "client"
    }

    fn context_tokens(&self) -> u64 {
        CONTEXT_TOKENS
    }

    fn output_tokens(&self) -> u64 {
        OUTPUT_TOKENS
    }

    fn takes_tools(&self) -> bool {
        self.takes_tools
    }

    fn ask(&self, prompt: &Prompt<'_>) -> Result<Completion, ModelError> {
        let messages: Vec<Value> = prompt.messages.iter().flat_map(message).collect();
        let mut params = json!({
            "messages": messages,
            "systemPrompt": prompt.system,
            "maxTokens": prompt.max_output_tokens,
        });
        if let Value::Object(params) = &mut params
            && !prompt.tools.is_empty()
        {
            let tools: Vec<Value> = prompt
                .tools
                .iter()
                .map(|tool| json!({"name": tool.name, "description": tool.description, "inputSchema": tool.schema}))
                .collect();
            params.insert("tools".to_owned(), tools.into());
        }
        let Some(answer) = self.session.ask_client(self.outlet, "sampling/createMessage", &params) else {
            return Err(ModelError::Unreachable("the client can no longer be asked".to_owned()));
        };
        read(&wait(&answer, prompt)?)
    }
}

/// Waits for an answer as long as it is wanted.
fn wait(answer: &Receiver<Value>, prompt: &Prompt<'_>) -> Result<Value, ModelError> {
    let started = Instant::now();
    loop {
        match answer.recv_timeout(BEAT) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ModelError::Unreachable("the client has left".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if prompt.cancel.is_cancelled() => return Err(ModelError::Cancelled),
            Err(RecvTimeoutError::Timeout) if started.elapsed() >= prompt.timeout => return Err(ModelError::TimedOut),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn message(message: &Message) -> Vec<Value> {
    let text = |text: &str| json!({"type": "text", "text": text});
    match message {
        Message::User(said) => vec![json!({"role": "user", "content": text(said)})],
        Message::Assistant { text: said, calls } if calls.is_empty() => {
            vec![json!({"role": "assistant", "content": text(said)})]
        }
        Message::Assistant { text: said, calls } => {
            let said = (!said.is_empty()).then(|| text(said));
            let called = calls
                .iter()
                .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
            vec![json!({"role": "assistant", "content": said.into_iter().chain(called).collect::<Vec<_>>()})]
        }
        Message::Results(results) => {
            let results: Vec<Value> = results
                .iter()
                .map(|result| {
                    json!({"type": "tool_result", "toolUseId": result.id, "isError": result.failed,
                           "content": [text(&result.text)]})
                })
                .collect();
            vec![json!({"role": "user", "content": results})]
        }
    }
}

/// The answer in a response; a person who says no is not asked again.
fn read(response: &Value) -> Result<Completion, ModelError> {
    if let Some(error) = response.get("error") {
        let why = error.get("message").and_then(Value::as_str).unwrap_or("the client refused");
        return Err(ModelError::Refused(why.to_owned()));
    }
    let result = response.get("result").unwrap_or(&Value::Null);
    let cut_off = result.get("stopReason").and_then(Value::as_str) == Some("maxTokens");
    let mut answer = Completion { cut_off, usage: Usage::default(), ..Completion::default() };
    let blocks = match result.get("content") {
        Some(Value::Array(blocks)) => blocks.clone(),
        Some(block) => vec![block.clone()],
        None => Vec::new(),
    };
    let text_of = |block: &Value, key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for block in &blocks {
        match text_of(block, "type").as_str() {
            "text" => answer.text.push_str(&text_of(block, "text")),
            "tool_use" => answer.calls.push(ToolCall {
                id: text_of(block, "id"),
                name: text_of(block, "name"),
                arguments: block.get("input").cloned().unwrap_or_default(),
            }),
            _ => {}
        }
    }
    Ok(answer)
}

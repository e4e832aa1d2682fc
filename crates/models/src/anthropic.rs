//! Anthropic's messages.

use offcut_extract::{Completion, Message, ModelError, Prompt, ToolCall, Usage};
use serde_json::{Value, json};

use crate::config::Config;

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// The address of the endpoint.
pub(crate) fn url(config: &Config) -> String {
    match config.url.ends_with("/v1") {
        true => format!("{}/messages", config.url),
        false => format!("{}/v1/messages", config.url),
    }
}

/// The headers that carry version and key.
pub(crate) fn headers(config: &Config) -> Vec<(&'static str, String)> {
    let version = [("anthropic-version", VERSION.to_owned())];
    version.into_iter().chain(config.key.iter().map(|key| ("x-api-key", key.clone()))).collect()
}

/// The request. Messages of one side that follow each other become one, since the sides must take turns.
pub(crate) fn body(config: &Config, prompt: &Prompt<'_>) -> Value {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in prompt.messages {
        let (role, blocks) = match message {
            Message::User(text) => ("user", vec![words(text)]),
            Message::Assistant { text, calls } => {
                let said = (!text.trim().is_empty()).then(|| words(text.trim_end()));
                let called = calls.iter().map(|call| {
                    let input = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
                    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
                });
                ("assistant", said.into_iter().chain(called).collect())
            }
            Message::Results(results) => {
                let results = results.iter().map(|result| {
                    json!({
                        "type": "tool_result",
                        "tool_use_id": result.id,
                        "content": result.text,
                        "is_error": result.failed
                    })
                });
                ("user", results.collect())
            }
        };
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some((before, all)) if *before == role => all.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages: Vec<Value> =
        messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect();
    let mut body = json!({
        "model": config.model,
        "max_tokens": prompt.max_output_tokens,
        "system": prompt.system,
        "messages": messages
    });
    if !prompt.tools.is_empty() {
        let tools = prompt.tools.iter();
        body["tools"] = tools
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}))
            .collect();
    }
    body
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The answer.
pub(crate) fn answer(reply: &Value) -> Result<Completion, ModelError> {
    let Some(blocks) = reply["content"].as_array() else {
        return Err(ModelError::Refused("its answer has no `content`".to_owned()));
    };
    let mut answer = Completion { cut_off: reply["stop_reason"] == "max_tokens", ..Completion::default() };
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => answer.text.push_str(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") => answer.calls.push(ToolCall {
                id: block["id"].as_str().unwrap_or_default().to_owned(),
                name: block["name"].as_str().unwrap_or_default().to_owned(),
                arguments: block["input"].clone(),
            }),
            // Thoughts are the model's own.
            _ => {}
        }
    }
    let usage = &reply["usage"];
    let tokens = |key: &str| usage[key].as_u64().unwrap_or(0);
    let input = tokens("input_tokens") + tokens("cache_read_input_tokens") + tokens("cache_creation_input_tokens");
    answer.usage = Usage { input, output: tokens("output_tokens") };
    Ok(answer)
}

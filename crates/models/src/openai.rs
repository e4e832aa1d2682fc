//! Chat completions, as OpenAI and many others offer them.

use offcut_extract::{Completion, Message, ModelError, Prompt, ToolCall, Usage};
use serde_json::{Value, json};

use crate::config::Config;

/// The address of the endpoint.
pub(crate) fn url(config: &Config) -> String {
    format!("{}/chat/completions", config.url)
}

/// The headers that carry the key.
pub(crate) fn headers(config: &Config) -> Vec<(&'static str, String)> {
    config.key.iter().map(|key| ("authorization", format!("Bearer {key}"))).collect()
}

/// The request.
pub(crate) fn body(config: &Config, prompt: &Prompt<'_>) -> Value {
    let mut messages = vec![json!({"role": "system", "content": prompt.system})];
    for message in prompt.messages {
        match message {
            Message::User(text) => messages.push(json!({"role": "user", "content": text})),
            Message::Assistant { text, calls } => {
                let mut said = json!({"role": "assistant", "content": text});
                if !calls.is_empty() {
                    let calls = calls.iter().map(|call| {
                        let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
                        json!({"id": call.id, "type": "function", "function": function})
                    });
                    said["tool_calls"] = calls.collect();
                }
                messages.push(said);
            }
            Message::Results(results) => messages.extend(
                results.iter().map(|result| json!({"role": "tool", "tool_call_id": result.id, "content": result.text})),
            ),
        }
    }
    // OpenAI's newer models know only the one name, other servers only the other.
    let most = if config.url.contains("api.openai.com") { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({"model": config.model, "messages": messages});
    body[most] = prompt.max_output_tokens.into();
    if !prompt.tools.is_empty() {
        let tools = prompt.tools.iter().map(|tool| {
            let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
            json!({"type": "function", "function": function})
        });
        body["tools"] = tools.collect();
    }
    body
}

/// The answer.
pub(crate) fn answer(reply: &Value) -> Result<Completion, ModelError> {
    let choice = &reply["choices"][0];
    let Some(message) = choice.get("message") else {
        return Err(ModelError::Refused("its answer has no `choices`".to_owned()));
    };
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
    let calls = calls.map(|(at, call)| {
        let arguments = match &call["function"]["arguments"] {
            Value::String(written) => serde_json::from_str(written).unwrap_or(Value::String(written.clone())),
            other => other.clone(),
        };
        let id = call["id"].as_str().map_or_else(|| format!("call_{at}"), str::to_owned);
        ToolCall { id, name: call["function"]["name"].as_str().unwrap_or_default().to_owned(), arguments }
    });
    let usage = &reply["usage"];
    Ok(Completion {
        text,
        calls: calls.collect(),
        cut_off: choice["finish_reason"] == "length",
        usage: Usage {
            input: usage["prompt_tokens"].as_u64().unwrap_or(0),
            output: usage["completion_tokens"].as_u64().unwrap_or(0),
        },
    })
}

//! The client's own model, asked by `sampling/createMessage`.

// Sampling is on its way out of the protocol; clients of the revisions with a handshake still offer it.
#![allow(deprecated)]

use std::sync::Arc;

use offcut::Cancel;
use offcut_extract::{Completion, Message, Model, ModelError, Prompt, ToolCall, ToolDefinition, Usage};
use rmcp::model::*;
use rmcp::service::{Peer, RequestContext, RoleServer, ServiceError};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::sampling::{BEAT, CONTEXT_TOKENS, OUTPUT_TOKENS};

/// The model behind a connection.
#[derive(Debug)]
pub(super) struct ClientModel {
    peer: Peer<RoleServer>,
    runtime: Handle,
    takes_tools: bool,
}

impl ClientModel {
    /// The model of the client that asks, where it offers one and the revision lets us ask it. Must be called where
    /// there is a runtime.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<ClientModel> {
        // Requests that stand for themselves cannot be asked back.
        if context.meta.protocol_version().is_some_and(|version| !version.has_initialize()) {
            return None;
        }
        let sampling = context.client_capabilities()?.sampling?;
        let takes_tools = sampling.tools.is_some();
        Some(ClientModel { peer: context.peer.clone(), runtime: Handle::current(), takes_tools })
    }
}

impl Model for ClientModel {
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
        let messages = prompt.messages.iter().map(message).collect();
        let most = u32::try_from(prompt.max_output_tokens).unwrap_or(u32::MAX);
        let mut params = CreateMessageRequestParams::new(messages, most).with_system_prompt(prompt.system);
        if !prompt.tools.is_empty() {
            params = params.with_tools(prompt.tools.iter().map(tool).collect());
        }
        let asked = self.runtime.block_on(async {
            tokio::select! {
                asked = self.peer.create_message(params) => asked.map_err(refused),
                () = tokio::time::sleep(prompt.timeout) => Err(ModelError::TimedOut),
                () = cancelled(prompt.cancel) => Err(ModelError::Cancelled),
            }
        });
        asked.map(answer)
    }
}

async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(BEAT).await;
    }
}

fn message(message: &Message) -> SamplingMessage {
    match message {
        Message::User(text) => SamplingMessage::user_text(text),
        Message::Assistant { text, calls } if calls.is_empty() => SamplingMessage::assistant_text(text),
        Message::Assistant { text, calls } => {
            let said = (!text.is_empty()).then(|| SamplingMessageContentBlock::text(text));
            let called = calls.iter().map(|call| {
                let input = call.arguments.as_object().cloned().unwrap_or_default();
                SamplingMessageContentBlock::tool_use(&call.id, &call.name, input)
            });
            SamplingMessage::new_multiple(Role::Assistant, said.into_iter().chain(called).collect())
        }
        Message::Results(results) => {
            let results = results.iter().map(|result| {
                let content = vec![ContentBlock::text(&result.text)];
                SamplingMessageContentBlock::ToolResult(match result.failed {
                    true => ToolResultContent::error(&result.id, content),
                    false => ToolResultContent::new(&result.id, content),
                })
            });
            SamplingMessage::new_multiple(Role::User, results.collect())
        }
    }
}

fn tool(definition: &ToolDefinition) -> Tool {
    let schema = definition.schema.as_object().cloned().unwrap_or_default();
    Tool::new(definition.name.clone(), definition.description.clone(), Arc::new(schema))
}

fn answer(result: CreateMessageResult) -> Completion {
    let cut_off = result.stop_reason.as_deref() == Some(CreateMessageResult::STOP_REASON_END_MAX_TOKEN);
    let mut answer = Completion { cut_off, usage: Usage::default(), ..Completion::default() };
    for block in result.message.content.iter() {
        match block {
            SamplingMessageContentBlock::Text(text) => answer.text.push_str(&text.text),
            SamplingMessageContentBlock::ToolUse(call) => answer.calls.push(ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: Value::Object(call.input.clone()),
            }),
            _ => {}
        }
    }
    answer
}

/// Why the client did not answer, as what can be done about it. A person who says no is not asked again.
fn refused(error: ServiceError) -> ModelError {
    match error {
        ServiceError::McpError(error) => ModelError::Refused(error.message.into_owned()),
        ServiceError::Timeout { .. } => ModelError::TimedOut,
        ServiceError::Cancelled { .. } => ModelError::Cancelled,
        other => ModelError::Unreachable(other.to_string()),
    }
}

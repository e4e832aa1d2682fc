//! The tools that answer at once, or ask while they run.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::input;
use crate::resources::{PIXEL, SILENCE};
use crate::server::{Change, Fixture, made};

/// Between two things that a client should see one after the other.
const BEAT: Duration = Duration::from_millis(50);

/// A result of one text.
pub(crate) fn said(text: &str) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

fn shown(content: Value) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(made(content)?).into())
}

/// Calls a tool.
pub(crate) async fn call(
    fixture: &Fixture,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let argument = |name: &str| -> Result<String, ErrorData> {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        value.map(str::to_owned).ok_or_else(|| ErrorData::invalid_params(format!("Missing argument: {name}"), None))
    };
    match request.name.as_ref() {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_image_content" => shown(json!([image()])),
        "test_audio_content" => shown(json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }])),
        "test_embedded_resource" => {
            shown(json!([embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]))
        }
        "test_multiple_content_types" => shown(json!([
            { "type": "text", "text": "Multiple content types test:" },
            image(),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ])),
        "test_tool_with_logging" | "test_logging_tool" => {
            for (beat, text) in
                ["Tool execution started", "Tool processing data", "Tool execution completed"].iter().enumerate()
            {
                if beat > 0 {
                    sleep(BEAT).await;
                }
                fixture.log(context, LoggingLevel::Info, text).await;
            }
            said("Tool with logging executed successfully")
        }
        "test_tool_with_progress" => {
            for progress in [0.0, 50.0, 100.0] {
                if let Some(token) = context.meta.get_progress_token() {
                    let progress = ProgressNotificationParam::new(token, progress).with_total(100.0);
                    let _ = context.peer.notify_progress(progress).await;
                }
                sleep(BEAT).await;
            }
            said("Tool with progress executed successfully")
        }
        "test_error_handling" => {
            let text = ContentBlock::text("This tool intentionally returns an error for testing");
            Ok(CallToolResult::error(vec![text]).into())
        }
        "test_sampling" => sample(context, argument("prompt")?).await,
        "test_elicitation" => {
            let fields = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            let message = argument("message")?;
            elicit(context, &message, fields, &["username", "email"], "User response: ").await
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(context, "Please check these", defaults(), &[], "Elicitation completed: ").await
        }
        "test_elicitation_sep1330_enums" => {
            elicit(context, "Please choose", choices(), &[], "Elicitation completed: ").await
        }
        "test_missing_capability" => match context.client_capabilities().and_then(|declared| declared.sampling) {
            Some(_) => said("The client offers sampling."),
            None => Err(ErrorData::missing_required_client_capability(made(json!({ "sampling": {} }))?)),
        },
        "test_trigger_tool_change" => {
            fixture.world.change(Change::Tools);
            // Clients of the handshake are told without asking.
            let _ = context.peer.notify_tool_list_changed().await;
            said("The list of tools has changed.")
        }
        "test_trigger_prompt_change" => {
            fixture.world.change(Change::Prompts);
            let _ = context.peer.notify_prompt_list_changed().await;
            said("The list of prompts has changed.")
        }
        "test_custom_header" => said(&format!("Region: {}", argument("region").unwrap_or_else(|_| "none".to_owned()))),
        "json_schema_2020_12_tool" => said(&json!(request.arguments).to_string()),
        "test_comes_and_goes" => said("Here now."),
        _ => input::call(&request, &context.client_capabilities().unwrap_or_default()),
    }
}

fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

fn embedded(uri: &str, media_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "text": text } })
}

/// Asks the client's model.
async fn sample(context: &RequestContext<RoleServer>, prompt: String) -> Result<CallToolResponse, ErrorData> {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    match context.peer.create_message(params).await {
        Ok(result) => {
            let text = result.message.content.first().and_then(|content| match content {
                SamplingMessageContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            });
            said(&format!("LLM response: {}", text.unwrap_or("(no text)")))
        }
        Err(error) => failed(&error),
    }
}

/// Asks the client's user.
async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    fields: Value,
    required: &[&str],
    answer: &str,
) -> Result<CallToolResponse, ErrorData> {
    let mut schema = json!({ "type": "object", "properties": fields });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(made(params)?));
    match context.peer.send_request(request).await {
        Ok(ClientResult::ElicitResult(result)) => {
            let action = json!(result.action);
            let action = action.as_str().unwrap_or_default();
            let content = result.content.unwrap_or_else(|| json!({}));
            said(&format!("{answer}action={action}, content={content}"))
        }
        Ok(_) => failed(&"the client answered with something else"),
        Err(error) => failed(&error),
    }
}

fn failed(error: &dyn std::fmt::Display) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::error(vec![ContentBlock::text(format!("The client did not answer: {error}"))]).into())
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = |word: &str| {
        json!([
            { "const": "value1", "title": format!("First {word}") },
            { "const": "value2", "title": format!("Second {word}") },
            { "const": "value3", "title": format!("Third {word}") },
        ])
    };
    json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}

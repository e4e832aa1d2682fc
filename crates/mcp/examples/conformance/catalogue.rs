//! What there is to list, as it stands on the wire.

use serde_json::{Value, json};

/// The tools, in an order that never changes.
pub(crate) fn tools(extra: bool) -> Value {
    let mut tools: Vec<Value> = PLAIN.iter().map(|(name, about)| tool(name, about, json!({}), &[])).collect();
    let text = |about: &str| json!({ "type": "string", "description": about });
    tools.push(tool(
        "test_sampling",
        "Asks the client's model",
        json!({ "prompt": text("What to ask the model") }),
        &["prompt"],
    ));
    tools.push(tool(
        "test_elicitation",
        "Asks the user",
        json!({ "message": text("What to show to the user") }),
        &["message"],
    ));
    tools.push(tool(
        "test_custom_header",
        "Takes an argument that is also sent as a header",
        json!({ "region": { "type": "string", "x-mcp-header": "Region" } }),
        &[],
    ));
    tools.push(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": schema_2020_12(),
    }));
    if extra {
        tools.push(tool("test_comes_and_goes", "Is there now and then", json!({}), &[]));
    }
    Value::Array(tools)
}

/// The tools without arguments.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Returns text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns audio"),
    ("test_embedded_resource", "Returns an embedded resource"),
    ("test_multiple_content_types", "Returns text, an image and a resource"),
    ("test_tool_with_logging", "Logs while it runs"),
    ("test_logging_tool", "Logs while it runs, where the request allows it"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_progress", "Reports progress"),
    ("test_elicitation_sep1034_defaults", "Asks the user, with defaults for every field"),
    ("test_elicitation_sep1330_enums", "Asks the user to choose, in every way there is"),
    ("test_missing_capability", "Needs a client that offers sampling"),
    ("test_streaming_elicitation", "Asks the user by its result"),
    ("test_trigger_tool_change", "Makes a tool come or go"),
    ("test_trigger_prompt_change", "Makes a prompt come or go"),
    ("test_input_required_result_elicitation", "Needs a name"),
    ("test_input_required_result_sampling", "Needs the client's model"),
    ("test_input_required_result_list_roots", "Needs the client's roots"),
    ("test_input_required_result_request_state", "Needs its state back"),
    ("test_input_required_result_multiple_inputs", "Needs three things at once"),
    ("test_input_required_result_multi_round", "Needs one thing after the other"),
    ("test_input_required_result_tampered_state", "Refuses a state that is not its own"),
    ("test_input_required_result_capabilities", "Asks only for what the client offers"),
];

fn tool(name: &str, about: &str, properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    json!({ "name": name, "description": about, "inputSchema": schema })
}

fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// The prompts.
pub(crate) fn prompts(extra: bool) -> Value {
    let argument = |name: &str, about: &str| json!({ "name": name, "description": about, "required": true });
    let mut prompts = vec![
        json!({ "name": "test_simple_prompt", "description": "A prompt without arguments" }),
        json!({
            "name": "test_prompt_with_arguments",
            "description": "A prompt with two arguments",
            "arguments": [argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
        }),
        json!({
            "name": "test_prompt_with_embedded_resource",
            "description": "A prompt that embeds a resource",
            "arguments": [argument("resourceUri", "URI of the resource to embed")],
        }),
        json!({ "name": "test_prompt_with_image", "description": "A prompt with an image" }),
        json!({ "name": "test_input_required_result_prompt", "description": "A prompt that needs the user" }),
    ];
    if extra {
        prompts.push(json!({ "name": "test_comes_and_goes", "description": "Is there now and then" }));
    }
    Value::Array(prompts)
}

/// The resources that have an address of their own.
pub(crate) fn resources() -> Value {
    let resource = |uri: &str, name: &str, about: &str, media_type: &str| json!({ "uri": uri, "name": name, "description": about, "mimeType": media_type });
    json!([
        resource("test://static-text", "static-text", "A text that never changes", "text/plain"),
        resource("test://static-binary", "static-binary", "An image that never changes", "image/png"),
        resource("test://watched-resource", "watched-resource", "A text to subscribe to", "text/plain"),
    ])
}

/// The resources whose address has a gap.
pub(crate) fn templates() -> Value {
    json!([{
        "uriTemplate": "test://template/{id}/data",
        "name": "template-data",
        "description": "Data for any id",
        "mimeType": "application/json",
    }])
}

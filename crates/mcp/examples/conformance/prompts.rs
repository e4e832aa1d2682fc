//! The prompts, filled in.

use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResponse, GetPromptResult};
use serde_json::{Value, json};

use crate::input::{self, Answers};
use crate::resources::PIXEL;
use crate::server::made;

/// The messages of a prompt, or what is needed first.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let said = |name: &str| argument(request, name);
    let content = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_comes_and_goes" => vec![text("This prompt is there now and then.")],
        "test_prompt_with_arguments" => {
            vec![text(&format!("Prompt with arguments: arg1='{}', arg2='{}'", said("arg1")?, said("arg2")?))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = said("resourceUri")?;
            let resource =
                json!({ "uri": uri, "mimeType": "text/plain", "text": "Embedded resource content for testing." });
            vec![
                json!({ "type": "resource", "resource": resource }),
                text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" }),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let answers = Answers(request.input_responses.as_ref());
            match answers.field("user_context", "context") {
                Some(context) => vec![text(&format!("Prompt with context: {context}"))],
                None => {
                    let ask = input::form("What context should the prompt use?", "context", "string");
                    return Ok(input::required(json!({ "user_context": ask }), None)?.into());
                }
            }
        }
        unknown => return Err(ErrorData::invalid_params(format!("Unknown prompt: {unknown}"), None)),
    };
    let messages: Vec<Value> =
        content.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    let result: GetPromptResult = made(json!({ "messages": messages, "resultType": "complete" }))?;
    Ok(result.into())
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn argument<'r>(request: &'r GetPromptRequestParams, name: &str) -> Result<&'r str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
    value.ok_or_else(|| ErrorData::invalid_params(format!("Missing argument: {name}"), None))
}

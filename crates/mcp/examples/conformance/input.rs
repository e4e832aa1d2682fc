//! Asking the client by a result: what is still needed, and the answers that come with the next try.

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ClientCapabilities, InputRequiredResult, InputResponses};
use serde_json::{Value, json};

use crate::server::made;
use crate::tools::said;

/// The answers that came with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers<'r>(pub(crate) Option<&'r InputResponses>);

impl<'r> Answers<'r> {
    /// The whole answer to one question, if it is an object.
    fn answer(self, key: &str) -> Option<&'r Value> {
        self.0?.get(key).filter(|answer| answer.is_object())
    }

    /// A field of a form that the user accepted.
    pub(crate) fn field(self, key: &str, field: &str) -> Option<&'r str> {
        self.accepted(key)?.get(field)?.as_str()
    }

    fn accepted(self, key: &str) -> Option<&'r Value> {
        let answer = self.answer(key)?;
        if answer.get("action")?.as_str()? == "accept" { answer.get("content") } else { None }
    }

    /// The text that the client's model wrote.
    fn sampled(self, key: &str) -> Option<&'r str> {
        self.answer(key)?.get("content")?.get("text")?.as_str()
    }

    /// How many roots the client has.
    fn roots(self, key: &str) -> Option<Vec<&'r str>> {
        let roots = self.answer(key)?.get("roots")?.as_array()?;
        Some(roots.iter().filter_map(|root| root.get("uri")?.as_str()).collect())
    }
}

/// A result that asks for something first.
pub(crate) fn required(requests: Value, state: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    Ok(InputRequiredResult::new(Some(made(requests)?), state))
}

/// A form with one field.
pub(crate) fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn sampling(prompt: &str, max_tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": max_tokens } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// The tools that ask by their result.
pub(crate) fn call(
    request: &CallToolRequestParams,
    capabilities: &ClientCapabilities,
) -> Result<CallToolResponse, ErrorData> {
    let answers = Answers(request.input_responses.as_ref());
    let state = request.request_state.as_deref();
    let ask = |requests: Value, state: Option<String>| Ok(required(requests, state)?.into());
    match request.name.as_ref() {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            match answers.field("user_name", "name") {
                Some(name) => said(&format!("Hello, {name}!")),
                None => ask(json!({ "user_name": form("What is your name?", "name", "string") }), None),
            }
        }
        "test_input_required_result_sampling" => match answers.sampled("capital_question") {
            Some(text) => said(&format!("The model says: {text}")),
            None => ask(json!({ "capital_question": sampling("What is the capital of France?", 100) }), None),
        },
        "test_input_required_result_list_roots" => match answers.roots("client_roots") {
            Some(uris) => said(&format!("Roots: {}", uris.join(", "))),
            None => ask(json!({ "client_roots": roots() }), None),
        },
        name @ ("test_input_required_result_request_state" | "test_input_required_result_tampered_state") => {
            let confirm = json!({ "confirm": form("Please confirm", "ok", "boolean") });
            match (state, answers.accepted("confirm")) {
                (Some(state), answer) => {
                    open(name, state)?;
                    if answer.is_some() { said("state-ok") } else { ask(confirm, Some(sealed(name, "1"))) }
                }
                (None, _) => ask(confirm, Some(sealed(name, "1"))),
            }
        }
        name @ "test_input_required_result_multiple_inputs" => {
            if let Some(state) = state {
                open(name, state)?;
            }
            let found =
                (answers.field("user_name", "name"), answers.sampled("greeting"), answers.roots("client_roots"));
            match (state, found) {
                (Some(_), (Some(who), Some(greeting), Some(uris))) => {
                    said(&format!("{greeting} {who}, from {}", uris.join(", ")))
                }
                _ => ask(
                    json!({
                        "user_name": form("What is your name?", "name", "string"),
                        "greeting": sampling("Generate a greeting", 50),
                        "client_roots": roots(),
                    }),
                    Some(sealed(name, "1")),
                ),
            }
        }
        name @ "test_input_required_result_multi_round" => {
            let round = state.map(|state| open(name, state)).transpose()?;
            let (first, second) = (answers.field("step1", "name"), answers.field("step2", "color"));
            match (round.as_deref().and_then(|round| round.split_once(':')), first, second) {
                (Some(("2", who)), _, Some(color)) => said(&format!("{who} likes {color}")),
                (Some(("1", _)), Some(who), _) => ask(
                    json!({ "step2": form("Step 2: What is your favorite color?", "color", "string") }),
                    Some(sealed(name, &format!("2:{who}"))),
                ),
                _ => ask(
                    json!({ "step1": form("Step 1: What is your name?", "name", "string") }),
                    Some(sealed(name, "1:")),
                ),
            }
        }
        "test_input_required_result_capabilities" => {
            if answers.sampled("question").is_some() || answers.field("user_name", "name").is_some() {
                return said("Thank you.");
            }
            let mut requests = json!({});
            if capabilities.sampling.is_some() {
                requests["question"] = sampling("What is the capital of France?", 100);
            }
            if capabilities.elicitation.is_some() {
                requests["user_name"] = form("What is your name?", "name", "string");
            }
            if requests.as_object().is_none_or(serde_json::Map::is_empty) {
                return Err(ErrorData::missing_required_client_capability(made(json!({ "sampling": {} }))?));
            }
            ask(requests, None)
        }
        unknown => Err(ErrorData::invalid_params(format!("Unknown tool: {unknown}"), None)),
    }
}

/// What only this fixture can have written. A constant key will do: a fixture has nothing to protect.
const KEY: [u8; 32] = *b"a key for a conformance fixture.";

/// A state that the client carries, and cannot change.
fn sealed(tool: &str, state: &str) -> String {
    format!("{state}.{}", blake3::keyed_hash(&KEY, format!("{tool}\n{state}").as_bytes()))
}

fn open(tool: &str, written: &str) -> Result<String, ErrorData> {
    let state = written.rsplit_once('.').map(|(state, _)| state).filter(|state| sealed(tool, state) == written);
    let refused = || ErrorData::invalid_params("requestState is not what this server gave", None);
    state.map(str::to_owned).ok_or_else(refused)
}

//! Taking secrets out of request bodies, whatever becomes of them otherwise.
//!
//! A conversation that was read is redacted where tools have written ([`redacted`]); one that could not be read, or not
//! in time, or not whole, is redacted throughout ([`everywhere`], [`BodyRedactor`]), and so is JSON of any other shape:
//! what cannot be cut is still redacted.

use std::ops::Range;

use bytes::Bytes;
use offcut_core::redact::{Counts, JsonKeys, JsonRedactor, Redactor};
use offcut_retain::Format;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::upstream::BodyShape;

/// What providers compare or decrypt, and where their files are.
const KEYS: JsonKeys = JsonKeys {
    opaque: &[
        "id",
        "call_id",
        "tool_use_id",
        "tool_call_id",
        "previous_response_id",
        "item_id",
        "container",
        "signature",
        "encrypted_content",
        "encrypted_index",
        "encrypted_stdout",
        "thought_signature",
        "thoughtSignature",
    ],
    opaque_depth: u64::MAX,
    media: &["data", "file_data", "image_url", "url", "content"],
};

/// Blocks of Anthropic's Messages in which a tool, a search or a document has written.
const ANTHROPIC_BLOCKS: &[&str] = &["tool_result", "_tool_result", "document", "search_result"];

/// Items of OpenAI's Responses in which a tool or a search has written; those of the model's own words are not among
/// them.
const RESPONSES_ITEMS: &[&str] = &[
    "_call_output",
    "mcp_call",
    "file_search_call",
    "web_search_call",
    "code_interpreter_call",
    "image_generation_call",
];

/// Roles of Chat Completions under which a tool has written.
const CHAT_ROLES: &[&str] = &["tool", "function"];

/// The body without the secrets in it, and how many they were; none where nothing was found.
///
/// What people and models wrote stays where the body's shape tells it from what tools have written. Where it does not,
/// or the body has another shape, all of it is looked at.
pub(crate) fn redacted(body: &[u8], shape: BodyShape, redactor: &Redactor) -> Option<(Bytes, u64)> {
    let by_tools = std::str::from_utf8(body).ok().and_then(|text| tool_outputs(text, shape, redactor).ok());
    let (redacted, counts) = match by_tools {
        Some(redacted) => redacted.map(|(text, counts)| (text.into(), counts))?,
        None => everywhere(body, redactor),
    };
    let found: u64 = counts.values().sum();
    (found > 0).then_some((redacted, found))
}

/// The body without the secrets that stand in what tools have written, and how many they were. None where nothing was
/// found.
///
/// Fails where the body does not have this shape, or the shape does not tell who wrote what.
fn tool_outputs(body: &str, shape: BodyShape, redactor: &Redactor) -> Result<Option<(String, Counts)>, ()> {
    let outputs = match shape {
        BodyShape::Conversation(format) => outputs(body, format),
        BodyShape::Batch => batch_outputs(body),
        BodyShape::Json | BodyShape::Opaque => return Err(()),
    };
    let mut edits: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let mut counts = Counts::new();
    for output in outputs.map_err(drop)? {
        let mut json = JsonRedactor::new(redactor.again(), KEYS);
        let mut new = Vec::new();
        json.push(output.as_bytes(), &mut |part| new.extend_from_slice(part));
        json.finish(&mut |part| new.extend_from_slice(part));
        if json.counts().is_empty() {
            continue;
        }
        json.counts().iter().for_each(|(kind, count)| *counts.entry(kind.clone()).or_default() += count);
        // The value is borrowed from the body, so that its address says where it stands.
        let start = output.as_ptr() as usize - body.as_ptr() as usize;
        edits.push((start..start + output.len(), new));
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let mut edited = String::with_capacity(body.len());
    let mut at = 0;
    for (range, new) in edits {
        edited.push_str(body.get(at..range.start).unwrap_or_default());
        edited.push_str(&String::from_utf8_lossy(&new));
        at = range.end;
    }
    edited.push_str(body.get(at..).unwrap_or_default());
    Ok(Some((edited, counts)))
}

/// The values in a batch of conversations that tools have written, in order.
fn batch_outputs(body: &str) -> serde_json::Result<Vec<&str>> {
    #[derive(Deserialize)]
    struct Batch<'b> {
        #[serde(borrow)]
        requests: Vec<&'b RawValue>,
    }
    #[derive(Deserialize)]
    struct Request<'b> {
        #[serde(borrow)]
        params: &'b RawValue,
    }
    let mut found = Vec::new();
    for request in object::<Batch<'_>>(body)?.requests {
        let request: Request<'_> = object(request.get())?;
        found.extend(outputs(request.params.get(), Format::Anthropic)?);
    }
    Ok(found)
}

/// The values in a body that tools have written, in order.
fn outputs(body: &str, format: Format) -> serde_json::Result<Vec<&str>> {
    #[derive(Deserialize)]
    struct Conversation<'b> {
        #[serde(borrow, default)]
        messages: Option<&'b RawValue>,
        #[serde(borrow, default)]
        input: Option<&'b RawValue>,
        #[serde(borrow, default)]
        contents: Option<&'b RawValue>,
    }
    let conversation: Conversation<'_> = object(body)?;
    let items = match format {
        Format::OpenAiResponses => list(conversation.input)?,
        Format::Gemini => list(conversation.contents)?,
        Format::Anthropic | Format::OpenAiChat | Format::Neutral => list(conversation.messages)?,
    };
    let mut outputs = Vec::new();
    for item in items {
        let head: ItemOrigin<'_> = object(item.get())?;
        let kind = head.kind.map(text).transpose()?.unwrap_or_default();
        let role = head.role.map(text).transpose()?.unwrap_or_default();
        match format {
            Format::OpenAiResponses if is_one_of(&kind, RESPONSES_ITEMS) => outputs.push(item.get()),
            Format::OpenAiChat | Format::Neutral if CHAT_ROLES.contains(&role.as_str()) => outputs.push(item.get()),
            Format::Neutral if kind == "tool_result" => outputs.push(item.get()),
            Format::OpenAiResponses | Format::OpenAiChat | Format::Neutral => {}
            Format::Gemini => {
                for part in list(head.parts)? {
                    let part_head: PartHead<'_> = object(part.get())?;
                    if part_head.response.or(part_head.snake_response).is_some() {
                        outputs.push(part.get());
                    }
                }
            }
            Format::Anthropic => {
                for block in list(head.content)? {
                    let head: ItemOrigin<'_> = object(block.get())?;
                    let kind = head.kind.map(text).transpose()?.unwrap_or_default();
                    if is_one_of(&kind, ANTHROPIC_BLOCKS) {
                        outputs.push(block.get());
                    }
                }
            }
        }
    }
    Ok(outputs)
}

/// What says whose words an item holds.
#[derive(Deserialize)]
struct ItemOrigin<'b> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'b RawValue>,
    #[serde(borrow, default)]
    role: Option<&'b RawValue>,
    #[serde(borrow, default)]
    content: Option<&'b RawValue>,
    #[serde(borrow, default)]
    parts: Option<&'b RawValue>,
}

/// What says whether a part of Gemini's holds a tool's result.
#[derive(Deserialize)]
struct PartHead<'b> {
    #[serde(borrow, default, rename = "functionResponse")]
    response: Option<&'b RawValue>,
    #[serde(borrow, default, rename = "function_response")]
    snake_response: Option<&'b RawValue>,
}

/// Reads an object, and nothing else: a list would pass for one whose keys are left out.
fn object<'b, T: Deserialize<'b>>(json: &'b str) -> serde_json::Result<T> {
    match json.trim_start().starts_with('{') {
        true => serde_json::from_str(json),
        false => Err(serde::de::Error::custom("not an object")),
    }
}

/// The elements of a list; nothing for anything else, such as a text.
fn list(value: Option<&RawValue>) -> serde_json::Result<Vec<&RawValue>> {
    match value.filter(|value| value.get().starts_with('[')) {
        Some(list) => serde_json::from_str(list.get()),
        None => Ok(Vec::new()),
    }
}

fn text(value: &RawValue) -> serde_json::Result<String> {
    if value.get().starts_with('"') { serde_json::from_str(value.get()) } else { Ok(String::new()) }
}

/// Whether `kind` is one of `kinds`, or ends like one that begins with an underscore.
fn is_one_of(kind: &str, kinds: &[&str]) -> bool {
    kinds.iter().any(|known| kind == *known || (known.starts_with('_') && kind.ends_with(known)))
}

/// A body without any secret that is found in it, and how many they were.
pub(crate) fn everywhere(body: &[u8], redactor: &Redactor) -> (Bytes, Counts) {
    let mut body_redactor = BodyRedactor::new(redactor.again());
    let mut new = Vec::with_capacity(body.len());
    new.extend_from_slice(&body_redactor.push(body));
    new.extend_from_slice(&body_redactor.finish());
    (new.into(), body_redactor.0.counts().clone())
}

/// Redacts a body while it passes.
pub(crate) struct BodyRedactor(JsonRedactor);

impl BodyRedactor {
    pub(crate) fn new(redactor: Redactor) -> BodyRedactor {
        BodyRedactor(JsonRedactor::new(redactor, KEYS))
    }

    /// Takes bytes in; those that are final by now.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Bytes {
        let mut new = Vec::new();
        self.0.push(bytes, &mut |part| new.extend_from_slice(part));
        new.into()
    }

    /// What was held back.
    pub(crate) fn finish(&mut self) -> Bytes {
        let mut new = Vec::new();
        self.0.finish(&mut |part| new.extend_from_slice(part));
        new.into()
    }
}

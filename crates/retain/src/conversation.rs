//! A conversation as a client sends it: where its tool results stand, and in which turn each was made.
//!
//! **Turns.** Each message of the model that calls tools starts a turn; what those tools return belongs to it. The turn
//! that is going on is the last one that was started, so that a result is whole in the request that first carries it
//! and in the next one, and shortened from the third on. Answers without tool calls start no turn.

mod anthropic;
mod chat;
mod gemini;
mod neutral;
mod responses;
mod words;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::json::{Malformed, Node, Tape, unquoted};
pub use words::ModelText;

/// The shape of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The body of Anthropic's `/v1/messages`.
    Anthropic,
    /// The body of OpenAI's `/v1/chat/completions`.
    OpenAiChat,
    /// The body of OpenAI's `/v1/responses`.
    OpenAiResponses,
    /// The body of Google's `models/MODEL:generateContent`.
    Gemini,
    /// Messages without any vendor's shape ([`Message`](offcut_core::retention::Message)).
    Neutral,
}

const NAMES: [(Format, &str); 5] = [
    (Format::Anthropic, "anthropic"),
    (Format::OpenAiChat, "openai-chat"),
    (Format::OpenAiResponses, "openai-responses"),
    (Format::Gemini, "gemini"),
    (Format::Neutral, "neutral"),
];

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(NAMES.iter().find(|(format, _)| format == self).map_or("", |(_, name)| name))
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        let known = NAMES.iter().find(|(_, known)| *known == name).map(|(format, _)| *format);
        known.ok_or_else(|| {
            format!("unknown format `{name}`: expected anthropic, openai-chat, openai-responses, gemini or neutral")
        })
    }
}

/// Why a body is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversationError {
    /// It is not UTF-8.
    #[error("not UTF-8")]
    NotText,
    /// It is not JSON.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// It is JSON, but no conversation of a known shape.
    #[error("{why}")]
    Unknown {
        /// What was looked for.
        why: String,
    },
}

/// A conversation whose tool results are known.
#[derive(Debug)]
pub struct Conversation<'t> {
    /// The body as it came.
    pub body: &'t str,
    /// Its shape.
    pub format: Format,
    /// The texts of its tool results, in order.
    pub results: Vec<ResultText<'t>>,
    /// All that the model reads, in order: what is never shortened, and the results in between.
    pub segments: Vec<Segment>,
    /// How many turns were started; the number of the one that is going on.
    pub turn: u64,
    /// How many requests were sent before this one: one for each message of the model.
    pub requests: u64,
    /// For each request, this one included, which turn was going on.
    pub turn_at: Vec<u64>,
    /// For each request, how many blocks its prompt had.
    pub blocks_at: Vec<u64>,
    /// All that the model reads but the results, in order.
    pub words: Vec<ModelText<'t>>,
    /// The model that is asked.
    pub model: Option<String>,
    /// The names of the tools that it may call.
    pub tools: Vec<String>,
    /// What the body says about the provider's cache.
    pub cache: CacheMarks,
}

/// What a body says about the provider's cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheMarks {
    /// Whether anything is marked with `cache_control`.
    pub marked: bool,
    /// Whether a mark asks for the longer lifetime (`"ttl": "1h"`), or the body for `prompt_cache_retention: "24h"`.
    pub long: bool,
    /// Whether there is a mark on the instructions or tools, or one that stays near the beginning.
    pub preamble: bool,
    /// Which of the last messages are marked: the lowest bit is for what this request adds, the next for what the one
    /// before it added.
    pub depths: u8,
}

impl CacheMarks {
    /// The marks of coding agents: on the instructions, and on the last two messages of the user.
    pub fn of_agents() -> CacheMarks {
        CacheMarks { marked: true, long: false, preamble: true, depths: 0b11 }
    }
}

/// One text of a tool result: its content, or one of its text blocks.
#[derive(Debug, Clone)]
pub struct ResultText<'t> {
    /// Where the JSON string stands in the body, quotes included.
    pub span: Range<usize>,
    /// The JSON string as it is written.
    pub raw: &'t str,
    /// The hash of `raw`: what was made of it before is found by this.
    pub hash: [u8; 32],
    /// The tool's name, where the call is in the conversation.
    pub tool: String,
    /// What the tool was called with.
    pub arguments: Cow<'t, str>,
    /// The caller's own id of the call.
    pub call_id: Option<String>,
    /// The caller's own id of the trace; only neutral messages have one.
    pub trace_id: Option<String>,
    /// The turn in which it was made.
    pub turn: u64,
    /// Whether it says that the tool failed.
    pub failed: bool,
}

impl ResultText<'_> {
    /// What it says; none where it is no text that can be read.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        unquoted(self.raw)
    }
}

/// A part of what the model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins in the body.
    pub start: usize,
    /// Its bytes in the body.
    pub bytes: u64,
    /// The first request that carried it, counted from 0.
    pub request: u64,
    /// Which of the results it is, if it is one.
    pub result: Option<usize>,
    /// How many of the conversation's words it has; those of the segments before it come first.
    pub words: usize,
}

impl<'t> Conversation<'t> {
    /// Reads a body. Without a format it is recognised by its shape.
    pub fn read(body: &'t [u8], format: Option<Format>) -> Result<Conversation<'t>, ConversationError> {
        let body = std::str::from_utf8(body).map_err(|_| ConversationError::NotText)?;
        let tape = Tape::read(body).map_err(ConversationError::Malformed)?;
        let root = tape.root();
        let format = match format.or_else(|| recognised(root)) {
            Some(format) => format,
            None => {
                let why = "none of `messages`, `input` and `contents` of a known shape".to_owned();
                return Err(ConversationError::Unknown { why });
            }
        };
        let mut scribe = Scribe::default();
        scribe.preamble(root);
        let conversation = match format {
            Format::Anthropic => anthropic::read(root, &mut scribe),
            Format::OpenAiChat => chat::read(root, &mut scribe),
            Format::OpenAiResponses => responses::read(root, &mut scribe),
            Format::Gemini => gemini::read(root, &mut scribe),
            Format::Neutral => neutral::read(root, &mut scribe),
        };
        conversation.map_err(|why| ConversationError::Unknown { why })?;
        let string = |key: &str| root.text(key).map(Cow::into_owned);
        let cache = scribe.marks(string("prompt_cache_retention").is_some_and(|kept| kept == "24h"));
        Ok(Conversation {
            body,
            format,
            results: scribe.results,
            segments: scribe.segments,
            turn: scribe.turn,
            requests: scribe.requests,
            turn_at: if scribe.turn_at.is_empty() { vec![0] } else { scribe.turn_at },
            blocks_at: if scribe.blocks_at.is_empty() { vec![scribe.blocks] } else { scribe.blocks_at },
            words: scribe.words,
            model: string("model"),
            tools: tools(root),
            cache,
        })
    }

    /// The body with other texts in the place of some results: `edits` are pairs of a result and its new text as a JSON
    /// string. All other bytes stay as they are.
    pub fn edited(&self, edits: &BTreeMap<usize, impl AsRef<str>>) -> String {
        let mut edited = String::with_capacity(self.body.len());
        let mut at = 0;
        for (index, new) in edits {
            let Some(result) = self.results.get(*index) else { continue };
            edited.push_str(self.body.get(at..result.span.start).unwrap_or_default());
            edited.push_str(new.as_ref());
            at = result.span.end;
        }
        edited.push_str(self.body.get(at..).unwrap_or_default());
        edited
    }
}

/// The shape of a body, by what only one of them has.
fn recognised(root: Node<'_, '_>) -> Option<Format> {
    let messages = messages(root);
    if messages.is_none() && root.get("input").is_some() {
        return Some(Format::OpenAiResponses);
    }
    if messages.is_none() && root.get("contents").is_some_and(|contents| contents.is_array()) {
        return Some(Format::Gemini);
    }
    let of_type = |node: &Node<'_, '_>, kinds: &[&str]| {
        node.get("type").is_some_and(|kind| kinds.iter().any(|known| kind.says(known)))
    };
    for message in messages?.elements() {
        if message.get("turn").is_some() && of_type(&message, &["user", "assistant", "tool_result", "spec_refresh"]) {
            return Some(Format::Neutral);
        }
        let role = message.get("role");
        let chat = |role: Node<'_, '_>| ["tool", "function", "system", "developer"].iter().any(|name| role.says(name));
        if role.is_some_and(chat) || message.get("tool_calls").is_some() || message.get("function_call").is_some() {
            return Some(Format::OpenAiChat);
        }
        let blocks = message.get("content").into_iter().flat_map(|content| content.elements());
        if blocks.into_iter().any(|block| of_type(&block, &["tool_use", "tool_result", "thinking"])) {
            return Some(Format::Anthropic);
        }
        // An item of the Responses API in a bare list.
        if role.is_none() && message.get("call_id").is_some() {
            return Some(Format::OpenAiResponses);
        }
    }
    // Without any tool result nothing will be edited, whatever it is.
    let anthropic = root.get("system").is_some() || root.get("anthropic_version").is_some();
    Some(if anthropic { Format::Anthropic } else { Format::OpenAiChat })
}

/// The list of messages: the body itself, or its member `messages`.
fn messages<'a, 't>(root: Node<'a, 't>) -> Option<Node<'a, 't>> {
    if root.is_array() { Some(root) } else { root.get("messages").filter(Node::is_array) }
}

/// The names of the tools that a body declares, in order; for nested ones `outer__inner` too.
fn tools(root: Node<'_, '_>) -> Vec<String> {
    let mut names = Vec::new();
    for tool in root.get("tools").into_iter().flat_map(|tools| tools.elements()) {
        let declared = tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
        for function in declared.into_iter().flat_map(|functions| functions.elements()) {
            names.extend(function.text("name").map(Cow::into_owned));
        }
        let named = tool.text("name").or_else(|| tool.get("function")?.text("name")).or_else(|| tool.text("type"));
        let Some(name) = named else { continue };
        for inner in tool.get("tools").into_iter().flat_map(|tools| tools.elements()) {
            names.extend(inner.text("name").map(|inner| format!("{name}__{inner}")));
        }
        names.push(name.into_owned());
    }
    names
}

/// What a reader of one shape writes down as it goes through the messages.
#[derive(Debug, Default)]
struct Scribe<'t> {
    results: Vec<ResultText<'t>>,
    segments: Vec<Segment>,
    turn: u64,
    requests: u64,
    turn_at: Vec<u64>,
    blocks: u64,
    blocks_at: Vec<u64>,
    words: Vec<ModelText<'t>>,
    cache: CacheMarks,
    /// The requests whose messages are marked.
    marked: BTreeSet<u64>,
    /// What was called, by the caller's id of the call.
    calls: BTreeMap<String, Called<'t>>,
}

#[derive(Debug, Clone)]
struct Called<'t> {
    tool: String,
    arguments: Cow<'t, str>,
    turn: u64,
}

impl<'t> Scribe<'t> {
    /// All that stands outside of the messages: instructions, tools, settings.
    fn preamble(&mut self, root: Node<'_, 't>) {
        let messages = messages(root).or_else(|| root.get("input")).or_else(|| root.get("contents"));
        let messages = messages.map_or(0, |messages| messages.raw().len());
        let mut found = Vec::new();
        for key in ["system", "instructions", "systemInstruction", "system_instruction"] {
            root.get(key).into_iter().for_each(|value| words::words(value, &mut found));
        }
        self.words.extend(found.into_iter().map(|(_, words)| words));
        self.words.extend(root.get("tools").map(|tools| ModelText::Text(tools.raw())));
        let (bytes, words) = ((root.raw().len() - messages) as u64, self.words.len());
        self.segments.push(Segment { start: 0, bytes, request: 0, result: None, words });
        for key in ["system", "tools"] {
            for block in root.get(key).into_iter().flat_map(|blocks| blocks.elements()) {
                self.blocks += 1;
                self.cache.preamble |= self.is_marked(block);
            }
        }
        // A mark on the whole is one on its last block.
        self.cache.depths |= u8::from(self.is_marked(root));
    }

    /// Takes note of a mark in a message for the provider's cache.
    fn mark(&mut self, block: Node<'_, 't>) {
        if self.is_marked(block) {
            self.marked.insert(self.requests);
        }
    }

    fn is_marked(&mut self, block: Node<'_, 't>) -> bool {
        let Some(mark) = block.get("cache_control").filter(Node::is_object) else { return false };
        self.cache.marked = true;
        self.cache.long |= mark.get("ttl").is_some_and(|ttl| ttl.says("1h"));
        true
    }

    /// The marks of the whole body.
    fn marks(&self, long: bool) -> CacheMarks {
        let mut marks = CacheMarks { long: self.cache.long || long, ..self.cache };
        for request in &self.marked {
            match 1u8.checked_shl(u32::try_from(self.requests - request).unwrap_or(u32::MAX)) {
                Some(depth) => marks.depths |= depth,
                None => marks.preamble = true,
            }
        }
        marks
    }

    /// The model asked for a tool in the turn that is going on.
    fn called(&mut self, id: Option<Cow<'t, str>>, tool: Option<Cow<'t, str>>, arguments: Cow<'t, str>) {
        if let Some(id) = id {
            let tool = tool.unwrap_or_default().into_owned();
            self.calls.insert(id.into_owned(), Called { tool, arguments, turn: self.turn });
        }
    }

    /// A text that a tool returned.
    fn returned(&mut self, node: Node<'_, 't>, call_id: Option<&str>) {
        let called = call_id.and_then(|id| self.calls.get(id)).cloned();
        let called = called.unwrap_or(Called { tool: String::new(), arguments: "".into(), turn: self.turn });
        self.results.push(ResultText {
            span: node.span(),
            raw: node.raw(),
            hash: *blake3::hash(node.raw().as_bytes()).as_bytes(),
            tool: called.tool,
            arguments: called.arguments,
            call_id: call_id.map(str::to_owned),
            trace_id: None,
            turn: called.turn,
            failed: false,
        });
    }

    /// The texts of a tool result: the content itself, or its text blocks.
    fn texts(&mut self, content: Node<'_, 't>, call_id: Option<&str>, kinds: &[&str]) {
        if content.is_string() {
            self.returned(content, call_id);
        }
        for block in content.elements() {
            self.mark(block);
            let is_text = block.get("type").is_some_and(|kind| kinds.iter().any(|known| kind.says(known)));
            if let Some(text) = block.get("text").filter(|text| is_text && text.is_string()) {
                self.returned(text, call_id);
            }
        }
    }

    /// A message has been read, in which the results from `first` on stand.
    fn message(&mut self, message: Node<'_, 't>, first: usize) {
        let span = message.span();
        while self.turn_at.len() as u64 <= self.requests {
            self.turn_at.push(self.turn);
        }
        if let Some(last) = self.turn_at.last_mut() {
            *last = self.turn;
        }
        let blocks = message.get("content").or_else(|| message.get("parts")).map_or(0, |list| list.elements().count());
        self.blocks += blocks.max(1) as u64;
        self.blocks_at.resize(self.turn_at.len(), self.blocks);
        if let Some(last) = self.blocks_at.last_mut() {
            *last = self.blocks;
        }
        let mut found = Vec::new();
        words::words(message, &mut found);
        found.retain(|(start, _)| !self.results.iter().skip(first).any(|result| result.span.start == *start));
        found.sort_by_key(|(start, _)| *start);
        // A key that is written twice may hide a result behind another: they must stand in order to be edited.
        self.results.get_mut(first..).into_iter().for_each(|found| found.sort_by_key(|result| result.span.start));
        let mut at = span.start;
        for (index, result) in self.results.iter().enumerate().skip(first) {
            self.segments.extend(segment(at..result.span.start, self.requests, None, &found));
            self.segments.extend(segment(result.span.clone(), self.requests, Some(index), &found));
            at = result.span.end;
        }
        self.segments.extend(segment(at..span.end, self.requests, None, &found));
        self.words.extend(found.into_iter().map(|(_, words)| words));
    }
}

fn segment(
    range: Range<usize>,
    request: u64,
    result: Option<usize>,
    found: &[(usize, ModelText<'_>)],
) -> Option<Segment> {
    let words = found.iter().filter(|(start, _)| range.contains(start)).count();
    (!range.is_empty()).then_some(Segment { start: range.start, bytes: range.len() as u64, request, result, words })
}

#[cfg(test)]
mod tests;

//! What a client asked, as far as the answer concerns us.

use offcut::core::text;

use super::seen::Seen;

/// How much of a call's arguments is kept with its result.
const ARGUMENTS: u64 = 4096;

/// A request whose answer we wait for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) what: What,
    /// The tool that is called, or the resource that is read.
    pub(crate) tool: String,
    pub(crate) arguments: String,
    /// Whether a listing begins with this page.
    pub(crate) first_page: bool,
    /// The order in which requests came.
    pub(crate) nth: u64,
}

/// What a request is, as far as its answer concerns us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum What {
    Initialize,
    ListTools,
    CallTool,
    ReadResource,
    TaskResult,
    #[default]
    Other,
}

/// What a method asks for.
pub(crate) fn what(method: &str) -> What {
    match method {
        "initialize" => What::Initialize,
        "tools/list" => What::ListTools,
        "tools/call" => What::CallTool,
        "resources/read" => What::ReadResource,
        "tasks/result" | "tasks/get" => What::TaskResult,
        _ => What::Other,
    }
}

/// Whether the arguments of a call are those of our own tool: they name an artifact.
pub(crate) fn is_handle(seen: &Seen<'_>) -> bool {
    let arguments = seen.raw(&["params", "arguments"]).unwrap_or_default();
    let parsed: serde_json::Value = serde_json::from_str(&arguments).unwrap_or_default();
    let handle = parsed.get("id").or_else(|| parsed.get("handle")).and_then(|id| id.as_str()).unwrap_or_default();
    handle.starts_with("art_") || handle.starts_with("session-")
}

/// The beginning of a call's arguments.
pub(crate) fn arguments(seen: &Seen<'_>) -> String {
    let value = seen.message.get("params").and_then(|params| params.get("arguments"));
    let Some(range) = value.map(|value| value.range.clone()) else { return String::new() };
    let short = range.start..range.end.min(range.start + 4 * ARGUMENTS);
    let raw = seen.parcel.read(short).map(|raw| String::from_utf8_lossy(&raw).into_owned()).unwrap_or_default();
    text::first_chars(&raw, ARGUMENTS).to_owned()
}

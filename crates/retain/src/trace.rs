//! `get_task_trace`: the whole text of a tool result that has left the conversation.
//!
//! A trace id is an artifact's id, or the caller's own name for the result: that is recorded with the artifact when it
//! is kept ([`ArtifactInfo::trace_id`](offcut_store::ArtifactInfo)), and the newest artifact with the name is meant.

use offcut::Offcut;
use offcut::recall::{RecallError, Request};
use offcut_store::{ArtifactId, StoreError};
use serde_json::{Value, json};

/// The tool's name.
pub const NAME: &str = "get_task_trace";

/// What a model is told about it.
pub const DESCRIPTION: &str = "Returns the full text of a tool result that was shortened to `[TRUNCATED — …]`.";

/// The longest trace id that is looked for, in bytes.
const LONGEST: usize = 1024;

/// The schema of its arguments.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"traceId": {"type": "string", "description": "The id, as the notice gives it."}},
        "required": ["traceId"],
        "additionalProperties": false
    })
}

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The id is missing, or none.
    #[error("{why}")]
    InvalidInput {
        /// What is wrong, and what would be right.
        why: String,
    },
    /// This session has no such trace.
    #[error("no trace `{}` in this session: this is final, do not retry", shown(trace_id))]
    NotFound {
        /// What was asked for.
        trace_id: String,
    },
    /// It is there, or was, but cannot be read.
    #[error("{cause}")]
    Unreadable {
        /// What was asked for.
        trace_id: String,
        /// Why not.
        cause: RecallError,
    },
}

impl TraceError {
    /// The outcome as a tool returns it: `{"error": "TRACE_NOT_FOUND", "traceId": …}`.
    pub fn json(&self) -> Value {
        match self {
            TraceError::InvalidInput { why } => json!({"error": "INVALID_INPUT", "message": why}),
            TraceError::NotFound { trace_id } => json!({"error": "TRACE_NOT_FOUND", "traceId": trace_id}),
            TraceError::Unreadable { trace_id, cause } => {
                let code = format!("TRACE_{}", cause.code().to_ascii_uppercase());
                json!({"error": code, "traceId": trace_id, "message": cause.to_string()})
            }
        }
    }
}

/// A trace id as an error shows it.
fn shown(trace_id: &str) -> String {
    trace_id.chars().take(80).flat_map(char::escape_debug).collect()
}

/// What a model gets for a trace: the whole text, in pages of `retrieval_limit` characters whose notice gives the
/// next call.
pub fn task_trace(offcut: &Offcut, trace_id: &str) -> Result<String, TraceError> {
    let id = trace_artifact(offcut, trace_id)?;
    let page = offcut.recall().page(&Request::whole(id.as_str()));
    page.map_err(|cause| TraceError::Unreadable { trace_id: trace_id.to_owned(), cause })
}

/// The same for a tool's arguments.
pub fn task_trace_of(offcut: &Offcut, arguments: &Value) -> Result<String, TraceError> {
    let given = arguments.get("traceId").or_else(|| arguments.get("trace_id"));
    let Some(trace_id) = given.and_then(Value::as_str) else {
        let why = "`traceId` is missing: give the id of a `[TRUNCATED — …]` notice as a string".to_owned();
        return Err(TraceError::InvalidInput { why });
    };
    task_trace(offcut, trace_id)
}

/// The artifact that holds a trace.
pub fn trace_artifact(offcut: &Offcut, trace_id: &str) -> Result<ArtifactId, TraceError> {
    let wanted = trace_id.trim();
    if wanted.is_empty() || wanted.len() > LONGEST {
        let why = format!("`traceId` must have 1 to {LONGEST} bytes, as a `[TRUNCATED — …]` notice gives it");
        return Err(TraceError::InvalidInput { why });
    }
    let not_found = || TraceError::NotFound { trace_id: wanted.to_owned() };
    let unreadable = |cause| TraceError::Unreadable { trace_id: wanted.to_owned(), cause };
    let Some((store, session)) = offcut.store() else { return Err(not_found()) };
    if let Ok(id) = wanted.parse::<ArtifactId>() {
        match store.open(session, &id) {
            Ok(_) => return Ok(id),
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(unreadable(error.into())),
        }
    }
    let infos = store.list(session).map_err(|error| unreadable(error.into()))?;
    let named = infos.into_iter().rev().find(|info| info.trace_id.as_deref() == Some(wanted));
    let by_handle = || offcut.recall().open(wanted).ok().map(|artifact| artifact.info().id.clone());
    named.map(|info| info.id).or_else(by_handle).ok_or_else(not_found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut::Call;

    #[test]
    fn a_trace_is_found_by_its_artifact_and_by_the_callers_own_name() {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let id = offcut.keep("one\ntwo\n", "bash", "", Some("abc-123")).unwrap();
        assert_eq!(task_trace(&offcut, "abc-123").unwrap(), "one\ntwo\n");
        assert_eq!(task_trace(&offcut, id.as_str()).unwrap(), "one\ntwo\n");
        assert_eq!(task_trace_of(&offcut, &json!({"traceId": "abc-123"})).unwrap(), "one\ntwo\n");
        // Artifacts of one millisecond have no order.
        std::thread::sleep(std::time::Duration::from_millis(2));
        let newer = offcut.keep("three\n", "bash", "", Some("abc-123")).unwrap();
        assert_eq!(trace_artifact(&offcut, "abc-123").unwrap(), newer);
    }

    #[test]
    fn a_long_trace_comes_in_pages_that_name_the_next_call() {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let output: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
        let id = offcut.process(Call::new("bash"), &output).unwrap().report.artifact_id.unwrap();
        let page = task_trace(&offcut, &id).unwrap();
        assert!(page.chars().count() <= 16_000 && page.starts_with("line 0\n"));
        let handle = offcut.recall().handle(&id.parse().unwrap());
        assert!(page.contains(&format!("get_artifact(id=\"{handle}\", lines=\"")), "{page}");
    }

    #[test]
    fn what_is_missing_or_unknown_is_said_in_the_agreed_words() {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let said = |arguments: Value| task_trace_of(&offcut, &arguments).unwrap_err().json();
        assert_eq!(said(json!({"traceId": "nope"})), json!({"error": "TRACE_NOT_FOUND", "traceId": "nope"}));
        let unknown = "art_1699234567890_a1b2c3d4";
        assert_eq!(said(json!({"traceId": unknown})), json!({"error": "TRACE_NOT_FOUND", "traceId": unknown}));
        for arguments in [
            json!({}),
            json!({"traceId": ""}),
            json!({"traceId": 7}),
            json!(null),
            json!({"traceId": "x".repeat(2000)}),
        ] {
            assert_eq!(said(arguments)["error"], "INVALID_INPUT");
        }
        let other = offcut.in_session("other").unwrap();
        let id = other.keep("secret", "bash", "", Some("t")).unwrap();
        assert_eq!(said(json!({"traceId": "t"}))["error"], "TRACE_NOT_FOUND");
        assert_eq!(said(json!({"traceId": id.as_str()}))["error"], "TRACE_NOT_FOUND");
    }
}

//! What a tool found, as a result of the protocol.

use base64::Engine;
use offcut_core::report::Report;
use offcut_tools::{Content, ToolReply};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

use crate::clients;

/// Where the report rides in a result's `_meta`.
pub(super) const REPORT: &str = "offcut/report";

/// Where a tool's own details ride.
pub(super) const DETAILS: &str = "offcut/details";

/// The answer to a call.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) content: Vec<Content>,
    pub(super) is_error: bool,
    pub(super) report: Option<Report>,
    pub(super) details: Value,
}

impl Answer {
    /// Text that went well.
    pub(super) fn text(text: impl Into<String>) -> Answer {
        Answer { content: vec![Content::Text(text.into())], is_error: false, report: None, details: Value::Null }
    }

    /// What went wrong, in words for the model.
    pub(super) fn error(why: impl Into<String>) -> Answer {
        Answer { is_error: true, ..Answer::text(why) }
    }

    /// The result for a client of this name; what is for programs stays out where the model would read it.
    pub(super) fn into_result(self, client: &str) -> CallToolResult {
        let blocks = self.content.into_iter().map(|content| block(content, client)).collect();
        let result = if self.is_error { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
        if clients::shows_meta(client) {
            return result;
        }
        let mut meta = MetaObject::new();
        if let Some(Ok(report)) = self.report.map(serde_json::to_value) {
            meta.0.insert(REPORT.to_owned(), report);
        }
        if self.details.as_object().is_some_and(|details| !details.is_empty()) {
            meta.0.insert(DETAILS.to_owned(), self.details);
        }
        let is_empty = meta.0.is_empty();
        result.with_meta((!is_empty).then_some(meta))
    }
}

impl From<ToolReply> for Answer {
    fn from(reply: ToolReply) -> Answer {
        Answer { content: reply.content, is_error: reply.is_error, report: reply.report, details: reply.details }
    }
}

fn block(content: Content, client: &str) -> ContentBlock {
    match content {
        Content::Text(text) if is_taken_for_structure(&text, client) => ContentBlock::text(format!("JSON:\n{text}")),
        Content::Text(text) => ContentBlock::text(text),
        Content::Image { media_type, data } => {
            ContentBlock::image(base64::engine::general_purpose::STANDARD.encode(data), media_type)
        }
    }
}

/// Whether a client would take a text for the structured content that it is not, and fail the call: Gemini CLI does so
/// with a text that is a JSON array.
fn is_taken_for_structure(text: &str, client: &str) -> bool {
    text.trim_start().starts_with('[')
        && client.to_lowercase().contains("gemini")
        && serde_json::from_str::<Vec<serde::de::IgnoredAny>>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(answer: Answer, client: &str) -> Value {
        serde_json::to_value(answer.into_result(client)).unwrap()
    }

    #[test]
    fn the_report_rides_beside_the_text() {
        let report = Report { version: 1, was_truncated: true, ..Report::default() };
        let sent = sent(Answer { report: Some(report), ..Answer::text("x") }, "any");
        assert_eq!(sent["content"][0]["text"], "x");
        assert_eq!(sent["_meta"][REPORT]["was_truncated"], true);
        assert_eq!(sent["isError"], false);
    }

    #[test]
    fn a_model_that_would_read_the_report_is_spared_it() {
        let report = Report { version: 1, was_truncated: true, ..Report::default() };
        assert_eq!(sent(Answer { report: Some(report), ..Answer::text("x") }, "Cline").get("_meta"), None);
    }

    #[test]
    fn an_error_is_marked_as_one() {
        let sent = sent(Answer::error("no such file"), "any");
        assert_eq!((&sent["isError"], sent.get("_meta")), (&Value::Bool(true), None));
    }

    #[test]
    fn an_array_is_no_structured_content_to_any_client() {
        let text = |client: &str, text: &str| sent(Answer::text(text), client)["content"][0]["text"].clone();
        assert_eq!(text("gemini-cli-mcp-client", "[1, 2]"), "JSON:\n[1, 2]");
        assert_eq!(
            text("gemini-cli-mcp-client", "[Output cut: 1 of 2 lines shown.]"),
            "[Output cut: 1 of 2 lines shown.]"
        );
        assert_eq!(text("claude-code", "[1, 2]"), "[1, 2]");
    }
}

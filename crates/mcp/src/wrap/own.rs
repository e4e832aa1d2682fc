//! Calls of our own tools, which the server never sees.

use offcut::recall::Request;
use offcut::{Cancel, TraceContext};
use offcut_extract::{Model, Question};

use super::names::OwnTool;
use super::session::{Outlet, Session};
use crate::wire::id::RequestId;
use crate::wire::outgoing::Outgoing;

/// A call of one of our own tools.
#[derive(Debug)]
pub(crate) struct OwnCall {
    pub(crate) id: RequestId,
    pub(crate) tool: OwnTool,
    /// The arguments, as JSON.
    pub(crate) arguments: String,
    /// Whether it came without a handshake, in a revision whose results say what they are.
    pub(crate) stateless: bool,
    /// The trace that it belongs to, where the client says so.
    pub(crate) trace: Option<TraceContext>,
    /// Asks to stop, where the client does.
    pub(crate) cancel: Cancel,
}

impl OwnCall {
    /// Whether the client may be asked something before there is an answer.
    pub(crate) fn may_ask(&self, session: &Session) -> bool {
        self.tool == OwnTool::ToolOutput && !self.stateless && session.samples()
    }

    /// The answer. May take as long as reading from the store does.
    pub(crate) fn answer(&self, session: &Session) -> Outgoing {
        self.answer_through(session, None)
    }

    /// The answer, for which the client may be asked through `outlet`.
    pub(crate) fn answer_through(&self, session: &Session, outlet: Option<&Outlet>) -> Outgoing {
        let outcome = self.run(session, outlet);
        session.answered_own(&self.id);
        let (text, failed) = match outcome {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        let text = serde_json::Value::from(text);
        let kind = if self.stateless { "\"resultType\":\"complete\"," } else { "" };
        let failed = if failed { ",\"isError\":true" } else { "" };
        Outgoing::own(format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{{kind}\"content\":[{{\"type\":\"text\",\"text\":{text}}}]{failed}}}}}",
            self.id.json()
        ))
    }

    fn run(&self, session: &Session, outlet: Option<&Outlet>) -> Result<String, String> {
        let arguments: serde_json::Value =
            serde_json::from_str(&self.arguments).map_err(|error| format!("arguments: {error}"))?;
        match self.tool {
            OwnTool::GetArtifact => {
                let request = Request::from_json(arguments).map_err(|error| error.to_string())?;
                let offcut = session.offcut().in_trace(self.trace);
                let page =
                    offcut_extract::page(&session.recall(&offcut), &request).map_err(|error| error.to_string())?;
                Ok(never_bare(page, &request))
            }
            OwnTool::ToolOutput => {
                let question = Question::from_json(&arguments).map_err(|error| error.to_string())?;
                let client = session.model(outlet).filter(|_| !self.stateless);
                let model = client.as_ref().map(|model| model as &dyn Model).or(session.configured_model());
                let offcut = session.offcut().in_trace(self.trace);
                let extraction = offcut_extract::extract(&offcut, &question, model, &self.cancel);
                if extraction.failed { Err(extraction.text) } else { Ok(extraction.text) }
            }
        }
    }
}

/// A page as a text that no client takes for an array of structured content.
fn never_bare(page: String, request: &Request) -> String {
    if !page.trim_start().starts_with('[') || serde_json::from_str::<serde::de::IgnoredAny>(&page).is_err() {
        return page;
    }
    match &request.query {
        Some(query) => format!("{}, {query}:\n{page}", request.id),
        None => format!("{}:\n{page}", request.id),
    }
}

//! The tools, called.

use std::path::Path;

use offcut::recall::{RecallError, Request};
use offcut::{Cancel, Offcut};
use offcut_core::causes::with_causes;
use offcut_extract::{self as extract, Model, Question};
use offcut_retain::trace;
use offcut_tools::{Tool, Toolbox};
use serde_json::Value;

use super::GET_ARTIFACT;
use super::answer::Answer;
use crate::clients;

/// A tool by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// One of the five.
    Tool(Tool),
    /// Reads an artifact back.
    GetArtifact,
    /// Answers a question about an artifact.
    ToolOutput,
    /// Reads a result back that has left the conversation.
    GetTaskTrace,
}

/// What a call works with.
pub(super) struct Means<'m> {
    pub(super) offcut: &'m Offcut,
    pub(super) root: &'m Path,
    pub(super) model: Option<&'m dyn Model>,
    pub(super) cancel: &'m Cancel,
    /// The client's name for itself.
    pub(super) client: &'m str,
}

impl Called {
    /// The tool of this name; none if there is none.
    pub(super) fn named(name: &str) -> Option<Called> {
        match name {
            GET_ARTIFACT => Some(Called::GetArtifact),
            extract::TOOL_NAME => Some(Called::ToolOutput),
            trace::NAME => Some(Called::GetTaskTrace),
            name => name.parse().ok().map(Called::Tool),
        }
    }

    /// Calls it. Blocks until it is done, or nobody waits any more.
    pub(super) fn call(self, means: &Means<'_>, arguments: &Value) -> Answer {
        match self {
            Called::Tool(tool) => {
                match Toolbox::new(means.offcut.clone(), means.root).call(tool, arguments, means.cancel) {
                    Ok(reply) => reply.into(),
                    Err(error) => Answer::error(with_causes(&error)),
                }
            }
            Called::GetArtifact => match get_artifact(means, arguments) {
                Ok(page) => Answer::text(page),
                Err(error) => Answer::error(with_causes(&error)),
            },
            Called::ToolOutput => match Question::from_json(arguments) {
                Ok(question) => {
                    let found = extract::extract(means.offcut, &question, means.model, means.cancel);
                    Answer { is_error: found.failed, ..Answer::text(found.text) }
                }
                Err(error) => Answer::error(with_causes(&error)),
            },
            Called::GetTaskTrace => match trace::task_trace_of(means.offcut, arguments) {
                Ok(page) => Answer::text(page),
                Err(error) => Answer::error(error.json().to_string()),
            },
        }
    }
}

fn get_artifact(means: &Means<'_>, arguments: &Value) -> Result<String, RecallError> {
    let request: Request = serde_json::from_value(arguments.clone())
        .map_err(|error| RecallError::BadRequest { why: error.to_string() })?;
    extract::page(&clients::recall(means.offcut, means.client), &request)
}

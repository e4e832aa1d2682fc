//! One call: what a caller says of an output, and what comes back.

use offcut::{Call, Outcome, Reply};
use offcut_core::limit::Limits;
use serde::Deserialize;

use crate::failure::Failure;

/// A text and the facts about it as JSON.
pub type Answer = (String, String);

/// What a caller says about one output.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallFacts {
    /// The tool whose output it is; empty where that is not known.
    pub tool: String,
    /// The call's arguments: JSON, or a command line as it stands.
    pub args: String,
    /// The call's id in the conversation.
    pub call_id: Option<String>,
    /// The output's kind, where it is known better than it looks.
    pub kind: Option<String>,
    /// The limit, a number of characters or text with a unit.
    pub limit: Option<String>,
    /// How to cut, in place of what the content suggests.
    pub strategy: Option<String>,
    /// Whether prefixes that all lines share stay.
    pub keep_prefixes: bool,
    /// The exit code of the call.
    pub exit_code: Option<i64>,
    /// Whether the call failed.
    pub failed: bool,
}

impl CallFacts {
    /// How the call ended.
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.exit_code, self.failed) {
            (Some(status), _) if status != 0 => Outcome::exit(status),
            (_, true) => Outcome::Failed,
            _ => Outcome::Unsaid,
        }
    }

    /// The same as the library takes it.
    pub(crate) fn call(self) -> Result<Call, Failure> {
        let kind = self.kind.map(|kind| kind.parse()).transpose();
        let limits = self.limit.map(|limit| limit.parse::<Limits>()).transpose();
        Ok(Call {
            tool: self.tool,
            arguments: self.args,
            call_id: self.call_id,
            kind: kind.map_err(|error| Failure::argument(format!("kind: {error}")))?,
            limits: limits.map_err(|error| Failure::argument(format!("limit: {error}")))?,
            strategy: self.strategy,
            keep_prefixes: self.keep_prefixes,
            token_budget: None,
        })
    }
}

pub(crate) fn answer(reply: Reply) -> Result<Answer, Failure> {
    Ok((reply.text, serde_json::to_string(&reply.report)?))
}

//! What happened, without content: an event has no field that could hold any.

use std::collections::BTreeMap;
use std::fmt;

use offcut_core::report::Report;
use offcut_store::SessionId;
use serde::{Deserialize, Serialize};

use crate::trace_context::TraceContext;

/// Something that an operator may want to count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// An output became a reply.
    Reply {
        /// Whose output it was.
        tool: String,
        /// The session it belongs to.
        #[serde(default)]
        session: String,
        /// The kind that the classifier saw.
        kind: String,
        /// The strategy that was used.
        strategy: String,
        /// Characters of the output.
        original_size: u64,
        /// Characters of the reply.
        truncated_size: u64,
        /// Whether anything was left out.
        was_truncated: bool,
        /// Secrets that were taken out, by kind.
        #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
        redactions: BTreeMap<String, u64>,
        /// The artifact that holds the whole output.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        artifact_id: Option<String>,
        /// How many promises could not be kept.
        degraded: usize,
        /// How long it took, in microseconds.
        duration_us: u64,
        /// Tokens of the output.
        #[serde(skip_serializing_if = "is_zero", default)]
        original_tokens: u64,
        /// Tokens of the reply.
        #[serde(skip_serializing_if = "is_zero", default)]
        truncated_tokens: u64,
        /// The lines of which something is shown, where that is not all of them: first and last, 1-based, at most
        /// [`MOST_RANGES`].
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        kept: Vec<(u64, u64)>,
    },
    /// An artifact was created.
    Artifact {
        /// Its id.
        id: String,
        /// The session it belongs to.
        session: String,
        /// The tool whose output it holds.
        tool: String,
        /// Its bytes.
        bytes: u64,
    },
    /// An artifact, or a part of one, was asked for.
    Retrieval {
        /// Its id.
        id: String,
        /// The session that asked.
        session: String,
        /// What was asked for: `whole`, `lines 1-100`, `bytes 0-500`, `pattern`, `query`.
        range: String,
        /// Who asked.
        #[serde(default)]
        by: Requester,
        /// `ok`, or the code of the error.
        outcome: String,
        /// Bytes that were returned.
        #[serde(skip_serializing_if = "is_zero", default)]
        bytes: u64,
    },
    /// An artifact was asked a question.
    Extraction {
        /// Its id.
        id: String,
        /// The session that asked.
        session: String,
        /// The tool whose output it holds.
        tool: String,
        /// Who asked.
        #[serde(default)]
        by: Requester,
        /// The mode that answered.
        mode: String,
        /// The model that was asked; empty where none was.
        model: String,
        /// Calls to the model.
        calls: u64,
        /// Tokens of the requests.
        input_tokens: u64,
        /// Tokens of the answers.
        output_tokens: u64,
        /// How often another mode had to stand in.
        fallbacks: u64,
        /// `ok`, `nothing` where nothing was found, or the code of the error.
        outcome: String,
        /// How long it took, in microseconds.
        duration_us: u64,
    },
    /// An id was refused before anything was looked up.
    Refusal {
        /// What was given for an id: without secrets and control characters, at most 80 characters.
        id: String,
        /// The session that asked.
        session: String,
        /// Who asked.
        by: Requester,
        /// `invalid_id`, or `other_session`.
        reason: String,
    },
    /// A conversation was passed on to a model's provider.
    Request {
        /// The session it belongs to.
        session: String,
        /// A name that all requests of the conversation have in common.
        conversation: String,
        /// The model that is asked; empty where the request does not say.
        model: String,
        /// The shape of the conversation: `anthropic`, `openai-chat`, …
        format: String,
        /// How many requests of the conversation came before this one.
        request: u64,
        /// Tokens of the conversation as it came.
        tokens_before: u64,
        /// Tokens as it left.
        tokens_after: u64,
        /// Results that were too large, and were cut.
        cut: u64,
        /// Results that were old, and were shortened.
        shortened: u64,
        /// Dollars for this request as it came, by the price model, the provider's cache considered.
        #[serde(default)]
        cost_before: f64,
        /// Dollars for this request as it left.
        #[serde(default)]
        cost_after: f64,
        /// Dollars for all requests of the conversation so far, had nothing ever been changed.
        #[serde(default)]
        total_before: f64,
        /// Dollars for all requests of the conversation so far, as they were sent.
        #[serde(default)]
        total_after: f64,
    },
    /// An output was larger than anything that may be kept.
    Oversize {
        /// Whose output it was.
        tool: String,
        /// The session it belongs to.
        #[serde(default)]
        session: String,
        /// Bytes that came before it was stopped.
        bytes: u64,
        /// Bytes that are allowed.
        max: u64,
    },
}

/// How many ranges of kept lines an event tells; a cut into more pieces tells the first of them.
pub const MOST_RANGES: usize = 400;

impl Event {
    /// The event of a reply, by its report.
    pub fn reply(tool: &str, session: &SessionId, report: &Report) -> Event {
        let kept = if report.was_truncated { report.kept.as_slice() } else { &[] };
        Event::Reply {
            tool: tool.to_owned(),
            session: session.to_string(),
            kind: report.kind.clone(),
            strategy: report.strategy.clone().unwrap_or_default(),
            original_size: report.original_size.or(report.original_bytes).unwrap_or_default(),
            truncated_size: report.truncated_size,
            was_truncated: report.was_truncated,
            redactions: report.redactions.clone(),
            artifact_id: report.artifact_id.clone(),
            degraded: report.degraded.len(),
            duration_us: report.duration_us,
            original_tokens: report.original_tokens.unwrap_or_default(),
            truncated_tokens: report.truncated_tokens.unwrap_or_default(),
            kept: kept.iter().take(MOST_RANGES).copied().collect(),
        }
    }

    /// The names in it that somebody outside chose.
    pub(crate) fn names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let (tool, id) = match self {
            Event::Reply { tool, .. } | Event::Artifact { tool, .. } | Event::Oversize { tool, .. } => {
                (Some(tool), None)
            }
            Event::Extraction { tool, id, .. } => (Some(tool), Some(id)),
            Event::Request { model, conversation, .. } => (Some(model), Some(conversation)),
            Event::Retrieval { id, .. } | Event::Refusal { id, .. } => (None, Some(id)),
        };
        tool.into_iter().chain(id)
    }
}

/// Who asks for an artifact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requester {
    /// A model, by a tool call.
    Model,
    /// A person, or a program of theirs.
    #[default]
    User,
}

impl fmt::Display for Requester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Requester::Model => "model",
            Requester::User => "user",
        })
    }
}

/// An event with its moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The coding agent on whose behalf it happened; empty where that is not known.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub agent: String,
    /// The trace that it belongs to, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trace: Option<TraceContext>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Takes events in; must not block for long, and never fails the call that they come from.
pub trait Observer: Send + Sync + fmt::Debug {
    /// Takes one event in.
    fn observe(&self, record: &Record);
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Writes an event to the structured log.
pub(crate) fn log(event: &Event) {
    match event {
        Event::Reply {
            tool,
            session,
            kind,
            strategy,
            original_size,
            truncated_size,
            was_truncated,
            redactions,
            artifact_id: _,
            degraded,
            duration_us,
            original_tokens: _,
            truncated_tokens: _,
            kept: _,
        } => {
            let redacted: u64 = redactions.values().sum();
            tracing::info!(
                tool,
                session,
                kind,
                strategy,
                original_size,
                truncated_size,
                was_truncated,
                redacted,
                degraded,
                duration_us,
                "reply"
            );
        }
        Event::Artifact { id, session, tool, bytes } => tracing::info!(id, session, tool, bytes, "artifact created"),
        Event::Retrieval { id, session, range, by, outcome, bytes } => {
            tracing::info!(id, session, range, %by, outcome, bytes, "artifact retrieved");
        }
        Event::Extraction {
            id,
            session,
            tool,
            by,
            mode,
            model,
            calls,
            input_tokens,
            output_tokens,
            fallbacks,
            outcome,
            duration_us,
        } => {
            tracing::info!(
                id,
                session,
                tool,
                %by,
                mode,
                model,
                calls,
                input_tokens,
                output_tokens,
                fallbacks,
                outcome,
                duration_us,
                "artifact asked"
            );
        }
        Event::Refusal { id, session, by, reason } => {
            tracing::warn!(id, session, %by, reason, "artifact id refused");
        }
        Event::Request {
            session, conversation, model, request, tokens_before, tokens_after, cut, shortened, ..
        } => {
            tracing::info!(
                session,
                conversation,
                model,
                request,
                tokens_before,
                tokens_after,
                cut,
                shortened,
                "conversation passed on"
            );
        }
        Event::Oversize { tool, session, bytes, max } => {
            tracing::warn!(tool, session, bytes, max, "output over the maximum size");
        }
    }
}

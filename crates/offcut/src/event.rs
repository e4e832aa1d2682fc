//! What happened, without content: an event has no field that could hold any.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that an operator may want to count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// An output became a reply.
    Reply {
        /// Whose output it was.
        tool: String,
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
        /// How many promises could not be kept.
        degraded: usize,
        /// How long it took, in microseconds.
        duration_us: u64,
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
        /// `ok`, or the code of the error.
        outcome: String,
    },
    /// An output was larger than anything that may be kept.
    Oversize {
        /// Whose output it was.
        tool: String,
        /// Bytes that came before it was stopped.
        bytes: u64,
        /// Bytes that are allowed.
        max: u64,
    },
}

/// An event with its moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Takes events in; must not block for long, and never fails the call that they come from.
pub trait Observer: Send + Sync + fmt::Debug {
    /// Takes one event in.
    fn observe(&self, record: &Record);
}

/// Writes an event to the structured log.
pub(crate) fn log(event: &Event) {
    match event {
        Event::Reply {
            tool,
            kind,
            strategy,
            original_size,
            truncated_size,
            was_truncated,
            redactions,
            degraded,
            duration_us,
        } => {
            let redacted: u64 = redactions.values().sum();
            tracing::info!(
                tool,
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
        Event::Retrieval { id, session, range, outcome } => {
            tracing::info!(id, session, range, outcome, "artifact retrieved");
        }
        Event::Oversize { tool, bytes, max } => tracing::warn!(tool, bytes, max, "output over the maximum size"),
    }
}

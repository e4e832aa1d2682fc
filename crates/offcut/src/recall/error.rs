//! Why nothing was read back, in words that say what would be right.

use std::io;

use offcut_core::limit::human_size;
use offcut_store::{ArtifactId, StoreError};

/// Why nothing was read back.
///
/// Every outcome has a [`code`](RecallError::code) for programs and a text for the model: what is wrong, and what would
/// be right. Those that no retry can change say so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecallError {
    /// There is no store to read from.
    #[error("no store is configured, so nothing was kept: do not retry")]
    NoStore,
    /// The handle is none that a store would ever give; nothing was looked up.
    #[error(
        "`{id}` is not an artifact id: an id looks like `a1b2` or `art_1699234567890_a1b2c3d4`; copy it from a notice as it \
         stands there"
    )]
    InvalidId {
        /// The handle, shortened and escaped.
        id: String,
    },
    /// No session has such an artifact.
    #[error(
        "no artifact `{id}` in this session: this is final, do not retry; use an id from a notice of this session, or run \
         the tool again"
    )]
    NotFound {
        /// The artifact that was asked for.
        id: ArtifactId,
    },
    /// No artifact of this session has an id that begins so.
    #[error(
        "{}: this is final, do not retry; use an id from a notice of this session, or run the tool again",
        whose(.handle, *.foreign)
    )]
    UnknownHandle {
        /// The short handle that was asked for.
        handle: String,
        /// Whether an artifact of another session has it.
        foreign: bool,
    },
    /// More than one artifact of this session has an id that begins so.
    #[error("`{handle}` matches {} artifacts: {}; use more characters of one", .ids.len(), listed(.ids))]
    Ambiguous {
        /// The short handle that was asked for.
        handle: String,
        /// The artifacts that it may mean.
        ids: Vec<ArtifactId>,
    },
    /// The newest artifact was asked for, and there is none.
    #[error("this session has no artifacts")]
    NoArtifacts,
    /// This session has no artifacts at all, so that there is nothing to read back.
    #[error(
        "no artifact `{id}`: nothing is stored for this session, because nothing has been cut yet or it was cleared; an id \
         stands in the first line of a result that was cut"
    )]
    NothingStored {
        /// The artifact that was asked for.
        id: ArtifactId,
    },
    /// Another session has this artifact; its content is not shown here.
    #[error(
        "artifact `{id}` belongs to another session: this is final, do not retry; use an id from a notice of this session, \
         or run the tool again"
    )]
    Foreign {
        /// The artifact that was asked for.
        id: ArtifactId,
    },
    /// The session had this artifact and dropped it to stay within its quota.
    #[error(
        "artifact `{id}` was evicted to keep the session within its quota: this is final, do not retry; run the tool again \
         if its output is still needed"
    )]
    Evicted {
        /// The artifact that was asked for.
        id: ArtifactId,
    },
    /// What is stored is not what was written.
    #[error(
        "artifact `{id}` is damaged and is not shown: {what}; do not retry, run the tool again if its output is still needed"
    )]
    Corrupt {
        /// The damaged artifact.
        id: ArtifactId,
        /// Which part, and what is wrong with it.
        what: String,
    },
    /// The lines or bytes that were asked for are not there.
    #[error("bad range: {why}")]
    BadRange {
        /// What is wrong, and what would be right.
        why: String,
    },
    /// The JSONPath is none, or asks for too much.
    #[error("bad query: {why}")]
    BadQuery {
        /// What is wrong, and where.
        why: String,
    },
    /// A JSONPath was asked of something that is not JSON.
    #[error("not JSON: {why}; use `lines` or `pattern` instead of `query`")]
    NotJson {
        /// Where it stops being JSON, and why.
        why: String,
    },
    /// The query cannot be answered one element at a time, and the document is too large to be held whole.
    #[error(
        "the query needs {} in memory at once, at most {} are held: begin it with a path to a smaller part, such as \
         `$.items[0]`, or with `$[*]`, `$[?…]` or `$..name`, which are answered one element at a time",
        human_size(*.bytes),
        human_size(*.max)
    )]
    QueryTooLarge {
        /// The size of the part that would have to be held.
        bytes: u64,
        /// The largest that is.
        max: u64,
    },
    /// The regular expression is none, or too large.
    #[error("bad pattern: {why}")]
    BadPattern {
        /// What is wrong.
        why: String,
    },
    /// A part was asked for where only whole artifacts are given out.
    #[error(
        "parts of artifacts are not to be read (`{asked}` was asked for): `artifacts.enable_partial_retrieval` is `false`; \
         ask for the whole, with nothing but its id"
    )]
    WholeOnly {
        /// What was asked for.
        asked: String,
    },
    /// Two selectors in one request.
    #[error("`{first}` and `{second}` cannot be used together: give one of them")]
    TwoSelectors {
        /// The one.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// The request is none: a key that does not exist, or a value of another type.
    #[error("bad request: {why}")]
    BadRequest {
        /// What is wrong.
        why: String,
    },
    /// The artifact is not text, so that it has no lines, matches or nodes.
    #[error("the artifact is not text ({media_type}): only its bytes can be read, whole or by range")]
    NotText {
        /// What it is instead.
        media_type: String,
    },
    /// The store could not read it.
    #[error(transparent)]
    Store(StoreError),
    /// What was read could not be written on.
    #[error("what was read could not be written on")]
    Output(#[source] io::Error),
}

impl RecallError {
    /// The outcome as one stable word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            RecallError::NoStore => "no_store",
            RecallError::InvalidId { .. } => "invalid_id",
            RecallError::UnknownHandle { foreign: true, .. } => "foreign",
            RecallError::NotFound { .. } | RecallError::UnknownHandle { .. } | RecallError::NoArtifacts => "not_found",
            RecallError::Ambiguous { .. } => "ambiguous",
            RecallError::NothingStored { .. } => "nothing_stored",
            RecallError::Foreign { .. } => "foreign",
            RecallError::Evicted { .. } => "evicted",
            RecallError::Corrupt { .. } => "corrupt",
            RecallError::BadRange { .. } => "bad_range",
            RecallError::BadQuery { .. } => "bad_query",
            RecallError::NotJson { .. } => "not_json",
            RecallError::QueryTooLarge { .. } => "query_too_large",
            RecallError::BadPattern { .. } => "bad_pattern",
            RecallError::WholeOnly { .. } => "whole_only",
            RecallError::TwoSelectors { .. } => "two_selectors",
            RecallError::BadRequest { .. } => "bad_request",
            RecallError::NotText { .. } => "not_text",
            RecallError::Store(error) => error.code(),
            RecallError::Output(_) => "output",
        }
    }

    /// The outcome as an HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            RecallError::NotFound { .. }
            | RecallError::UnknownHandle { .. }
            | RecallError::NoArtifacts
            | RecallError::NothingStored { .. }
            | RecallError::Foreign { .. }
            | RecallError::NoStore => 404,
            RecallError::Ambiguous { .. } => 409,
            RecallError::Evicted { .. } => 410,
            RecallError::WholeOnly { .. } => 403,
            RecallError::BadRange { .. } => 416,
            RecallError::InvalidId { .. }
            | RecallError::BadQuery { .. }
            | RecallError::BadPattern { .. }
            | RecallError::TwoSelectors { .. }
            | RecallError::BadRequest { .. } => 400,
            RecallError::NotJson { .. } | RecallError::NotText { .. } | RecallError::QueryTooLarge { .. } => 422,
            RecallError::Corrupt { .. } | RecallError::Store(_) | RecallError::Output(_) => 500,
        }
    }

    /// An error that came through a document, as what it was before.
    pub fn unwrapped(error: io::Error) -> RecallError {
        match error.downcast::<StoreError>() {
            Ok(error) => error.into(),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                RecallError::NotText { media_type: "text that is not UTF-8".to_owned() }
            }
            Err(source) => RecallError::Store(StoreError::Io { doing: "read".to_owned(), path: None, source }),
        }
    }
}

/// Which artifact of whom a short handle asked for.
fn whose(handle: &str, foreign: bool) -> String {
    match foreign {
        true => format!("artifact `{handle}` belongs to another session"),
        false => format!("no artifact `{handle}` in this session"),
    }
}

/// The ids that a short handle may mean.
fn listed(ids: &[ArtifactId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<String>>().join(", ")
}

impl From<StoreError> for RecallError {
    fn from(error: StoreError) -> RecallError {
        match error {
            StoreError::InvalidId { id, .. } => RecallError::InvalidId { id },
            StoreError::NotFound { id } => RecallError::NotFound { id },
            StoreError::Evicted { id } => RecallError::Evicted { id },
            StoreError::Corrupt { id, what, .. } => RecallError::Corrupt { id, what },
            other => RecallError::Store(other),
        }
    }
}

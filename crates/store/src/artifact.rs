//! What is known about an artifact.

use std::path::PathBuf;

use offcut_core::extent::{Extent, Index};
use serde::{Deserialize, Serialize};

use crate::blocks::BLOCK;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};

/// Where an output came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The tool that made it.
    pub tool: String,
    /// What the tool was called with: a short line or JSON, already redacted.
    pub arguments: String,
}

/// What a draft is committed with: everything that only the writer knows.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Where the output came from.
    pub source: Source,
    /// Its media type, such as `application/json`.
    pub media_type: String,
    /// Its kind, as the classifier names it.
    pub kind: String,
    /// One line about it.
    pub summary: String,
    /// How big it is; its bytes must be those that were written.
    pub extent: Extent,
    /// Where its lines are.
    pub index: Index,
    /// How many tokens it is estimated at, or counted as.
    pub tokens: u64,
    /// A name of its own for the content file, where one is wanted: `A-Z a-z 0-9 . _ -`, at most 150 bytes, not
    /// starting with a dot or `art_`, not ending in `.meta` or `.aside`. If the name is taken, `-2`, `-3`, … is added.
    pub file_name: Option<String>,
    /// Whether the content is not text.
    pub binary: bool,
    /// The caller's own name for what this is the trace of, where it has one.
    pub trace_id: Option<String>,
    /// The terms that it is found by ([`Store::find`](crate::Store::find)), in order, each once; none where they are not
    /// known.
    pub terms: Option<Vec<u32>>,
}

/// What a store tells about an artifact without reading its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactInfo {
    /// Its name.
    pub id: ArtifactId,
    /// The session that it belongs to.
    pub session: SessionId,
    /// When it was begun, in milliseconds since 1970.
    pub created_ms: u64,
    /// Where it came from.
    pub source: Source,
    /// Its media type.
    pub media_type: String,
    /// Its kind.
    pub kind: String,
    /// One line about it.
    pub summary: String,
    /// How big it is; in JSON the fields `bytes`, `chars`, `lines` and `longest_line`.
    #[serde(flatten, with = "ExtentFields")]
    pub extent: Extent,
    /// How many tokens it has.
    pub tokens: u64,
    /// The BLAKE3 hash of the whole content, in hexadecimal.
    pub blake3: String,
    /// What the content takes where it is stored.
    pub stored_bytes: u64,
    /// Whether it is stored compressed.
    pub compressed: bool,
    /// Whether the content is not text.
    pub binary: bool,
    /// Whether its writer died before the output ended: it holds what had come by then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The caller's own name for what this is the trace of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The plain content file, for stores that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

impl Facts {
    /// Checks the facts against what was written, and makes them known.
    pub(crate) fn into_info(self, known: CommitFacts<'_>) -> Result<(ArtifactInfo, Index), StoreError> {
        if self.extent.bytes != known.bytes {
            let why = format!("its facts speak of {} bytes, but {} were written", self.extent.bytes, known.bytes);
            return Err(StoreError::Misuse { why });
        }
        let info = ArtifactInfo {
            id: known.id.clone(),
            session: known.session.clone(),
            created_ms: known.id.unix_millis(),
            source: self.source,
            media_type: self.media_type,
            kind: self.kind,
            summary: self.summary,
            extent: self.extent,
            tokens: self.tokens,
            blake3: known.hash.to_hex().to_string(),
            stored_bytes: known.stored_bytes,
            compressed: known.compressed,
            binary: self.binary,
            unfinished: known.unfinished,
            trace_id: self.trace_id,
            path: None,
        };
        // A block is read and verified as a whole: more than one checkpoint in it would save nothing.
        Ok((info, self.index.thinned(BLOCK as u64)))
    }

    /// The name that the content file was to have, if it is a harmless one.
    pub(crate) fn checked_file_name(&self) -> Result<Option<&str>, StoreError> {
        let Some(name) = self.file_name.as_deref() else { return Ok(None) };
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let reserved =
            name.starts_with('.') || name.starts_with("art_") || name.ends_with(".meta") || name.ends_with(".aside");
        if (1..=150).contains(&name.len()) && name.bytes().all(allowed) && !reserved {
            return Ok(Some(name));
        }
        Err(StoreError::InvalidId { what: "file", id: name.chars().take(80).flat_map(char::escape_debug).collect() })
    }
}

/// What the store itself knows when a draft is committed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitFacts<'a> {
    pub(crate) id: &'a ArtifactId,
    pub(crate) session: &'a SessionId,
    pub(crate) bytes: u64,
    pub(crate) stored_bytes: u64,
    pub(crate) hash: &'a blake3::Hash,
    pub(crate) compressed: bool,
    pub(crate) unfinished: bool,
}

/// The shape of an [`Extent`] in JSON.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Extent")]
struct ExtentFields {
    bytes: u64,
    chars: u64,
    lines: u64,
    longest_line: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extent_is_flat_in_json_and_comes_back() {
        let info = ArtifactInfo {
            id: "art_1_a".parse().unwrap(),
            session: "s".parse().unwrap(),
            created_ms: 1,
            source: Source { tool: "t".into(), arguments: "{}".into() },
            media_type: "text/plain".into(),
            kind: "text".into(),
            summary: String::new(),
            extent: Extent { bytes: 5, chars: 4, lines: 3, longest_line: 2 },
            tokens: 1,
            blake3: "00".into(),
            stored_bytes: 5,
            compressed: false,
            binary: false,
            unfinished: false,
            trace_id: None,
            path: None,
        };
        let json = serde_json::to_value(&info).unwrap();
        assert_eq!((&json["bytes"], &json["longest_line"]), (&5.into(), &2.into()));
        assert!(json.get("path").is_none());
        assert_eq!(serde_json::from_value::<ArtifactInfo>(json).unwrap(), info);
    }
}

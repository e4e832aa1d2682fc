//! The facts about one reply: the metadata that rides beside the text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of this format.
pub const VERSION: u32 = 1;

/// What happened to an output. Serialised as JSON; fields are added, never renamed or taken away, within a version.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this format: 1.
    pub version: u32,
    /// Whether anything of the output is not shown.
    pub was_truncated: bool,
    /// Whether all of the output is shown in a lossless form that is shorter than itself.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub compacted: bool,
    /// The cleaned output's characters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_size: Option<u64>,
    /// The reply's characters.
    pub truncated_size: u64,
    /// The cleaned output's bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_bytes: Option<u64>,
    /// The cleaned output's lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_lines: Option<u64>,
    /// The cleaned output's tokens, by the policy's counter.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub original_tokens: Option<u64>,
    /// The reply's tokens, by the policy's counter.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub truncated_tokens: Option<u64>,
    /// The strategy that was used; `none` where nothing was cut.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strategy: Option<String>,
    /// What the output looks like: the media type.
    pub content_type: String,
    /// The kind that the classifier saw.
    pub kind: String,
    /// How sure it was, from 0 to 1, written with two digits behind the point.
    #[serde(serialize_with = "two_digits")]
    pub kind_confidence: f32,
    /// Why it thought so.
    pub kind_reason: String,
    /// Lines of which nothing is shown.
    pub omitted_lines: u64,
    /// Characters that are not shown.
    pub omitted_characters: u64,
    /// Elements that are not shown, where the strategy counts elements.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub omitted_elements: Option<u64>,
    /// What was left out, in one sentence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub omission_summary: Option<String>,
    /// The limit that was reached, as it was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<String>,
    /// The lines of which something is shown: first and last, 1-based.
    pub kept: Vec<(u64, u64)>,
    /// The artifact that holds the whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub artifact_id: Option<String>,
    /// The artifact's short handle, where the reply names it by that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub artifact_handle: Option<String>,
    /// Whether an artifact was created.
    pub artifact_created: bool,
    /// The plain file that holds the whole, where the store has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub artifact_path: Option<String>,
    /// The header and footer where the profile keeps them out of the text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub notice: Option<String>,
    /// Secrets that were taken out, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub redactions: BTreeMap<String, u64>,
    /// Characters that a terminal would not show any more, because they were overwritten, where they were most of the
    /// output.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub overwritten_characters: u64,
    /// The artifact that holds them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub overwritten_artifact_id: Option<String>,
    /// The artifact with the same command's output before, where the reply says how the two differ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub earlier_artifact_id: Option<String>,
    /// Characters of the tool's name and arguments that nobody would see (controls, marks of direction, characters
    /// without width, tags): they are written out wherever Offcut shows the call.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub escaped_characters: u64,
    /// Promises that could not be kept, each said aloud.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub degraded: Vec<String>,
    /// Whether the result is an error: the output was larger than anything that may be kept.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_error: bool,
    /// How long it took, in microseconds.
    pub duration_us: u64,
}

impl Report {
    /// Whether the reply is the output as it came: nothing left out, written otherwise, or told instead of it.
    pub fn is_as_it_came(&self) -> bool {
        !self.was_truncated && !self.compacted && !self.is_error
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An `f32` in an `f64` would be written with all the digits of its error.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn two_digits<S: serde::Serializer>(share: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((f64::from(*share) * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_written_with_two_digits() {
        let report = Report { kind_confidence: 0.9, ..Report::default() };
        assert_eq!(serde_json::to_value(&report).unwrap()["kind_confidence"].to_string(), "0.9");
        assert!(serde_json::to_string(&report).unwrap().contains("\"kind_confidence\":0.9,"));
    }
}

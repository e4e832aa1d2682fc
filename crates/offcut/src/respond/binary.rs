//! The reply to content that is not text.

use offcut_core::binary::{self, BinaryType};
use offcut_core::kind::Kind;
use offcut_core::report::Report;
use offcut_core::text;
use offcut_store::ArtifactInfo;

use crate::call::Call;
use crate::context::Context;
use crate::event::Event;
use crate::reply::Reply;

/// The reply to content that is not text.
pub(crate) fn binary_reply(context: &Context, call: &Call, binary: BinaryOutput, redactions: Report) -> Reply {
    let BinaryOutput { kind, bytes, hash, inline, stored } = binary;
    let mut report = redactions;
    report.kind = Kind::Binary.to_string();
    report.content_type = kind.media_type.to_owned();
    report.kind_confidence = 1.0;
    report.kind_reason = format!("the first bytes are those of {}", kind.name);
    let text = match &inline {
        Some(raw) => binary::inline(raw),
        None => {
            report.was_truncated = true;
            match stored {
                Ok(info) => {
                    report.artifact_created = true;
                    report.artifact_id = Some(info.id.to_string());
                    report.artifact_path = info.path.as_ref().map(|path| path.display().to_string());
                    context.emit(Event::Artifact {
                        id: info.id.to_string(),
                        session: info.session.to_string(),
                        tool: call.tool.clone(),
                        bytes,
                    });
                    format!("{} Full output: {}", binary::summary(kind, bytes, &hash), info.id)
                }
                Err(why) => {
                    report.degraded.push(format!("the full output was not kept: {why}"));
                    format!("{} Full output was not kept: {why}", binary::summary(kind, bytes, &hash))
                }
            }
        }
    };
    report.strategy = Some(if inline.is_some() { "none" } else { "summary" }.to_owned());
    report.original_bytes = Some(bytes);
    report.truncated_size = text::chars(&text);
    Reply { text, report }
}

/// Content that is not text, when it has ended.
pub(crate) struct BinaryOutput {
    pub(crate) kind: BinaryType,
    pub(crate) bytes: u64,
    pub(crate) hash: String,
    /// The content itself where it is small enough to be shown as base64.
    pub(crate) inline: Option<Vec<u8>>,
    pub(crate) stored: Result<ArtifactInfo, String>,
}

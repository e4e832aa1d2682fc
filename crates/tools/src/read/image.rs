//! Files that are not text: images are shown, the rest is named.

use std::fs;

use offcut_core::binary::BinaryType;
use offcut_core::limit::short_size;
use offcut_core::notice;
use serde_json::json;

use super::{Read, Source};
use crate::Toolbox;
use crate::error::{ToolError, while_doing};
use crate::place::printable;
use crate::reply::{Content, ToolReply};

/// The images that models take.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The largest image that models take, in bytes.
const LARGEST_IMAGE: u64 = 5 << 20;

impl Toolbox {
    /// An image as an image with a line about it; anything else as the line alone.
    pub(super) fn read_binary(&self, read: &Read, source: &Source, kind: BinaryType) -> Result<ToolReply, ToolError> {
        let image = IMAGES.contains(&kind.media_type);
        let too_large = (image && source.bytes > LARGEST_IMAGE)
            .then(|| format!("images up to {} are shown", short_size(LARGEST_IMAGE)));
        let path = printable(read.path.as_bytes());
        let about = notice::binary_file(&path, kind.name, source.bytes, too_large.as_deref());
        let mut content = Vec::new();
        if image && too_large.is_none() {
            let data = fs::read(source.path()).map_err(while_doing(format!("read {path}")))?;
            content.push(Content::Image { media_type: kind.media_type.to_owned(), data });
        }
        content.push(Content::Text(about));
        let details = json!({"mediaType": kind.media_type, "bytes": source.bytes});
        Ok(ToolReply { content, details, is_error: false, report: None })
    }
}

//! Lists of paths on their way out: a page under `paged`, an output like any other elsewhere.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use offcut::Call;
use offcut_core::notice;
use serde_json::{Map, Value};

use crate::Toolbox;
use crate::error::ToolError;
use crate::page::{EndedBy, PageLimits, Paged, truncation};
use crate::reply::{Content, ToolReply};
use crate::text::Wash;
use crate::tool::Tool;
use crate::toolbox::{room_of, with_notices};

/// A list of paths, and what is to be said about it.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) tool: Tool,
    pub(crate) call: Call,
    /// One path a line.
    pub(crate) lines: Vec<u8>,
    pub(crate) notices: Vec<String>,
    pub(crate) details: Map<String, Value>,
    /// What is said where there is nothing.
    pub(crate) nothing: &'static str,
    pub(crate) started: Instant,
}

impl Toolbox {
    /// The answer that a list is.
    pub(crate) fn list(&self, listing: Listing) -> Result<ToolReply, ToolError> {
        if listing.lines.is_empty() {
            let mut content = vec![listing.nothing.to_owned()];
            content.extend(listing.notices);
            let content = vec![Content::Text(content.join("\n\n"))];
            return Ok(ToolReply { content, details: Value::Object(listing.details), is_error: false, report: None });
        }
        if self.pages() {
            return self.list_page(listing);
        }
        let mut intake = self.offcut().intake(listing.call)?;
        // What is over the maximum size is left, and the reply says so.
        let _ = intake.write_all(&listing.lines);
        let (chars, lines) = room_of(&listing.notices);
        intake.leave_room(chars, lines);
        Ok(with_notices(intake.finish(), &listing.notices, listing.details))
    }

    fn list_page(&self, mut listing: Listing) -> Result<ToolReply, ToolError> {
        // The list has a limit of its own in place of the one of lines.
        let limits = PageLimits { lines: u64::MAX, ..PageLimits::of(&self.plan(listing.tool)?) };
        let total = memchr::memchr_iter(b'\n', &listing.lines).count() as u64 + 1;
        let bytes = listing.lines.len() as u64;
        let mut wash = Wash::new(self.offcut(), listing.tool);
        let mut taken = 0;
        for line in listing.lines.split(|byte| *byte == b'\n') {
            // A little more than fits is enough to know what does.
            if taken > limits.bytes.saturating_mul(2) {
                break;
            }
            taken += line.len() as u64;
            wash.line(line, "\n");
        }
        let (text, redactions) = wash.finish();
        let lines = limits.fit(text.split_inclusive('\n'));
        if lines < total {
            listing.notices.insert(0, notice::byte_limit(limits.bytes));
            listing.details.insert("truncation".to_owned(), truncation(EndedBy::Bytes, lines, total, false));
        }
        let shown: String = text.split_inclusive('\n').take(usize::try_from(lines).unwrap_or(usize::MAX)).collect();
        Ok(self.paged(Paged {
            tool: listing.tool,
            text: shown.trim_end_matches('\n').to_owned(),
            notices: listing.notices,
            details: listing.details,
            first: 1,
            lines,
            total,
            bytes,
            redactions,
            started: listing.started,
        }))
    }

    /// What stands before the paths found below `start`, so that they can be used as they stand.
    pub(crate) fn prefix(&self, start: &Path) -> String {
        match self.shown(start) {
            shown if shown.is_empty() || shown.ends_with('/') => shown,
            shown => shown + "/",
        }
    }
}

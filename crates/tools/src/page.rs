//! Pages: as many whole lines from the start as the limits allow.

use std::collections::BTreeMap;
use std::time::Instant;

use offcut::event::Event;
use offcut::policy::Plan;
use offcut_core::limit::{Limits, Unit};
use offcut_core::report::{Report, VERSION};
use offcut_core::text;
use offcut_core::tokens::Tokenizer;
use serde_json::{Map, Value, json};

use crate::Toolbox;
use crate::reply::{Content, ToolReply};
use crate::tool::Tool;
use crate::toolbox::under;

/// How much a page holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageLimits {
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

/// The limit that ended a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndedBy {
    Lines,
    Bytes,
}

impl PageLimits {
    /// The limits of a plan. A limit of characters or tokens is kept by counting bytes, of which there are never fewer.
    pub(crate) fn of(plan: &Plan) -> PageLimits {
        let bytes = [
            plan.limits.of(Unit::Bytes),
            plan.limits.of(Unit::Chars),
            plan.limits.of(Unit::Tokens).map(|tokens| tokens.saturating_mul(bytes_per_token(plan.tokenizer))),
        ];
        let lines = Limits::of(&plan.limits, Unit::Lines).unwrap_or(u64::MAX);
        PageLimits { lines, bytes: bytes.into_iter().flatten().min().unwrap_or(u64::MAX) }
    }

    /// How many of `lines`, each with its end, fit. The end of the last one does not count.
    pub(crate) fn fit<'a>(&self, lines: impl Iterator<Item = &'a str>) -> u64 {
        let (mut shown, mut bytes) = (0, 0u64);
        for line in lines {
            let words = line.trim_end_matches(['\n', '\r']).len() as u64;
            if shown == self.lines || bytes + words > self.bytes {
                break;
            }
            bytes += line.len() as u64;
            shown += 1;
        }
        shown
    }
}

fn bytes_per_token(tokenizer: Tokenizer) -> u64 {
    match tokenizer {
        Tokenizer::Estimate => 4,
        Tokenizer::O200k | Tokenizer::Cl100k => 2,
    }
}

/// A page that a tool made by itself, and the facts about it.
#[derive(Debug)]
pub(crate) struct Paged {
    pub(crate) tool: Tool,
    /// What is shown.
    pub(crate) text: String,
    /// What is said under it.
    pub(crate) notices: Vec<String>,
    pub(crate) details: Map<String, Value>,
    /// The first line shown, 1-based.
    pub(crate) first: u64,
    /// How many lines are shown.
    pub(crate) lines: u64,
    /// The lines of the whole.
    pub(crate) total: u64,
    /// The bytes of the whole.
    pub(crate) bytes: u64,
    pub(crate) redactions: BTreeMap<String, u64>,
    pub(crate) started: Instant,
}

impl Toolbox {
    /// The answer that a page is; told to those who watch like any other.
    pub(crate) fn paged(&self, page: Paged) -> ToolReply {
        let text = under(&page.text, &page.notices);
        let was_truncated = page.lines < page.total;
        let report = Report {
            version: VERSION,
            was_truncated,
            truncated_size: text::chars(&text),
            original_bytes: Some(page.bytes),
            original_lines: Some(page.total),
            truncated_tokens: Some(text::chars(&text).div_ceil(4)),
            strategy: Some(if was_truncated { "head" } else { "none" }.to_owned()),
            content_type: "text/plain".to_owned(),
            kind: "text".to_owned(),
            kind_reason: "a page is not looked at".to_owned(),
            omitted_lines: page.total - page.lines,
            kept: if page.lines == 0 { Vec::new() } else { vec![(page.first, page.first + page.lines - 1)] },
            redactions: page.redactions,
            duration_us: u64::try_from(page.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..Report::default()
        };
        self.offcut().emit(Event::reply(page.tool.name(), self.offcut().session(), &report));
        let details = Value::Object(page.details);
        ToolReply { content: vec![Content::Text(text)], details, is_error: false, report: Some(report) }
    }
}

/// The structured twin of a notice.
pub(crate) fn truncation(ended_by: EndedBy, shown: u64, total: u64, last_line_partial: bool) -> Value {
    let by = match ended_by {
        EndedBy::Lines => "lines",
        EndedBy::Bytes => "bytes",
    };
    json!({
        "truncated": true,
        "truncatedBy": by,
        "outputLines": shown,
        "totalLines": total,
        "lastLinePartial": last_line_partial,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whichever_limit_is_reached_first_holds_and_a_last_line_end_does_not_count() {
        let limits = PageLimits { lines: 3, bytes: 10 };
        let check = |lines: &[&str], expected| assert_eq!(limits.fit(lines.iter().copied()), expected, "{lines:?}");
        check(&["a\n", "b\n", "c\n", "d\n"], 3);
        check(&["1234567890\n", "a\n"], 1);
        check(&["12345678901\n"], 0);
        check(&["1234\n", "12345\r\n"], 2);
        check(&["1234\n", "123456\n"], 1);
        check(&[], 0);
    }
}

//! What a resource of Terraform drew: `result` among the attributes below `random_password`.

use super::class::Class;
use super::extent;
use super::judge;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};

/// How many lines below its type an attribute may stand.
const REACH: u8 = 40;

/// The name of the type, of which the literal search finds the part from `pass` on.
const TYPE: &[u8] = b"random_password";
const BEFORE: usize = b"random_".len();

/// The attributes of a resource whose type is [`TYPE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Generated {
    left: u8,
}

impl Generated {
    /// The resource whose type is in quotes around `at`: `resource "random_password" "db" {`, `"type": "random_password",`.
    pub(super) fn begun(segment: &Segment<'_>, at: usize) -> Option<Generated> {
        let start = at.checked_sub(BEFORE).filter(|start| *start > segment.low)?;
        let end = start + TYPE.len();
        let quoted = segment.byte(start - 1) == b'"' && segment.byte(end) == b'"';
        (quoted && segment.part(start, end) == TYPE).then_some(Generated { left: REACH })
    }

    /// Takes what the line `at..end` has of it; nothing if no more is to come.
    pub(super) fn take_line(
        self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> Option<Generated> {
        let line = segment.part(at, end);
        let text = line.trim_ascii_start();
        // Plans put a sign before what changes.
        let text = text.strip_prefix(b"+ ").or_else(|| text.strip_prefix(b"~ ")).unwrap_or(text).trim_ascii_start();
        let name = text.strip_prefix(b"\"").unwrap_or(text).strip_prefix(b"result");
        let Some(rest) = name.map(|rest| rest.strip_prefix(b"\"").unwrap_or(rest).trim_ascii_start()) else {
            return Some(Generated { left: self.left.checked_sub(1)? });
        };
        let value = rest.strip_prefix(b"=").or_else(|| rest.strip_prefix(b":"))?.trim_ascii_start();
        let inner = value.strip_prefix(b"\"")?;
        let start = at + line.len() - inner.len();
        let close = extent::closing_quote(segment, start, end, b'"', 0)?;
        let secret = segment.part(start, close);
        let kind = rules.detector(Detector::from(Class::Password))?;
        if !secret.is_empty() && !judge::placeholder(secret) && !rules.allowed(secret) {
            spans.push(Span { start, end: close, kind, weight: weight::ASSIGNED, with: With::Placeholder });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::{goes, stays};

    #[test]
    fn what_was_drawn_goes() {
        goes(
            "resource \"random_password\" \"db\" {\n    length = 16\n    result = \"bj2H7cq%Kqf6\"\n    special = true\n}\n",
            "bj2H7cq%Kqf6",
        );
        goes(
            "  \"type\": \"random_password\",\n  \"attributes\": {\n    \"length\": 12,\n    \"result\": \"bj2H7cq%Kqf6\"\n",
            "bj2H7cq%Kqf6",
        );
        stays("resource \"random_password\" \"db\" {\n    length = 16\n    result = (sensitive value)\n}\n");
        stays("resource \"random_id\" \"db\" {\n    result = \"bj2H7cq%Kqf6\"\n}\n");
    }
}

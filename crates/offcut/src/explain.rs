//! The pieces of a cut with their lines, for programs and for people: what was kept, why, and what was not.

use std::io;

use offcut_core::cut::{Mark, Piece};
use offcut_core::document::{Document, Walker};
use offcut_core::extent::Position;
use offcut_core::line::{self, LineRules};
use serde::Serialize;

use crate::reply::Explanation;

/// A piece of the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "piece", rename_all = "snake_case")]
pub enum ExplainedPiece<'p> {
    /// It is shown.
    Keep {
        /// Its bytes.
        bytes: (u64, u64),
        /// The first and last line of which something lies in it, 1-based.
        lines: (u64, u64),
        /// Why it was kept.
        why: &'p str,
        /// The line rule that says so of its first line that is what it was kept for.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<&'p str>,
    },
    /// It is not shown.
    Omit {
        /// Its bytes.
        bytes: (u64, u64),
        /// The first and last line of which something lies in it, 1-based.
        lines: (u64, u64),
        /// Its characters.
        chars: u64,
        /// `line`, `inline`, `body` or `silent`: what stands in its place.
        mark: &'static str,
        /// What the marker says beside the counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<&'p str>,
    },
    /// It is shown, and is not the document's own.
    Insert {
        /// The text.
        text: &'p str,
    },
}

impl Explanation {
    /// The pieces of the cut, in order, with their lines. Reads what was kept again, and one stride for each piece.
    pub fn pieces<'p>(&'p self, rules: &'p LineRules) -> io::Result<Vec<ExplainedPiece<'p>>> {
        let document = self.document.as_ref();
        let mut walker = Walker::new(document);
        let mut start = Position::default();
        let mut pieces = Vec::new();
        for piece in self.cut.pieces() {
            let Some(range) = piece.range() else {
                if let Piece::Insert(text) = piece {
                    pieces.push(ExplainedPiece::Insert { text });
                }
                continue;
            };
            let (end, starts_line) = walker.walk_to(range.end)?;
            let bytes = (start.byte, range.end);
            let lines = (start.line + 1, if starts_line { end.line } else { end.line + 1 }.max(start.line + 1));
            match piece {
                Piece::Keep { why, .. } => match pieces.last_mut() {
                    // Lines that lost their beginnings are pieces of their own.
                    Some(ExplainedPiece::Keep { bytes: before, lines: above, why: same, .. })
                        if *same == why.as_ref() && before.1 == bytes.0 =>
                    {
                        (before.1, above.1) = (bytes.1, lines.1);
                    }
                    _ => {
                        let rule = rule_of(document, bytes, why, rules)?;
                        pieces.push(ExplainedPiece::Keep { bytes, lines, why, rule });
                    }
                },
                Piece::Omit { mark, .. } => {
                    let (mark, detail) = match mark {
                        Mark::Line(detail) => ("line", detail.as_deref()),
                        Mark::Inline => ("inline", None),
                        Mark::Body => ("body", None),
                        Mark::Silent => ("silent", None),
                        // A kept line begins where it begins in the document.
                        Mark::Prefix => continue,
                    };
                    pieces.push(ExplainedPiece::Omit { bytes, lines, chars: end.char - start.char, mark, detail });
                }
                Piece::Insert(_) => {}
            }
            start = end;
        }
        Ok(pieces)
    }
}

/// The rule by which the first line between `bytes` that is what it was kept for is known.
fn rule_of<'r>(
    document: &dyn Document,
    bytes: (u64, u64),
    why: &str,
    rules: &'r LineRules,
) -> io::Result<Option<&'r str>> {
    let mut lines = document.lines_from(document.position(bytes.0)?);
    while let Some(line) = lines.next_line()? {
        if line.position.byte >= bytes.1 {
            break;
        }
        if line::score(line.text, rules).role.reason() == Some(why) {
            return Ok(rules.name_for(line.text));
        }
    }
    Ok(None)
}

//! What is worth seeing of a document whatever is asked: the parts that a cut of it would show.
//!
//! A question often names the kind of thing rather than its words. Then the parts that the cut kept for that reason (an
//! error, a summary) answer it, and where a question says nothing that can be found, the cut itself is the best answer.

use std::io;

use offcut::Offcut;
use offcut_core::cut::{Mark, Piece};
use offcut_core::document::{Document, Walker};
use offcut_core::kind::{Classification, Kind};
use offcut_core::notice;
use offcut_store::ArtifactInfo;
use serde::{Deserialize, Serialize};

/// The parts of a document that are worth seeing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outline {
    /// Parts of text that comes in lines, in document order within a tier.
    pub(super) parts: Vec<KeptPart>,
    /// Structured data, cut so that it still parses: the largest first.
    pub(super) drawings: Vec<String>,
}

/// A part that a cut kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptPart {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Its lines, 1-based and inclusive.
    pub(super) first_line: u64,
    pub(super) last_line: u64,
    /// 0 if the smallest cut kept it already, and so on.
    pub(super) tier: u8,
    /// Why it was kept.
    pub(super) why: String,
    /// What is shown of it.
    pub(super) text: String,
}

/// The cuts that tell what is worth how much, in tenths of the room.
const TIERS: [u64; 3] = [3, 10, 30];

/// The sizes of drawings, in tenths of the room.
const DRAWINGS: [u64; 5] = [10, 8, 6, 4, 2];

impl Outline {
    /// The outline of a document for a room of so many characters. Costs as much as cutting it a few times.
    pub(super) fn of(offcut: &Offcut, info: &ArtifactInfo, document: &dyn Document, room: u64) -> io::Result<Outline> {
        let kind: Kind = info.kind.parse().unwrap_or(Kind::Text);
        let classification = Classification::new(kind, 1.0, "kept with the artifact");
        let excerpt = |chars: u64| offcut.excerpt(&info.source.tool, document, &classification, chars);
        let mut outline = Outline::default();
        if kind.is_data() {
            for tenths in DRAWINGS {
                let Some(excerpt) = excerpt(room * tenths / 10) else { continue };
                let about =
                    excerpt.cut.about.map_or(String::new(), |about| format!("{}\n", notice::one_line(&about, 300)));
                outline.drawings.push(about + excerpt.text.trim_end());
            }
            return Ok(outline);
        }
        for (tier, tenths) in TIERS.into_iter().enumerate() {
            let Some(excerpt) = excerpt(room * tenths / 10) else { continue };
            outline.add(document, excerpt.cut.pieces(), tier as u8)?;
        }
        Ok(outline)
    }

    /// Adds the parts of a cut that no smaller one kept. Pieces of one long line make one part.
    fn add(&mut self, document: &dyn Document, pieces: &[Piece], tier: u8) -> io::Result<()> {
        let known = self.parts.len();
        let mut walker = Walker::new(document);
        let mut inside = false;
        for piece in pieces {
            match piece {
                Piece::Keep { range, why } => {
                    let (start, _) = walker.walk_to(range.start)?;
                    let (end, at_start) = walker.walk_to(range.end)?;
                    let words = document.read(range.clone())?;
                    let last_line = if at_start { end.line.max(start.line + 1) } else { end.line + 1 };
                    match self.parts.last_mut() {
                        Some(part) if inside && part.tier == tier => {
                            part.text.push_str(&notice::inline_marker(part_gap(part.end, range.start)));
                            part.text.push_str(&words);
                            part.end = range.end;
                            part.last_line = last_line;
                        }
                        _ => self.parts.push(KeptPart {
                            start: range.start,
                            end: range.end,
                            first_line: start.line + 1,
                            last_line,
                            tier,
                            why: why.clone().into_owned(),
                            text: words.into_owned(),
                        }),
                    }
                    inside = false;
                }
                Piece::Omit { mark, .. } => inside = *mark == Mark::Inline,
                Piece::Insert(_) => {}
            }
        }
        let mut at = 0;
        let before: Vec<(u64, u64)> = self.parts.iter().take(known).map(|part| (part.start, part.end)).collect();
        self.parts.retain(|part| {
            at += 1;
            let shown = before.iter().any(|(start, end)| *start <= part.start && part.end <= *end);
            at <= known || !shown
        });
        Ok(())
    }
}

/// Characters between two pieces of a line, as near as their bytes tell.
fn part_gap(end: u64, start: u64) -> u64 {
    start.saturating_sub(end)
}

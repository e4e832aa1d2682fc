//! A value of another kind, and what is shown of it.

use std::ops::Range;

use crate::budget::{Budget, Marks};
use crate::cut::{Mark, Piece};
use crate::document::{Document, TextDocument};
use crate::kind::{Classification, Kind};
use crate::strategy::element::Element;
use crate::strategy::lines::table::Size;
use crate::strategy::{CutContext, Settings, Strategy};
use crate::text;

/// A value of another kind.
#[derive(Debug, Clone)]
pub(in crate::strategy::lines) struct Embedded {
    /// The rows that it takes, those that it begins and ends in included.
    pub(in crate::strategy::lines) rows: Range<u32>,
    /// What seeing some of it is worth.
    pub(in crate::strategy::lines) worth: f32,
    /// The most of the budget that it may take.
    pub(in crate::strategy::lines) share: f32,
    /// Values that begin alike have the same key.
    pub(in crate::strategy::lines) key: u64,
    pub(super) kind: Kind,
    /// Its bytes in the document.
    pub(super) value: Range<u64>,
    /// The value alone.
    pub(super) document: TextDocument,
    /// What stands before and behind it in its rows.
    pub(super) around: Size,
}

/// What is shown of an embed.
#[derive(Debug, Clone)]
pub(in crate::strategy::lines) struct ShownEmbed {
    pub(in crate::strategy::lines) pieces: Vec<Piece>,
    pub(in crate::strategy::lines) size: Size,
}

impl Embedded {
    /// What it is, in a word.
    pub(in crate::strategy::lines) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Xml => "XML",
            Kind::Html => "HTML",
            _ => "JSON",
        }
    }

    /// What is shown of it within `room`, which must hold what stands around it, too; nothing if too little would be.
    pub(in crate::strategy::lines) fn cut(
        &self,
        room: Size,
        line_bound: bool,
        settings: &Settings,
    ) -> Option<ShownEmbed> {
        let room = room.minus(self.around);
        let budget = Budget {
            chars: u64::try_from(room.chars).ok()?,
            bytes: Some(u64::try_from(room.bytes).ok()?).filter(|&bytes| bytes < 4 * room.chars as u64),
            lines: if line_bound { Some(u64::try_from(room.lines).ok()?) } else { None },
            marks: Marks::Counts,
        };
        let classification = Classification::new(self.kind, 1.0, "part of another text");
        let cut = Element.cut(&self.document, &CutContext::new(budget, settings, &classification)).ok()?;
        let mut size = self.around;
        let mut view = String::new();
        let mut pieces = vec![];
        for piece in cut.pieces() {
            let shifted = |range: &Range<u64>| range.start + self.value.start..range.end + self.value.start;
            match piece {
                Piece::Keep { range, why } => {
                    view.push_str(&self.document.read(range.clone()).ok()?);
                    pieces.push(Piece::keep(shifted(range), format!("{} in the text: {why}", self.name())));
                }
                Piece::Omit { range, mark: Mark::Silent } => pieces.push(Piece::omit_silently(shifted(range))),
                Piece::Omit { .. } => return None,
                Piece::Insert(inserted) => {
                    view.push_str(inserted);
                    pieces.push(Piece::Insert(inserted.clone()));
                }
            }
        }
        let inner = Size {
            chars: text::chars(&view) as i64,
            bytes: view.len() as i64,
            // The line that it begins in is counted with what stands around it.
            lines: text::lines(&view).saturating_sub(1) as i64,
        };
        size = size.plus(inner);
        let fits = inner.chars <= room.chars && inner.bytes <= room.bytes && (!line_bound || inner.lines <= room.lines);
        fits.then_some(ShownEmbed { pieces, size })
    }

    /// The pieces of its rows (which lie at `rows` in the document) with what stands around it.
    pub(in crate::strategy::lines) fn framed(&self, rows: Range<u64>, shown: &ShownEmbed) -> Vec<Piece> {
        let why = || format!("around {} in the text", self.name());
        let mut pieces = vec![Piece::keep(rows.start..self.value.start, why())];
        pieces.extend(shown.pieces.iter().cloned());
        pieces.push(Piece::keep(self.value.end..rows.end, why()));
        pieces
    }
}

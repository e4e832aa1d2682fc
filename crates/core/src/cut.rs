//! What stays of a document: an ordered list of pieces that make the whole.
//!
//! A cut says what is shown; it does not format. How a gap looks is decided once, when it is rendered.

use std::borrow::Cow;
use std::ops::Range;

use crate::extent::Extent;

/// A part of a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// This range of the document is shown, verbatim.
    Keep {
        /// Bytes of the document, on character borders.
        range: Range<u64>,
        /// Why it was kept, in a word or two: `first lines`, `error`, `summary`.
        why: Cow<'static, str>,
    },
    /// This range of the document is not shown.
    Omit {
        /// Bytes of the document, on character borders.
        range: Range<u64>,
        /// What stands in its place.
        mark: Mark,
    },
    /// This text, which is not the document's own, is shown.
    Insert(String),
}

/// What stands where something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// A marker on a line of its own, with a detail after the counts where there is something to say.
    Line(Option<String>),
    /// A marker within a line that alone was too long.
    Inline,
    /// A marker at the end of the line before it, for the body that the line opens.
    Body,
    /// Nothing: an inserted text beside it speaks for it, or nothing but white space went.
    Silent,
    /// Nothing: it is what nearly every line begins with, and the header says what that was.
    Prefix,
}

impl Piece {
    /// Keeps `range` because of `why`.
    pub fn keep(range: Range<u64>, why: impl Into<Cow<'static, str>>) -> Piece {
        Piece::Keep { range, why: why.into() }
    }

    /// Omits `range` with a marker on a line of its own.
    pub fn omit(range: Range<u64>) -> Piece {
        Piece::Omit { range, mark: Mark::Line(None) }
    }

    /// Omits `range` with a marker that also says `detail`.
    pub fn omit_saying(range: Range<u64>, detail: impl Into<String>) -> Piece {
        Piece::Omit { range, mark: Mark::Line(Some(detail.into())) }
    }

    /// Omits `range` within a line.
    pub fn omit_inline(range: Range<u64>) -> Piece {
        Piece::Omit { range, mark: Mark::Inline }
    }

    /// Omits `range`, the body that the line before it opens, with a marker at the end of that line.
    pub fn omit_body(range: Range<u64>) -> Piece {
        Piece::Omit { range, mark: Mark::Body }
    }

    /// Omits `range` without a mark of its own.
    pub fn omit_silently(range: Range<u64>) -> Piece {
        Piece::Omit { range, mark: Mark::Silent }
    }

    /// Leaves off `range`, which a kept line shares with nearly all others.
    pub fn leave_off(range: Range<u64>) -> Piece {
        Piece::Omit { range, mark: Mark::Prefix }
    }

    /// The range of the document that the piece stands for.
    pub fn range(&self) -> Option<&Range<u64>> {
        match self {
            Piece::Keep { range, .. } | Piece::Omit { range, .. } => Some(range),
            Piece::Insert(_) => None,
        }
    }
}

/// What a strategy decided to show: pieces in order, disjoint, and together the whole document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pieces: Vec<Piece>,
    /// The strategy that made it, as the report names it.
    pub strategy: Cow<'static, str>,
    /// Elements (array members, records, rows, results) that are not shown, where the strategy counts them.
    pub omitted_elements: Option<u64>,
    /// How many elements the document itself is a list of, and how many of these are not shown.
    pub elements: Option<Elements>,
    /// What was left off the kept lines, because nearly every line begins with it.
    pub left_off: Option<String>,
    /// A line about the whole: its shape, or what was found in it.
    pub about: Option<String>,
    /// Whether what is shown parses as the document's own format as long as nothing is added around it.
    pub parses: bool,
}

/// The elements that a document is a list of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements {
    /// How many there are.
    pub total: u64,
    /// How many of them are not shown.
    pub omitted: u64,
    /// What one of them is called: `record`.
    pub noun: &'static str,
}

/// Pieces that do not make the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pieces of a cut do not make the whole: expected byte {at}, found {found}")]
pub struct BrokenCut {
    /// The byte where the pieces leave the document's order.
    pub at: u64,
    /// The byte that was found instead.
    pub found: u64,
}

impl Cut {
    /// The cut of `pieces`: the one place that knows that they are ordered, disjoint, and cover the whole.
    /// Empty pieces are dropped, and neighbours that say the same are joined.
    pub fn of(strategy: impl Into<Cow<'static, str>>, pieces: Vec<Piece>, extent: &Extent) -> Result<Cut, BrokenCut> {
        let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
        let mut at = 0;
        for piece in pieces {
            if let Some(range) = piece.range() {
                if range.start != at || range.end < range.start {
                    return Err(BrokenCut { at, found: range.start });
                }
                at = range.end;
                if range.is_empty() {
                    continue;
                }
            }
            match (joined.last_mut(), piece) {
                (Some(Piece::Keep { range: before, why }), Piece::Keep { range, why: next }) if *why == next => {
                    before.end = range.end;
                }
                (Some(Piece::Omit { range: before, mark }), Piece::Omit { range, mark: next }) if *mark == next => {
                    before.end = range.end;
                }
                (_, piece) => joined.push(piece),
            }
        }
        if at != extent.bytes {
            return Err(BrokenCut { at: extent.bytes, found: at });
        }
        Ok(Cut {
            pieces: joined,
            strategy: strategy.into(),
            omitted_elements: None,
            elements: None,
            left_off: None,
            about: None,
            parses: false,
        })
    }

    /// The cut that shows everything.
    pub fn whole(extent: &Extent) -> Cut {
        let pieces = if extent.bytes == 0 { vec![] } else { vec![Piece::keep(0..extent.bytes, "all of it")] };
        Cut {
            pieces,
            strategy: "none".into(),
            omitted_elements: None,
            elements: None,
            left_off: None,
            about: None,
            parses: true,
        }
    }

    /// The cut that keeps `kept` (ranges in order, disjoint) and omits the rest with a marker line each.
    pub fn keeping(
        strategy: impl Into<Cow<'static, str>>,
        kept: impl IntoIterator<Item = (Range<u64>, Cow<'static, str>)>,
        extent: &Extent,
    ) -> Result<Cut, BrokenCut> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for (range, why) in kept {
            if range.start > at {
                pieces.push(Piece::omit(at..range.start));
            }
            at = range.end;
            pieces.push(Piece::Keep { range, why });
        }
        if at < extent.bytes {
            pieces.push(Piece::omit(at..extent.bytes));
        }
        Cut::of(strategy, pieces, extent)
    }

    /// The same cut with other pieces.
    pub fn with_pieces(self, pieces: Vec<Piece>, extent: &Extent) -> Result<Cut, BrokenCut> {
        let made = Cut::of(self.strategy.clone(), pieces, extent)?;
        Ok(Cut { pieces: made.pieces, ..self })
    }

    /// The same cut under another strategy's name.
    #[must_use]
    pub fn named(mut self, strategy: impl Into<Cow<'static, str>>) -> Cut {
        self.strategy = strategy.into();
        self
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether anything is left out.
    pub fn omits(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Omit { .. }))
    }
}

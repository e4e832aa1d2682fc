//! The readable parts of a document whose rest was kept nowhere, as one text that strategies can cut.
//!
//! Where an output is too large for memory and no disk takes it, its ends and the lines that tell are all that is left
//! of it. Strategies that choose lines cut these parts as if they were a document; [`Condensed::restored`] turns the
//! cut into one of the whole document, in which every number is the document's own.

use std::borrow::Cow;
use std::ops::Range;

use crate::cut::{BrokenCut, Cut, Mark, Piece};
use crate::document::{Document, TextDocument};
use crate::extent::Extent;

/// Parts of a document, joined.
#[derive(Debug, Clone)]
pub struct Condensed {
    text: TextDocument,
    /// Where each part starts: in the joined text, and in the document.
    starts: Vec<(u64, u64)>,
}

impl Condensed {
    /// Joins parts, each with its first byte in the document. They must be whole lines, in order, and disjoint.
    pub fn of<'p>(parts: impl IntoIterator<Item = (u64, &'p str)>) -> Condensed {
        let mut text = String::new();
        let mut starts = Vec::new();
        for (start, part) in parts {
            if !part.is_empty() {
                starts.push((text.len() as u64, start));
                text.push_str(part);
            }
        }
        Condensed { text: TextDocument::new(text), starts }
    }

    /// The joined parts.
    pub fn text(&self) -> &TextDocument {
        &self.text
    }

    /// The cut of the whole document that shows what `cut` shows of the joined parts. What the strategy says about the
    /// whole is left out: it has not seen it.
    pub fn restored(&self, cut: &Cut, extent: &Extent) -> Result<Cut, BrokenCut> {
        let mut pieces: Vec<Piece> = Vec::new();
        // How far the pieces reach in the document, and where a part ends that was left out in one go.
        let mut at = 0;
        let mut omitted: Option<(u64, Mark)> = None;
        for piece in cut.pieces() {
            match piece {
                Piece::Insert(_) => {}
                // What nearly every line begins with is known only where every line is.
                Piece::Omit { range, mark: Mark::Prefix } => {
                    self.keep(range, Cow::Borrowed("context"), &mut at, &mut omitted, &mut pieces);
                }
                Piece::Omit { range, mark } => {
                    // Only what lies within one part is known as well as the strategy says.
                    let within = self.part_at(range.start) == self.part_at(range.end.saturating_sub(1));
                    let said = if within { mark.clone() } else { Mark::Line(None) };
                    omitted = Some((self.place(range.end.saturating_sub(1)) + 1, said));
                }
                Piece::Keep { range, why } => self.keep(range, why.clone(), &mut at, &mut omitted, &mut pieces),
            }
        }
        if at < extent.bytes {
            pieces.push(Piece::omit(at..extent.bytes));
        }
        Cut::of(cut.strategy.clone(), pieces, extent)
    }

    /// Keeps a range of the joined text in the document, and omits what lies before it from `at` on.
    fn keep(
        &self,
        range: &Range<u64>,
        why: Cow<'static, str>,
        at: &mut u64,
        omitted: &mut Option<(u64, Mark)>,
        pieces: &mut Vec<Piece>,
    ) {
        for (start, end) in self.spans(range.start, range.end) {
            if start > *at {
                let known = omitted.take().filter(|(end, _)| *end == start).map(|(_, mark)| mark);
                let mark = known.unwrap_or(Mark::Line(None));
                pieces.push(Piece::Omit { range: *at..start, mark });
            }
            pieces.push(Piece::Keep { range: start..end, why: why.clone() });
            *at = end;
            *omitted = None;
        }
    }

    /// The number of the part that holds a byte of the joined text.
    fn part_at(&self, byte: u64) -> usize {
        self.starts.partition_point(|(joined, _)| *joined <= byte).saturating_sub(1)
    }

    /// Where a byte of the joined text is in the document.
    fn place(&self, byte: u64) -> u64 {
        self.starts.get(self.part_at(byte)).map_or(0, |(joined, start)| start + (byte - joined))
    }

    /// A range of the joined text as ranges of the document, one a part.
    fn spans(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> {
        let parts = self.part_at(from)..=self.part_at(to.saturating_sub(1));
        let ends = |part: usize| self.starts.get(part + 1).map_or(self.text.extent().bytes, |(joined, _)| *joined);
        let spans = parts.filter_map(move |part| {
            let (joined, start) = *self.starts.get(part)?;
            let (first, last) = (from.max(joined), to.min(ends(part)));
            (first < last).then(|| (start + (first - joined), start + (last - joined)))
        });
        spans.collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(bytes: u64) -> Extent {
        Extent { bytes, ..Extent::default() }
    }

    #[test]
    fn a_cut_of_the_parts_becomes_a_cut_of_the_whole() {
        let condensed = Condensed::of([(0, "one\ntwo\n"), (100, "three\nfour\n"), (500, "five\n")]);
        let joined = condensed.text().extent();
        assert_eq!(condensed.text().text(), Some("one\ntwo\nthree\nfour\nfive\n"));
        let pieces = vec![
            Piece::keep(0..4, "first"),
            Piece::omit_saying(4..8, "1 line like it"),
            Piece::keep(8..14, "error"),
            Piece::omit_saying(14..19, "1 line like it"),
            Piece::keep(19..24, "last"),
        ];
        let cut = Cut::of("smart", pieces, joined).unwrap();
        let restored = condensed.restored(&cut, &extent(510)).unwrap();
        assert_eq!(
            restored.pieces(),
            [
                Piece::keep(0..4, "first"),
                Piece::omit(4..100),
                Piece::keep(100..106, "error"),
                Piece::omit(106..500),
                Piece::keep(500..505, "last"),
                Piece::omit(505..510),
            ]
        );
    }

    #[test]
    fn what_is_known_of_a_gap_within_a_part_stays() {
        let condensed = Condensed::of([(10, "one\ntwo\nthree\n")]);
        let pieces = vec![Piece::keep(0..4, "a"), Piece::omit_saying(4..8, "a blank line"), Piece::keep(8..14, "b")];
        let cut = Cut::of("smart", pieces, condensed.text().extent()).unwrap();
        assert_eq!(
            condensed.restored(&cut, &extent(24)).unwrap().pieces(),
            [
                Piece::omit(0..10),
                Piece::keep(10..14, "a"),
                Piece::omit_saying(14..18, "a blank line"),
                Piece::keep(18..24, "b"),
            ]
        );
    }

    #[test]
    fn a_piece_over_several_parts_is_shown_with_the_gaps_between_them() {
        let condensed = Condensed::of([(0, "a\n"), (50, "b\n")]);
        let cut = Cut::whole(condensed.text().extent());
        assert_eq!(
            condensed.restored(&cut, &extent(52)).unwrap().pieces(),
            [Piece::keep(0..2, "all of it"), Piece::omit(2..50), Piece::keep(50..52, "all of it")]
        );
    }
}

//! Turning a choice into the pieces of a cut.

use std::ops::Range;

use super::format::{Body, Format, ShownNode};
use super::tree::{Form, Node};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::strategy::CutError;

/// The pieces so far; they always cover the document up to `at`.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    at: u64,
    /// Elements of lists that were left out.
    pub(super) omitted: u64,
    /// Elements of the outermost list that were left out.
    pub(super) omitted_outermost: u64,
}

impl Pieces {
    /// Keeps everything up to `end`.
    pub(super) fn keep_to(&mut self, end: u64, why: &'static str) {
        if end > self.at {
            self.pieces.push(Piece::keep(self.at..end, why));
            self.at = end;
        }
    }

    /// Omits everything up to `end`; `mark` stands for it.
    pub(super) fn omit_to(&mut self, end: u64, mark: impl Into<String>) {
        if end > self.at {
            self.pieces.push(Piece::omit_silently(self.at..end));
            self.at = end;
        }
        let mark = mark.into();
        if !mark.is_empty() {
            self.pieces.push(Piece::Insert(mark));
        }
    }

    /// Omits everything up to `end` with a marker on a line of its own.
    pub(super) fn omit_lines_to(&mut self, end: u64) {
        if end > self.at {
            self.pieces.push(Piece::omit(self.at..end));
            self.at = end;
        }
    }

    /// The cut of the pieces.
    pub(super) fn cut(self, strategy: &'static str, document: &dyn Document) -> Result<Cut, CutError> {
        let mut cut = Cut::of(strategy, self.pieces, document.extent())?;
        cut.omitted_elements = Some(self.omitted);
        cut.parses = true;
        Ok(cut)
    }

    /// Writes the node `id` of `shown` and what is shown below it.
    pub(super) fn node<F: Format>(
        &mut self,
        document: &dyn Document,
        format: &F,
        shown: &[ShownNode],
        id: usize,
    ) -> Result<(), CutError> {
        let Some(this) = shown.get(id) else { return Ok(()) };
        match &this.body {
            Body::Whole => self.keep_to(this.node.end, this.why),
            Body::Short(short) => {
                self.keep_to(short.omit.start, this.why);
                self.omit_to(short.omit.end, short.mark.clone());
                self.keep_to(this.node.end, this.why);
            }
            Body::Open { family, shown: ids } => {
                self.keep_to(this.node.value, this.why);
                let (Some((first, _)), Some((last, _))) = (family.children.first(), family.children.last()) else {
                    self.keep_to(this.node.end, this.why);
                    return Ok(());
                };
                if ids.is_empty() && format.frame_stays(&this.node) {
                    self.count(id, &this.node, family.count);
                    self.keep_to(first.start, this.why);
                    self.omit_to(last.end, format.gap(&this.node, family, family.count, 0));
                    self.keep_to(this.node.end, this.why);
                    return Ok(());
                }
                if ids.is_empty() {
                    self.count(id, &this.node, family.count);
                    self.omit_to(this.node.end, format.folded(&this.node, family));
                    return Ok(());
                }
                self.keep_to(first.start, this.why);
                let mut gaps = 0;
                let mut next = 0;
                for (&index, &child) in ids {
                    let Some(node) = shown.get(child).map(|child| child.node) else { continue };
                    if index > next {
                        let gap = format.gap(&this.node, family, index - next, gaps);
                        let separator = if next == 0 { "".into() } else { document.read(node.before..node.start)? };
                        self.count(id, &this.node, index - next);
                        self.omit_to(node.before, format!("{separator}{gap}"));
                        gaps += 1;
                    }
                    self.keep_to(node.start, this.why);
                    self.node(document, format, shown, child)?;
                    next = index + 1;
                }
                if next < family.count {
                    let gap = format.gap(&this.node, family, family.count - next, gaps);
                    let separator = document.read(last.before..last.start)?;
                    self.count(id, &this.node, family.count - next);
                    self.omit_to(last.end, format!("{separator}{gap}"));
                }
                self.keep_to(this.node.end, this.why);
            }
        }
        Ok(())
    }

    fn count(&mut self, id: usize, parent: &Node, omitted: u64) {
        if parent.form == Form::List {
            self.omitted += omitted;
            self.omitted_outermost += if id == 0 { omitted } else { 0 };
        }
    }
}

/// The text of a part of the document, at most `most` bytes of it.
pub(super) fn read_some(document: &dyn Document, range: Range<u64>, most: u64) -> Result<String, CutError> {
    let end = range.end.min(range.start.saturating_add(most));
    Ok(document.read_around(range.start..end)?.into_owned())
}

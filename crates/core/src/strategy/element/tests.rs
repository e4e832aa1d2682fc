use std::borrow::Cow;
use std::ops::Range;

use super::*;
use crate::budget::Budget;
use crate::cut::{Cut, Piece};
use crate::document::TextDocument;
use crate::extent::{Extent, Index};
use crate::kind::Classification;
use crate::strategy::Settings;
use crate::text;

mod csv;
mod json;
mod lines;
mod markup;
mod yaml;

/// A document that is not in memory as far as its readers can tell.
struct Elsewhere(TextDocument);

impl Document for Elsewhere {
    fn extent(&self) -> &Extent {
        self.0.extent()
    }

    fn index(&self) -> &Index {
        self.0.index()
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        Ok(Cow::Owned(self.0.read(range)?.into_owned()))
    }

    fn text(&self) -> Option<&str> {
        None
    }
}

/// The text of a cut.
fn rendered(document: &dyn Document, cut: &Cut) -> String {
    let mut shown = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => shown.push_str(&document.read(range.clone()).unwrap()),
            Piece::Omit { .. } => {}
            Piece::Insert(inserted) => shown.push_str(inserted),
        }
    }
    shown
}

/// The settings with these counts.
fn counts(first: u64, last: u64) -> Settings {
    Settings { first_elements: first, last_elements: last, ..Settings::default() }
}

fn cut(kind: Kind, document: &dyn Document, chars: u64, settings: &Settings) -> Result<Cut, CutError> {
    let classification = Classification::new(kind, 1.0, "test");
    Element.cut(document, &CutContext::new(Budget::chars(chars), settings, &classification))
}

/// What is shown of `text` within `chars`, after checking what holds for every cut.
fn shown(kind: Kind, text: &str, chars: u64, settings: &Settings) -> Result<(String, Cut), CutError> {
    let document = TextDocument::new(text);
    let cut = cut(kind, &document, chars, settings)?;
    let shown = rendered(&document, &cut);
    assert!(text::chars(&shown) <= chars, "{} > {chars}: {shown}", text::chars(&shown));
    assert!(cut.parses);
    Ok((shown, cut))
}

//! How much may be shown, as a strategy sees it.

use crate::extent::Extent;
use crate::text;

/// The room that a strategy has for kept text, inserted text and its own markers.
///
/// Every strategy stays within it, whatever its own counts say; the notices around a cut were taken off before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// At most so many characters.
    pub chars: u64,
    /// At most so many bytes, where the limit was given in bytes.
    pub bytes: Option<u64>,
    /// At most so many lines.
    pub lines: Option<u64>,
    /// Whether markers are paid from this budget (profiles whose documents count only kept text say no).
    pub markers_count: bool,
}

impl Budget {
    /// A budget of characters that markers are paid from.
    pub fn chars(chars: u64) -> Budget {
        Budget { chars, bytes: None, lines: None, markers_count: true }
    }

    /// The most that one marker line costs in a document of this extent, in characters.
    pub fn marker(&self, extent: &Extent) -> u64 {
        if self.markers_count { marker_chars(extent) } else { 0 }
    }

    /// A ledger with nothing spent yet.
    pub fn ledger(&self) -> Ledger {
        Ledger { left: *self }
    }
}

/// The longest that `\n... [X lines / Y chars omitted] ...\n` can be in a document of this extent.
fn marker_chars(extent: &Extent) -> u64 {
    let digits = |number: u64| u64::from(number.checked_ilog10().unwrap_or(0)) + 1;
    "\n... [ lines /  chars omitted] ...\n".len() as u64 + digits(extent.lines) + digits(extent.chars)
}

/// What is left of a budget while a strategy spends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ledger {
    left: Budget,
}

impl Ledger {
    /// Spends the cost of `piece` (whole lines), or spends nothing and says no.
    pub fn spend(&mut self, piece: &str) -> bool {
        self.spend_measured(text::chars(piece), piece.len() as u64, text::lines(piece))
    }

    /// Spends so many characters of text that is not measured otherwise, such as a marker.
    pub fn spend_chars(&mut self, chars: u64) -> bool {
        self.spend_measured(chars, chars, 0)
    }

    /// Spends a cost that was measured before, or spends nothing and says no.
    pub fn spend_measured(&mut self, chars: u64, bytes: u64, lines: u64) -> bool {
        let after = (
            self.left.chars.checked_sub(chars),
            self.left.bytes.map(|left| left.checked_sub(bytes)),
            self.left.lines.map(|left| left.checked_sub(lines)),
        );
        match after {
            (None, _, _) | (_, Some(None), _) | (_, _, Some(None)) => false,
            (Some(chars), bytes, lines) => {
                self.left.chars = chars;
                self.left.bytes = bytes.flatten();
                self.left.lines = lines.flatten();
                true
            }
        }
    }

    /// The characters that can still be spent, bytes counted as characters where they are the narrower bound.
    pub fn chars(&self) -> u64 {
        self.left.bytes.map_or(self.left.chars, |bytes| bytes.min(self.left.chars))
    }

    /// Whether nothing more fits.
    pub fn is_empty(&self) -> bool {
        self.chars() == 0 || self.left.lines == Some(0)
    }

    /// What is left.
    pub fn left(&self) -> Budget {
        self.left
    }
}

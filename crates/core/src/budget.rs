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
    /// How gaps are marked: what a mark costs is paid from this budget, unless marks are free.
    pub marks: Marks,
}

/// How the gaps of a cut are marked, and so what a mark costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// On top of the budget, as in profiles whose documents count only kept text.
    Free,
    /// By how much is missing: `... [12 lines / 340 chars omitted] ...`.
    Counts,
    /// By where it is: `[9kgw 12-90]`, with a handle of so many characters.
    Addresses {
        /// The characters of the handle.
        handle: u8,
    },
}

impl Marks {
    /// Whether marks are paid from the budget.
    pub fn count(self) -> bool {
        self != Marks::Free
    }

    /// The most that a mark on a line of its own costs, line ends included, where so many lines and characters are
    /// missing from a document of this extent.
    pub fn line(self, lines: u64, chars: u64, extent: &Extent) -> u64 {
        match self {
            Marks::Free => 0,
            Marks::Counts => "\n... [ lines /  chars omitted] ...\n".len() as u64 + digits(lines) + digits(chars),
            Marks::Addresses { handle } => "\n[ -]\n".len() as u64 + u64::from(handle) + 2 * digits(extent.lines),
        }
    }

    /// The most that a mark costs within a line from which so many characters are missing.
    pub fn inline(self, chars: u64, extent: &Extent) -> u64 {
        match self {
            Marks::Free => 0,
            Marks::Counts => " ... [ chars omitted] ... ".len() as u64 + digits(chars),
            Marks::Addresses { handle } => " [ b-] ".len() as u64 + u64::from(handle) + 2 * digits(extent.bytes),
        }
    }

    /// The most that a mark at the end of a line costs, for a body of so many lines.
    pub fn body(self, lines: u64, extent: &Extent) -> u64 {
        match self {
            Marks::Free => 0,
            Marks::Counts => " ... [ lines]".len() as u64 + digits(lines),
            Marks::Addresses { handle } => " [ -]".len() as u64 + u64::from(handle) + 2 * digits(extent.lines),
        }
    }

    /// The most that any one mark costs in a document of this extent.
    pub fn most(self, extent: &Extent) -> u64 {
        self.line(extent.lines, extent.chars, extent).max(self.inline(extent.chars, extent))
    }
}

/// How many digits a number has.
fn digits(number: u64) -> u64 {
    // Most are small, and comparing is quicker than a logarithm.
    match number {
        0..10 => 1,
        10..100 => 2,
        100..1000 => 3,
        1000..10_000 => 4,
        10_000..100_000 => 5,
        100_000..1_000_000 => 6,
        _ => u64::from(number.ilog10()) + 1,
    }
}

impl Budget {
    /// A budget of characters that marks of counts are paid from.
    pub fn chars(chars: u64) -> Budget {
        Budget { chars, bytes: None, lines: None, marks: Marks::Counts }
    }

    /// The most that one mark costs in a document of this extent, in characters.
    pub fn marker(&self, extent: &Extent) -> u64 {
        self.marks.most(extent)
    }

    /// A ledger with nothing spent yet.
    pub fn ledger(&self) -> Ledger {
        Ledger { left: *self }
    }
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

//! What the rows of a table are worth to one who looks for what their kind tells.

use super::about::Found;
use super::fill::{Bundle, Unit};
use super::insets::Inset;
use super::notes::Notes;

/// What the rows of a table are worth, and what can be said of those that are left out.
pub(super) struct Scored {
    pub(super) units: Vec<Unit>,
    /// Rows that say most together.
    pub(super) bundles: Vec<Bundle>,
    /// Values of another kind.
    pub(super) insets: Vec<Inset>,
    pub(super) notes: Notes,
    /// What was found, shown or not.
    pub(super) found: Found,
    /// Whether lines lose worth when their words were shown before.
    pub(super) by_novelty: bool,
}

impl Scored {
    /// Units alone, which do not lose worth by words that were shown before.
    pub(super) fn of_units(units: Vec<Unit>, notes: Notes) -> Scored {
        let (bundles, insets) = (Vec::new(), Vec::new());
        Scored { units, bundles, insets, notes, found: Found::default(), by_novelty: false }
    }
}

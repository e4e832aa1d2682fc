//! What the rows of a table are worth to one who looks for what their kind tells.

use std::ops::Range;

use crate::strategy::Settings;
use crate::strategy::lines::embedded::value::Embedded;
use crate::strategy::lines::findings::Findings;
use crate::strategy::lines::gap_labels::GapLabels;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::{Bundle, Unit};
use crate::strategy::lines::weights;

/// Weighs the lines of one kind of text.
pub(in crate::strategy::lines) trait Scorer {
    /// What the rows of `table` are worth.
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored;
}

/// What the rows of a table are worth, and what can be said of those that are left out.
pub(in crate::strategy::lines) struct Scored {
    pub(in crate::strategy::lines) units: Vec<Unit>,
    /// Rows that say most together.
    pub(in crate::strategy::lines) bundles: Vec<Bundle>,
    /// Blocks about one failure, which are to be shown whole where no embedded value lies in them.
    pub(in crate::strategy::lines) blocks: Vec<Bundle>,
    /// Values of another kind.
    pub(in crate::strategy::lines) embeds: Vec<Embedded>,
    /// The rows of the steps that failed, which most of the room is for; in order and disjoint.
    pub(in crate::strategy::lines) failed: Vec<Range<u32>>,
    pub(in crate::strategy::lines) labels: GapLabels,
    /// What was found, shown or not.
    pub(in crate::strategy::lines) found: Findings,
    /// Whether lines lose worth when their words were shown before.
    pub(in crate::strategy::lines) by_novelty: bool,
    /// What is worth less is not shown, however much room there is.
    pub(in crate::strategy::lines) floor: f32,
}

impl Scored {
    /// Units alone, which do not lose worth by words that were shown before.
    pub(in crate::strategy::lines) fn of_units(units: Vec<Unit>, labels: GapLabels) -> Scored {
        Scored {
            units,
            bundles: Vec::new(),
            blocks: Vec::new(),
            embeds: Vec::new(),
            failed: Vec::new(),
            labels,
            found: Findings::default(),
            by_novelty: false,
            floor: weights::FLOOR,
        }
    }
}

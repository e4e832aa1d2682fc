//! The numbers by which the parts of a source are weighed, and nowhere else.

use super::unit::{Unit, What};

/// Lines of imports that are shown before anything else, at most: one for so many characters of room.
pub(super) const IMPORTS: usize = 6;
pub(super) const IMPORTS_EACH: u64 = 1300;

/// What the further ones keep of their worth.
pub(super) const MORE_IMPORTS: f64 = 0.05;

/// What the second function of a name keeps of its worth: it says less than the first.
pub(super) const AGAIN: f64 = 0.9;

/// What each further one of several in a row keeps, that differ in their arguments only.
pub(super) const OVERLOAD: f64 = 0.7;

/// Lines of a signature that are shown.
pub(super) const SIGNATURE: usize = 8;

/// About what the mark of a body costs, in characters.
pub(super) const MARK: u64 = 15;

/// A body is shown after all where it takes so many characters more than its mark: figures are more tokens than words.
pub(super) const BRIDGED: u64 = 20;

/// How long the names of what a gap hides may be, in characters: where all signatures are shown, and where some are not.
pub(super) const DETAIL: usize = 160;
pub(super) const DETAIL_IN_A_CUT: usize = 60;

/// What a gap costs beside its mark when signatures are chosen: the names of what it hides.
pub(super) const RUN: u64 = 60;

/// What is said about units takes at most one part in so many of the room.
pub(super) const DOCS_SHARE: u64 = 5;

/// The body of an entry point is shown first where it has fewer lines.
pub(super) const ENTRY_LINES: usize = 40;

/// A type is shown whole where it has at most so many lines: the members of a larger one are units of their own.
pub(super) const TYPE_LINES: usize = 30;

/// What a setting at the top of a configuration is worth beside a statement.
pub(super) const SETTING: u32 = 150;

/// What each mention by others adds to a section, and how many of them count.
pub(super) const MENTION: u32 = 4;
pub(super) const MOST_MENTIONS: u32 = 32;

/// A section is rare whose keys at most one of so many has, and so much more is it worth.
pub(super) const RARE_EACH: u64 = 6;
pub(super) const RARE: u32 = 60;

/// A configuration with so many sections shows them before those of a list in it, of which so many are as good as others.
pub(super) const OTHER_SECTIONS: usize = 3;
pub(super) const LISTED: usize = 3;

/// What it is worth to see a unit's signature, beside those of others.
pub(super) fn worth(unit: &Unit) -> u32 {
    let worth = match unit.what {
        What::Import => 60,
        What::Type if unit.listed => 6,
        What::Type if unit.nested => 25,
        // A part of a type that has no name of its own.
        What::Type if unit.depth > 0 && unit.name.is_empty() => 8,
        What::Type => 44,
        What::Function if unit.test => 20,
        What::Function if unit.nested => 25,
        What::Function if unit.public => 40,
        What::Function => 36,
        What::Statement => 10,
    };
    worth + unit.bonus
}

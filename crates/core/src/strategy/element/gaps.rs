//! The gaps between what is shown of a container, and what their marks cost.

use std::collections::BTreeMap;

/// The gaps between the children of a container that are shown.
pub(super) struct Gaps {
    /// The children that are shown, in order.
    pub(super) shown: Vec<u64>,
    /// What marks cost, by how many digits their number has.
    pub(super) marks: [Option<u64>; MOST_DIGITS],
}

/// The digits of the largest number, and none for one element.
const MOST_DIGITS: usize = 21;

impl Gaps {
    /// Those around these children.
    pub(super) fn around(shown: &BTreeMap<u64, usize>) -> Gaps {
        Gaps { shown: shown.keys().copied().collect(), marks: [None; MOST_DIGITS] }
    }

    /// Where the gap begins that a child lies in, and where it ends, of so many children; none for one that is shown.
    pub(super) fn of(&self, index: u64, count: u64) -> Option<(u64, u64)> {
        let next = self.shown.partition_point(|shown| *shown < index);
        let until = self.shown.get(next).copied().unwrap_or(count);
        let before = next.checked_sub(1).and_then(|before| self.shown.get(before));
        (until != index).then_some((before.map_or(0, |before| before + 1), until))
    }
}

/// How many digits the number of a mark has; 0 where it is about one element, which is worded in its own way.
pub(super) fn digits_of(count: u64) -> u32 {
    if count == 1 { 0 } else { count.checked_ilog10().unwrap_or(0) + 1 }
}

/// The key of a mark's cost: of a container at a byte, for numbers of so many digits, of which there are 20 at most.
pub(super) fn mark_key(container: u64, digits: u32) -> u64 {
    (container * 32 + u64::from(digits)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

//! What the chooser must know of a format, and what it decides.

use std::collections::BTreeMap;
use std::ops::Range;

use super::tree::{Family, Node};
use crate::strategy::CutError;

/// What the chooser must know of a format.
pub(super) trait Format {
    /// The children of a container.
    fn family(&mut self, node: &Node) -> Result<Family, CutError>;

    /// What stands for a container of which no child is shown.
    fn folded(&self, node: &Node, family: &Family) -> String;

    /// What stands for `count` children of `parent` that are left out; `nth` counts the gaps of that parent.
    fn gap(&self, parent: &Node, family: &Family, count: u64, nth: usize) -> String;

    /// How to shorten a text to about `room` characters; `None` if it cannot be shortened.
    fn shorten(&self, node: &Node, room: u64) -> Result<Option<Short>, CutError>;

    /// Whether what surrounds the children (a header, a prolog) is shown even where none of them is.
    fn frame_stays(&self, _node: &Node) -> bool {
        false
    }

    /// Whether a node may be shown at all.
    fn may_show(&self, _node: &Node) -> bool {
        true
    }

    /// The level below which nothing is looked for, whatever the settings.
    fn deepest(&self) -> u64 {
        14
    }

    /// Whether depth tells what matters, so that `max_depth` bounds the records of a list.
    fn depth_counts(&self) -> bool {
        true
    }

    /// Whether the children of a map may be records that their names tell apart.
    fn has_named_records(&self) -> bool {
        true
    }

    /// The name of a member, without what surrounds it.
    fn name_of(&self, _node: &Node) -> Result<Option<String>, CutError> {
        Ok(None)
    }
}

/// A text that is shortened inside: this range is left out, and this text stands for it.
#[derive(Debug, Clone)]
pub(super) struct Short {
    pub(super) omit: Range<u64>,
    pub(super) mark: String,
}

/// How a node is shown.
#[derive(Debug)]
pub(super) enum Body {
    /// Verbatim.
    Whole,
    /// Verbatim but for a part in the middle.
    Short(Short),
    /// With some of its children; with none it is folded.
    Open { family: Box<Family>, shown: BTreeMap<u64, usize> },
}

/// A node that is shown.
#[derive(Debug)]
pub(super) struct ShownNode {
    pub(super) node: Node,
    pub(super) body: Body,
    pub(super) why: &'static str,
    /// How deep it lies: 1 for the root.
    pub(super) level: u64,
    /// How deep it lies below the nearest list of which not everything can be shown.
    pub(super) record_level: u64,
    /// Whether it is an element of a list.
    pub(super) element: bool,
    /// Whether it is an element that differs from its neighbours by a severe word, or a part of one with that word.
    pub(super) is_severe: bool,
    /// What its children's worth is measured by.
    pub(super) inner: f64,
    pub(super) cost: u64,
}

//! What the structured formats have in common: nodes with children, found as they are needed.

use std::ops::Range;

/// What a node is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// A value that is shown whole or not at all.
    #[default]
    Scalar,
    /// A value that may be shortened inside.
    Text,
    /// Children in an order: an array, a sequence, repeated elements.
    List,
    /// Children with names: an object, a mapping.
    Map,
}

/// A value in a document, and where it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Where its sibling before it ends (or its parent's opening): what lies between is the separator.
    pub(super) before: u64,
    /// Where it starts, its name included.
    pub(super) start: u64,
    /// Where its value starts.
    pub(super) value: u64,
    /// Where it ends.
    pub(super) end: u64,
    /// Which of its siblings it is, from 0.
    pub(super) index: u64,
    pub(super) form: Form,
    /// How much it stands out by what it is, whatever its place: 0 for most nodes, 3 at most, -1 for what nobody reads.
    pub(super) salience: i8,
    /// Whether a severe word is in it.
    pub(super) is_severe: bool,
    /// Whether what is in its parts makes it differ from its neighbours.
    pub(super) differs_inside: bool,
}

impl Node {
    /// A node in `range` that has no name and no siblings.
    pub(super) fn at(range: Range<u64>, form: Form) -> Node {
        let Range { start, end } = range;
        Node {
            before: start,
            start,
            value: start,
            end,
            index: 0,
            form,
            salience: 0,
            is_severe: false,
            differs_inside: false,
        }
    }

    /// The node with its name.
    pub(super) fn range(&self) -> Range<u64> {
        self.start..self.end
    }

    /// Its size in bytes, its name included.
    pub(super) fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// Whether it has children.
    pub(super) fn holds(&self) -> bool {
        matches!(self.form, Form::List | Form::Map)
    }
}

/// Why a child was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notable {
    /// It is among the first, this far from the beginning.
    First(u64),
    /// It is among the last, this far from the end.
    Last(u64),
    /// It differs from its neighbours; 0 differs most.
    Odd(u64),
    /// Worth a look where there is room: it has the largest number of a column, or is one of each sort.
    Sample(u64),
}

/// So near to an end a child is shown for its place, whatever its numbers.
const NEAR_AN_END: u64 = 3;

/// The children of a container: all of them counted, the notable ones known.
#[derive(Debug, Clone, Default)]
pub(super) struct Family {
    /// How many children there are.
    pub(super) count: u64,
    /// The known ones, in order; the first and the last are always among them.
    pub(super) children: Vec<(Node, Notable)>,
    /// How many shapes the children have, and the most frequent one's names.
    pub(super) shapes: Shapes,
    /// Whether the children are containers, mostly.
    pub(super) records: bool,
    /// What the children are called, where the format says so.
    pub(super) label: String,
}

/// What the children of a container look like.
#[derive(Debug, Clone, Default)]
pub(super) struct Shapes {
    /// How many different ones there are; 65 stands for more than 64.
    pub(super) different: u64,
    /// An example of the most frequent one.
    pub(super) example: Option<Node>,
}

impl Family {
    /// Puts the parts of a census together: the first, the last, the odd ones and the samples, each child once.
    pub(super) fn of(count: u64, first: &[Node], last: &[Node], odd: &[Node], samples: &[Node]) -> Family {
        let mut family = Family { count, ..Family::default() };
        let mut children = Vec::with_capacity(odd.len() + samples.len() + first.len() + last.len());
        children.extend((0..).zip(odd).map(|(rank, node)| (*node, Notable::Odd(rank))));
        for (rank, node) in (0..).zip(samples) {
            let notable = match family.place(node.index) {
                place @ (Notable::First(near) | Notable::Last(near)) if near < NEAR_AN_END => place,
                _ => Notable::Sample(rank),
            };
            children.push((*node, notable));
        }
        children.extend(first.iter().chain(last).map(|node| (*node, family.place(node.index))));
        // Of those that are known twice the one that came first stays, and so why it was noticed.
        children.sort_by_key(|(node, _)| node.index);
        children.dedup_by_key(|(node, _)| node.index);
        family.children = children;
        family
    }

    /// Whether a child is nearer to the beginning or to the end, and how near.
    pub(super) fn place(&self, index: u64) -> Notable {
        let from_end = (self.count - 1).saturating_sub(index);
        if index <= from_end { Notable::First(index) } else { Notable::Last(from_end) }
    }
}

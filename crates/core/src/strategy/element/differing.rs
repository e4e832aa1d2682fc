//! Where a record differs from its neighbours: the way down to the parts that make it differ.

use std::borrow::Cow;

use super::format::Format;
use super::tree::{Family, Form, Node};
use crate::document::Document;
use crate::strategy::CutError;

/// Records of more bytes are not compared.
const LARGEST: u64 = 64 * 1024;

/// How deep a record is looked into.
const DEEPEST: usize = 8;

/// A record with more such parts is another sort of record: none of them says what is the matter with it.
const MOST: usize = 6;

/// Where the parts of `odd` start that have a value of their own, although two usual records have the same one, and what
/// holds them. Ids and names differ between any two records, so they are not among them. Nothing where these parts take more
/// than `room` bytes.
pub(super) fn parts<F: Format>(
    document: &dyn Document,
    format: &mut F,
    odd: &Node,
    usual: [&Node; 2],
    room: u64,
) -> Result<Vec<u64>, CutError> {
    if [odd, usual[0], usual[1]].iter().any(|node| node.bytes() > LARGEST) {
        return Ok(Vec::new());
    }
    let mut comparison = Comparison { document, format, found: Vec::new(), parts: 0, bytes: 0 };
    comparison.descend(odd, usual, 0)?;
    let is_clear = comparison.parts <= MOST && comparison.bytes <= room;
    Ok(if is_clear { comparison.found } else { Vec::new() })
}

/// A record beside two usual ones.
struct Comparison<'a, F> {
    document: &'a dyn Document,
    format: &'a mut F,
    found: Vec<u64>,
    /// How many parts have a value of their own, and their bytes.
    parts: usize,
    bytes: u64,
}

impl<F: Format> Comparison<'_, F> {
    /// Looks for such parts in a container; says whether there is one.
    fn descend(&mut self, odd: &Node, usual: [&Node; 2], depth: usize) -> Result<bool, CutError> {
        let known = self.found.len();
        let families = [self.format.family(odd)?, self.format.family(usual[0])?, self.format.family(usual[1])?];
        let [odds, first, second] = families;
        for (child, _) in &odds.children {
            let first = self.counterpart(odd, child, &first)?;
            let second = self.counterpart(odd, child, &second)?;
            match (first, second) {
                (None, None) => self.take(child),
                (Some(first), Some(second)) => self.compare(child, [&first, &second], depth)?,
                (Some(_), None) | (None, Some(_)) => {}
            }
        }
        Ok(self.found.len() > known)
    }

    /// The child of another container that has the place of `child` in `odd`: its name, or its number.
    fn counterpart(&self, odd: &Node, child: &Node, family: &Family) -> Result<Option<Node>, CutError> {
        for (other, _) in &family.children {
            let same = match odd.form {
                Form::Map => self.name(other)? == self.name(child)?,
                Form::List | Form::Scalar | Form::Text => other.index == child.index,
            };
            if same {
                return Ok(Some(*other));
            }
        }
        Ok(None)
    }

    /// Takes a part in that has a value of its own, or the way to one.
    fn compare(&mut self, part: &Node, usual: [&Node; 2], depth: usize) -> Result<(), CutError> {
        let [own, first, second] = [self.value(part)?, self.value(usual[0])?, self.value(usual[1])?];
        if own == first || own == second {
            return Ok(());
        }
        let all_hold = part.holds() && usual.iter().all(|node| node.form == part.form);
        let alike = first == second;
        if all_hold && depth < DEEPEST && self.descend(part, usual, depth + 1)? {
            self.found.push(part.start);
        } else if alike {
            self.take(part);
        }
        Ok(())
    }

    fn take(&mut self, part: &Node) {
        self.found.push(part.start);
        self.parts += 1;
        self.bytes += part.bytes();
    }

    fn name(&self, node: &Node) -> Result<Cow<'_, str>, CutError> {
        Ok(self.document.read(node.start..node.value)?)
    }

    fn value(&self, node: &Node) -> Result<Cow<'_, str>, CutError> {
        Ok(self.document.read(node.value..node.end)?)
    }
}

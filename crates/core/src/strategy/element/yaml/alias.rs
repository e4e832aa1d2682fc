//! Aliases: `*name` stands for what `&name` marked before it.

use crate::document::Document;
use crate::strategy::CutError;
use crate::strategy::element::tree::Node;

/// A node longer than this is taken to hold an alias.
const LONGEST: u64 = 1024 * 1024;

/// Whether something in a node looks like an alias.
pub(super) fn inside(document: &dyn Document, node: &Node) -> Result<bool, CutError> {
    if node.holds() {
        // Its children are looked at one by one.
        return Ok(false);
    }
    if node.bytes() > LONGEST {
        return Ok(true);
    }
    let text = document.read(node.range())?;
    let bytes = text.as_bytes();
    Ok(memchr::memchr_iter(b'*', bytes).any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let starts = before.is_none_or(|before| matches!(before, b' ' | b'[' | b',' | b'{' | b'\n' | b':'));
        starts && bytes.get(at + 1).is_some_and(|after| after.is_ascii_alphanumeric() || matches!(after, b'_' | b'-'))
    }))
}

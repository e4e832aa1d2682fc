//! What of a message a model reads: its texts and its calls, without ids, signatures and types.

use super::Node;

/// Members that a model does not read.
const SILENT: [&str; 14] = [
    "type",
    "role",
    "id",
    "call_id",
    "tool_use_id",
    "tool_call_id",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "encrypted_content",
    "cache_control",
    "status",
    "mime_type",
    "media_type",
];

/// Members that are read as they are written, whatever they hold.
const WRITTEN: [&str; 4] = ["input", "args", "arguments", "action"];

/// Members that hold a picture or another file.
const PICTURES: [&str; 5] = ["data", "image_url", "file_data", "inlineData", "inline_data"];

/// Something that a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelText<'t> {
    /// A block's text or arguments, as JSON.
    Text(&'t str),
    /// A name in a block that has other words.
    Part(&'t str),
    /// A picture.
    Picture,
}

/// The words of a value with the places where they begin, in order.
pub(super) fn words<'t>(node: Node<'_, 't>, found: &mut Vec<(usize, ModelText<'t>)>) {
    if node.is_string() {
        found.push((node.span().start, ModelText::Text(node.raw())));
    }
    node.elements().for_each(|element| words(element, found));
    for (key, value) in node.members() {
        let is_one_of = |names: &[&str]| names.iter().any(|name| key.says(name));
        let start = value.span().start;
        if is_one_of(&SILENT) {
            continue;
        } else if is_one_of(&PICTURES) {
            found.push((start, ModelText::Picture));
        } else if is_one_of(&WRITTEN) && !value.is_array() {
            found.push((start, ModelText::Text(value.raw())));
        } else if key.says("name") {
            found.push((start, ModelText::Part(value.raw())));
        } else {
            words(value, found);
        }
    }
}

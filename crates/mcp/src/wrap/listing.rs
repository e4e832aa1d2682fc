//! The changes to a listing of the server's tools.

use std::ops::Range;

use super::names::{OwnTool, ToolNames};
use super::rules::Rules;
use super::view::MessageView;
use crate::wire::outgoing::{Edit, remove_items};
use crate::wire::outline::{Shape, Value};
use crate::wire::raw_message::RawMessage;

/// The changes to a page of the server's tools: output schemas that a cut result could not keep are taken out, and our
/// own tools, if they are `offered`, are added to the last page. The list is the same from the first request on: a list
/// that changes in the middle of a conversation empties the provider's prompt cache.
pub(crate) fn edits(
    raw_message: &RawMessage,
    result: &Value,
    first_page: bool,
    rules: &Rules,
    names: &mut ToolNames,
    offered: bool,
) -> Vec<Edit> {
    let Some(tools) = result.get("tools").filter(|tools| matches!(tools.shape, Shape::Array { .. })) else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    let mut found = Vec::new();
    for tool in tools.elements() {
        let name = (MessageView { raw_message, message: tool }).text(&["name"]).unwrap_or_default();
        if rules.may_cut(&name) {
            let members: Vec<Range<u64>> = tool.members().iter().map(|member| member.range()).collect();
            let gone = |at: usize| tool.members().get(at).is_some_and(|member| &*member.key == "outputSchema");
            edits.extend(remove_items(&members, gone));
        }
        found.push(name);
    }
    let more = result.get("nextCursor").is_some_and(Value::is_text);
    names.page(first_page, !more, found);
    if more || !offered {
        return edits;
    }
    let own: Vec<String> = OwnTool::ALL.into_iter().map(|tool| tool.definition(&names.own(tool))).collect();
    let comma = if tools.elements().is_empty() { "" } else { "," };
    edits.push(Edit::insert(tools.range.end - 1, format!("{comma}{}", own.join(","))));
    edits
}

//! OpenAI's Responses: calls and results are items of their own in `input`.
//!
//! What the model made in one answer stands together; a call that stands behind a result is the next turn's.

use std::borrow::Cow;

use super::{Scribe, messages};
use crate::json::Node;

pub(super) fn read<'t>(root: Node<'_, 't>, scribe: &mut Scribe<'t>) -> Result<(), String> {
    let input = if root.is_array() { Some(root) } else { root.get("input").or_else(|| messages(root)) };
    let input = input.ok_or("`input` is missing")?;
    if !input.is_array() && !input.is_string() {
        return Err("`input` is neither a list nor a text".to_owned());
    }
    // Whether the item before was the model's, and whether it has called a tool since.
    let (mut answering, mut calling) = (false, false);
    for item in input.elements() {
        let first = scribe.results.len();
        let kind = item.text("type").unwrap_or_default();
        let by_model = item.get("role").is_some_and(|role| role.says("assistant"))
            || matches!(&*kind, "reasoning" | "compaction")
            || kind.ends_with("_call");
        if by_model {
            scribe.requests += u64::from(!answering);
            calling &= answering;
            answering = true;
            if kind.ends_with("_call") && item.get("call_id").is_some() {
                scribe.turn += u64::from(!calling);
                calling = true;
                let arguments = item.text("arguments").or_else(|| item.text("input"));
                let arguments = arguments.or_else(|| item.get("action").map(|action| Cow::Borrowed(action.raw())));
                let name = item.text("name").or_else(|| kind.strip_suffix("_call").map(|kind| kind.to_owned().into()));
                scribe.called(item.text("call_id"), name, arguments.unwrap_or_default());
            }
        } else {
            answering = false;
            if kind.ends_with("_call_output") {
                returned(item, scribe);
            }
        }
        scribe.message(item, first);
    }
    Ok(())
}

fn returned<'t>(item: Node<'_, 't>, scribe: &mut Scribe<'t>) {
    let id = item.text("call_id");
    let Some(output) = item.get("output") else { return };
    scribe.texts(output, id.as_deref(), &["input_text", "output_text", "text"]);
    // The shell's own result has its two streams apart.
    for chunk in output.elements() {
        for stream in ["stdout", "stderr"] {
            if let Some(text) = chunk.get(stream).filter(Node::is_string) {
                scribe.returned(text, id.as_deref());
            }
        }
    }
}

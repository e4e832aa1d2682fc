//! OpenAI's Chat Completions: results are messages of the role `tool`.

use super::{Scribe, messages};
use crate::json::Node;

pub(super) fn read<'t>(root: Node<'_, 't>, scribe: &mut Scribe<'t>) -> Result<(), String> {
    let messages = messages(root).ok_or("`messages` is not a list")?;
    for message in messages.elements() {
        let first = scribe.results.len();
        scribe.mark(message);
        let says = |name: &str| message.get("role").is_some_and(|role| role.says(name));
        if says("assistant") {
            scribe.requests += 1;
            let calls = || message.get("tool_calls").into_iter().flat_map(|calls| calls.elements());
            let single = message.get("function_call").filter(Node::is_object);
            scribe.turn += u64::from(calls().next().is_some() || single.is_some());
            for call in calls() {
                let function = call.get("function").or_else(|| call.get("custom"));
                let arguments =
                    function.and_then(|function| function.text("arguments").or_else(|| function.text("input")));
                let name = function.and_then(|function| function.text("name"));
                scribe.called(call.text("id"), name, arguments.unwrap_or_default());
            }
            if let Some(call) = single {
                // The older shape has no ids: a result names its function.
                scribe.called(call.text("name"), call.text("name"), call.text("arguments").unwrap_or_default());
            }
        } else if says("tool") || says("function") {
            let id = message.text("tool_call_id").or_else(|| message.text("name"));
            if let Some(content) = message.get("content") {
                scribe.texts(content, id.as_deref(), &["text"]);
            }
        } else {
            let blocks = message.get("content").into_iter().flat_map(|content| content.elements());
            blocks.into_iter().for_each(|block| scribe.mark(block));
        }
        scribe.message(message, first);
    }
    Ok(())
}

//! Anthropic's Messages: results are blocks of the user's messages.

use std::borrow::Cow;

use super::{Scribe, messages};
use crate::json::Node;

pub(super) fn read<'t>(root: Node<'_, 't>, scribe: &mut Scribe<'t>) -> Result<(), String> {
    let messages = messages(root).ok_or("`messages` is not a list")?;
    for message in messages.elements() {
        let first = scribe.results.len();
        let content = message.get("content");
        let blocks = || content.into_iter().flat_map(|content| content.elements());
        blocks().for_each(|block| scribe.mark(block));
        if message.get("role").is_some_and(|role| role.says("assistant")) {
            scribe.requests += 1;
            let calls = || blocks().filter(|block| block.get("type").is_some_and(|kind| kind.says("tool_use")));
            scribe.turn += u64::from(calls().next().is_some());
            for call in calls() {
                let arguments = call.get("input").map_or("", |input| input.raw());
                scribe.called(call.text("id"), call.text("name"), Cow::Borrowed(arguments));
            }
        } else {
            for block in blocks().filter(|block| block.get("type").is_some_and(|kind| kind.says("tool_result"))) {
                let id = block.text("tool_use_id");
                let texts = scribe.results.len();
                if let Some(content) = block.get("content") {
                    scribe.texts(content, id.as_deref(), &["text"]);
                }
                let failed = block.get("is_error").is_some_and(|failed| failed.raw() == "true");
                scribe.results.iter_mut().skip(texts).for_each(|result| result.failed = failed);
            }
        }
        scribe.message(message, first);
    }
    Ok(())
}

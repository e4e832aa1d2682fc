//! Messages without any vendor's shape: each says its turn, and a tool result its trace.

use super::{Scribe, messages};
use crate::json::Node;

pub(super) fn read<'t>(root: Node<'_, 't>, scribe: &mut Scribe<'t>) -> Result<(), String> {
    let messages = messages(root).ok_or("a list of messages was expected")?;
    for (number, message) in messages.elements().enumerate() {
        let first = scribe.results.len();
        let turn: u64 = message
            .get("turn")
            .and_then(|turn| turn.raw().parse().ok())
            .ok_or_else(|| format!("message {number} has no `turn` that is a whole number"))?;
        scribe.requests += u64::from(turn > scribe.turn);
        scribe.turn = scribe.turn.max(turn);
        if message.get("type").is_some_and(|kind| kind.says("tool_result")) {
            let trace_id = message.text("traceId").ok_or_else(|| format!("tool result {number} has no `traceId`"))?;
            let content = message.get("content").filter(Node::is_string);
            let content = content.ok_or_else(|| format!("tool result {number} has no `content` that is a text"))?;
            scribe.returned(content, None);
            if let Some(result) = scribe.results.last_mut() {
                result.turn = turn;
                result.trace_id = Some(trace_id.into_owned());
                result.tool = message.text("tool").unwrap_or_default().into_owned();
            }
        }
        scribe.message(message, first);
    }
    Ok(())
}

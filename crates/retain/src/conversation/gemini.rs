//! Google's Gemini API: calls and results are parts of `contents`, and a result is an object.

use std::borrow::Cow;

use super::Scribe;
use crate::json::Node;

pub(super) fn read<'t>(root: Node<'_, 't>, scribe: &mut Scribe<'t>) -> Result<(), String> {
    let contents = root.get("contents").filter(Node::is_array).ok_or("`contents` is not a list")?;
    for content in contents.elements() {
        let first = scribe.results.len();
        let parts = || content.get("parts").into_iter().flat_map(|parts| parts.elements());
        if content.get("role").is_some_and(|role| role.says("model")) {
            scribe.requests += 1;
            let calls = || parts().filter_map(|part| part.get("functionCall").or_else(|| part.get("function_call")));
            scribe.turn += u64::from(calls().next().is_some());
            for call in calls() {
                let arguments = call.get("args").map_or("", |arguments| arguments.raw());
                // Without an id a result names its function.
                scribe.called(
                    call.text("id").or_else(|| call.text("name")),
                    call.text("name"),
                    Cow::Borrowed(arguments),
                );
            }
        } else {
            let results =
                parts().filter_map(|part| part.get("functionResponse").or_else(|| part.get("function_response")));
            results.for_each(|result| returned(result, scribe));
        }
        scribe.message(content, first);
    }
    Ok(())
}

/// The texts of a result: the strings that its object holds, and text blocks in its lists.
fn returned<'t>(result: Node<'_, 't>, scribe: &mut Scribe<'t>) {
    let id = result.text("id").or_else(|| result.text("name"));
    let Some(response) = result.get("response").filter(Node::is_object) else { return };
    for (key, value) in response.members() {
        let texts = scribe.results.len();
        scribe.texts(value, id.as_deref(), &["text"]);
        let failed = key.says("error");
        scribe.results.iter_mut().skip(texts).for_each(|result| result.failed = failed);
    }
}

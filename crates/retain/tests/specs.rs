//! Runs the spec of retention: what becomes of the tool results of a conversation, one a turn.
// Helpers of tests are tests too.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../../../specs/reader.rs"]
mod reader;

use offcut::Offcut;
use offcut_retain::{Conversation, RequestFacts, Retainer};
use serde_json::json;

#[test]
fn every_section_of_the_spec_holds() {
    let sections = reader::check(
        |name| name == "retain",
        |section| {
            let results: Vec<String> = (1..).map_while(|turn| section.made(&format!("result {turn}"))).collect();
            let offcut = Offcut::builder().in_memory().build().unwrap().keeping_once();
            let before = body(&results);
            let done = Retainer::default().rewrite(&offcut, before.as_bytes(), &RequestFacts::default()).unwrap();
            let after = done.body.unwrap_or(before);
            let conversation = Conversation::read(after.as_bytes(), None).unwrap();
            let shown: Vec<String> = conversation.results.iter().map(|result| result.text().unwrap().into()).collect();
            let mut shown = shown.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join("\n----\n");
            for trace in done.report.changes.iter().filter_map(|change| change.trace_id.as_ref()) {
                shown = shown.replace(trace.as_str(), "trace_1");
            }
            shown
        },
    );
    assert!(sections >= 2, "only {sections} sections were found");
}

/// A conversation in Anthropic's format, with one call a turn.
fn body(results: &[String]) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Why does the build fail?"})];
    for (turn, result) in results.iter().enumerate() {
        let id = format!("toolu_{turn}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("step {turn}")}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages
            .push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}));
    }
    json!({"model": "claude-sonnet-4-5", "tools": [{"name": "Bash"}], "messages": messages}).to_string()
}

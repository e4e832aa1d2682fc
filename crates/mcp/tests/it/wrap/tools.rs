//! The server's tools, and ours beside them.

use offcut_mcp::wrap::Rules;
use serde_json::{Value, json};

use super::rig::{Rig, artifact_in, first_text, log, result, text};

fn listing(id: u64, tools: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools}}).to_string()
}

fn names(answer: &Value) -> Vec<&str> {
    answer["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[test]
fn our_tool_is_added_and_output_schemas_go_where_results_may_be_cut() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let tools = json!([
        {"name": "a", "outputSchema": schema, "inputSchema": {"type": "object"}, "x-odd": [1]},
        {"name": "raw", "inputSchema": {"type": "object"}, "outputSchema": schema},
    ]);
    let rules = Rules { exempt: vec!["raw".to_owned()], ..Rules::new() };
    let mut rig = Rig::answering(rules, &[&listing(1, tools)]);
    let answer = rig.ask(LIST);
    assert_eq!(names(&answer), ["a", "raw", "get_artifact", "tool_output"]);
    assert_eq!(answer["result"]["tools"][0], json!({"name": "a", "inputSchema": {"type": "object"}, "x-odd": [1]}));
    assert_eq!(answer["result"]["tools"][1]["outputSchema"], schema);
    let own = &answer["result"]["tools"][2];
    assert_eq!(own["inputSchema"]["required"], json!(["id"]));
    assert!(own.to_string().len() < 2048);
    rig.end();
}

#[test]
fn a_server_without_tools_gets_ours() {
    let mut rig = Rig::answering(Rules::new(), &[&listing(1, json!([]))]);
    assert_eq!(names(&rig.ask(LIST)), ["get_artifact", "tool_output"]);
    rig.end();
}

#[test]
fn a_clash_of_names_gets_a_prefix_that_the_notices_know() {
    let tools = json!([{"name": "get_artifact", "inputSchema": {}}]);
    let answers =
        [listing(1, tools), result(2, json!([text(&log(3000))])), result(3, json!([text("the server's own")]))];
    let mut rig = Rig::answering(Rules::new(), &answers.each_ref().map(String::as_str));
    assert_eq!(names(&rig.ask(LIST)), ["get_artifact", "offcut_get_artifact", "tool_output"]);
    let shown = first_text(&rig.call(2, "show", json!({})));
    let id = artifact_in(&shown);
    assert!(shown.contains(&format!("offcut_get_artifact(id=\"{id}\"")), "{shown}");
    assert_eq!(first_text(&rig.call(3, "get_artifact", json!({"id": id}))), "the server's own");
    let own = rig.call(4, "offcut_get_artifact", json!({"id": id, "end_line": 1}));
    assert_eq!(first_text(&own), "line 1: request 1 was served in 1 ms\n");
    rig.end();
}

#[test]
fn our_tool_stands_on_the_last_page() {
    let pages = [
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a"}], "nextCursor": "2"}}).to_string(),
        listing(2, json!([{"name": "get_artifact"}])),
    ];
    let mut rig = Rig::answering(Rules::new(), &pages.each_ref().map(String::as_str));
    rig.send(LIST);
    assert_eq!(rig.line(), pages[0]);
    let last = rig.ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"2"}}"#);
    assert_eq!(names(&last), ["get_artifact", "offcut_get_artifact", "tool_output"]);
    rig.end();
}

#[test]
fn an_answer_to_a_client_without_a_handshake_says_what_it_is() {
    let mut rig = Rig::answering(Rules::new(), &[&result(1, json!([text(&log(3000))]))]);
    let id = artifact_in(&first_text(&rig.call(1, "show", json!({}))));
    let params = json!({"name": "get_artifact", "arguments": {"id": id, "end_line": 1},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let own = rig.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).to_string());
    assert_eq!(own["result"]["resultType"], "complete");
    rig.end();
}

#[test]
fn a_task_is_cut_when_its_result_is_fetched() {
    let answers = [
        json!({"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "t-1", "status": "working"}}}).to_string(),
        result(2, json!([text(&log(3000))])),
    ];
    let rules = Rules { tools: [("slow".to_owned(), "900".parse().unwrap())].into(), ..Rules::new() };
    let mut rig = Rig::answering(rules, &answers.each_ref().map(String::as_str));
    assert_eq!(rig.call(1, "slow", json!({})).to_string(), answers[0]);
    let cut = rig.ask(r#"{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"t-1"}}"#);
    assert!(first_text(&cut).chars().count() <= 900);
    artifact_in(&first_text(&cut));
    rig.end();
}

#[test]
fn what_was_kept_can_be_asked_about_with_the_clients_model() {
    let hello = r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{}}}}"#;
    let answers = [hello.to_owned(), result(1, json!([text(&log(3000))])), listing(2, json!([{"name": "a"}]))];
    let mut rig = Rig::answering(Rules::new(), &answers.each_ref().map(String::as_str));
    let greeted = rig.ask(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"sampling":{}},"clientInfo":{"name":"t"}}}"#,
    );
    assert_eq!(greeted.to_string(), hello);
    let id = artifact_in(&first_text(&rig.call(1, "show", json!({}))));
    let listed = rig.ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    assert_eq!(names(&listed), ["a", "get_artifact", "tool_output"]);

    let arguments = json!({"handle": id, "extract": "what is wrong with the disk?", "mode": "full-chunked"});
    let mut asked = rig.call(3, "tool_output", arguments);
    // The model is asked once for each chunk, and once more to put the answers together.
    while asked["method"] == "sampling/createMessage" {
        let prompt = asked["params"].to_string();
        assert!(prompt.contains("what is wrong with the disk?"), "{prompt}");
        let nonce = prompt.split("ai-agent-").nth(1).unwrap().split("-FINAL").next().unwrap();
        let said = format!("<ai-agent-{nonce}-FINAL format=\"text\">It is full.</ai-agent-{nonce}-FINAL>");
        let content = json!({"type": "text", "text": said});
        let result = json!({"role": "assistant", "model": "m", "content": content});
        asked = rig.ask(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string());
    }
    let answer = first_text(&asked);
    assert!(answer.starts_with("ABSTRACT FROM TOOL OUTPUT show WITH HANDLE "), "{answer}");
    assert!(answer.contains("STRATEGY:full-chunked:") && answer.contains("It is full."), "{answer}");
    // The server heard nothing of it.
    assert_eq!(rig.heard().len(), 3);
}

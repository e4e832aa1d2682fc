//! No message of a server reaches a client with a secret in it, wherever it stands.

use offcut::Offcut;
use offcut_mcp::wrap::Rules;
use serde_json::{Value, json};

use super::rig::{Rig, artifact_in, first_text, log, result, text};

const SECRET: &str = "sk-ant-api03-Rk7mQ2xZpL9vT4wYc8NbHs5JdF1gKe6UoXi3AaMzPqVtEyWrSuBhCjDlGnOfIx0w2T4v6Y8z1B3d5F7h9J0kLmNpQrStUvWxYzAA-Ab12CdQw";

fn ask(id: u64, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn answer(id: u64, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

#[test]
fn every_part_of_every_answer_is_redacted() {
    let line = format!("first\nKEY={SECRET}\nlast");
    let uri = format!("https://files.example/a?token={SECRET}");
    let call = json!({"name": "t", "arguments": {}});
    let small = json!([{"type": "text", "text": "ok"}]);
    let cases: Vec<(&str, Value, Value)> = vec![
        ("tools/call", call.clone(), json!({"content": [{"type": "text", "text": line}]})),
        ("tools/call", call.clone(), json!({"content": small, "structuredContent": {"env": {"key": SECRET}, "n": 1}})),
        ("tools/call", call.clone(), json!({"content": small, "structuredContent": {"id": SECRET}})),
        ("tools/call", call.clone(), json!({"content": [{"type": "resource_link", "uri": uri, "name": SECRET}]})),
        (
            "tools/call",
            call.clone(),
            json!({"content": [{"type": "resource", "resource": {"uri": uri, "text": "t", "_meta": {"x": line}}}]}),
        ),
        ("tools/call", call.clone(), json!({"content": small, "_meta": {"trace": line}})),
        ("tools/call", call.clone(), json!({"content": small, "unknown": [[{"deep": line}]]})),
        ("tools/call", call.clone(), json!({"isError": true, "content": [{"type": "text", "text": line}]})),
        (
            "prompts/get",
            json!({"name": "p"}),
            json!({"description": line, "messages": [{"role": "user", "content": {"type": "text", "text": line}}]}),
        ),
        ("resources/read", json!({"uri": "a:b"}), json!({"contents": [{"uri": uri, "text": line}]})),
        ("resources/list", json!({}), json!({"resources": [{"uri": uri, "name": "n"}]})),
        ("completion/complete", json!({"ref": {}}), json!({"completion": {"values": [SECRET]}})),
        ("odd/method", json!({}), json!({"odd": line})),
    ];
    let mut answers: Vec<String> =
        cases.iter().enumerate().map(|(at, (_, _, result))| answer(at as u64, result.clone())).collect();
    let error = json!({"code": -32000, "message": line, "data": {"stderr": line}});
    answers.push(json!({"jsonrpc": "2.0", "id": 99, "error": error}).to_string());
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let mut rig = Rig::answering(Rules::new(), &answers);
    for (at, (method, params, sent)) in cases.iter().enumerate() {
        rig.send(&ask(at as u64, method, params.clone()));
        let got = rig.line();
        assert!(!got.contains(SECRET) && got.contains("[REDACTED: "), "{method}: {sent} became {got}");
        let got: Value = serde_json::from_str(&got).unwrap();
        assert_eq!(got["id"], at as u64);
    }
    rig.send(&ask(99, "tools/call", call));
    let got = rig.line();
    assert!(!got.contains(SECRET) && got.contains("\"code\":-32000"), "{got}");
    rig.end();
}

#[test]
fn what_a_server_says_by_itself_is_redacted_too() {
    let notice =
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": SECRET}});
    let content = json!({"type": "text", "text": SECRET});
    let sampling = json!({"jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage",
        "params": {"messages": [{"role": "user", "content": content}], "maxTokens": 9}});
    let script = "read -r line; cat answers; read -r line";
    let mut rig = Rig::running(Rules::new(), script, &format!("{notice}\n{sampling}\n"));
    rig.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    for expected in [&notice, &sampling] {
        let got = rig.line();
        assert!(!got.contains(SECRET), "{got}");
        let got: Value = serde_json::from_str(&got).unwrap();
        assert_eq!((&got["method"], &got["id"]), (&expected["method"], &expected["id"]));
    }
    rig.end();
}

#[test]
fn pictures_ids_and_everything_without_a_secret_pass_byte_for_byte() {
    let picture = "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAYAAADo08FDAAAAAXNSR0IArs4c6QAAIABJREFUeF7s3Xn8".repeat(40);
    let sent = format!(
        r#"{{"jsonrpc":"2.0", "id":1,"result":{{"content":[{{"type":"image","data":"{picture}","mimeType":"image/png"}},{{"type":"text","text":"\u0041\/b"}}],"nextCursor":"{SECRET}"}}}}"#
    );
    let mut rig = Rig::answering(Rules::new(), &[&sent]);
    rig.send(&ask(1, "tools/call", json!({"name": "t"})));
    assert_eq!(rig.line(), sent);
    rig.end();
}

#[test]
fn where_artifacts_are_on_this_machine_is_told_to_nobody_and_reports_to_no_model() {
    for (client, reported) in [("any", true), ("Cline", false), ("kimi-code", false)] {
        let store = tempfile::tempdir().unwrap();
        let offcut = Offcut::builder().store(store.path()).build().unwrap();
        let hello = r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}"#.to_owned();
        let script = "while IFS= read -r line; do IFS= read -r answer <&3; printf '%s\\n' \"$answer\"; done 3<answers";
        let answers = format!("{hello}\n{}\n", result(1, json!([text(&log(3000))])));
        let mut rig = Rig::with(offcut, Rules::new(), script, &answers);
        rig.ask(&ask(0, "initialize", json!({"clientInfo": {"name": client}})));
        let got = rig.call(1, "show", json!({}));
        artifact_in(&first_text(&got));
        assert_eq!(got["result"]["_meta"]["offcut/report"]["was_truncated"] == true, reported, "{client}");
        let path = store.path().to_string_lossy().into_owned();
        assert!(!got.to_string().contains(&path), "{client}: {got}");
        rig.end();
    }
}

#[test]
fn an_answer_of_any_depth_arrives_without_its_secrets() {
    let (open, close) = ("[".repeat(50_000), "]".repeat(50_000));
    let sent = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"ok"}}],"x":{open}"{SECRET}"{close}}}}}"#
    );
    let mut rig = Rig::answering(Rules::new(), &[&sent]);
    rig.send(&ask(1, "tools/call", json!({"name": "t"})));
    assert!(rig.line() == sent.replace(SECRET, "[REDACTED: ANTHROPIC_KEY]"));
    rig.end();
}

#[test]
fn an_id_that_is_used_again_in_flight_loses_no_answer_and_none_is_left_uncut() {
    let large = |line: &str| json!([text(&format!("{line}\n{}", log(3000)))]);
    let (first, second) = (result(7, large("first")), result(7, large("second")));
    let script = "read -r line; read -r line; cat answers; read -r line";
    let mut rig = Rig::running(Rules::new(), script, &format!("{first}\n{second}\n"));
    let call = ask(7, "tools/call", json!({"name": "show", "arguments": {}}));
    rig.send(&call);
    rig.send(&call);
    for line in ["first", "second"] {
        let got: Value = serde_json::from_str(&rig.line()).unwrap();
        let shown = first_text(&got);
        assert!(shown.contains(line) && shown.chars().count() <= 8000, "{shown}");
        artifact_in(&shown);
    }
    rig.end();
}

#[test]
fn a_plain_pipe_changes_nothing() {
    let sent = result(1, json!([text(SECRET)]));
    let mut rig = Rig::answering(Rules { off: true, ..Rules::new() }, &[&sent]);
    rig.send(&ask(1, "tools/call", json!({"name": "t"})));
    assert_eq!(rig.line(), sent);
    rig.end();
}

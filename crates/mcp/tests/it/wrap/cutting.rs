//! What is too large is cut, kept, and can be read back.

use offcut::Offcut;
use offcut_mcp::wrap::Rules;
use serde_json::{Value, json};

use super::rig::{Rig, artifact_in, first_text, log, result, text};

/// The answer to one call of a tool whose server answers so.
fn called(rules: Rules, answer: &str) -> Value {
    let mut rig = Rig::answering(rules, &[answer]);
    let answer = rig.call(1, "tool", json!({}));
    rig.end();
    answer
}

fn chars(answer: &Value) -> usize {
    let blocks = answer["result"]["content"].as_array().unwrap();
    blocks.iter().map(|block| block["text"].as_str().unwrap_or_default().chars().count()).sum()
}

#[test]
fn a_large_result_is_cut_and_its_gap_can_be_read_back() {
    let log = log(5000);
    let mut rig = Rig::answering(Rules::new(), &[&result(1, json!([text(&log)]))]);
    let answer = rig.call(1, "show", json!({"file": "a.log"}));
    let shown = first_text(&answer);
    assert!(shown.chars().count() <= 8000, "{} characters", shown.chars().count());
    assert!(shown.contains("ERROR: the disk is full"), "{shown}");
    let id = artifact_in(&shown);
    assert!(shown.contains(&format!("get_artifact(id=\"{id}\"")), "{shown}");
    assert_eq!(answer["result"]["_meta"]["offcut/report"]["artifact_handle"], id);
    assert_eq!(answer["result"]["_meta"]["offcut/report"]["original_lines"], 5000);

    let gap = rig.call(2, "get_artifact", json!({"id": id, "start_line": 2400, "end_line": 2402}));
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(first_text(&gap), lines[2399..2402].join("\n") + "\n");
    let wrong = rig.call(3, "get_artifact", json!({"id": id, "start_line": 9999}));
    assert_eq!(wrong["result"]["isError"], true);
    // The server was asked once.
    assert_eq!(rig.heard().len(), 1);
}

#[test]
fn exactly_at_the_limit_is_not_cut() {
    let rules = Rules { limit: Some("1000".parse().unwrap()), ..Rules::new() };
    let whole = result(1, json!([text(&"é\n".repeat(500))]));
    assert_eq!(called(rules.clone(), &whole).to_string(), serde_json::from_str::<Value>(&whole).unwrap().to_string());
    let more = result(1, json!([text(&("é\n".repeat(500) + "x"))]));
    let cut = called(rules, &more);
    assert!(first_text(&cut).starts_with("[offcut "), "{cut}");
    assert!(chars(&cut) <= 1000);
}

#[test]
fn several_blocks_share_the_limit_and_the_rest_passes() {
    let image = json!({"type": "image", "data": "A".repeat(20_000), "mimeType": "image/png"});
    let resource =
        json!({"type": "resource", "resource": {"uri": "file:///x", "mimeType": "text/plain", "text": log(900)}});
    let link = json!({"type": "resource_link", "uri": "a:b", "name": "n"});
    let blocks = json!([text("a short word"), image, text(&log(800)), resource, link]);
    let answer = called(Rules::new(), &result(1, blocks));
    let content = &answer["result"]["content"];
    assert_eq!(content[0], text("a short word"));
    assert_eq!(content[1], image);
    assert_eq!(content[4], link);
    let (plain, embedded) = (content[2]["text"].as_str().unwrap(), content[3]["resource"]["text"].as_str().unwrap());
    assert!(plain.chars().count() + embedded.chars().count() + 12 <= 8000);
    assert!(plain.chars().count() > 3000 && embedded.chars().count() > 3000, "{answer}");
    assert_ne!(artifact_in(plain), artifact_in(embedded));
    assert_eq!(answer["result"]["_meta"]["offcut/report"].as_array().unwrap().len(), 2);
}

#[test]
fn too_many_blocks_are_cut_as_one() {
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    let mut blocks: Vec<Value> = (0..100).map(|n| text(&format!("{n}: {}", "word ".repeat(60)))).collect();
    blocks.insert(50, image.clone());
    let answer = called(Rules::new(), &result(1, json!(blocks)));
    let content = answer["result"]["content"].as_array().unwrap();
    assert_eq!(content.len(), 2, "{answer}");
    assert_eq!(content[1], image);
    assert!(chars(&answer) <= 8000);
    artifact_in(&first_text(&answer));
}

#[test]
fn five_thousand_blocks_are_within_the_limit_too() {
    let blocks: Vec<Value> = (0..5000).map(|n| text(&format!("block number {n}"))).collect();
    let answer = called(Rules::new(), &result(1, json!(blocks)));
    assert!(chars(&answer) <= 8000, "{}", chars(&answer));
    artifact_in(&first_text(&answer));
}

#[test]
fn structured_content_goes_when_the_text_is_cut_and_says_the_same() {
    let rows: Vec<Value> = (0..900).map(|n| json!({"id": n, "name": format!("row {n}")})).collect();
    let data = json!({"rows": rows});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [text(&serde_json::to_string_pretty(&data).unwrap())], "structuredContent": data, "isError": false}});
    let cut = called(Rules::new(), &answer.to_string());
    assert!(cut["result"].get("structuredContent").is_none(), "{cut}");
    assert_eq!(cut["result"]["content"].as_array().unwrap().len(), 1);
    assert!(chars(&cut) <= 8000);
    assert!(!first_text(&cut).starts_with("[\n") && !first_text(&cut).starts_with('{'), "{cut}");
}

#[test]
fn structured_content_that_says_more_is_kept_as_a_text() {
    let rows: Vec<Value> = (0..900).map(|n| json!({"id": n, "name": format!("row {n}")})).collect();
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "structuredContent": {"rows": rows}, "content": [text("900 rows")]}});
    let cut = called(Rules::new(), &answer.to_string());
    assert!(cut["result"].get("structuredContent").is_none(), "{cut}");
    assert_eq!(cut["result"]["content"][0], text("900 rows"));
    let shown = cut["result"]["content"][1]["text"].as_str().unwrap();
    assert!(shown.contains("\"row 0\""), "{shown}");
    artifact_in(shown);
    assert!(chars(&cut) <= 8000);
}

#[test]
fn an_error_is_cut_more_gently_and_keeps_its_message() {
    let message = "Error: connection to the database was refused";
    let trace = format!("{message}\n{}", log(4000));
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [text(&trace)], "isError": true}});
    let cut = called(Rules::new(), &answer.to_string());
    assert_eq!(cut["result"]["isError"], true);
    assert!(first_text(&cut).contains(message));
    assert!(chars(&cut) > 8000 && chars(&cut) <= 32_000, "{}", chars(&cut));
    let short =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [text(&log(400))], "isError": true}}).to_string();
    assert_eq!(called(Rules::new(), &short).to_string(), short);
}

#[test]
fn base64_of_a_picture_is_named_and_not_shown() {
    use base64::Engine;
    let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
    picture.extend((0..30_000_u32).map(|n| (n * 31 % 253) as u8));
    let encoded = base64::engine::general_purpose::STANDARD.encode(&picture);
    let cut = called(Rules::new(), &result(1, json!([text(&encoded)])));
    let shown = first_text(&cut);
    assert!(shown.contains("PNG image") && shown.len() < 400, "{shown}");
    artifact_in(&shown);
}

#[test]
fn a_secret_does_not_pass_even_where_all_fits() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [text(&format!("token {secret}"))], "structuredContent": {"t": format!("token {secret}")}}});
    let cut = called(Rules::new(), &answer.to_string());
    assert!(!cut.to_string().contains(&secret), "{cut}");
    assert!(first_text(&cut).contains("[REDACTED:"), "{cut}");
}

#[test]
fn a_bare_array_gets_a_line_before_it() {
    let rows: Vec<Value> = (0..900).map(|n| json!({"id": n, "name": format!("row {n}")})).collect();
    for profile in ["auto", "balanced"] {
        let offcut = Offcut::builder().profile(profile).in_memory().build().unwrap();
        let answer = result(1, json!([text(&json!(rows).to_string())]));
        let script = "IFS= read -r line; cat answers";
        let mut rig = Rig::with(offcut, Rules::new(), script, &(answer + "\n"));
        let cut = first_text(&rig.call(1, "tool", json!({})));
        assert!(serde_json::from_str::<Value>(&cut).is_err(), "{profile}: {cut}");
        let id = artifact_in(&cut);
        rig.end();
        let _ = id;
    }
}

#[test]
fn tools_have_limits_of_their_own_and_exempt_ones_pass() {
    let rules = Rules {
        tools: [("small".to_owned(), "600".parse().unwrap())].into(),
        exempt: vec!["raw_*".to_owned()],
        ..Rules::new()
    };
    let large = |id| result(id, json!([text(&log(3000))]));
    let mut rig = Rig::answering(rules, &[&large(1), &large(2), &large(3)]);
    assert!(chars(&rig.call(1, "small", json!({}))) <= 600);
    assert_eq!(rig.call(2, "raw_dump", json!({})).to_string(), large(2));
    assert!(chars(&rig.call(3, "other", json!({}))) > 600);
    rig.end();
}

#[test]
fn the_limit_is_the_clients_where_that_is_smaller() {
    let rules = Rules { limit: Some("60000".parse().unwrap()), ..Rules::new() };
    let answer = result(1, json!([text(&log(4000))]));
    let mut rig = Rig::answering(rules, &[r#"{"jsonrpc":"2.0","id":0,"result":{}}"#, &answer]);
    rig.ask(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"Cline","version":"3"}}}"#);
    let cut = rig.call(1, "tool", json!({}));
    let as_json = serde_json::to_string(&first_text(&cut)).unwrap();
    assert!(as_json.chars().count() <= 7800, "{}", as_json.chars().count());
    let id = artifact_in(&first_text(&cut));
    let page = first_text(&rig.call(2, "get_artifact", json!({"id": id})));
    assert!(page.len() <= 7700 && page.contains("lines=\""), "{}", page.len());
    rig.end();
}

#[test]
fn resources_are_cut_where_the_rules_say_so() {
    let answer =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"contents": [{"uri": "file:///a.log", "text": log(3000)}]}});
    for resources in [false, true] {
        let mut rig = Rig::answering(Rules { resources, ..Rules::new() }, &[&answer.to_string()]);
        let read = rig.ask(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a.log"}}"#);
        let shown = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert_eq!(shown.contains("[offcut "), resources);
        assert_eq!(read["result"]["contents"][0]["uri"], "file:///a.log");
        rig.end();
    }
}

#[test]
fn a_result_of_twenty_megabytes_arrives_with_its_id_last() {
    let script = r#"IFS= read -r line
        printf '{"result":{"content":[{"type":"text","text":"first\\n'
        head -c 20971520 /dev/zero | tr '\0' 'x' | fold -w 100 | sed 's/$/\\n/' | tr -d '\n'
        printf 'last"}],"isError":false},"jsonrpc":"2.0","id":1}\n'
        IFS= read -r line"#;
    let mut rig = Rig::running(Rules::new(), script, "");
    let cut = rig.call(1, "tool", json!({}));
    let shown = first_text(&cut);
    assert!(shown.chars().count() <= 8000 && shown.contains("first") && shown.contains("last"), "{shown}");
    assert_eq!(cut["result"]["_meta"]["offcut/report"]["original_bytes"], 20_971_520 + 209_716 + 6 + 4);
    let id = artifact_in(&shown);
    let end = first_text(&rig.call(2, "get_artifact", json!({"id": id, "start_line": 209_718})));
    assert_eq!(end, "last");
    rig.end();
}

#[test]
fn batches_are_cut_message_by_message() {
    let batch = format!("[{},{}]", result(1, json!([text(&log(3000))])), result(2, json!([text("small")])));
    let mut rig = Rig::answering(Rules::new(), &[&batch]);
    let answers = rig.ask(
        r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}]"#,
    );
    let id = artifact_in(&first_text(&answers[0]));
    assert_eq!(first_text(&answers[1]), "small");
    // A call of our own tool leaves the batch, and the rest of it reaches the server.
    rig.send(&format!(
        r#"[{{"jsonrpc":"2.0","id":3,"method":"ping"}},{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"get_artifact","arguments":{{"id":"{id}","end_line":1}}}}}}]"#
    ));
    let own: Value = serde_json::from_str(&rig.line()).unwrap();
    assert_eq!(first_text(&own), "line 1: request 1 was served in 1 ms\n");
    assert_eq!(rig.heard()[1], r#"[{"jsonrpc":"2.0","id":3,"method":"ping"}]"#);
}

//! The server over a pipe.

use serde_json::{Value, json};

use crate::server_peer::{Bench, PATIENCE, Peer, stateless, text};

/// A command whose output is too long, with the one line that matters in the middle.
const LONG: &str = "seq 1 20000; echo 'error: disk /dev/sda1 is full'; seq 20001 40000";

#[tokio::test]
async fn every_revision_with_a_handshake_is_spoken() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let bench = Bench::new("auto");
        std::fs::write(bench.root().join("a.txt"), "one\ntwo\n").unwrap();
        let mut peer = bench.connect();
        let said = peer.initialize(asked, "test").await;
        assert_eq!(said["protocolVersion"], answered, "{asked}");
        assert_eq!(said["serverInfo"]["name"], "offcut");
        assert_eq!(said["capabilities"]["tools"], json!({}));

        assert_eq!(peer.ask(1, "ping", json!({})).await["result"], json!({}));
        let read = peer.call(2, "read", json!({ "path": "a.txt" })).await;
        assert_eq!(text(&read), "one\ntwo\n", "{asked}");
        assert_eq!(read.get("resultType"), None, "{asked}");
        peer.leave().await.unwrap();
    }
}

#[tokio::test]
async fn the_revision_without_a_handshake_is_spoken() {
    let bench = Bench::new("auto");
    let mut peer = bench.connect();
    let found = peer.ask(1, "server/discover", json!({ "_meta": stateless("test") })).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");

    let listed = peer.ask(2, "tools/list", json!({ "_meta": stateless("test") })).await;
    assert_eq!(listed["result"]["resultType"], "complete", "{listed}");
    let call = json!({ "name": "bash", "arguments": { "command": LONG }, "_meta": stateless("test") });
    let result = peer.ask(3, "tools/call", call).await["result"].clone();
    assert_eq!(result["resultType"], "complete");
    let id = result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap().to_owned();
    let again = json!({ "id": id, "start_line": 20001, "end_line": 20001 });
    let call = json!({ "name": "get_artifact", "arguments": again, "_meta": stateless("test") });
    let page = peer.ask(4, "tools/call", call).await["result"].clone();
    assert_eq!(text(&page), "error: disk /dev/sda1 is full\n");
    peer.leave().await.unwrap();
}

#[tokio::test]
async fn a_client_that_discovers_first_may_still_shake_hands() {
    let bench = Bench::new("auto");
    let mut peer = bench.connect();
    let found = peer.ask(1, "server/discover", json!({ "_meta": stateless("test") })).await;
    assert!(found.get("result").is_some(), "{found}");
    assert_eq!(peer.initialize("2025-06-18", "test").await["protocolVersion"], "2025-06-18");
    let other = peer.ask(2, "server/discover", json!({})).await;
    assert!(other.get("error").is_some(), "a discover without its metadata is answered too: {other}");
}

#[tokio::test]
async fn what_was_cut_is_one_call_away() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let result = peer.call(1, "bash", json!({ "command": LONG })).await;
    let shown = text(&result);
    let report = &result["_meta"]["offcut/report"];
    let id = report["artifact_handle"].as_str().unwrap();
    assert!(shown.chars().count() <= 8000 && shown.contains("error: disk /dev/sda1 is full"), "{shown}");
    assert!(shown.lines().next().unwrap().contains(id), "the handle stands in the first line: {shown}");
    assert!(shown.contains(&format!("get_artifact(id=\"{id}\", lines=\"FROM-TO\")")), "{shown}");
    assert_eq!((&report["was_truncated"], &result["isError"]), (&json!(true), &json!(false)));
    assert_eq!(result.get("structuredContent"), None);

    let lines = peer.call(2, "get_artifact", json!({ "id": id, "lines": "5000-5002" })).await;
    assert_eq!(text(&lines), "5000\n5001\n5002\n");
    let found = peer.call(3, "get_artifact", json!({ "id": id, "pattern": "disk" })).await;
    assert!(text(&found).starts_with("20001:"), "{found}");
    let whole = peer.call(4, "get_artifact", json!({ "id": id })).await;
    assert!(text(&whole).chars().count() <= 16_000 && text(&whole).contains("lines=\""), "{whole}");
}

#[tokio::test]
async fn an_artifact_that_cannot_be_read_says_why_and_what_would_be_right() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let result = peer.call(1, "bash", json!({ "command": LONG })).await;
    let id = result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap().to_owned();
    let mut seen = Vec::new();
    for (arguments, words) in [
        (json!({ "id": "art_1_gone" }), "this is final, do not retry"),
        (json!({ "id": "../../etc/passwd" }), "is not an artifact id"),
        (json!({ "id": id, "start_line": 5, "query": "$" }), "cannot be used together"),
        (json!({ "id": id, "start_line": 90_000 }), "bad range"),
        (json!({ "id": id, "pattern": "(" }), "bad pattern"),
        (json!({ "id": id, "query": "$.a" }), "not JSON"),
        (json!({ "id": id, "line": 5 }), "unknown field `line`"),
        (json!({ "id": id, "lines": "five" }), "is not a range"),
        (json!({ "id": id, "lines": "1-5", "start_line": 5 }), "`lines` and `start_line`"),
        (json!({}), "missing field `id`"),
    ] {
        let result = peer.call(2, "get_artifact", arguments.clone()).await;
        assert_eq!(result["isError"], true, "{arguments}");
        assert!(text(&result).contains(words), "{arguments}: {}", text(&result));
        assert!(!seen.contains(&text(&result).to_owned()));
        seen.push(text(&result).to_owned());
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_what_it_started() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let command = "echo $$ > pid.new; mv pid.new pid; sleep 300 & wait";
    let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
                       "params": { "name": "bash", "arguments": { "command": command } } });
    peer.send(&call.to_string()).await;
    let pid = bench.root().join("pid");
    until(|| pid.exists()).await;
    let pid = std::fs::read_to_string(pid).unwrap().trim().to_owned();
    let group = format!("/proc/{pid}");
    assert!(std::path::Path::new(&group).exists());

    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,"reason":"enough"}}"#)
        .await;
    until(|| !std::path::Path::new(&group).exists()).await;
    // The connection goes on, and nothing is said about what was cancelled.
    let pong = peer.ask(10, "ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
    assert!(peer.told.iter().all(|message| message.get("id").is_none()), "{:?}", peer.told);
}

#[tokio::test]
async fn a_client_that_goes_ends_what_its_calls_started() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let command = "echo $$ > pid.new; mv pid.new pid; sleep 300";
    let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
                       "params": { "name": "bash", "arguments": { "command": command } } });
    peer.send(&call.to_string()).await;
    let pid = bench.root().join("pid");
    until(|| pid.exists()).await;
    let group = format!("/proc/{}", std::fs::read_to_string(pid).unwrap().trim());
    peer.leave().await.unwrap();
    until(|| !std::path::Path::new(&group).exists()).await;
}

#[tokio::test]
async fn a_long_call_tells_that_it_is_under_way() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let params = json!({ "name": "bash", "arguments": { "command": "sleep 3; echo done" },
                         "_meta": { "progressToken": "p1" } });
    let answer = peer.ask(1, "tools/call", params).await;
    assert_eq!(text(&answer["result"]), "done\n");
    let progress: Vec<f64> = peer
        .told
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| {
            assert_eq!(message["params"]["progressToken"], "p1");
            message["params"]["progress"].as_f64().unwrap()
        })
        .collect();
    assert!(!progress.is_empty() && progress.is_sorted_by(|a, b| a < b), "{progress:?}");
}

#[tokio::test]
async fn what_makes_no_sense_is_answered_and_the_connection_goes_on() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    peer.send("{\"jsonrpc\": oops").await;
    assert_eq!(peer.next().await["error"]["code"], -32700);
    peer.send("").await;
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/nobody/knows"}"#).await;
    let code = |answer: Value| answer["error"]["code"].clone();
    assert_eq!(code(peer.ask(1, "no/such", json!({})).await), -32601);
    assert_eq!(code(peer.ask(2, "tools/call", json!({ "name": "rm" })).await), -32602);
    assert_eq!(code(peer.ask(3, "tools/call", json!({ "name": 5 })).await), -32602);
    assert_eq!(code(peer.ask(4, "tools/list", json!({ "cursor": "x" })).await), -32602);
    assert_eq!(code(peer.ask(5, "resources/list", json!({ "cursor": "x" })).await), -32602);
    assert_eq!(code(peer.ask(6, "resources/read", json!({ "uri": "file:///etc/passwd" })).await), -32002);
    let refused = peer.call(7, "read", json!({})).await;
    assert!(refused["isError"] == true && text(&refused).contains("path"), "{refused}");
    assert_eq!(peer.ask(8, "ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn a_large_argument_arrives_and_one_that_is_too_large_is_refused_under_its_id() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let large = "x".repeat(5 << 20);
    let result = peer.call(1, "bash", json!({ "command": format!("# {large}\necho arrived") })).await;
    // A shell may refuse so long a command, but the call is answered.
    assert!(!text(&result).is_empty());

    let call = json!({ "jsonrpc": "2.0", "id": "big", "method": "tools/call",
                       "params": { "name": "grep", "arguments": { "pattern": "x".repeat(17 << 20) } } });
    peer.send(&call.to_string()).await;
    let refused = peer.answer("big").await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(peer.ask(2, "ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn the_definitions_of_all_eight_tools_take_2600_bytes_at_most() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let listed = peer.ask(1, "tools/list", json!({})).await;
    let sent = listed["result"]["tools"].to_string();
    assert!(sent.len() <= 2600, "{} bytes", sent.len());
}

#[tokio::test]
async fn artifacts_are_resources_of_their_own_session_alone() {
    let bench = Bench::new("auto");
    let (mut first, mut second) = (bench.client("test").await, bench.client("test").await);
    let result = first.call(1, "bash", json!({ "command": LONG })).await;
    let id = result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap().to_owned();
    assert!(first.told.iter().any(|message| message["method"] == "notifications/resources/list_changed"));
    let uri = format!("offcut://artifact/{id}");

    let resources = |answer: Value| answer["result"]["resources"].as_array().unwrap().clone();
    let listed = resources(first.ask(2, "resources/list", json!({})).await);
    assert_eq!((listed.len(), &listed[0]["uri"], &listed[0]["name"]), (1, &json!(uri), &json!(id)));
    let read = first.ask(3, "resources/read", json!({ "uri": format!("{uri}?start_line=7&end_line=8") })).await;
    assert_eq!(read["result"]["contents"][0]["text"], "7\n8\n");
    let templates = first.ask(4, "resources/templates/list", json!({})).await;
    assert!(
        templates["result"]["resourceTemplates"][0]["uriTemplate"]
            .as_str()
            .unwrap()
            .starts_with("offcut://artifact/{id}")
    );

    assert_eq!(resources(second.ask(2, "resources/list", json!({})).await), Vec::<Value>::new());
    assert_eq!(second.ask(3, "resources/read", json!({ "uri": uri })).await["error"]["code"], -32002);
    let refused = second.call(4, "get_artifact", json!({ "id": id })).await;
    assert!(refused["isError"] == true && text(&refused).contains("belongs to another session"), "{refused}");
}

#[tokio::test]
async fn a_named_session_is_found_again() {
    let mut bench = Bench::new("auto");
    bench.server = bench.server.clone().in_session("mine").unwrap();
    let mut peer = bench.client("test").await;
    let result = peer.call(1, "bash", json!({ "command": LONG })).await;
    let id = result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap().to_owned();
    peer.leave().await.unwrap();
    let mut peer = bench.client("test").await;
    let again = peer.call(1, "get_artifact", json!({ "id": id, "start_line": 1, "end_line": 1 })).await;
    assert_eq!(text(&again), "1\n");
}

#[tokio::test]
async fn no_client_gets_more_than_it_shows_its_model() {
    let bench = Bench::new("paged");
    for (name, bytes) in [("Cline", 7700), ("github-copilot-developer", 20_000), ("test", 32_000)] {
        let mut peer = bench.client(name).await;
        let result = peer.call(1, "bash", json!({ "command": LONG })).await;
        let shown = text(&result).len();
        assert!(shown <= bytes && shown > bytes / 4, "{name}: {shown}");
        let uri = peer.ask(2, "resources/list", json!({})).await["result"]["resources"][0]["uri"].clone();
        let id = uri.as_str().unwrap().trim_start_matches("offcut://artifact/").to_owned();
        let page = peer.call(3, "get_artifact", json!({ "id": id })).await;
        assert!(text(&page).len() <= bytes.max(if name == "test" { 50_000 } else { 0 }), "{name}");
    }
}

#[tokio::test]
async fn a_client_hears_of_cuts_where_it_asks_to_and_never_of_what_was_in_them() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    peer.call(1, "bash", json!({ "command": LONG })).await;
    assert!(!logged(&peer).any(|_| true));
    assert_eq!(peer.ask(2, "logging/setLevel", json!({ "level": "info" })).await["result"], json!({}));
    peer.call(3, "bash", json!({ "command": LONG })).await;
    let told: Vec<&Value> = logged(&peer).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["params"]["data"]["tool"], "bash");
    assert!(!told[0].to_string().contains("/dev/sda1"));
}

fn logged(peer: &Peer) -> impl Iterator<Item = &Value> {
    peer.told.iter().filter(|message| message["method"] == "notifications/message")
}

#[tokio::test]
async fn questions_are_offered_from_the_start_and_the_list_never_changes() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let names = |listed: Value| -> Vec<String> {
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let before = names(peer.ask(1, "tools/list", json!({})).await);
    assert!(before.ends_with(&["tool_output".into(), "get_task_trace".into()]), "{before:?}");
    for (tool, arguments) in [
        ("get_artifact", json!({ "id": "art_1700000000000_0123456789abcdef" })),
        ("tool_output", json!({ "handle": "art_1700000000000_0123456789abcdef", "extract": "errors" })),
    ] {
        let nothing = peer.call(10, tool, arguments).await;
        assert!(
            nothing["isError"] == true && text(&nothing).contains("nothing is stored for this session"),
            "{nothing}"
        );
    }
    let result = peer.call(2, "bash", json!({ "command": LONG })).await;
    peer.call(3, "bash", json!({ "command": LONG })).await;
    let changes = peer.told.iter().filter(|message| message["method"] == "notifications/tools/list_changed").count();
    assert_eq!(changes, 0, "{:?}", peer.told);
    assert_eq!(names(peer.ask(4, "tools/list", json!({})).await), before);

    let id = result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap();
    let answer = peer.call(5, "tool_output", json!({ "handle": id, "extract": "which disk is full?" })).await;
    let head = format!("ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:search:\n\n");
    assert!(text(&answer).starts_with(&head) && text(&answer).contains("/dev/sda1"), "{answer}");
    let refused = peer.call(6, "tool_output", json!({ "handle": id })).await;
    assert!(refused["isError"] == true && text(&refused).contains("`extract` is missing"), "{refused}");

    let trace = peer.call(7, "get_task_trace", json!({ "traceId": id })).await;
    assert!(text(&trace).starts_with("1\n2\n3\n"), "{trace}");
    let refused = peer.call(8, "get_task_trace", json!({ "traceId": "t-1" })).await;
    assert!(refused["isError"] == true && text(&refused).contains("TRACE_NOT_FOUND"), "{refused}");
}

#[tokio::test]
async fn all_artifacts_of_the_clients_session_are_searched_and_no_others() {
    let bench = Bench::new("auto");
    let (mut first, mut second) = (bench.client("test").await, bench.client("test").await);
    first.call(1, "bash", json!({ "command": "seq 1 50000" })).await;
    first.call(2, "bash", json!({ "command": LONG })).await;
    let arguments = json!({ "handle": "all", "extract": "which disk is full?" });
    let answer = first.call(3, "tool_output", arguments.clone()).await;
    assert!(text(&answer).starts_with("ABSTRACT FROM TOOL OUTPUT all WITH HANDLE all, STRATEGY:search:"), "{answer}");
    assert!(text(&answer).contains("error: disk /dev/sda1 is full"), "{answer}");
    assert!(text(&answer).contains(" of 1 of 2 artifacts, best first."), "{answer}");
    let answer = second.call(4, "tool_output", arguments).await;
    assert!(text(&answer).ends_with("The session has no artifacts."), "{answer}");
}

#[tokio::test]
async fn a_client_that_offers_its_model_is_asked() {
    let bench = Bench::new("auto");
    let mut peer = bench.connect();
    peer.initialize_with("2025-11-25", "test", json!({ "sampling": {} })).await;
    let result = peer.call(1, "bash", json!({ "command": LONG })).await;
    let id = result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap();
    let arguments = json!({ "handle": id, "extract": "which disk is full?", "mode": "full-chunked" });
    let params = json!({ "name": "tool_output", "arguments": arguments });
    peer.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string()).await;
    let mut asked = 0;
    let answer = loop {
        let message = peer.next().await;
        if message["id"] == 2 && message.get("method").is_none() {
            break message;
        }
        if message["method"] != "sampling/createMessage" {
            continue;
        }
        asked += 1;
        let prompt = message["params"].to_string();
        let nonce = prompt.split("<ai-agent-").nth(1).and_then(|rest| rest.split("-FINAL").next()).unwrap().to_owned();
        let said = format!("<ai-agent-{nonce}-FINAL format=\"text\">it is /dev/sda1</ai-agent-{nonce}-FINAL>");
        let content = json!({ "type": "text", "text": said });
        let result = json!({ "role": "assistant", "content": content, "model": "m", "stopReason": "endTurn" });
        peer.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()).await;
    };
    let result = &answer["result"];
    assert!(asked > 0 && text(result).contains("STRATEGY:full-chunked"), "{answer}");
    assert!(text(result).contains("it is /dev/sda1"), "{answer}");
}

#[tokio::test]
async fn a_client_without_a_handshake_hears_of_changes_where_it_listens() {
    let bench = Bench::new("auto");
    let mut peer = bench.connect();
    let wanted = json!({ "resourcesListChanged": true });
    let params = json!({ "notifications": wanted, "_meta": stateless("test") });
    peer.send(&json!({ "jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params }).to_string())
        .await;
    assert_eq!(peer.next().await["method"], "notifications/subscriptions/acknowledged");
    let call = json!({ "name": "bash", "arguments": { "command": LONG }, "_meta": stateless("test") });
    peer.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call }).to_string()).await;
    let (mut changed, mut answered) = (false, false);
    while !(changed && answered) {
        let message = peer.next().await;
        answered |= message["id"] == 1;
        changed |= message["method"] == "notifications/resources/list_changed";
        assert_ne!(message["method"], "notifications/tools/list_changed", "the list never changes");
        if message["method"] == "notifications/resources/list_changed" {
            assert_eq!(message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "l");
        }
    }
}

/// Waits until something is so.
async fn until(mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it never came to be");
}

#[tokio::test]
async fn a_query_that_is_a_select_counts_groups_and_sorts() {
    let bench = Bench::new("auto");
    let mut peer = bench.client("test").await;
    let lines = "for n in $(seq 1 3000); do echo \"{\\\"n\\\":$n,\\\"level\\\":\\\"l$((n % 3))\\\"}\"; done";
    let kept = peer.call(1, "bash", json!({ "command": lines })).await;
    let id = kept["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap_or_else(|| panic!("{kept}")).to_owned();
    let sql = "SELECT level, count(*), max(n) FROM rows WHERE n > 10 GROUP BY level ORDER BY max(n) DESC LIMIT 2";
    let found = peer.call(2, "get_artifact", json!({ "id": id, "query": sql })).await;
    assert_eq!(
        text(&found),
        "level\tcount\tmax(n)\nl0\t997\t3000\nl2\t997\t2999\n\
         [2 of 3 groups of 2990 records that match, of 3000, the greatest first]\n"
    );
    let many = "SELECT * FROM rows LIMIT 3000";
    let page = text(&peer.call(3, "get_artifact", json!({ "id": id, "query": many })).await).to_owned();
    assert!(page.chars().count() <= 16_000 && page.contains("of these rows fit here"), "{page}");
    let refused = peer.call(4, "get_artifact", json!({ "id": id, "query": "SELECT level, count(*) FROM rows" })).await;
    assert!(refused["isError"] == true && text(&refused).contains("GROUP BY"), "{refused}");
    let two = peer.call(5, "get_artifact", json!({ "id": id, "query": sql, "start_line": 1 })).await;
    assert_eq!(two["isError"], true);
    peer.leave().await.unwrap();
}

//! `tool_output` over HTTP, answered by the client's own model.

use offcut_http::AccessPolicy;
use offcut_mcp::wrap::ServerCommand;
use serde_json::{Value, json};

use super::http::{answer, call, client, hello, listening, post, proxy, upstream, wrap};
use super::rig::{artifact_in, first_text, log, result, text};

/// Asks over HTTP, answers what the client's model is asked meanwhile, and returns the messages that came.
async fn answering_as_a_model(url: &str, session: &str, request: &Value) -> Vec<Value> {
    let ask = |body: String| {
        let asked = client().post(url).header("mcp-session-id", session).body(body);
        asked.header("accept", "application/json, text/event-stream").send()
    };
    let mut response = ask(request.to_string()).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let (mut read, mut messages) = (Vec::new(), Vec::<Value>::new());
    while let Some(chunk) = response.chunk().await.unwrap() {
        read.extend_from_slice(&chunk);
        while let Some(end) = read.windows(2).position(|pair| pair == b"\n\n") {
            let event = String::from_utf8(read.drain(..end + 2).collect()).unwrap();
            let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            let message: Value = serde_json::from_str(data).unwrap();
            if message["method"] == "sampling/createMessage" {
                let prompt = message["params"].to_string();
                let nonce = prompt.split("ai-agent-").nth(1).unwrap().split("-FINAL").next().unwrap();
                let said = format!("<ai-agent-{nonce}-FINAL format=\"text\">It is full.</ai-agent-{nonce}-FINAL>");
                let content = json!({"type": "text", "text": said});
                let result = json!({"role": "assistant", "model": "m", "content": content});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                assert_eq!(ask(answer.to_string()).await.unwrap().status(), 202);
            }
            messages.push(message);
        }
    }
    messages
}

const OFFERS_ITS_MODEL: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"sampling":{}},"clientInfo":{"name":"t"}}}"#;

fn question(id: u64, handle: &str) -> Value {
    call(id, "tool_output", json!({"handle": handle, "extract": "what of the disk?", "mode": "full-chunked"}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_behind_a_proxy_is_asked_by_tool_output() {
    let (address, heard) = upstream(|asked| {
        let request = asked.json();
        match request["method"].as_str().unwrap_or_default() {
            "initialize" => hello(&request["id"]),
            _ => {
                let large = result(request["id"].as_u64().unwrap(), json!([text(&log(5000))]));
                answer("text/event-stream", format!("data: {large}\n\n"))
            }
        }
    })
    .await;
    let url = format!("http://{}/mcp", proxy(address).await);
    let greeted = client().post(&url).body(OFFERS_ITS_MODEL).send().await.unwrap();
    assert_eq!(greeted.headers()["mcp-session-id"], "s1");
    let greeted: Value = serde_json::from_str(&greeted.text().await.unwrap()).unwrap();
    assert!(greeted["result"]["capabilities"]["tools"].is_object(), "{greeted}");

    let messages = answering_as_a_model(&url, "s1", &call(1, "show", json!({}))).await;
    let id = artifact_in(&first_text(&messages[0]));
    let messages = answering_as_a_model(&url, "s1", &question(2, &id)).await;
    let (answered, asked) = messages.split_last().unwrap();
    assert!(!asked.is_empty() && asked.iter().all(|message| message["method"] == "sampling/createMessage"));
    assert!(first_text(answered).contains("STRATEGY:full-chunked:\n\nIt is full."), "{answered}");

    // One that takes no stream cannot be asked, nor one that offers nothing.
    let plain = client().post(&url).header("mcp-session-id", "s1").body(question(3, &id).to_string());
    let plain: Value = serde_json::from_str(&plain.send().await.unwrap().text().await.unwrap()).unwrap();
    assert!(!first_text(&plain).contains("It is full."), "{plain}");
    // The server heard nothing of all that.
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2, "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_before_it_answers_is_not_waited_for() {
    let (address, _) = upstream(|asked| {
        let request = asked.json();
        match request["method"].as_str().unwrap_or_default() {
            "initialize" => hello(&request["id"]),
            _ => answer("application/json", result(request["id"].as_u64().unwrap(), json!([text(&log(5000))]))),
        }
    })
    .await;
    let at = proxy(address).await;
    let url = format!("http://{at}/mcp");
    client().post(&url).body(OFFERS_ITS_MODEL).send().await.unwrap();
    let id = artifact_in(&first_text(&post(at, "s1", &call(1, "show", json!({}))).await));
    let asked = client().post(&url).header("mcp-session-id", "s1").header("accept", "text/event-stream");
    let mut response = asked.body(question(2, &id).to_string()).send().await.unwrap();
    let first = response.chunk().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("sampling/createMessage"));
    drop(response);
    // What it was asked is answered too late; nobody minds.
    let late = json!({"jsonrpc": "2.0", "id": "offcut-none", "result": {}});
    client().post(&url).header("mcp-session-id", "s1").body(late.to_string()).send().await.unwrap();
    assert!(
        first_text(&post(at, "s1", &call(3, "get_artifact", json!({"id": id, "end_line": 1}))).await)
            .starts_with("line 1")
    );
}

/// Answers the handshake, and everything else by what is in the file `large`.
const LARGE_ON_PIPES: &str = r#"while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"method":"notifications/'*) ;;
        *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{}}}\n' "$id" ;;
        *) printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"; cat large; printf '}\n' ;;
    esac
done"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_a_server_on_pipes_is_asked_over_http_too() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("large"), json!({"content": [text(&log(5000))]}).to_string()).unwrap();
    let mut command = ServerCommand::new(&["sh".into(), "-c".into(), LARGE_ON_PIPES.into()]).unwrap();
    command.directory = Some(directory.path().to_owned());
    let url = format!("http://{}/mcp", listening(wrap().bridge(command, AccessPolicy::local())).await);
    let greeted = client().post(&url).body(OFFERS_ITS_MODEL).send().await.unwrap();
    let session = greeted.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let shown = answering_as_a_model(&url, &session, &call(1, "x", json!({}))).await;
    let id = artifact_in(&first_text(shown.last().unwrap()));
    let messages = answering_as_a_model(&url, &session, &question(2, &id)).await;
    let answered = messages.last().unwrap();
    assert!(messages.len() > 1 && first_text(answered).contains("It is full."), "{messages:?}");
    client().delete(&url).header("mcp-session-id", &session).send().await.unwrap();
}

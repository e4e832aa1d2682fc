//! What is cut and shortened, and that it is the same every turn.

use offcut::Offcut;
use offcut_retain::{Mode, RecallChannel};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::bench::{Upstream, post, proxy, proxy_with, told};

/// 300 KB of a build's output with one error in the middle.
fn large() -> String {
    let mut text: String =
        (0..3000).map(|n| format!("[{n}/6000] Building CXX object src/part_{n}.cc.o with flags\n")).collect();
    text.push_str("src/part_3000.cc:12:5: error: use of undeclared identifier 'lost'\n");
    text.extend((3000..6000).map(|n| format!("[{n}/6000] Building CXX object src/part_{n}.cc.o with flags\n")));
    text
}

fn anthropic(results: &[&str]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "build it"})];
    for (turn, result) in results.iter().enumerate() {
        let id = format!("toolu_{turn}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("make {turn}")}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": result, "cache_control": {"type": "ephemeral"}});
        messages.push(json!({"role": "user", "content": [block]}));
    }
    json!({"model": "claude-sonnet-4-5", "stream": true, "tools": [{"name": "Bash"}], "messages": messages})
}

fn chat(results: &[&str]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "build it"})];
    for (turn, result) in results.iter().enumerate() {
        let id = format!("call_{turn}");
        let call =
            json!({"id": id, "type": "function", "function": {"name": "shell", "arguments": format!("make {turn}")}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
    }
    json!({"model": "gpt-5", "tools": [{"type": "function", "function": {"name": "shell"}}], "messages": messages})
}

fn responses(results: &[&str]) -> Value {
    let mut input = vec![json!({"role": "user", "content": "build it"})];
    for (turn, result) in results.iter().enumerate() {
        let id = format!("call_{turn}");
        input.push(
            json!({"type": "function_call", "call_id": id, "name": "shell", "arguments": format!("make {turn}")}),
        );
        input.push(json!({"type": "function_call_output", "call_id": id, "output": result}));
    }
    json!({"model": "gpt-5", "tools": [{"type": "function", "name": "shell"}], "input": input})
}

fn gemini(results: &[&str]) -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": "build it"}]})];
    for (turn, result) in results.iter().enumerate() {
        let id = format!("call_{turn}");
        let call = json!({"functionCall": {"id": id, "name": "shell", "args": {"command": format!("make {turn}")}}});
        contents.push(json!({"role": "model", "parts": [call]}));
        let response = json!({"functionResponse": {"id": id, "name": "shell", "response": {"output": result}}});
        contents.push(json!({"role": "user", "parts": [response]}));
    }
    json!({"tools": [{"functionDeclarations": [{"name": "shell"}]}], "contents": contents})
}

/// The first result of a body.
fn first(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap();
    let found = [
        "/messages/2/content/0/content",
        "/messages/2/content",
        "/input/2/output",
        "/contents/2/parts/0/functionResponse/response/output",
    ]
    .iter()
    .find_map(|path| body.pointer(path).and_then(Value::as_str));
    found.unwrap().to_owned()
}

/// Makes a body of one shape with these results.
type Shape = fn(&[&str]) -> Value;

#[tokio::test]
async fn a_large_result_is_cut_to_the_same_bytes_every_turn_and_after_a_restart() {
    let kinds: [(&str, Shape); 4] = [
        ("/v1/messages", anthropic),
        ("/v1/chat/completions", chat),
        ("/v1/responses", responses),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", gemini),
    ];
    for (path, body) in kinds {
        let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
        let url = proxy(&upstream.url, store.path()).await;
        let large = large();
        let mut talk = vec![large.as_str()];
        let answer = post(&url, path, body(&talk).to_string()).await;
        assert!(told(&answer).starts_with("changed; cut=1; shortened=0; "), "{}", told(&answer));
        let cut = first(&upstream.last());
        assert!(cut.chars().count() <= 8000 && cut.contains("undeclared identifier 'lost'"), "{cut}");
        talk.push("ok");
        post(&url, path, body(&talk).to_string()).await;
        assert_eq!(first(&upstream.last()), cut, "{path}: the next turn");
        let again = proxy(&upstream.url, store.path()).await;
        post(&again, path, body(&talk).to_string()).await;
        assert_eq!(first(&upstream.last()), cut, "{path}: after a restart");
        // Everything but that one string is as it was.
        let expected = body(&talk).to_string().replacen(&json!(large).to_string(), &json!(cut).to_string(), 1);
        assert_eq!(upstream.last(), expected.as_bytes(), "{path}");
        // And the whole is there, under the id that the model was told.
        let offcut = Offcut::builder().store(store.path()).build().unwrap();
        let kept = offcut.recall().list().unwrap();
        assert_eq!(kept.len(), 1);
        assert!(cut.contains(&format!("offcut show {} FROM-TO ", offcut.recall().handle(&kept[0].id))), "{cut}");
        assert_eq!(offcut.recall().whole(kept[0].id.as_str()).unwrap(), large);
    }
}

#[tokio::test]
async fn a_notice_names_the_tool_that_the_request_declares() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let mut body = anthropic(&[&large()]);
    body["tools"] = json!([{"name": "mcp__offcut__get_artifact"}]);
    post(&url, "/v1/messages", body.to_string()).await;
    let cut = first(&upstream.last());
    assert!(cut.contains("mcp__offcut__get_artifact(id=\"") && !cut.contains("offcut show"), "{cut}");
}

#[tokio::test]
async fn old_results_are_shortened_and_stay_so() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy_with(&upstream.url, store.path(), |options| {
        options.retain.mode = Mode::Window;
        options.retain.channel = RecallChannel::Declared(" --session default --store x".to_owned());
    })
    .await;
    let medium: String = (1..=60).map(|n| format!("line {n}\n")).collect();
    let mut talk = vec![medium.as_str(), "b", "c"];
    let answer = post(&url, "/v1/messages", anthropic(&talk).to_string()).await;
    assert!(told(&answer).starts_with("changed; cut=0; shortened=1; "), "{}", told(&answer));
    let short = first(&upstream.last());
    let notice = "line 1\nline 2\nline 3\n[TRUNCATED — full output in offcut trace art_";
    assert!(short.starts_with(notice) && short.ends_with(" --session default --store x]"), "{short}");
    talk.push("d");
    post(&url, "/v1/messages", anthropic(&talk).to_string()).await;
    assert_eq!(first(&upstream.last()), short);
}

#[tokio::test]
async fn each_key_has_a_session_of_its_own_where_that_is_wanted() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy_with(&upstream.url, store.path(), |options| options.session_per_key = true).await;
    let body = anthropic(&[&large()]).to_string();
    let mut texts = Vec::new();
    for key in ["sk-one", "sk-two", "sk-one"] {
        let request =
            crate::bench::client().post(format!("{url}/v1/messages")).header("x-api-key", key).body(body.clone());
        request.send().await.unwrap();
        texts.push(first(&upstream.last()));
    }
    assert_eq!(texts[0], texts[2]);
    assert_ne!(texts[0], texts[1]);
    let sessions = std::fs::read_dir(store.path()).unwrap().flatten();
    let names: Vec<String> = sessions.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("key-") || name.contains("key-")).count(), 2, "{names:?}");
    assert!(!names.iter().any(|name| name.contains("sk-")));
}

#[tokio::test]
async fn a_store_that_cannot_be_written_leaves_the_request_as_it_was() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let file = store.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let offcut = Offcut::builder().store(file.join("artifacts")).build().unwrap();
    let upstreams = offcut_serve::Upstreams::new(&upstream.url, &upstream.url).unwrap();
    let options = offcut_serve::ProxyOptions { upstreams, ..offcut_serve::ProxyOptions::default() };
    let proxy = offcut_serve::Proxy::new(offcut, options).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, offcut_serve::router(proxy)).await });
    let body = anthropic(&[&large()]).to_string();
    let answer = post(&url, "/v1/messages", body.clone()).await;
    assert!(
        told(&answer).starts_with("unchanged; reason=\"it is too large, but it could not be kept"),
        "{}",
        told(&answer)
    );
    assert_eq!(upstream.last(), body.as_bytes());
}

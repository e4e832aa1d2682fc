//! A secret in what a tool wrote never reaches the upstream, whatever becomes of the request otherwise.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::bench::{Upstream, client, post, proxy, proxy_with, told};

const SECRET: &str = "sk-ant-api03-Rk7mQ2xZpL9vT4wYc8NbHs5JdF1gKe6UoXi3AaMzPqVtEyWrSuBhCjDlGnOfIx0w2T4v6Y8z1B3d5F7h9J0kLmNpQrStUvWxYzAA-Ab12CdQw";

fn result(content: Value) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": content}]})
}

/// Bodies in which a tool has written the secret, by the path that they are sent to.
fn bodies() -> Vec<(&'static str, Value)> {
    let text = format!("first line\nKEY={SECRET}\nlast line");
    let anthropic = |content: Value| json!({"model": "m", "messages": [{"role": "user", "content": "go"}, content]});
    let responses = |item: Value| json!({"model": "m", "input": [{"role": "user", "content": "go"}, item]});
    vec![
        ("/v1/messages", anthropic(result(json!(text)))),
        ("/v1/messages", anthropic(result(json!([{"type": "text", "text": text}])))),
        (
            "/v1/messages",
            anthropic(result(json!([{"type": "document", "title": "t",
                "source": {"type": "text", "media_type": "text/plain", "data": text}}]))),
        ),
        (
            "/v1/messages",
            anthropic(result(
                json!([{"type": "search_result", "source": format!("https://x/?key={SECRET}"), "title": "t",
                "content": [{"type": "text", "text": text}]}]),
            )),
        ),
        (
            "/v1/messages/count_tokens",
            anthropic(json!({"role": "user", "content": [{"type": "document",
                "source": {"type": "content", "content": [{"type": "text", "text": text}]}}]})),
        ),
        (
            "/v1/messages",
            anthropic(json!({"role": "assistant", "content": [{"type": "mcp_tool_result", "tool_use_id": "t",
                "content": [{"type": "text", "text": text}]}]})),
        ),
        ("/v1/chat/completions", json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": text}]})),
        (
            "/v1/chat/completions",
            json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": [{"type": "other", "body": text}]}]}),
        ),
        ("/v1/responses", responses(json!({"type": "mcp_call", "id": "mcp_1", "name": "n", "output": text}))),
        ("/v1/responses", responses(json!({"type": "mcp_call", "id": "mcp_1", "error": {"message": text}}))),
        (
            "/v1/responses",
            responses(json!({"type": "file_search_call", "id": "fs", "results": [{"file_id": "f", "text": text}]})),
        ),
        (
            "/v1/responses",
            responses(
                json!({"type": "code_interpreter_call", "id": "ci", "outputs": [{"type": "logs", "logs": text}]}),
            ),
        ),
        ("/v1/responses", responses(json!({"type": "function_call_output", "call_id": "c", "output": {"odd": text}}))),
    ]
}

#[tokio::test]
async fn every_place_in_which_a_tool_has_written_is_looked_into() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    for (path, body) in bodies() {
        let answer = post(&url, path, body.to_string()).await;
        assert_eq!(answer.status(), 200, "{body}");
        assert!(told(&answer).starts_with("changed; "), "{} for {body}", told(&answer));
        let got = String::from_utf8(upstream.last().to_vec()).unwrap();
        assert!(!got.contains(SECRET) && got.contains("[REDACTED: "), "{got}");
        let got: Value = serde_json::from_str(&got).unwrap();
        assert_eq!(got["model"], body["model"]);
    }
}

#[tokio::test]
async fn what_people_and_models_wrote_stays() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let body = json!({"system": format!("use {SECRET}"), "messages": [
        {"role": "user", "content": format!("log in with {SECRET}")},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": SECRET}]},
    ]})
    .to_string();
    let answer = post(&url, "/v1/messages", body.clone()).await;
    assert_eq!(told(&answer), "unchanged");
    assert_eq!(upstream.last(), body.as_bytes());
}

#[tokio::test]
async fn a_batch_is_redacted_where_tools_have_written() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let asked = format!("log in with {SECRET}");
    let messages = json!([{"role": "user", "content": asked}, result(json!(format!("KEY={SECRET}")))]);
    let body = json!({"requests": [{"custom_id": "a", "params": {"model": "m", "messages": messages}}]});
    let answer = post(&url, "/v1/messages/batches", body.to_string()).await;
    assert!(told(&answer).ends_with("; redacted=1"), "{}", told(&answer));
    let got: Value = serde_json::from_slice(&upstream.last()).unwrap();
    let messages = &got["requests"][0]["params"]["messages"];
    assert_eq!(messages[0]["content"], asked);
    let written = messages[1]["content"][0]["content"].as_str().unwrap();
    assert!(written.starts_with("KEY=[REDACTED: "), "{written}");
}

#[tokio::test]
async fn json_of_any_other_shape_goes_on_without_its_secrets() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let send = |path: &str, body: String| {
        client().post(format!("{url}{path}")).header("content-type", "application/json").body(body).send()
    };
    let text = format!("first line\nKEY={SECRET}\nlast line");
    for (path, body) in [
        ("/v1/completions", json!({"prompt": text})),
        ("/v1/threads/t/runs/r/submit_tool_outputs", json!({"tool_outputs": [{"tool_call_id": "c", "output": text}]})),
        ("/v1/messages/batches", json!({"requests": [{"messages": text}]})),
        ("/v1/embeddings", json!([[[text]]])),
    ] {
        let answer = send(path, body.to_string()).await.unwrap();
        assert!(told(&answer).ends_with("; redacted=1"), "{} for {body}", told(&answer));
        let got = String::from_utf8(upstream.last().to_vec()).unwrap();
        assert!(!got.contains(SECRET) && serde_json::from_str::<Value>(&got).is_ok(), "{got}");
    }
    let odd = "{ \"input\" :\t[1, 2.50, \"\\u0041\"] ,\n\"n\":1e400}";
    assert_eq!(told(&send("/v1/embeddings", odd.to_owned()).await.unwrap()), "unchanged");
    assert_eq!(upstream.last(), odd.as_bytes());
}

#[tokio::test]
async fn a_request_that_cannot_be_treated_goes_on_without_its_secrets() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let hurried = proxy_with(&upstream.url, store.path(), |options| options.patience = Duration::ZERO).await;
    let small = proxy_with(&upstream.url, store.path(), |options| options.largest_body = 200).await;
    let plain = proxy(&upstream.url, store.path()).await;
    let deep = |path: &'static str, key: &str| {
        let (open, close) = ("[".repeat(600), "]".repeat(600));
        (path, format!("{{\"{key}\":[{{\"role\":\"tool\",\"x\":{open}\"a\\n{SECRET}\"{close}}}]}}"))
    };
    let mut sent: Vec<(&str, &str, String, &str)> = Vec::new();
    for (path, body) in bodies() {
        sent.push((&small, path, body.to_string(), "the body has more than 200 bytes"));
    }
    let long = format!("{}KEY={SECRET}\n", "a line of a long log that takes its time\n".repeat(60_000));
    let long = json!({"model": "m", "messages": [result(json!(long))]}).to_string();
    sent.push((&hurried, "/v1/messages", long, "it took too long"));
    for (path, body) in [deep("/v1/messages", "messages"), deep("/v1/responses", "input")] {
        sent.push((&plain, path, body, "nested too deep"));
    }
    sent.push((&plain, "/v1/messages", format!("{{\"messages\":[{{\"a\":\"{SECRET}"), "the text ends inside a string"));
    sent.push((&plain, "/v1/messages", format!("KEY={SECRET}"), "not JSON"));
    for (url, path, body, why) in sent {
        let answer = post(url, path, body.clone()).await;
        let start: String = body.chars().take(200).collect();
        assert!(told(&answer).contains(why), "{} for {start}", told(&answer));
        let got = String::from_utf8(upstream.last().to_vec()).unwrap();
        assert!(!got.contains(SECRET) && got.contains("[REDACTED: "), "{start}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_read_and_passed_on_plain() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let body = json!({"messages": [{"role": "tool", "tool_call_id": "c", "content": format!("KEY={SECRET}")}]});
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(body.to_string().as_bytes()).unwrap();
    let zstd = zstd::encode_all(body.to_string().as_bytes(), 1).unwrap();
    let send = |encoding: &'static str, body: Vec<u8>| {
        client().post(format!("{url}/v1/chat/completions")).header("content-encoding", encoding).body(body).send()
    };
    for (encoding, body) in [("gzip", gzip.finish().unwrap()), ("zstd", zstd)] {
        assert_eq!(send(encoding, body).await.unwrap().status(), 200);
        let seen = upstream.seen().pop().unwrap();
        let got = String::from_utf8(seen.body.to_vec()).unwrap();
        assert!(!got.contains(SECRET) && got.contains("[REDACTED: "), "{got}");
        assert!(!seen.headers.contains_key("content-encoding"));
    }
    let count = upstream.seen().len();
    let refused = send("br", vec![1, 2, 3]).await.unwrap();
    assert_eq!(refused.status(), 415);
    assert!(refused.text().await.unwrap().contains("content-encoding `br` is not supported"));
    assert_eq!(send("zstd", vec![1, 2, 3]).await.unwrap().status(), 400);
    assert_eq!(upstream.seen().len(), count, "nothing was passed on");
}

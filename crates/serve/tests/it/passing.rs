//! What passes as it is.

use offcut_http::{AccessPolicy, Arrival, guarded};
use offcut_serve::{Proxy, ProxyOptions, Upstreams, router};
use tempfile::tempdir;

use crate::bench::{Upstream, client, post, proxy, proxy_with, told};

#[tokio::test]
async fn a_body_with_nothing_to_cut_arrives_byte_for_byte() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let bodies = [
        (
            "/v1/messages",
            " {\"model\" : \"m\",\r\n\"x\":1.00000000000000000001e999,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"\\u0041 \\/ é\"}]}] , \"x\":2}\n",
        ),
        ("/v1/chat/completions", "{\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"ok\\n\"}]}"),
        ("/v1/responses", "{\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"ok\"}]}"),
        ("/v1/responses", "{\"input\":\"hello\"}"),
    ];
    for (path, body) in bodies {
        let answer = post(&url, path, body).await;
        assert_eq!((answer.status().as_u16(), told(&answer).as_str()), (200, "unchanged"), "{path}");
        assert_eq!(answer.text().await.unwrap(), r#"{"ok": true}"#);
        assert_eq!(upstream.last(), body.as_bytes(), "{path}");
    }
}

#[tokio::test]
async fn every_other_path_passes_with_its_query_and_method() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let answer = client().get(format!("{url}/v1/models?after=a%20b&limit=2")).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), told(&answer)), (200, String::new()));
    let noise: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
    post(&url, "/v1/files", noise.clone()).await;
    client().delete(format!("{url}/v1/responses/resp_1")).send().await.unwrap();
    let seen = upstream.seen();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/v1/models?after=a%20b&limit=2", "/v1/files", "/v1/responses/resp_1"]);
    assert!(seen[0].body.is_empty() && seen[2].body.is_empty());
    assert_eq!(seen[1].body, noise);
    assert_eq!(seen[1].headers["content-length"], "100000");
}

#[tokio::test]
async fn headers_and_errors_pass_through() {
    let error = r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#;
    let (upstream, store) = (Upstream::answering(429, error).await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let request = client()
        .post(format!("{url}/v1/messages"))
        .header("x-api-key", "sk-secret")
        .header("anthropic-version", "2023-06-01")
        .header("accept-encoding", "gzip, br")
        .header("connection", "x-mine")
        .header("x-mine", "1")
        .body("{\"messages\":[]}");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 429);
    assert_eq!(answer.headers()["retry-after"], "7");
    assert_eq!(answer.text().await.unwrap(), error);
    let seen = upstream.seen().pop().unwrap();
    let sent = |name: &str| seen.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(sent("x-api-key").as_deref(), Some("sk-secret"));
    assert_eq!(sent("anthropic-version").as_deref(), Some("2023-06-01"));
    assert_eq!(sent("accept-encoding").as_deref(), Some("gzip, br"));
    assert_eq!(sent("content-length").as_deref(), Some("15"));
    assert_eq!((sent("x-mine"), sent("transfer-encoding")), (None, None));
    assert_eq!(format!("http://{}", sent("host").unwrap()), upstream.url);
}

#[tokio::test]
async fn what_cannot_be_read_goes_on_uncut_and_the_answer_says_so() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy_with(&upstream.url, store.path(), |options| options.largest_body = 50_000).await;
    let broken = "{\"messages\": [";
    let answer = post(&url, "/v1/messages", broken).await;
    assert_eq!(told(&answer), "unchanged; reason=\"not JSON: the text ends inside a value at byte 14\"");
    assert_eq!(upstream.last(), broken.as_bytes());

    let answer = post(&url, "/v1/messages", vec![0xff, 0xfe]).await;
    assert_eq!(told(&answer), "unchanged; reason=\"not UTF-8\"");
    assert_eq!(upstream.last(), vec![0xff, 0xfe]);

    let large = format!("{{\"messages\":[],\"padding\":\"{}\"}}", "x".repeat(300_000));
    let answer = post(&url, "/v1/messages", large.clone()).await;
    assert_eq!(told(&answer), "unchanged; reason=\"the body has more than 50000 bytes\"");
    assert_eq!(upstream.last(), large.as_bytes());
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_a_bad_gateway_without_secrets() {
    let store = tempdir().unwrap();
    let url = proxy("http://127.0.0.1:1", store.path()).await;
    let answer = post(&url, "/v1/messages?key=sk-query", "{\"messages\":[]}").await;
    assert_eq!(answer.status(), 502);
    let body = answer.text().await.unwrap();
    assert!(body.contains("the upstream cannot be reached") && !body.contains("sk-"), "{body}");
}

#[tokio::test]
async fn only_those_with_the_token_come_in_and_it_goes_no_further() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let offcut = offcut::Offcut::builder().store(store.path()).build().unwrap();
    let upstreams = Upstreams::new(&upstream.url, &upstream.url).unwrap();
    let proxy = Proxy::new(offcut, ProxyOptions { upstreams, ..ProxyOptions::default() }).unwrap();
    let access = AccessPolicy::from_token(Some("t0ken-of-sixteen-characters")).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, guarded(router(proxy), access, Arrival::default())).await });
    let send = |name: &'static str, value: &'static str| {
        client()
            .post(format!("{url}/v1/messages"))
            .header("authorization", "Bearer provider")
            .header(name, value)
            .send()
    };
    assert_eq!(send("x-other", "1").await.unwrap().status(), 401);
    assert_eq!(send("x-offcut-token", "wrong").await.unwrap().status(), 401);
    assert!(upstream.seen().is_empty());
    assert_eq!(send("x-offcut-token", "t0ken-of-sixteen-characters").await.unwrap().status(), 200);
    let seen = upstream.seen().pop().unwrap();
    assert_eq!(seen.headers["authorization"], "Bearer provider");
    assert!(!seen.headers.contains_key("x-offcut-token"));
}

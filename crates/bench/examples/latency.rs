//! How much time the proxy adds: the same streamed requests to an upstream on this machine, straight and through it;
//! and how long the treatment of the body alone takes, which does not depend on how busy the machine is.
//!
//! `cargo run --release -p offcut-bench --example latency -- [REQUESTS]`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot go on should stop")]

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use axum::serve::ListenerExt;
use futures_util::{StreamExt, stream};
use offcut::Offcut;
use offcut_retain::{RequestFacts, Retainer};
use offcut_serve::{Proxy, ProxyOptions, Upstreams, router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() {
    let count: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let store = tempfile::tempdir().unwrap();
    let upstream = serve(Router::new().fallback(answer)).await;
    let offcut = Offcut::builder().store(store.path()).build().unwrap();
    let upstreams = Upstreams::new(&upstream, &upstream).unwrap();
    let (own, retainer) = (offcut.keeping_once(), Retainer::new(ProxyOptions::default().retain));
    let proxy = Proxy::new(offcut, ProxyOptions { upstreams, ..ProxyOptions::default() }).unwrap();
    let proxy = serve(router(proxy)).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let titles = ["body", "bytes", "straight", "proxy", "added", "added p95", "treatment"];
    let [body, bytes, straight, proxied, added, late, treatment] = titles;
    println!("{body:<28} {bytes:>9} {straight:>10} {proxied:>10} {added:>10} {late:>10} {treatment:>10}");
    let bodies = [
        ("100 KB, nothing to do", 20, 4500),
        ("100 KB, one result cut", 1, 98_000),
        ("2 MB, old ones shortened", 400, 4900),
        ("2 MB, 20 results cut", 20, 98_000),
    ];
    for (name, results, chars) in bodies {
        let body = conversation(results, chars);
        let (mut straight, mut through, mut treated) = (Vec::new(), Vec::new(), Vec::new());
        // One before the count starts: connections are made, and new results are seen for the first time.
        for number in 0..=count {
            let (first, second) = (time(&client, &upstream, &body).await, time(&client, &proxy, &body).await);
            let started = Instant::now();
            retainer.rewrite(&own, body.as_bytes(), &RequestFacts::default()).unwrap();
            if number > 0 {
                straight.push(first);
                through.push(second);
                treated.push(started.elapsed());
            }
        }
        straight.sort();
        through.sort();
        treated.sort();
        let at = |times: &[Duration], share: usize| times[(times.len() - 1) * share / 100];
        let added = |share| at(&through, share).saturating_sub(at(&straight, share));
        println!(
            "{name:<28} {:>9} {:>10.2?} {:>10.2?} {:>10.2?} {:>10.2?} {:>10.2?}",
            body.len(),
            at(&straight, 50),
            at(&through, 50),
            added(50),
            added(95),
            at(&treated, 50)
        );
    }
}

/// Serves on a free port; its address.
async fn serve(app: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // As `offcut serve` does: an event must not wait for the one before it to be acknowledged.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

/// Takes the request in whole, and streams ten events, each with what it got.
async fn answer(request: Request) -> Response {
    let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
    let got = name(&body);
    let events = (0..10).map(move |number| Ok::<_, Infallible>(format!("data: {number} {got}\n\n")));
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from_stream(stream::iter(events)))
        .unwrap()
}

/// A number that tells bodies apart.
fn name(body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

/// The time from the request to the end of its stream. A body that went on unchanged must have arrived so.
async fn time(client: &reqwest::Client, url: &str, body: &str) -> Duration {
    let started = Instant::now();
    let answer = client.post(format!("{url}/v1/messages")).body(body.to_owned()).send().await.unwrap();
    let changed = answer.headers().get("x-offcut").is_some_and(|told| told != "unchanged");
    let mut events = answer.bytes_stream();
    let mut heard = Vec::new();
    while let Some(event) = events.next().await {
        heard.extend_from_slice(&event.unwrap());
    }
    let taken = started.elapsed();
    let expected: String = (0..10).map(|number| format!("data: {number} {}\n\n", name(body.as_bytes()))).collect();
    assert!(changed || heard == expected.as_bytes(), "a body or a stream came out different");
    taken
}

/// A request's body with so many results of so many characters, marked for the provider's cache.
fn conversation(results: usize, chars: usize) -> String {
    let mut messages: Vec<Value> = vec![json!({"role": "user", "content": "go"})];
    for turn in 0..results {
        let id = format!("toolu_{turn}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("step {turn}")}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        let mut result = String::new();
        while result.len() < chars {
            result.push_str(&format!(
                "2026-11-15 12:00:{:02} step {turn}: handled \"item {}\"\n",
                result.len() % 60,
                result.len()
            ));
        }
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": result, "cache_control": {"type": "ephemeral"}});
        messages.push(json!({"role": "user", "content": [block]}));
    }
    json!({"model": "claude-sonnet-4-5", "stream": true, "tools": [{"name": "Bash"}], "messages": messages}).to_string()
}

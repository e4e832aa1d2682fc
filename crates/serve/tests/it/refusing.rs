//! What is not passed on at all.

use std::time::Duration;

use tempfile::tempdir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::bench::{Upstream, client, proxy};

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_request_of_another_api_goes_to_nobody_with_its_key() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    for (path, api) in [
        ("/v1internal:streamGenerateContent?alt=sse", "Gemini Code Assist"),
        ("/model/anthropic.claude-3/invoke", "Bedrock"),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict", "Vertex AI"),
    ] {
        let request = client().post(format!("{url}{path}")).header("x-goog-api-key", "GOOGLE-SECRET").body("{}");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path}");
        let told = answer.text().await.unwrap();
        assert!(told.contains(api) && told.contains("have no upstream here"), "{told}");
    }
    assert!(upstream.seen().is_empty());
}

/// Sends these bytes, closes that direction where `ends`, and returns the answer.
async fn raw(url: &str, request: &str, ends: bool) -> String {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    if ends {
        stream.shutdown().await.unwrap();
    }
    let mut answer = Vec::new();
    // A connection that is reset has nothing more to say.
    let _ = timeout(LONG, stream.read_to_end(&mut answer)).await.expect("an end");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_path_that_leads_out_of_the_upstreams_own_is_refused() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&format!("{}/base", upstream.url), store.path()).await;
    for path in ["/v1/../../admin", "/v1/%2e%2e/%2E%2e/admin", "/..%2fadmin"] {
        let answer =
            raw(&url, &format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"), false).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{path}: {answer}");
    }
    assert!(upstream.seen().is_empty());
}

#[tokio::test]
async fn a_body_that_breaks_off_is_not_completed() {
    let (upstream, store) = (Upstream::start().await, tempdir().unwrap());
    let url = proxy(&upstream.url, store.path()).await;
    let head = "host: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 500";
    for path in ["/v1/messages", "/v1/chat/completions", "/v1/responses"] {
        raw(&url, &format!("POST {path} HTTP/1.1\r\n{head}\r\n\r\n{{\"messages\":[]}}"), true).await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(upstream.seen().is_empty(), "{:?}", upstream.seen());
}

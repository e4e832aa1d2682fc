//! Answers that come in parts.

use std::time::Duration;

use futures_util::StreamExt;
use tempfile::tempdir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::bench::{post, proxy};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Nothing here takes longer; without it a failure would hang.
const LONG: Duration = Duration::from_secs(20);

fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// Accepts one connection, reads its request to the end of the body `{}`, and begins a streamed answer.
async fn begun(listener: &TcpListener) -> TcpStream {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut read = Vec::new();
    while !read.ends_with(b"{}") {
        let mut part = [0; 1024];
        let count = stream.read(&mut part).await.unwrap();
        read.extend_from_slice(&part[..count]);
    }
    stream.write_all(HEAD.as_bytes()).await.unwrap();
    stream
}

async fn upstream() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

#[tokio::test]
async fn events_arrive_one_by_one_as_they_are_sent() {
    let (listener, url) = upstream().await;
    let (heard, hears) = oneshot::channel();
    tokio::spawn(async move {
        let mut stream = begun(&listener).await;
        stream.write_all(chunk("event: one\n\n").as_bytes()).await.unwrap();
        // The second is sent only when the first has been heard.
        hears.await.unwrap();
        stream.write_all(chunk("event: two\n\n").as_bytes()).await.unwrap();
        stream.write_all(b"0\r\n\r\n").await.unwrap();
    });
    let store = tempdir().unwrap();
    let url = proxy(&url, store.path()).await;
    let answer = timeout(LONG, post(&url, "/v1/messages", "{}")).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut events = answer.bytes_stream();
    assert_eq!(timeout(LONG, events.next()).await.unwrap().unwrap().unwrap(), "event: one\n\n");
    heard.send(()).unwrap();
    assert_eq!(timeout(LONG, events.next()).await.unwrap().unwrap().unwrap(), "event: two\n\n");
    assert!(timeout(LONG, events.next()).await.unwrap().is_none());
}

#[tokio::test]
async fn an_upstream_that_breaks_off_is_passed_on_as_such() {
    let (listener, url) = upstream().await;
    tokio::spawn(async move {
        let mut stream = begun(&listener).await;
        stream.write_all(chunk("event: one\n\n").as_bytes()).await.unwrap();
        // No last chunk: the connection just ends.
    });
    let store = tempdir().unwrap();
    let url = proxy(&url, store.path()).await;
    let mut events = timeout(LONG, post(&url, "/v1/messages", "{}")).await.unwrap().bytes_stream();
    assert_eq!(timeout(LONG, events.next()).await.unwrap().unwrap().unwrap(), "event: one\n\n");
    assert!(timeout(LONG, events.next()).await.unwrap().unwrap().is_err(), "it must not look like an end");
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_call_to_the_upstream() {
    let (listener, url) = upstream().await;
    let (ended, ends) = oneshot::channel();
    tokio::spawn(async move {
        let mut stream = begun(&listener).await;
        let mut sent = 0;
        // Goes on until nobody listens.
        while stream.write_all(chunk("event: more\n\n").as_bytes()).await.is_ok() {
            sent += 1;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let _ = ended.send(sent);
    });
    let store = tempdir().unwrap();
    let url = proxy(&url, store.path()).await;
    let mut events = timeout(LONG, post(&url, "/v1/chat/completions", "{}")).await.unwrap().bytes_stream();
    timeout(LONG, events.next()).await.unwrap().unwrap().unwrap();
    drop(events);
    assert!(timeout(LONG, ends).await.expect("the upstream notices").unwrap() > 0);
}

#[tokio::test]
async fn a_client_that_goes_away_before_the_answer_ends_the_call_too() {
    let (listener, url) = upstream().await;
    let (ended, ends) = oneshot::channel();
    let (got, gets) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut part = [0; 4096];
        let mut got = Some(got);
        // Never answers: reads until the proxy hangs up.
        while stream.read(&mut part).await.is_ok_and(|count| count > 0) {
            if let Some(got) = got.take() {
                let _ = got.send(());
            }
        }
        let _ = ended.send(());
    });
    let store = tempdir().unwrap();
    let url = proxy(&url, store.path()).await;
    let sent = tokio::spawn(async move { post(&url, "/v1/messages", "{}").await });
    timeout(LONG, gets).await.unwrap().unwrap();
    sent.abort();
    timeout(LONG, ends).await.expect("the upstream notices").unwrap();
}

//! The server over HTTP.

use std::net::SocketAddr;

use offcut_http::AccessPolicy;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server_peer::{Bench, PATIENCE, stateless, text};

const LONG: &str = "seq 1 40000";

/// A response, taken apart.
struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// The messages in it: one, or a stream of them.
    fn messages(&self) -> Vec<Value> {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let lines: Vec<&str> =
            if self.body.trim_start().starts_with('{') { vec![&self.body] } else { events.collect() };
        lines.into_iter().filter_map(|line| serde_json::from_str(line.trim()).ok()).collect()
    }

    fn result(&self) -> Value {
        let messages = self.messages();
        let answer = messages.iter().find(|message| message.get("result").is_some());
        answer.unwrap_or_else(|| panic!("{} {}", self.status, self.body))["result"].clone()
    }
}

/// Starts a server and says where it is.
async fn start(bench: &Bench, access: AccessPolicy) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = bench.server.router(access);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Sends a request as bytes, and reads until the server closes.
async fn send(address: SocketAddr, request: String) -> Response {
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let raw = tokio::time::timeout(PATIENCE, exchange).await.expect("no response came");
    let (head, body) = raw.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { dechunked(body) } else { body.to_owned() };
    Response { status, head: head.to_owned(), body }
}

fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        whole.push_str(rest.get(..size).unwrap());
        body = rest.get(size..).unwrap().trim_start_matches("\r\n");
        if size == 0 {
            break;
        }
    }
    whole
}

async fn post(address: SocketAddr, headers: &[(&str, &str)], body: &Value) -> Response {
    let mut request = String::from("POST /mcp HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\n");
    request.push_str("accept: application/json, text/event-stream\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        request.push_str(&format!("host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    let body = body.to_string();
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    send(address, request).await
}

/// A client that has shaken hands: the headers that it sends from then on.
async fn connected(address: SocketAddr, more: &[(&'static str, &'static str)]) -> Vec<(&'static str, String)> {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let opened =
        post(address, more, &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).await;
    let session = opened.header("mcp-session-id").unwrap_or_else(|| panic!("{} {}", opened.status, opened.body));
    let mut headers = vec![("mcp-session-id", session.to_owned()), ("mcp-protocol-version", "2025-11-25".to_owned())];
    headers.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(post(address, &borrowed(&headers), &ready).await.status, 202);
    headers
}

fn borrowed<'h>(headers: &'h [(&'static str, String)]) -> Vec<(&'static str, &'h str)> {
    headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

async fn call(address: SocketAddr, headers: &[(&'static str, String)], tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    post(address, &borrowed(headers), &request).await.result()
}

fn artifact(result: &Value) -> String {
    result["_meta"]["offcut/report"]["artifact_id"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

#[tokio::test]
async fn two_clients_do_not_see_each_others_artifacts() {
    let bench = Bench::new("auto");
    let address = start(&bench, AccessPolicy::local()).await;
    let (first, second) = (connected(address, &[]).await, connected(address, &[]).await);
    let id = artifact(&call(address, &first, "bash", json!({ "command": LONG })).await);
    let line = json!({ "id": id, "start_line": 3, "end_line": 3 });
    assert_eq!(text(&call(address, &first, "get_artifact", line.clone()).await), "3\n");
    let refused = call(address, &second, "get_artifact", line).await;
    assert!(refused["isError"] == true && text(&refused).contains("this is final"), "{refused}");
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list", "params": {} });
    assert_eq!(post(address, &borrowed(&first), &list).await.result()["resources"].as_array().unwrap().len(), 1);
    assert_eq!(post(address, &borrowed(&second), &list).await.result()["resources"].as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn a_client_that_names_its_session_finds_its_artifacts_after_it_reconnects() {
    let bench = Bench::new("auto");
    let address = start(&bench, AccessPolicy::local()).await;
    let before = connected(address, &[("offcut-session", "alpha")]).await;
    let id = artifact(&call(address, &before, "bash", json!({ "command": LONG })).await);
    let after = connected(address, &[("offcut-session", "alpha")]).await;
    let line = json!({ "id": id, "start_line": 3, "end_line": 3 });
    assert_eq!(text(&call(address, &after, "get_artifact", line).await), "3\n");
}

/// A request that stands for itself.
async fn alone(address: SocketAddr, client: &str, method: &str, mut params: Value, more: &[(&str, &str)]) -> Response {
    let name = params.get("name").and_then(Value::as_str).map(str::to_owned);
    params["_meta"] = stateless(client);
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    if let Some(name) = &name {
        headers.push(("mcp-name", name));
    }
    headers.extend(more);
    post(address, &headers, &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await
}

#[tokio::test]
async fn requests_without_a_connection_are_told_apart_by_client_and_by_session() {
    let bench = Bench::new("auto");
    let address = start(&bench, AccessPolicy::local()).await;
    let run = json!({ "name": "bash", "arguments": { "command": LONG } });
    let kept = artifact(&alone(address, "one", "tools/call", run, &[]).await.result());
    let read = json!({ "name": "get_artifact", "arguments": { "id": kept, "start_line": 3, "end_line": 3 } });
    let named: &[(&str, &str)] = &[("offcut-session", "alpha")];
    for (client, more, found) in [("one", &[] as &[(&str, &str)], true), ("two", &[], false), ("one", named, false)] {
        let result = alone(address, client, "tools/call", read.clone(), more).await.result();
        assert_eq!(result["isError"], !found, "{client} {more:?}: {result}");
    }
    // Where several may sit on one seat nothing is listed: an id that nobody can guess is the key.
    let listed = alone(address, "one", "resources/list", json!({}), &[]).await.result();
    assert_eq!(listed["resources"], json!([]));
}

#[tokio::test]
async fn a_web_page_from_elsewhere_may_not_ask() {
    let bench = Bench::new("auto");
    let address = start(&bench, AccessPolicy::local()).await;
    let discover = |headers: Vec<(&'static str, &'static str)>| async move {
        let mut all = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
        all.extend(headers);
        let params = json!({ "_meta": stateless("page") });
        post(address, &all, &json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params })).await
    };
    assert_eq!(discover(vec![]).await.status, 200);
    assert_eq!(discover(vec![("host", "localhost:1")]).await.status, 200);
    assert_eq!(discover(vec![("host", "evil.example")]).await.status, 403);
    assert_eq!(discover(vec![("origin", "http://evil.example")]).await.status, 403);
    assert_eq!(discover(vec![("origin", "http://localhost:5173")]).await.status, 200);
}

#[tokio::test]
async fn whoever_has_the_token_may_ask_under_any_name() {
    let bench = Bench::new("auto");
    let token = "a token of many characters";
    let address = start(&bench, AccessPolicy::from_token(Some(token)).unwrap()).await;
    let host = ("host", "tools.example");
    assert_eq!(alone(address, "test", "tools/list", json!({}), &[host]).await.status, 401);
    let listed = alone(address, "test", "tools/list", json!({}), &[host, ("x-offcut-token", token)]).await;
    assert!(listed.result()["tools"].as_array().is_some_and(|tools| tools.len() >= 6));
}

#[tokio::test]
async fn a_session_that_one_process_began_goes_on_with_another() {
    let (one, two) = Bench::two();
    let (first, second) = (start(&one, AccessPolicy::local()).await, start(&two, AccessPolicy::local()).await);
    let client = connected(first, &[]).await;
    let line = |id: &str| json!({ "id": id, "start_line": 3, "end_line": 3 });
    // The other process is asked first, and both find what either of them kept.
    let (theirs, ours) = (
        artifact(&call(second, &client, "bash", json!({ "command": LONG })).await),
        artifact(&call(first, &client, "bash", json!({ "command": LONG })).await),
    );
    for address in [first, second] {
        for id in [&theirs, &ours] {
            assert_eq!(text(&call(address, &client, "get_artifact", line(id)).await), "3\n");
        }
    }
    // Another client's session stays another.
    let other = connected(second, &[]).await;
    assert_eq!(call(first, &other, "get_artifact", line(&ours)).await["isError"], true);
    // One that nobody began is refused, so that its client shakes hands.
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    assert_eq!(post(second, &[("mcp-session-id", "made-up")], &list).await.status, 404);
}

#[tokio::test]
async fn the_name_that_a_client_gave_at_its_handshake_holds_with_every_process() {
    let (one, two) = Bench::two();
    let (first, second) = (start(&one, AccessPolicy::local()).await, start(&two, AccessPolicy::local()).await);
    let mut client = connected(first, &[("offcut-session", "alpha")]).await;
    client.retain(|(name, _)| *name != "offcut-session");
    let id = artifact(&call(second, &client, "bash", json!({ "command": LONG })).await);
    let again = connected(first, &[("offcut-session", "alpha")]).await;
    let line = json!({ "id": id, "start_line": 3, "end_line": 3 });
    assert_eq!(text(&call(first, &again, "get_artifact", line).await), "3\n");
}

#[tokio::test]
async fn requests_without_a_connection_find_what_another_process_kept() {
    let (one, two) = Bench::two();
    let (first, second) = (start(&one, AccessPolicy::local()).await, start(&two, AccessPolicy::local()).await);
    let run = json!({ "name": "bash", "arguments": { "command": LONG } });
    let kept = artifact(&alone(first, "one", "tools/call", run, &[]).await.result());
    let read = json!({ "name": "get_artifact", "arguments": { "id": kept, "start_line": 3, "end_line": 3 } });
    assert_eq!(text(&alone(second, "one", "tools/call", read.clone(), &[]).await.result()), "3\n");
    assert_eq!(alone(second, "two", "tools/call", read, &[]).await.result()["isError"], true);
}

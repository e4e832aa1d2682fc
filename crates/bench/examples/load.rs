//! Many clients at once over HTTP: errors, calls a second, and what the server's memory does.
//!
//! ```sh
//! offcut mcp --listen 127.0.0.1:3920 & cargo run -p offcut-bench --example load -- 127.0.0.1:3920 $! 64 1000
//! ```
#![allow(clippy::print_stdout, reason = "it prints what it measured")]

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next =
        |what: &str| arguments.next().ok_or_else(|| format!("expected ADDRESS PID CLIENTS CALLS: no {what}"));
    let (address, pid) = (next("ADDRESS")?, next("PID")?);
    let (clients, calls): (usize, usize) = (next("CLIENTS")?.parse()?, next("CALLS")?.parse()?);
    // Reqwest wants to know who would encrypt, though nothing here is encrypted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = format!("http://{address}/mcp");

    let started = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..clients {
        running.spawn(client(url.clone(), calls));
    }
    let watching = tokio::spawn(async move {
        loop {
            println!("{:4} s  {:7} KiB", started.elapsed().as_secs(), resident(&pid).unwrap_or(0));
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
    let (mut done, mut failed, mut times) = (0, 0, Vec::new());
    while let Some(outcome) = running.join_next().await {
        match outcome? {
            Ok(mut of_client) => {
                done += of_client.len();
                times.append(&mut of_client);
            }
            Err(error) => {
                failed += 1;
                println!("a client failed: {error}");
            }
        }
    }
    watching.abort();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{done} calls of {clients} clients in {seconds:.1} s, {:.0} a second; {failed} clients failed",
        done as f64 / seconds
    );
    println!("median {:?}, 99 % within {:?}", at(50), at(99));
    if failed == 0 { Ok(()) } else { Err("some clients failed".into()) }
}

/// One client's whole life: how long each of its calls took.
async fn client(url: String, calls: usize) -> Outcome<Vec<Duration>> {
    let http = reqwest::Client::new();
    let about = json!({ "name": "load", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
    let opened =
        post(&http, &url, None, &json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))
            .await?;
    let session = opened.0.ok_or("no session")?;
    post(&http, &url, Some(&session), &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
    let mut times = Vec::with_capacity(calls);
    for id in 1..=calls {
        let params = json!({ "name": "ls", "arguments": { "limit": 20 } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let started = Instant::now();
        let (_, answer) = post(&http, &url, Some(&session), &request).await?;
        times.push(started.elapsed());
        let answer = answer.ok_or("no answer")?;
        if answer["result"]["isError"] != false || answer["id"] != id {
            return Err(format!("call {id}: {answer}").into());
        }
    }
    http.delete(&url).header("mcp-session-id", &session).send().await?;
    Ok(times)
}

/// Sends a message; returns the session that the server gave, and its answer, if any.
async fn post(
    http: &reqwest::Client,
    url: &str,
    session: Option<&str>,
    message: &Value,
) -> Outcome<(Option<String>, Option<Value>)> {
    let mut request = http
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message.to_string());
    if let Some(session) = session {
        request = request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25");
    }
    let response = request.send().await?.error_for_status()?;
    let session = response.headers().get("mcp-session-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let body = response.text().await?;
    let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let answer = events
        .filter_map(|event| serde_json::from_str::<Value>(event.trim()).ok())
        .find(|event| event.get("id").is_some());
    Ok((session, answer))
}

/// What a process holds in memory, in KiB.
fn resident(pid: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().split(' ').next()?.parse().ok())
}

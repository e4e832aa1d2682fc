//! Wraps that speak HTTP, over real sockets.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use offcut::Offcut;
use offcut_http::AccessPolicy;
use offcut_mcp::wrap::{Remote, Rules, ServerCommand, Wrap};
use serde_json::{Value, json};

use super::rig::{artifact_in, first_text, log, result, text};
use crate::within::{Lines, PATIENCE, joined};

/// What a server was asked.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    method: String,
    path: String,
    headers: http::HeaderMap,
    body: String,
}

impl Asked {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

type Answers = Arc<dyn Fn(&Asked) -> Response + Send + Sync>;
pub(super) type Heard = Arc<Mutex<Vec<Asked>>>;

/// A server that answers by a function, and keeps what it was asked.
pub(super) async fn upstream(answers: impl Fn(&Asked) -> Response + Send + Sync + 'static) -> (SocketAddr, Heard) {
    async fn handle(State((answers, heard)): State<(Answers, Heard)>, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let asked = Asked {
            method: parts.method.to_string(),
            path: parts.uri.to_string(),
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        };
        heard.lock().unwrap().push(asked.clone());
        answers(&asked)
    }
    let heard = Heard::default();
    let answers: Answers = Arc::new(answers);
    let router = Router::new().fallback(handle).with_state((answers, heard.clone()));
    (listening(router).await, heard)
}

pub(super) async fn listening(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

pub(super) fn wrap() -> Wrap {
    let offcut = Offcut::builder().in_memory().build().unwrap();
    Wrap::new(offcut, Rules::new(), Arc::new(|_| {}))
}

fn remote(address: SocketAddr) -> Remote {
    Remote { url: format!("http://{address}/its/mcp"), token: None }
}

pub(super) async fn proxy(address: SocketAddr) -> SocketAddr {
    listening(wrap().proxy(&remote(address), AccessPolicy::local()).unwrap()).await
}

pub(super) fn answer(kind: &str, body: impl Into<Body>) -> Response {
    Response::builder().header("content-type", kind).body(body.into()).unwrap()
}

pub(super) fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap()
}

pub(super) async fn post(address: SocketAddr, session: &str, body: &Value) -> Value {
    let asked = client().post(format!("http://{address}/mcp")).header("mcp-session-id", session).body(body.to_string());
    serde_json::from_slice(&asked.send().await.unwrap().bytes().await.unwrap()).unwrap()
}

pub(super) fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_headers_status_and_bodies_pass() {
    let odd = "{ \"jsonrpc\":\"2.0\",\n \"id\":1, \"result\":{\"odd\":1.0}}";
    let (address, heard) = upstream(move |asked| match asked.method.as_str() {
        "POST" if asked.body.contains("bad") => {
            Response::builder().status(400).header("x-why", "bad").body(Body::from("no")).unwrap()
        }
        "POST" => Response::builder()
            .header("content-type", "application/json")
            .header("mcp-session-id", "s1")
            .body(Body::from(odd))
            .unwrap(),
        "DELETE" => Response::builder().status(204).body(Body::empty()).unwrap(),
        _ => Response::builder().status(405).header("allow", "POST").body(Body::empty()).unwrap(),
    })
    .await;
    let at = proxy(address).await;
    let url = format!("http://{at}/mcp");
    let request = "{\"jsonrpc\":\"2.0\" ,\"id\":1,\"method\":\"x/odd\"}";
    let asked = client().post(&url).header("mcp-protocol-version", "2025-06-18").header("x-odd", "1").body(request);
    let got = asked.send().await.unwrap();
    assert_eq!(got.headers()["mcp-session-id"], "s1");
    assert_eq!(got.text().await.unwrap(), odd);
    let got = client().post(&url).body("bad").send().await.unwrap();
    assert_eq!((got.status().as_u16(), got.headers()["x-why"].to_str().unwrap()), (400, "bad"));
    assert_eq!(got.text().await.unwrap(), "no");
    assert_eq!(client().get(&url).send().await.unwrap().status(), 405);
    assert_eq!(client().delete(&url).send().await.unwrap().status(), 204);
    let other = format!("http://{at}/.well-known/oauth-protected-resource?x=1");
    client().get(&other).send().await.unwrap();

    let heard = heard.lock().unwrap();
    assert_eq!(heard[0].body, request);
    assert_eq!((heard[0].header("mcp-protocol-version"), heard[0].header("x-odd")), ("2025-06-18", "1"));
    assert_eq!(heard[0].header("host"), address.to_string());
    assert_eq!(heard[0].path, "/its/mcp");
    assert_eq!(heard[4].path, "/.well-known/oauth-protected-resource?x=1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_result_is_cut_and_only_its_own_client_reads_it_back() {
    let (address, heard) = upstream(|asked| {
        let id = asked.json()["id"].as_u64().unwrap();
        answer("application/json", result(id, json!([text(&log(5000))])))
    })
    .await;
    let at = proxy(address).await;
    let cut = post(at, "mine", &call(1, "show", json!({}))).await;
    let shown = first_text(&cut);
    assert!(shown.chars().count() <= 8000 && shown.contains("ERROR: the disk is full"), "{shown}");
    let id = artifact_in(&shown);
    let gap = json!({"id": id, "start_line": 2500, "end_line": 2501});
    let own = post(at, "mine", &call(2, "get_artifact", gap.clone())).await;
    assert_eq!(first_text(&own), "line 2500: request 2500 was served in 1 ms\nERROR: the disk is full\n");
    let other = post(at, "another", &call(2, "get_artifact", gap)).await;
    assert_eq!(other["result"]["isError"], true);
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_pass_as_they_came_and_large_ones_keep_their_ids() {
    let stream = format!(
        ": hello\n\nid: 1\r\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}}\r\n\r\nid: 2\nevent: message\ndata: {}\n\n",
        result(1, json!([text(&log(5000))]))
    );
    let (address, _) = upstream(move |_| answer("text/event-stream", stream.clone())).await;
    let at = proxy(address).await;
    let asked = client().post(format!("http://{at}/mcp")).body(call(1, "show", json!({})).to_string());
    let got = asked.send().await.unwrap().text().await.unwrap();
    let (unchanged, cut) = got.split_once("id: 2\nevent: message\ndata: ").unwrap();
    assert_eq!(
        unchanged,
        ": hello\n\nid: 1\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\r\n\r\n"
    );
    let message: Value = serde_json::from_str(cut.trim()).unwrap();
    assert!(first_text(&message).chars().count() <= 8000);
    artifact_in(&first_text(&message));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_from_elsewhere_is_refused() {
    let (address, heard) = upstream(|_| answer("application/json", "{}")).await;
    let at = proxy(address).await;
    for (name, value) in [("host", "evil.example.com"), ("origin", "http://evil.example.com")] {
        let got = client().post(format!("http://{at}/mcp")).header(name, value).body("{}").send().await.unwrap();
        assert_eq!(got.status(), 403, "{name}");
    }
    assert!(heard.lock().unwrap().is_empty());
    let closed: SocketAddr = "127.0.0.1:9".parse().unwrap();
    let got = client().post(format!("http://{}/mcp", proxy(closed).await)).body("{}").send().await.unwrap();
    assert_eq!(got.status(), 502);
}

/// A client on pipes before a server that speaks HTTP.
struct Line {
    to: Option<std::io::PipeWriter>,
    from: Lines,
    thread: std::thread::JoinHandle<u8>,
}

impl Line {
    fn to(address: SocketAddr) -> Line {
        let calling = wrap().calling(&remote(address)).unwrap();
        let (client_in, to) = std::io::pipe().unwrap();
        let (from, client_out) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || calling.run(client_in, client_out).unwrap());
        Line { to: Some(to), from: Lines::of(from), thread }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_ref().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        serde_json::from_str(&self.line()).unwrap()
    }

    fn line(&self) -> String {
        self.from.next().expect("the wrap closed its end")
    }

    fn end(mut self) {
        self.to = None;
        assert_eq!(joined(self.thread, "the wrap"), 0);
    }
}

pub(super) fn hello(id: &Value) -> Response {
    let result = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s"}});
    Response::builder()
        .header("content-type", "application/json")
        .header("mcp-session-id", "s1")
        .body(Body::from(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()))
        .unwrap()
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"t"}}}"#;

#[test]
fn a_server_behind_a_url_looks_like_one_on_pipes() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (address, heard) = runtime.block_on(upstream(|asked| {
        let request = asked.json();
        match (asked.method.as_str(), request["method"].as_str().unwrap_or_default()) {
            ("POST", "initialize") => hello(&request["id"]),
            ("POST", "tools/call") => {
                let cut = result(request["id"].as_u64().unwrap(), json!([text(&log(5000))]));
                answer("text/event-stream", format!("data: {cut}\n\n"))
            }
            ("POST", "fails") => Response::builder().status(500).body(Body::from("oh")).unwrap(),
            ("POST", _) => Response::builder().status(202).body(Body::empty()).unwrap(),
            ("GET", _) => Response::builder().status(405).body(Body::empty()).unwrap(),
            _ => Response::builder().status(200).body(Body::empty()).unwrap(),
        }
    }));
    let mut line = Line::to(address);
    let greeted = line.ask(&serde_json::from_str(INITIALIZE).unwrap());
    assert_eq!(greeted["result"]["serverInfo"]["name"], "s");
    line.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let cut = line.ask(&call(1, "show", json!({})));
    let id = artifact_in(&first_text(&cut));
    let own = line.ask(&call(2, "get_artifact", json!({"id": id, "end_line": 1})));
    assert_eq!(first_text(&own), "line 1: request 1 was served in 1 ms\n");
    let failed = line.ask(&json!({"jsonrpc": "2.0", "id": 3, "method": "fails"}));
    assert_eq!(failed["error"]["message"], "the server answered 500 Internal Server Error");
    line.end();
    let heard = heard.lock().unwrap();
    let asked = heard.iter().find(|asked| asked.body.contains("tools/call")).unwrap();
    assert_eq!((asked.header("mcp-session-id"), asked.header("mcp-protocol-version")), ("s1", "2025-06-18"));
    assert_eq!(asked.header("accept"), "application/json, text/event-stream");
    assert_eq!(asked.header("mcp-method"), "");
    let last = heard.last().unwrap();
    assert_eq!((last.method.as_str(), last.header("mcp-session-id")), ("DELETE", "s1"));
}

#[test]
fn a_request_without_a_handshake_carries_its_method_and_name() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (address, heard) = runtime.block_on(upstream(|asked| {
        answer("application/json", result(asked.json()["id"].as_u64().unwrap(), json!([text("ok")])))
    }));
    let mut line = Line::to(address);
    let mut request = call(1, "wörter", json!({}));
    request["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    assert_eq!(first_text(&line.ask(&request)), "ok");
    line.end();
    let heard = heard.lock().unwrap();
    assert_eq!(heard[0].header("mcp-protocol-version"), "2026-07-28");
    assert_eq!(heard[0].header("mcp-method"), "tools/call");
    assert_eq!(heard[0].header("mcp-name"), "=?base64?d8O2cnRlcg==?=");
    assert_eq!(heard.len(), 1);
}

#[test]
fn a_session_that_the_server_forgot_is_begun_again() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let greetings = Arc::new(Mutex::new(0));
    let counted = greetings.clone();
    let (address, heard) = runtime.block_on(upstream(move |asked| {
        let request = asked.json();
        let mut greetings = counted.lock().unwrap();
        match request["method"].as_str().unwrap_or_default() {
            "initialize" => {
                *greetings += 1;
                hello(&request["id"])
            }
            "ping" if *greetings < 2 => Response::builder().status(404).body(Body::empty()).unwrap(),
            "ping" => answer("application/json", json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string()),
            _ => Response::builder().status(if asked.method == "GET" { 405 } else { 202 }).body(Body::empty()).unwrap(),
        }
    }));
    let mut line = Line::to(address);
    line.ask(&serde_json::from_str(INITIALIZE).unwrap());
    line.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let answered = line.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(answered["result"], json!({}));
    line.end();
    let posts = |heard: &Heard| {
        let heard = heard.lock().unwrap();
        let posts = heard.iter().filter(|asked| asked.method == "POST");
        posts.map(|asked| asked.json()["method"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let (hi, done) = ("initialize", "notifications/initialized");
    assert_eq!(posts(&heard), [hi, done, "ping", hi, done, "ping"]);
}

/// Answers the handshake, notes what it hears, tells of progress before each answer, and shows a large log.
const ON_PIPES: &str = r#"while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"method":"notifications/'*) ;;
        *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{}}}\n' "$id" ;;
        *) printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"pid":%s}}\n' $$
           printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"pid %s"}]}}\n' "$id" $$ ;;
    esac
done"#;

#[tokio::test(flavor = "multi_thread")]
async fn each_client_has_a_server_of_its_own_on_pipes() {
    let command = ServerCommand::new(&["sh".into(), "-c".into(), ON_PIPES.into()]).unwrap();
    let at = listening(wrap().bridge(command, AccessPolicy::local())).await;
    let url = format!("http://{at}/mcp");
    let ask = |session: Option<String>, body: String| {
        let asked = client().post(&url).body(body);
        let asked = session.iter().fold(asked, |asked, session| asked.header("mcp-session-id", session));
        async move { asked.send().await.unwrap() }
    };
    let mut pids = Vec::new();
    for _ in 0..2 {
        let greeted = ask(None, INITIALIZE.to_owned()).await;
        let session = greeted.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        assert!(greeted.text().await.unwrap().contains("capabilities"));
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(ask(Some(session.clone()), done).await.status(), 202);
        let events = ask(Some(session.clone()), call(1, "x", json!({})).to_string()).await.text().await.unwrap();
        let data: Vec<Value> = events
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        assert_eq!(data.len(), 2, "{events}");
        assert_eq!(data[0]["method"], "notifications/progress");
        pids.push(first_text(&data[1]));
        let ended = client().delete(&url).header("mcp-session-id", &session).send().await.unwrap();
        assert_eq!(ended.status(), 200);
        assert_eq!(ask(Some(session), call(2, "x", json!({})).to_string()).await.status(), 404);
    }
    assert_ne!(pids[0], pids[1]);
}

/// Answers the handshake, and every other request with a log that is too long.
const SHOWS_A_LOG: &str = r#"while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"method":"notifications/'*) ;;
        *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{}}}\n' "$id" ;;
        *) text=$(seq 20000 | tr '\n' ' ')
           printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$id" "$text" ;;
    esac
done"#;

fn events(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_named_at_the_handshake_is_found_again() {
    let command = ServerCommand::new(&["sh".into(), "-c".into(), SHOWS_A_LOG.into()]).unwrap();
    let (upstream, _) = upstream(|asked| {
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
    let bridge = listening(wrap().bridge(command, AccessPolicy::local())).await;
    for at in [bridge, proxy(upstream).await] {
        let url = format!("http://{at}/mcp");
        let greet = || async {
            let greeted = client().post(&url).header("offcut-session", "mine").body(INITIALIZE).send().await.unwrap();
            greeted.headers()["mcp-session-id"].to_str().unwrap().to_owned()
        };
        let ask = |session: String, body: Value| {
            let asked = client().post(&url).header("mcp-session-id", session).body(body.to_string());
            async move { asked.send().await.unwrap().text().await.unwrap() }
        };
        let session = greet().await;
        let shown = events(&ask(session.clone(), call(1, "show", json!({}))).await);
        let id = artifact_in(&first_text(shown.last().unwrap()));
        // Another connection, which names the session at its handshake and never again.
        let again = greet().await;
        let read = ask(again, call(2, "get_artifact", json!({"id": id, "end_byte": 4}))).await;
        let read = events(&read).pop().unwrap_or_else(|| serde_json::from_str(&read).unwrap());
        assert_ne!(read["result"]["isError"], true, "{read}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_servers_are_started_than_may_run() {
    let directory = tempfile::tempdir().unwrap();
    let script = format!("echo >>{}/started; {ON_PIPES}", directory.path().display());
    let command = ServerCommand::new(&["sh".into(), "-c".into(), script.into()]).unwrap();
    let url = format!("http://{}/mcp", listening(wrap().bridge(command, AccessPolicy::local())).await);
    let mut refused = None;
    for _ in 0..80 {
        let greeted = client().post(&url).body(INITIALIZE).send().await.unwrap();
        match greeted.status().as_u16() {
            200 => drop(greeted.text().await.unwrap()),
            status => {
                refused = Some((status, greeted.text().await.unwrap()));
                break;
            }
        }
    }
    let (status, why) = refused.expect("80 servers run at once");
    assert!(status == 503 && why.contains("too many servers run already"), "{status} {why}");
    let started = std::fs::read_to_string(directory.path().join("started")).unwrap().lines().count();
    assert!(started <= 64, "{started} servers were started");
    // The one that nobody has used for the longest time makes room.
    let since = std::time::Instant::now();
    loop {
        let greeted = client().post(&url).body(INITIALIZE).send().await.unwrap();
        if greeted.status() == 200 {
            break;
        }
        assert!(since.elapsed() < PATIENCE, "no server has made room");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

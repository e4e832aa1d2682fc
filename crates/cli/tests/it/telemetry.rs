//! What is sent to an OpenTelemetry collector, and in which trace.

mod receiver;

use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::Agent;
use crate::serve::upstream;
use crate::server::Server;
use crate::workbench::{Bench, OFFCUT, lines};
use receiver::{Receiver, attribute};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// A `traceparent` of a trace that is recorded.
fn traceparent() -> String {
    format!("00-{TRACE}-{PARENT}-01")
}

/// Names the receiver in the user's own configuration.
fn configure(bench: &Bench, address: &str) {
    bench.write("../.config/offcut/config.toml", &format!("[telemetry]\notlp = \"{address}\"\ntimeout_ms = 20000\n"));
}

/// The filter, in a trace.
fn traced(bench: &Bench) -> Command {
    let mut command = bench.command(&["--limit", "2000", "--tool", "read_file"]);
    command.env("TRACEPARENT", traceparent());
    command
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_reply_is_a_span_in_the_callers_trace_and_is_counted() {
    let (bench, receiver) = (Bench::new(), Receiver::start());
    configure(&bench, &receiver.address);
    let mut command = traced(&bench);
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-team=blue");
    let output = lines(300);
    bench.pipe_into(&mut command, output.as_bytes());
    let span = receiver.span("offcut.reply");
    assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    assert!(span.end_time_unix_nano > span.start_time_unix_nano);
    assert_eq!(attribute(&span, "offcut.tool"), "read_file");
    assert_eq!(attribute(&span, "offcut.truncated"), "true");
    assert_eq!(attribute(&span, "offcut.output.characters"), output.len().to_string());
    assert!(attribute(&span, "offcut.artifact").starts_with("art_"));
    assert_eq!((receiver.counted("offcut.calls"), receiver.counted("offcut.artifacts")), (1, 1));
    assert_eq!(receiver.counted("offcut.artifacts.size"), output.len() as i64);
    assert_eq!(receiver.measured("offcut.reply.duration"), 1);
    // The next process tells what it added, not what there is by now.
    bench.pipe_into(&mut traced(&bench), b"small\n");
    assert_eq!((receiver.counted("offcut.calls"), receiver.counted("offcut.artifacts")), (2, 1));
    assert!(receiver.heads("/v1/traces").concat().contains("x-team: blue"));
    assert!(!receiver.has_seen("nothing special"), "content was sent");
}

#[test]
fn a_trace_that_is_not_recorded_gets_no_span_and_one_that_is_unknown_begins() {
    let (bench, receiver) = (Bench::new(), Receiver::start());
    configure(&bench, &receiver.address);
    let mut command = bench.command(&[]);
    command.env("TRACEPARENT", format!("00-{TRACE}-{PARENT}-00"));
    bench.pipe_into(&mut command, b"small\n");
    assert_eq!(receiver.spans(), []);
    let mut command = bench.command(&[]);
    command.env("TRACEPARENT", "nonsense");
    bench.pipe_into(&mut command, b"small\n");
    let span = receiver.span("offcut.reply");
    assert!(span.parent_span_id.is_empty() && span.trace_id.len() == 16, "{span:?}");
    assert_eq!(receiver.counted("offcut.calls"), 2);
}

#[test]
fn nothing_is_sent_unless_the_user_says_where_to() {
    let (bench, receiver) = (Bench::new(), Receiver::start());
    let mut command = traced(&bench);
    // What is meant for other programs is not meant for us.
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.address);
    bench.pipe_into(&mut command, lines(300).as_bytes());
    // Nor does a project decide that.
    bench.write("offcut.toml", &format!("telemetry.otlp = \"{}\"\n", receiver.address));
    let left = bench.pipe_into(&mut traced(&bench), lines(300).as_bytes());
    assert!(left.stderr.contains("`telemetry.otlp` ignored: it sends what happens here to an address"), "{left:?}");
    assert_eq!(receiver.requests(), 0);
}

#[test]
fn a_receiver_that_is_gone_or_hangs_costs_a_reply_nothing_but_the_time_that_it_may_take() {
    let bench = Bench::new();
    // It takes connections, and never answers.
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = hanging.local_addr().unwrap();
    for (address, bound) in [("127.0.0.1:1".to_owned(), 20), (address.to_string(), 20)] {
        let toml = format!("[telemetry]\notlp = \"http://{address}\"\ntimeout_ms = 100\n");
        bench.write("../.config/offcut/config.toml", &toml);
        let started = Instant::now();
        let left = bench.pipe(b"small\n", &[]);
        assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), ("small\n", "", Some(0)));
        assert!(started.elapsed() < Duration::from_secs(bound), "{:?}", started.elapsed());
    }
    bench.write("../.config/offcut/config.toml", "telemetry.otlp = \"collector:4318\"\n");
    let left = bench.pipe(b"small\n", &[]);
    assert_eq!(left.stdout, "small\n");
    assert!(left.stderr.contains("`telemetry.otlp` is `collector:4318`: expected the address"), "{left:?}");
}

#[test]
fn the_proxy_passes_the_trace_on_and_its_spans_belong_to_it() {
    let (bench, receiver) = (Bench::new(), Receiver::start());
    configure(&bench, &receiver.address);
    let (url, taken) = upstream();
    let mut served = Server::start(&bench, &["serve", "--openai", &url], None);
    let body = json!({"tools": [{"type": "function", "function": {"name": "shell"}}],
        "messages": [{"role": "tool", "tool_call_id": "a", "content": lines(5000)}]})
    .to_string();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost";
    served.ask(&format!("{head}\r\ntraceparent: {}\r\ntracestate: vendor=1", traceparent()), &body);
    let (head, _) = taken.join().unwrap();
    assert!(head.contains(&format!("traceparent: {}\r\n", traceparent())), "{head}");
    assert!(head.contains("tracestate: vendor=1\r\n"), "{head}");
    assert_eq!(served.end(), Some(0));
    for name in ["offcut.reply", "offcut.request"] {
        let span = receiver.span(name);
        assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()), "{name}");
    }
    assert_eq!(receiver.counted("offcut.proxy.requests"), 1);
}

#[test]
fn wrap_passes_the_trace_on_and_its_spans_belong_to_it() {
    let (bench, receiver) = (Bench::new(), Receiver::start());
    configure(&bench, &receiver.address);
    bench.write("list.txt", &lines(150));
    let asked = bench.path("asked.txt");
    // The server behind it sees what is asked.
    let script = format!("tee '{}' | '{OFFCUT}' mcp --config /dev/null", asked.display());
    let mut agent = Agent::greeted(&bench, &["wrap", "--limit", "2000", "--", "sh", "-c", &script]);
    agent.tools();
    let meta = json!({"traceparent": traceparent()});
    let call = json!({"name": "read", "arguments": {"path": "list.txt"}, "_meta": meta});
    let answer = agent.ask("tools/call", call);
    let shown = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let id = crate::workbench::id_in(&shown);
    let own =
        json!({"name": "offcut_get_artifact", "arguments": {"id": id, "start_line": 1, "end_line": 2}, "_meta": meta});
    agent.ask("tools/call", own);
    assert_eq!(agent.leave().code, Some(0));
    assert!(std::fs::read_to_string(asked).unwrap().contains(&traceparent()));
    for name in ["offcut.reply", "offcut.retrieval"] {
        let span = receiver.span(name);
        assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()), "{name}");
    }
}

#[test]
fn the_mcp_server_s_spans_belong_to_the_clients_trace() {
    let (bench, receiver) = (Bench::new(), Receiver::start());
    configure(&bench, &receiver.address);
    let mut agent = Agent::greeted(&bench, &["mcp"]);
    let call = json!({"name": "bash", "arguments": {"command": "seq 5000"}, "_meta": {"traceparent": traceparent()}});
    agent.ask("tools/call", call);
    assert_eq!(agent.leave().code, Some(0));
    let span = receiver.span("offcut.reply");
    assert_eq!((hex(&span.trace_id), hex(&span.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
}

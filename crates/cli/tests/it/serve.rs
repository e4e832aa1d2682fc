//! `offcut serve` as a process: where it listens, whom it serves, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use serde_json::json;

use crate::server::Server;
use crate::workbench::{Bench, PATIENCE, lines};

/// An upstream that takes one request and answers `fine`; hands out the request's head and body.
pub(crate) fn upstream() -> (String, std::thread::JoinHandle<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let taken = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().unwrap(),
                Some(_) => {}
                None if line.trim().is_empty() => break,
                None => {}
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nfine").unwrap();
        (head, String::from_utf8(body).unwrap())
    });
    (url, taken)
}

#[test]
fn a_request_is_passed_on_with_its_large_result_cut_and_the_server_ends_when_asked() {
    let bench = Bench::new();
    let (url, taken) = upstream();
    let mut served = Server::start(&bench, &["serve", "--openai", &url], None);
    let body = json!({"tools": [{"type": "function", "function": {"name": "shell"}}],
        "messages": [{"role": "tool", "tool_call_id": "a", "content": lines(5000)}]})
    .to_string();
    let answer = served.ask("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost", &body);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("fine"), "{answer}");
    assert!(answer.contains("x-offcut: changed; cut=1; "), "{answer}");
    let (_, sent) = taken.join().unwrap();
    let id = crate::workbench::id_in(&sent);
    let store = bench.path(".offcut/artifacts");
    assert!(sent.contains(&format!("offcut show {id} FROM-TO ")), "{sent}");
    assert!(sent.contains(&format!("--session default --store {}", store.display())), "{sent}");
    assert_eq!(bench.call(&["artifacts", "show", &id, "--all"]).stdout, lines(5000));
    assert_eq!(served.end(), Some(0));
}

#[test]
fn the_same_result_has_the_same_id_after_a_restart_whatever_its_size() {
    let bench = Bench::new();
    // The larger one does not stay in memory while it is taken in.
    for count in [5_000, 800_000] {
        let body = json!({"tools": [{"type": "function", "function": {"name": "shell"}}],
            "messages": [{"role": "tool", "tool_call_id": "a", "content": lines(count)}]})
        .to_string();
        let sent = || {
            let (url, taken) = upstream();
            let mut served = Server::start(&bench, &["serve", "--openai", &url], None);
            let answer = served.ask("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost", &body);
            assert!(answer.contains("x-offcut: changed; cut=1; "), "{answer}");
            assert_eq!(served.end(), Some(0));
            taken.join().unwrap().1
        };
        let before = sent();
        assert_eq!(sent(), before, "{count} lines");
    }
    let kept = bench.call(&["artifacts", "list", "--json"]).stdout;
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&kept).unwrap().len(), 2, "{kept}");
}

#[test]
fn the_configuration_says_when_results_are_shortened_and_a_flag_says_otherwise() {
    let bench = Bench::new();
    bench.write("offcut.toml", "[retention]\nmode = \"window\"\nlines = 1\nprotect = [\"read\"]\n");
    let turn = |id: &str, tool: &str| {
        let call = json!({"id": id, "type": "function", "function": {"name": tool, "arguments": ""}});
        let result = json!({"role": "tool", "tool_call_id": id, "content": lines(20)});
        [json!({"role": "assistant", "tool_calls": [call]}), result]
    };
    let messages = [turn("a", "shell"), turn("b", "read"), turn("c", "shell"), turn("d", "shell")].concat();
    let tools = json!([{"type": "function", "function": {"name": "shell"}}]);
    let body = json!({"model": "gpt-5", "tools": tools, "messages": messages}).to_string();
    let told = |flags: &[&str]| {
        let (url, taken) = upstream();
        let served = Server::start(&bench, &[&["serve", "--openai", &url], flags].concat(), None);
        let answer = served.ask("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost", &body);
        (answer, taken.join().unwrap().1)
    };
    let (answer, sent) = told(&[]);
    assert!(answer.contains("x-offcut: changed; cut=0; shortened=1; "), "{answer}");
    let first = lines(20).lines().next().unwrap().to_owned();
    assert!(sent.contains(&format!("{first}\\n[TRUNCATED — full output in offcut trace art_")), "{sent}");
    assert!(told(&["--retention", "off"]).0.contains("x-offcut: unchanged"));
    bench.write("offcut.toml", "[retention]\nahead_percent = -3\n");
    let left = bench.call(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(left.code, Some(2));
    assert!(left.stderr.contains("retention.ahead_percent"), "{}", left.stderr);
}

#[test]
fn other_names_and_those_without_the_token_are_turned_away() {
    let bench = Bench::new();
    let open = Server::start(&bench, &["serve"], None);
    let head = "GET /v1/models HTTP/1.1\r\nhost: evil.example";
    assert!(open.ask(head, "").starts_with("HTTP/1.1 403 "));
    let closed =
        Server::start(&bench, &["serve", "--openai", "http://127.0.0.1:1"], Some("t0ken-of-sixteen-characters"));
    assert!(closed.ask(head, "").starts_with("HTTP/1.1 401 "));
    assert!(
        closed.ask(&format!("{head}\r\nx-offcut-token: t0ken-of-sixteen-characters"), "").starts_with("HTTP/1.1 502 ")
    );
}

#[test]
fn without_a_token_it_listens_on_this_machine_only() {
    let bench = Bench::new();
    let left = bench.call(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(left.code, Some(2));
    assert!(left.stderr.contains("`0.0.0.0:0` is reachable from other machines"), "{}", left.stderr);
    let left = bench.call(&["serve", "--listen", "127.0.0.1:0", "--openai", "ftp://x"]);
    assert_eq!(left.code, Some(2));
    assert!(left.stderr.contains("neither http nor https"), "{}", left.stderr);
}

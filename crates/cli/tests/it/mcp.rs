//! `offcut mcp` and the tools of `offcut serve`, spoken to as an agent would.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use serde_json::json;

use crate::agent::Agent;
use crate::workbench::{Bench, Left, Watch, connected, id_in};

#[test]
fn an_agent_gets_the_tools_and_nothing_but_the_protocol() {
    let bench = Bench::new();
    bench.write("src/notes.txt", "one\ntwo\nthree\n");
    let mut agent = Agent::greeted(&bench, &["mcp"]);
    assert_eq!(agent.call("grep", json!({ "pattern": "^t" })), "src/notes.txt:2: two\nsrc/notes.txt:3: three");
    assert_eq!(agent.call("read", json!({ "path": "src/notes.txt", "offset": 3 })), "three\n");
    assert_eq!(agent.leave(), Left { stdout: String::new(), stderr: String::new(), code: Some(0) });
}

#[test]
fn the_tools_start_where_they_are_told_to() {
    let bench = Bench::new();
    bench.write("inner/a.txt", "here\n");
    let mut agent = Agent::greeted(&bench, &["mcp", "--root", "inner"]);
    assert_eq!(agent.call("read", json!({ "path": "a.txt" })), "here\n");
    agent.leave();
    let refused = bench.call(&["mcp", "--root", "nowhere"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("work in `nowhere`"), "{refused:?}");
}

#[test]
fn a_named_session_is_that_of_the_command_line_and_another_is_nobodys() {
    let bench = Bench::new();
    let long = json!({ "command": "seq 1 40000" });
    let mut agent = Agent::greeted(&bench, &["mcp", "--session", "mine"]);
    let id = id_in(&agent.call("bash", long));
    agent.leave();
    let shown = bench.call(&["artifacts", "show", &id, "--lines", "7-8", "--session", "mine"]);
    assert_eq!((shown.stdout.as_str(), shown.code), ("7\n8\n", Some(0)));

    let mut agent = Agent::greeted(&bench, &["mcp"]);
    assert!(agent.call("get_artifact", json!({ "id": id })).contains("belongs to another session"));
    agent.leave();
}

#[test]
fn a_server_that_others_can_reach_needs_a_token() {
    let bench = Bench::new();
    for command in [&["mcp", "--listen", "0.0.0.0:0"] as &[&str], &["serve", "--listen", "0.0.0.0:0"]] {
        let refused = bench.call(command);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("OFFCUT_TOKEN"), "{refused:?}");
        let output = bench.command(command).env("OFFCUT_TOKEN", "x").output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("$OFFCUT_TOKEN: the token has 1 characters; at least 16 are required"), "{told}");
    }
    let refused = bench.call(&["mcp", "--listen", "127.0.0.1:0", "--session", "x"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("Offcut-Session"), "{refused:?}");
    let refused = bench.call(&["mcp", "--listen", "nowhere"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("invalid listen address `nowhere`"), "{refused:?}");
}

#[test]
fn tools_and_proxy_are_served_behind_one_door() {
    for (command, token) in [("mcp", None), ("serve", None), ("serve", Some("s3cret-of-sixteen-characters"))] {
        let bench = Bench::new();
        let mut process = bench.command(&[command, "--listen", "127.0.0.1:0"]);
        if let Some(token) = token {
            process.env("OFFCUT_TOKEN", token);
        }
        let (mut child, _watch) = Watch::start(process.stdin(Stdio::null()).stderr(Stdio::piped()));
        let mut told = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut told).unwrap();
        let address = told.trim().strip_prefix("listening at http://").unwrap().split('/').next().unwrap().to_owned();

        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } }).to_string();
        let ask = |host: &str, more: &str| {
            let mut stream = connected(&address);
            write!(
                stream,
                "POST /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
                 accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
                 mcp-method: tools/list\r\n{more}content-length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            let mut response = String::new();
            stream.read_to_string(&mut response).unwrap();
            response
        };
        let pass = token.map_or_else(String::new, |token| format!("authorization: Bearer {token}\r\n"));
        let listed = ask(&address, &pass);
        assert!(listed.starts_with("HTTP/1.1 200") && listed.contains("get_artifact"), "{command}: {listed}");
        match token {
            None => assert!(ask("evil.example", "").starts_with("HTTP/1.1 403"), "{command}"),
            Some(_) => {
                assert!(ask(&address, "").starts_with("HTTP/1.1 401"), "{command}");
                assert!(ask("tools.example", &pass).starts_with("HTTP/1.1 200"), "{command}");
            }
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command}");
    }
}

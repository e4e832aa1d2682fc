//! `offcut wrap`, with `offcut mcp` as the server behind it where a real one is needed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use rustix::process::Signal;
use serde_json::json;

use crate::agent::Agent;
use crate::workbench::{Bench, Left, OFFCUT, connected, id_in, until};

/// Waits until the process whose id is in `file` is gone.
fn gone(file: &Path) {
    let pid = std::fs::read_to_string(file).unwrap().trim().to_owned();
    until(&format!("process {pid} ({}) is gone", file.display()), || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}

/// Waits until a process has written its id down.
fn is_there(file: &Path) {
    let written = || std::fs::read_to_string(file).is_ok_and(|pid| pid.ends_with('\n'));
    until(&format!("{} is there", file.display()), written);
}

#[test]
fn a_server_s_tools_and_small_results_pass() {
    let bench = Bench::new();
    bench.write("notes.txt", "one\ntwo\nthree\n");
    let mut agent = Agent::greeted(&bench, &["wrap", "--", OFFCUT, "mcp"]);
    let tools = agent.tools();
    assert_eq!(tools[..5], ["read", "bash", "grep", "find", "ls"]);
    assert_eq!(
        tools[5..],
        ["get_artifact", "tool_output", "get_task_trace", "offcut_get_artifact", "offcut_tool_output"]
    );
    assert_eq!(agent.call("read", json!({"path": "notes.txt"})), "one\ntwo\nthree\n");
    let unknown = agent.ask("tools/call", json!({"name": "rm"}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(agent.leave(), Left { stdout: String::new(), stderr: String::new(), code: Some(0) });
}

#[test]
fn a_large_result_is_cut_and_read_back() {
    let bench = Bench::new();
    let lines: Vec<String> = (1..=150).map(|n| format!("entry {n} of the list, nothing special\n")).collect();
    bench.write("list.txt", &lines.concat());
    let mut agent = Agent::greeted(&bench, &["wrap", "--limit", "2000", "--", OFFCUT, "mcp"]);
    agent.tools();
    let shown = agent.call("read", json!({"path": "list.txt"}));
    assert!(shown.chars().count() <= 2000, "{shown}");
    let id = id_in(&shown);
    assert!(shown.contains(&format!("offcut_get_artifact(id=\"{id}\"")), "{shown}");
    let gap = agent.call("offcut_get_artifact", json!({"id": id, "start_line": 70, "end_line": 72}));
    assert_eq!(gap, lines[69..72].concat());
    assert_eq!(agent.leave().code, Some(0));
}

#[test]
fn what_is_no_message_is_skipped_and_told() {
    let bench = Bench::new();
    let script = format!("echo 'Server is starting'; exec '{OFFCUT}' mcp");
    let mut agent = Agent::greeted(&bench, &["wrap", "--", "sh", "-c", &script]);
    assert_eq!(agent.call("bash", json!({"command": "echo fine"})), "fine\n");
    let left = agent.leave();
    assert!(left.stderr.starts_with("offcut: skipped 18 bytes of the server's stdout that are no message"), "{left:?}");
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(0)));
}

#[test]
fn a_server_that_ends_at_once_is_named() {
    let bench = Bench::new();
    for (script, how, code) in [("exit 3", "exit code 3", 3), ("kill -9 $$", "signal 9", 137), (":", "exit code 0", 0)]
    {
        let left = Agent::start(&bench, &["wrap", "--", "sh", "-c", script]).left();
        let told = format!(
            "offcut: `sh -c {script}` ended ({how}) before it answered anything: is it an MCP server on pipes?\n"
        );
        assert_eq!(left, Left { stdout: String::new(), stderr: told, code: Some(code) });
    }
    // Who waits for it hears of it too.
    let mut agent = Agent::start(&bench, &["wrap", "--", "sh", "-c", "IFS= read -r line; exit 4"]);
    let answer = agent.ask("initialize", json!({}));
    assert_eq!(answer["error"]["message"], "the server ended (exit code 4) before it answered");
    assert_eq!(agent.left().code, Some(4));
    let left = bench.call(&["wrap", "--", "no-such-server-at-all"]);
    assert_eq!(left.code, Some(127));
    assert_eq!(left.stderr, "error: could not start `no-such-server-at-all`: No such file or directory (os error 2)\n");
    bench.write("plain", "no program");
    let left = bench.call(&["wrap", "--", "./plain"]);
    assert!(left.code == Some(126) && left.stderr.contains("could not start `./plain`"), "{left:?}");
}

/// Hears no request to end, like what it has started; `$1` is what its files are called.
const STUBBORN: &str = r#"trap '' TERM INT HUP
sh -c 'trap "" TERM INT HUP; echo $$ >"$0.child"; exec sleep 50' "$1" >/dev/null 2>&1 </dev/null &
echo $$ >"$1.pid"; exec sleep 50"#;

#[test]
fn a_signal_ends_the_server_and_what_it_started() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let bench = Bench::new();
        bench.write("server.sh", STUBBORN);
        let agent = Agent::start(&bench, &["wrap", "--", "sh", "server.sh", "a"]);
        let files = ["a.pid", "a.child"].map(|name| bench.path(name));
        files.iter().for_each(|file| is_there(file));
        agent.signal(signal);
        assert_eq!(agent.left().code, Some(code));
        files.iter().for_each(|file| gone(file));
    }
}

#[test]
fn a_server_that_cannot_be_reached_is_told_and_a_signal_still_ends_us() {
    let bench = Bench::new();
    let mut agent = Agent::start(&bench, &["wrap", "--url", "http://127.0.0.1:9/mcp"]);
    let answer = agent.ask("ping", json!({}));
    let told = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(told.starts_with("the server cannot be reached: "), "{told}");
    agent.signal(Signal::TERM);
    assert_eq!(agent.left().code, Some(143));
}

#[test]
fn servers_of_clients_over_http_end_with_us() {
    let bench = Bench::new();
    bench.write("server.sh", STUBBORN);
    let mut agent = Agent::start(&bench, &["wrap", "--listen", "127.0.0.1:0", "--", "sh", "server.sh", "a"]);
    let mut told = String::new();
    BufReader::new(agent.child.stderr.as_mut().unwrap()).read_line(&mut told).unwrap();
    let address = told.trim().strip_prefix("offcut: listening at http://").unwrap().split('/').next().unwrap();
    let mut stream = connected(address);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}).to_string();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let files = ["a.pid", "a.child"].map(|name| bench.path(name));
    files.iter().for_each(|file| is_there(file));
    agent.signal(Signal::TERM);
    assert_eq!(agent.left().code, Some(0));
    files.iter().for_each(|file| gone(file));
}

#[test]
fn several_servers_are_one_and_end_together() {
    let bench = Bench::new();
    bench.write("server.sh", STUBBORN);
    bench.write("notes.txt", "one\n");
    let file = json!({"servers": {
        "first": {"command": OFFCUT, "args": ["mcp"]},
        "second": {"command": OFFCUT, "args": ["mcp"], "prefix": "s"},
    }});
    bench.write("servers.json", &file.to_string());
    let mut agent = Agent::greeted(&bench, &["wrap", "--servers", "servers.json"]);
    let tools = agent.tools();
    for name in ["first_read", "s_bash", "get_artifact"] {
        assert!(tools.contains(&name.to_owned()), "{tools:?}");
    }
    assert_eq!(agent.call("s_read", json!({"path": "notes.txt"})), "one\n");
    assert_eq!(agent.leave(), Left { stdout: String::new(), stderr: String::new(), code: Some(0) });

    let server = |name: &str| json!({"command": "sh", "args": ["server.sh", name]});
    bench.write("servers.json", &json!({"servers": {"a": server("a"), "b": server("b")}}).to_string());
    let agent = Agent::start(&bench, &["wrap", "--servers", "servers.json"]);
    let files = ["a.pid", "a.child", "b.pid", "b.child"].map(|name| bench.path(name));
    files.iter().for_each(|file| is_there(file));
    agent.signal(Signal::TERM);
    assert_eq!(agent.left().code, Some(143));
    files.iter().for_each(|file| gone(file));
}

#[test]
fn wrong_arguments_say_what_would_be_right() {
    let bench = Bench::new();
    bench.write("odd.toml", "[servers.files]\ncommand = \"x\"\nlimt = 3\n");
    bench.write("none.json", "{}");
    bench.write("broken.toml", "[servers\n");
    for (arguments, words) in [
        (&[] as &[&str], &["<CMD>", "offcut wrap"] as &[&str]),
        (&["--url", "ftp://x"], &["`ftp://x` is not the URL of a server", "expected http://… or https://…"]),
        (&["--url", "http://x", "--", "cat"], &["cannot be used with"]),
        (&["--servers", "nowhere.toml"], &["could not read the servers in `nowhere.toml`", "No such file"]),
        (&["--servers", "odd.toml"], &["odd.toml: `servers.files.limt`: unknown: expected one of command, args,"]),
        (&["--servers", "none.json"], &["`servers`: missing: expected `servers` or `mcpServers`"]),
        (&["--servers", "broken.toml"], &["broken.toml:1: not valid TOML"]),
        (&["--tool-limit", "x", "--", "cat"], &["expected TOOL=LIMIT, not `x`"]),
        (&["--limit", "many", "--", "cat"], &["many"]),
        (&["--listen", "0.0.0.0:0", "--", "cat"], &["hint: name a variable with a token: --listen-token-env VAR"]),
        (&["--url", "http://x", "--token-env", "NO_SUCH_VARIABLE"], &["$NO_SUCH_VARIABLE is not set"]),
    ] {
        let left = bench.call(&[&["wrap"], arguments].concat());
        assert_eq!((left.code, left.stdout.as_str()), (Some(2), ""), "{arguments:?}: {left:?}");
        for word in words {
            assert!(left.stderr.contains(word), "{arguments:?}: {}", left.stderr);
        }
    }
}

//! A real coding agent through the proxy, against the scripted model.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::process::Command;

use crate::bench::proxy;
use crate::testkit::{fake_llm, started};

/// An MCP server with one tool, whose result has 300 KB and one line that matters.
const BIG: &str = r#"
import json, sys
lines = ["[%d/6000] Building CXX object src/part_%d.cc.o" % (n, n) for n in range(6000)]
lines.insert(3000, "src/part_3000.cc:12:5: error: use of undeclared identifier 'lost'")
tool = {"name": "show", "description": "shows a build", "inputSchema": {"type": "object", "properties": {}},
        "_meta": {"anthropic/maxResultSizeChars": 500000}}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, answer = message.get("method"), {"error": {"code": -32601, "message": "no such method"}}
    if method == "initialize":
        answer = {"result": {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                             "serverInfo": {"name": "big", "version": "1"}}}
    elif method == "tools/list":
        answer = {"result": {"tools": [tool]}}
    elif method == "tools/call":
        answer = {"result": {"content": [{"type": "text", "text": "\n".join(lines) + "\n"}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"#;

/// Claude Code, where `PEERS_DIR` says that it is installed (and a `node` that it accepts is in the path).
#[tokio::test]
async fn an_agent_does_a_whole_task_and_its_model_sees_the_same_cut_every_turn() {
    let (Some(script), Some(agent)) = (fake_llm(), claude()) else {
        eprintln!("skipped: needs fake_llm.py (TESTKIT_DIR) and Claude Code (scripts/peers.sh)");
        return;
    };
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bash = |word: &str| json!({"tool": "Bash", "args": {"command": format!("echo {word}"), "description": word}});
    let turns =
        json!([{"tool": "mcp__big__show", "args": {}}, bash("one"), bash("two"), bash("three"), {"text": "done"}]);
    let (_server, upstream) = started(&script, &turns, folder.path(), true).await;
    let url = proxy(&upstream, &path("store")).await;
    std::fs::create_dir(path("home")).unwrap();
    std::fs::write(path("big.py"), BIG).unwrap();
    let servers = json!({"mcpServers": {"big": {"command": "python3", "args": [path("big.py")]}}});
    std::fs::write(path("mcp.json"), servers.to_string()).unwrap();
    let ended = Command::new(agent)
        .args([
            "-p",
            "show me the build",
            "--model",
            "claude-sonnet-4-5",
            "--strict-mcp-config",
            "--mcp-config",
            "mcp.json",
        ])
        .args(["--allowedTools", "mcp__big__show,Bash"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", path("home"))
        .env("ANTHROPIC_BASE_URL", &url)
        .env("ANTHROPIC_API_KEY", "test")
        .envs([("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"), ("DISABLE_AUTOUPDATER", "1")])
        .env("MAX_MCP_OUTPUT_TOKENS", "1000000")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ended = tokio::time::timeout(Duration::from_secs(180), ended).await.expect("the agent ends").unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("done"));
    let seen = shown(&path("run.jsonl"));
    assert_eq!(seen.len(), 4, "four requests carry the result");
    assert!(seen.iter().all(|text| *text == seen[0]), "the same bytes every turn");
    assert!(seen[0].starts_with("[offcut ") && seen[0].contains("undeclared identifier 'lost'"), "{}", seen[0]);
    assert!(seen[0].len() < 9000 && seen[0].contains(": offcut show "));
}

fn claude() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("PEERS_DIR")?);
    Some(folder.join("claude/node_modules/.bin/claude")).filter(|agent| agent.is_file())
}

/// The large result as each request carried it.
fn shown(log: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(log).unwrap();
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let large = |entry: &Value| {
        let results = entry["tool_results"].as_array()?;
        let shown = results.iter().find(|result| result["name"] == "mcp__big__show")?;
        Some(shown["text"].as_str()?.to_owned())
    };
    entries.filter_map(|entry| large(&entry)).collect()
}

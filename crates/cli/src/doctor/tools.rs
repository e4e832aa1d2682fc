//! A round trip over MCP: `offcut mcp` is started as an agent starts it, and a tool is called.

use std::process::Command;

use serde_json::{Value, json};

use super::Check;
use super::process;
use crate::init::surroundings::Surroundings;

/// Whether the tools answer.
pub(super) fn finding(surroundings: &Surroundings) -> Check {
    match round_trip(surroundings) {
        Ok(tools) => Check::ok("tools", format!("`offcut mcp` answers, with {tools} tools")),
        Err(why) => Check::broken("tools", why).advice("run `offcut mcp` by hand and look at what it prints"),
    }
}

/// Calls a tool that prints much; how many tools there are.
fn round_trip(surroundings: &Surroundings) -> Result<usize, String> {
    let directory = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let client = json!({ "name": "offcut-doctor", "version": "1" });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "bash", "arguments": { "command": "seq 1 40000" } } }),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let mut command = Command::new(&surroundings.program);
    command.arg("mcp").current_dir(directory.path());
    let answers = process::converse(&mut command, &input, |line| line.contains("\"id\":3"))?;
    let answers: Vec<Value> = answers.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let answer = |id: u64| answers.iter().find(|answer| answer.get("id").and_then(Value::as_u64) == Some(id));
    let tools = answer(2).and_then(|answer| answer.pointer("/result/tools")?.as_array());
    let tools = tools.ok_or("`offcut mcp` lists no tools")?;
    let text = answer(3).and_then(|answer| answer.pointer("/result/content/0/text")?.as_str());
    let text = text.ok_or("the tool `bash` of `offcut mcp` does not answer")?;
    if text.len() > 100_000 || !text.contains("40000") {
        return Err("the tool `bash` of `offcut mcp` does not cut an output of 40,000 lines".to_owned());
    }
    Ok(tools.len())
}

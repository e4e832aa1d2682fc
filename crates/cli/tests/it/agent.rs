//! An agent that speaks to `offcut mcp` and `offcut wrap` over pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::workbench::{Bench, Left, Watch};

/// An agent before a server of ours.
pub(crate) struct Agent {
    pub(crate) child: Child,
    _watch: Watch,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last: u64,
}

impl Agent {
    pub(crate) fn start(bench: &Bench, arguments: &[&str]) -> Agent {
        let mut command = bench.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, watch) = Watch::start(&mut command);
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Agent { child, _watch: watch, stdin, stdout, last: 0 }
    }

    /// One that has shaken hands.
    pub(crate) fn greeted(bench: &Bench, arguments: &[&str]) -> Agent {
        let mut agent = Agent::start(bench, arguments);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        assert!(agent.ask("initialize", params).get("result").is_some());
        agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Asks, and returns the answer. Whatever stands on stdout must be a message.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server has gone");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line:?}"));
            assert_eq!(message["jsonrpc"], "2.0");
            if message["id"] == self.last {
                return message;
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    pub(crate) fn tools(&mut self) -> Vec<String> {
        let answer = self.ask("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes the pipe, and returns what is left.
    pub(crate) fn leave(mut self) -> Left {
        self.stdin = None;
        self.left()
    }

    /// What is left when it has ended by itself.
    pub(crate) fn left(mut self) -> Left {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Left { stdout, stderr, code: self.child.wait().unwrap().code() }
    }
}

//! A client on one side of a wrap, and on the other a server that answers by a script.

use std::fs;
use std::io::{PipeWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use offcut::Offcut;
use offcut_mcp::wrap::{Rules, ServerCommand, Stop, Wrap, WrapError};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::within::{Lines, joined};

/// Answers each line that it reads by the next line of the file `answers` (none where that is empty), and keeps what
/// it read in the file `heard`.
const BY_SCRIPT: &str = r#"
exec 3<answers
while IFS= read -r line; do
    printf '%s\n' "$line" >>heard
    if IFS= read -r answer <&3 && [ -n "$answer" ]; then printf '%s\n' "$answer"; fi
done
"#;

pub(crate) struct Rig {
    to: Option<PipeWriter>,
    from: Lines,
    thread: Option<JoinHandle<Result<u8, WrapError>>>,
    pub(crate) stop: Stop,
    pub(crate) told: Arc<Mutex<Vec<String>>>,
    directory: TempDir,
}

impl Rig {
    /// A server that answers with these lines, one for each line that it reads.
    pub(crate) fn answering(rules: Rules, answers: &[&str]) -> Rig {
        Rig::running(rules, BY_SCRIPT, &(answers.join("\n") + "\n"))
    }

    /// A server that is this shell script, in a directory with a file `answers`.
    pub(crate) fn running(rules: Rules, script: &str, answers: &str) -> Rig {
        Rig::with(Offcut::builder().in_memory().build().unwrap(), rules, script, answers)
    }

    pub(crate) fn with(offcut: Offcut, rules: Rules, script: &str, answers: &str) -> Rig {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("answers"), answers).unwrap();
        fs::write(directory.path().join("heard"), "").unwrap();
        let mut command = ServerCommand::new(&["sh".into(), "-c".into(), script.into()]).unwrap();
        command.directory = Some(directory.path().to_owned());
        let told = Arc::new(Mutex::new(Vec::new()));
        let hears = told.clone();
        let wrap = Wrap::new(offcut, rules, Arc::new(move |what| hears.lock().unwrap().push(what.to_owned())));
        let piped = wrap.piped(command);
        let stop = piped.stopper();
        let (client_in, to) = std::io::pipe().unwrap();
        let (from, client_out) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || piped.run(client_in, client_out));
        Rig { to: Some(to), from: Lines::of(from), thread: Some(thread), stop, told, directory }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(line.as_bytes()).unwrap();
        to.write_all(b"\n").unwrap();
    }

    /// The next line, as it came.
    pub(crate) fn line(&mut self) -> String {
        self.from.next().expect("the wrap closed its end")
    }

    pub(crate) fn ask(&mut self, line: &str) -> Value {
        self.send(line);
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Calls a tool of ours or of the server.
    pub(crate) fn call(&mut self, id: u64, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string())
    }

    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }

    /// What the server has read so far, when it has ended.
    pub(crate) fn heard(&mut self) -> Vec<String> {
        self.end();
        let heard = fs::read_to_string(self.path("heard")).unwrap();
        heard.lines().map(str::to_owned).collect()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Closes the client's end and waits; the exit code.
    pub(crate) fn end(&mut self) -> u8 {
        self.hang_up();
        self.ended()
    }

    /// Waits until the wrap has ended by itself; the exit code.
    pub(crate) fn ended(&mut self) -> u8 {
        joined(self.thread.take().unwrap(), "the wrap").unwrap()
    }

    /// What is left to read when all is over.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.from.next()).collect()
    }
}

/// A result with these blocks, as an answer to `id`.
pub(crate) fn result(id: u64, content: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}}).to_string()
}

/// A block of text.
pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The text of the first block of a result.
pub(crate) fn first_text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}")).to_owned()
}

/// A log of so many lines with one error in the middle.
pub(crate) fn log(lines: usize) -> String {
    let mut log: Vec<String> =
        (1..=lines).map(|n| format!("line {n}: request {n} was served in {} ms", n % 7)).collect();
    log[lines / 2] = "ERROR: the disk is full".to_owned();
    log.join("\n") + "\n"
}

/// The short handle of the artifact that a text names, or its id.
pub(crate) fn artifact_in(text: &str) -> String {
    if let Some((_, rest)) = text.split_once("[offcut ") {
        return rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    }
    let (_, rest) = text.split_once("art_").unwrap_or_else(|| panic!("no artifact in {text}"));
    let rest: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    format!("art_{rest}")
}

//! A client that writes its messages by hand.

use std::path::Path;

use offcut::Offcut;
use offcut_mcp::server::Server;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;

pub(crate) use crate::within::PATIENCE;

/// A server over a directory of its own.
pub(crate) struct Bench {
    pub(crate) server: Server,
    directory: TempDir,
}

impl Bench {
    pub(crate) fn new(profile: &str) -> Bench {
        let directory = tempfile::tempdir().unwrap();
        let offcut = Offcut::builder().profile(profile).in_memory().build().unwrap();
        Bench { server: Server::new(&offcut, directory.path()), directory }
    }

    /// Two servers on one store, as two processes are.
    pub(crate) fn two() -> (Bench, Bench) {
        let store = std::sync::Arc::new(offcut_store::MemoryStore::new());
        let make = || {
            let directory = tempfile::tempdir().unwrap();
            let offcut = Offcut::builder().store_in(store.clone()).build().unwrap();
            Bench { server: Server::new(&offcut, directory.path()), directory }
        };
        (make(), make())
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    /// A client that has just opened its end.
    pub(crate) fn connect(&self) -> Peer {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = self.server.clone();
        let serving = tokio::spawn(async move {
            let (reader, writer) = theirs.into_split();
            server.serve(reader, writer).await.map_err(|error| error.to_string())
        });
        let (reader, writer) = ours.into_split();
        Peer { reader: BufReader::new(reader), writer, serving, told: Vec::new() }
    }

    /// A client that has shaken hands.
    pub(crate) async fn client(&self, name: &str) -> Peer {
        let mut peer = self.connect();
        peer.initialize("2025-11-25", name).await;
        peer
    }
}

/// The client's end.
pub(crate) struct Peer {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    serving: JoinHandle<Result<(), String>>,
    /// The notifications that came meanwhile.
    pub(crate) told: Vec<Value>,
}

impl Peer {
    /// Sends a line as it stands.
    pub(crate) async fn send(&mut self, line: &str) {
        let writing = async {
            self.writer.write_all(line.as_bytes()).await.unwrap();
            self.writer.write_all(b"\n").await.unwrap();
        };
        tokio::time::timeout(PATIENCE, writing).await.expect("the server does not read");
    }

    /// The next message, whatever it is.
    pub(crate) async fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.reader.read_line(&mut line)).await;
        assert!(read.expect("no message came").unwrap() > 0, "the server has gone");
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to a request, with the notifications that came before it kept apart.
    pub(crate) async fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            let message = self.next().await;
            if message.get("id") == Some(&id) {
                return message;
            }
            self.told.push(message);
        }
    }

    /// Asks and waits for the answer.
    pub(crate) async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string()).await;
        self.answer(id).await
    }

    /// Calls a tool and returns its result.
    pub(crate) async fn call(&mut self, id: u64, tool: &str, arguments: Value) -> Value {
        let answer = self.ask(id, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
        answer.get("result").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Shakes hands, and returns what the server said.
    pub(crate) async fn initialize(&mut self, version: &str, name: &str) -> Value {
        self.initialize_with(version, name, json!({})).await
    }

    /// The same for a client that offers something itself.
    pub(crate) async fn initialize_with(&mut self, version: &str, name: &str, capabilities: Value) -> Value {
        let client = json!({ "name": name, "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
        let answer = self.ask(0, "initialize", params).await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer["result"].clone()
    }

    /// Closes the client's end, and waits until the server has noticed.
    pub(crate) async fn leave(self) -> Result<(), String> {
        drop(self.writer);
        tokio::time::timeout(PATIENCE, self.serving).await.expect("the server stays").unwrap()
    }
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// The `_meta` of a request that stands for itself.
pub(crate) fn stateless(name: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": name, "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

//! The scripted model server.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use offcut_models::{Config, HttpModel};
use serde_json::Value;

/// A server that answers with the turns of a script; it ends with this value.
pub(crate) struct Server {
    child: Child,
    url: String,
    directory: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server with this script; none where the testkit or python is missing.
pub(crate) fn start(script: &Value) -> Option<Server> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testkit");
    let testkit = std::env::var_os("OFFCUT_TESTKIT").map_or(beside, PathBuf::from);
    let program = testkit.join("fake_llm.py");
    if !program.is_file() {
        eprintln!("skipped: no scripted model server at {}", program.display());
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("script.json");
    std::fs::write(&file, script.to_string()).unwrap();
    let port = directory.path().join("port");
    let spawned = Command::new("python3")
        .arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/server.py"))
        .arg(&testkit)
        .arg(&file)
        .arg(directory.path().join("log.jsonl"))
        .arg(&port)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(child) = spawned else {
        eprintln!("skipped: python3 cannot be run");
        return None;
    };
    let mut server = Server { child, url: String::new(), directory };
    let started = Instant::now();
    loop {
        let number = std::fs::read_to_string(&port).unwrap_or_default();
        if let Ok(number) = number.trim().parse::<u16>() {
            server.url = format!("http://127.0.0.1:{number}/v1");
            return Some(server);
        }
        if started.elapsed() > Duration::from_secs(60) || server.child.try_wait().unwrap().is_some() {
            eprintln!("skipped: the scripted model server does not start");
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Server {
    /// The model behind it, in one of the two wire formats.
    pub(crate) fn model(&self, provider: &str) -> HttpModel {
        let env = |name: &str| match name {
            "OFFCUT_MODEL_URL" => Some(self.url.clone()),
            "OFFCUT_MODEL_PROVIDER" => Some(provider.to_owned()),
            "OFFCUT_MODEL" => Some("gpt-4o-mini".to_owned()),
            "OFFCUT_MODEL_KEY" => Some("test-key".to_owned()),
            _ => None,
        };
        let config = Config::from_env(&env).unwrap().unwrap();
        HttpModel::new(Config { context_tokens: 6000, output_tokens: 500, ..config }).unwrap()
    }

    /// Every request so far, as it was logged.
    pub(crate) fn requests(&self) -> Vec<Value> {
        let Ok(log) = std::fs::File::open(self.directory.path().join("log.jsonl")) else { return Vec::new() };
        BufReader::new(log).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
    }
}

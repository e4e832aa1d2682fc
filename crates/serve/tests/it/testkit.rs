//! Against the scripted model server, where it is at hand.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::process::{Child, Command};

use crate::bench::{post, proxy, told};

/// The scripted server: by `TESTKIT_DIR`, or beside the repository.
pub(crate) fn fake_llm() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testkit");
    let folder = std::env::var_os("TESTKIT_DIR").map_or(beside, PathBuf::from);
    let script = folder.join("fake_llm.py");
    let python = std::process::Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    (script.is_file() && python.is_ok_and(|status| status.success())).then_some(script)
}

/// Starts it in `folder`; where `side` requests are answered apart, they take no turn.
pub(crate) async fn started(script: &Path, turns: &Value, folder: &Path, side: bool) -> (Child, String) {
    std::fs::write(folder.join("script.json"), turns.to_string()).unwrap();
    let port_file = folder.join("port");
    let server = Command::new("python3")
        .arg(script)
        .args(["serve", "script.json", "--log", "run.jsonl", "--port-file", "port"])
        .args((!side).then_some("--no-side"))
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    for _ in 0..400 {
        if let Ok(port) = std::fs::read_to_string(&port_file)
            && !port.trim().is_empty()
        {
            return (server, format!("http://127.0.0.1:{}", port.trim()));
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the scripted server does not start");
}

#[tokio::test]
async fn a_scripted_model_sees_the_same_cut_every_turn_and_its_stream_comes_through() {
    let Some(script) = fake_llm() else {
        eprintln!("skipped: fake_llm.py or python3 is not here (set TESTKIT_DIR)");
        return;
    };
    let folder = tempdir().unwrap();
    let turns = json!([{"text": "one ".repeat(50)}, {"text": "two"}, {"text": "three"}, {"status": 529}]);
    let (_server, upstream) = started(&script, &turns, folder.path(), false).await;
    let url = proxy(&upstream, &folder.path().join("store")).await;
    let large: String = (0..8000).map(|n| format!("entry {n} of a list that is far too long\n")).collect();
    let mut messages = vec![
        json!({"role": "user", "content": "go"}),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": large}]}),
    ];
    let tools = json!([{"name": "Bash", "input_schema": {"type": "object"}}]);
    for turn in 0..4 {
        let body = json!({"model": "m", "max_tokens": 9, "stream": true, "tools": tools, "messages": messages});
        let answer = post(&url, "/v1/messages", body.to_string()).await;
        assert!(told(&answer).starts_with("changed; "), "{}", told(&answer));
        if turn == 3 {
            assert_eq!(answer.status(), 529);
            break;
        }
        assert_eq!(answer.status(), 200);
        let text = answer.text().await.unwrap();
        assert!(text.starts_with("event: message_start\n") && text.contains("event: message_stop\n"), "{text}");
        messages.push(json!({"role": "assistant", "content": format!("answer {turn}")}));
        messages.push(json!({"role": "user", "content": "go on"}));
    }
    let log = std::fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    let seen: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|entry| entry["tool_results"][0]["text"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(seen.len(), 4);
    assert!(seen[0].chars().count() <= 8000 && seen.iter().all(|text| *text == seen[0]));
}

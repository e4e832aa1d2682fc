//! `offcut hook`: events as agents send them, through the real binary.

use serde_json::{Value, json};

use crate::workbench::{Bench, Left, id_in};

fn lines() -> String {
    (1..=40000).map(|n| format!("{n}\n")).collect()
}

fn answer(bench: &Bench, agent: &str, event: &Value) -> Value {
    let left = bench.pipe(event.to_string().as_bytes(), &["hook", agent]);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)), "{agent}");
    if left.stdout.is_empty() { Value::Null } else { serde_json::from_str(&left.stdout).unwrap() }
}

/// The reply holds the end and a handle, and what was kept opens by it.
fn check(bench: &Bench, reply: &Value) {
    let reply = reply.as_str().unwrap();
    assert!(reply.len() < 9000 && reply.contains("40000\n"), "{reply}");
    let shown = bench.call(&["artifacts", "show", &id_in(reply), "--lines", "20001-20002"]);
    assert_eq!(shown.stdout, "20001\n20002\n");
}

#[test]
fn a_large_output_is_replaced_by_the_reply() {
    let bench = Bench::new();
    let saved = bench.path("1-copilot-tool-output-2.txt");
    std::fs::write(&saved, lines()).unwrap();
    let (cwd, path) = (bench.root(), saved.to_str().unwrap().to_owned());
    let text = format!(
        "Output too large to read at once (1 KB). Saved to: {path}\n1\n2\n<shellId: 0 completed with exit code 3>"
    );
    let event = json!({ "cwd": cwd, "toolName": "bash", "toolArgs": { "command": "make" },
                        "toolResult": { "resultType": "success", "textResultForLlm": text } });
    let told = answer(&bench, "copilot", &event);
    check(&bench, &told["modifiedResult"]["textResultForLlm"]);
    assert!(told["modifiedResult"]["textResultForLlm"].as_str().unwrap().ends_with("completed with exit code 3>"));

    let content = format!("<untrusted_context>\nOutput: {}\nProcess Group PGID: 7\n</untrusted_context>", lines());
    let event = json!({ "cwd": cwd, "tool_name": "run_shell_command", "tool_input": { "command": "make" },
                        "tool_response": { "llmContent": content } });
    check(&bench, &answer(&bench, "gemini", &event)["reason"]);

    let event = json!({ "cwd": cwd, "tool_input": { "command": "make" },
                        "tool_output": { "stdout": lines(), "stderr": "", "returncode": 0 } });
    check(&bench, &answer(&bench, "vibe", &event)["reason"]);

    let event = json!({ "cwd": cwd, "tool_input": { "command": "make" },
                        "tool_response": { "stdout": "1\n", "stderr": "", "persistedOutputPath": path } });
    check(&bench, &answer(&bench, "claude", &event)["hookSpecificOutput"]["updatedToolOutput"]["stdout"]);

    for agent in ["opencode", "pi"] {
        let event = json!({ "cwd": cwd, "command": "make", "output": "40000\n", "path": path, "exit": 3 });
        check(&bench, &answer(&bench, agent, &event)["output"]);
    }
}

#[test]
fn there_is_nothing_to_say_about_a_small_output_or_a_fetch() {
    let bench = Bench::new();
    let event = |command: &str, output: &str| json!({ "cwd": bench.root(), "command": command, "output": output });
    assert_eq!(answer(&bench, "pi", &event("echo hi", "hi\n")), Value::Null);
    assert_eq!(answer(&bench, "pi", &event("offcut artifacts show art_1_a", &lines())), Value::Null);
    let secret = ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    let told = answer(&bench, "pi", &event("cat key", &format!("token {secret}\n")));
    assert!(!told.to_string().contains(&secret) && told["output"].as_str().unwrap().contains("[REDACTED"), "{told}");
}

#[test]
fn what_goes_wrong_leaves_the_agent_as_it_was() {
    let bench = Bench::new();
    let left = bench.pipe(b"{ not json", &["hook", "copilot"]);
    assert_eq!((left.stdout.as_str(), left.code), ("{}\n", Some(0)));
    assert!(left.stderr.contains("the event is not JSON"), "{left:?}");
    let left = bench.pipe(b"{}", &["hook", "nobody"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(1)), "exit code 2 refuses a call");
    let left = bench.pipe(b"{}", &["hook", "gemini", "--no-such-flag"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(1)), "exit code 2 refuses a call");
    let gone = json!({ "command": "make", "output": "tail", "path": "/nowhere/at/all" });
    assert_eq!(
        bench.pipe(gone.to_string().as_bytes(), &["hook", "pi"]),
        Left { stdout: String::new(), stderr: String::new(), code: Some(0) }
    );
    // A store that cannot be written, and a broken configuration: still a reply.
    bench.write("offcut.toml", "no_such_key = 1\n");
    bench.write(".offcut", "a file, not a folder");
    let event = json!({ "command": "make", "output": lines() });
    let left = bench.pipe(event.to_string().as_bytes(), &["hook", "pi"]);
    let told: Value = serde_json::from_str(&left.stdout).unwrap();
    assert!(left.code == Some(0) && told["output"].as_str().unwrap().contains("40000"), "{left:?}");
}

#[test]
fn cline_runs_the_same_command_with_a_reply() {
    let bench = Bench::new();
    let event = json!({ "tool_call": { "name": "run_commands", "input": { "commands": ["seq 1 40000; echo 'it'\\''s'; exit 3"] } } });
    let told = answer(&bench, "cline", &event);
    let line = told["overrideInput"]["commands"][0].as_str().unwrap().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(bench.root()).env_remove("OFFCUT_SHELL");
    let left = bench.run(&mut shell);
    assert_eq!(left.code, Some(3));
    assert!(left.stdout.len() < 9000 && left.stdout.contains("it's"), "{}", left.stdout);
    assert_eq!(answer(&bench, "cline", &json!({ "tool_call": { "name": "read" } })), json!({ "cancel": false }));
}

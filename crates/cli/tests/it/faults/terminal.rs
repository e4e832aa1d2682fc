//! `run` on a terminal: a person gets the stream, an agent the reply, and nobody what acts on the terminal.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::OpenptFlags;

use crate::workbench::{Bench, Watch};

/// What a command writes to a terminal of its own, and its exit code.
pub(crate) fn on_a_terminal(command: &mut Command) -> (String, Option<i32>) {
    let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let end = || Stdio::from(slave.try_clone().unwrap());
    let (mut child, _watch) = Watch::start(command.stdin(end()).stdout(end()).stderr(end()));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(slave);
    let mut bytes = Vec::new();
    // A terminal whose last user has left cannot be read any more.
    let _ = File::from(master).read_to_end(&mut bytes);
    (String::from_utf8(bytes).unwrap().replace("\r\n", "\n"), child.wait().unwrap().code())
}

fn run(bench: &Bench, flags: &[&str], agent: Option<&str>, line: &str) -> (String, Option<i32>) {
    let mut command = bench.command(&[]);
    command.arg("run").args(flags).args(["--", "sh", "-c", line]);
    for variable in ["CLAUDECODE", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI", "CODEX_THREAD_ID"] {
        command.env_remove(variable);
    }
    for variable in ["GEMINI_CLI", "QWEN_CODE", "OPENCODE", "GOOSE_TERMINAL", "COPILOT_CLI", "CURSOR_AGENT"] {
        command.env_remove(variable);
    }
    for variable in ["CLINE_ACTIVE", "AUGMENT_AGENT", "PI_CODING_AGENT", "AI_AGENT"] {
        command.env_remove(variable);
    }
    if let Some((name, value)) = agent.and_then(|agent| agent.split_once('=')) {
        command.env(name, value);
    }
    on_a_terminal(&mut command)
}

#[test]
fn a_person_gets_the_stream_and_an_agent_the_reply() {
    let bench = Bench::new();
    let line = "seq 5000; exit 3";
    let all: String = (1..=5000).map(|n| format!("{n}\n")).collect();
    let (shown, code) = run(&bench, &[], None, line);
    assert!(shown.starts_with(&all) && shown.contains("offcut: a model sees "), "{}", shown.len());
    assert_eq!(code, Some(3));
    for (flags, variable) in [
        (&[][..], "GEMINI_CLI=1"),
        (&[], "CLAUDECODE=1"),
        (&[], "OFFCUT_REPLY=always"),
        (&["--reply", "always"], "A=1"),
    ] {
        let (shown, code) = run(&bench, flags, Some(variable), line);
        assert!(shown.len() < 8200 && shown.contains("offcut"), "{variable}: {} bytes", shown.len());
        assert!(!shown.contains("a model sees"), "{variable}");
        assert_eq!(code, Some(3));
    }
    let (shown, _) = run(&bench, &["--reply", "never"], Some("GEMINI_CLI=1"), line);
    assert!(shown.starts_with(&all));
}

#[test]
fn an_agent_s_terminal_gets_no_progress_line() {
    let bench = Bench::new();
    let (shown, _) = run(&bench, &[], Some("QWEN_CODE=1"), "echo begun; sleep 1.5; echo end");
    assert_eq!(shown, "begun\nend\n");
}

#[test]
fn colours_pass_and_what_acts_on_the_terminal_does_not() {
    let bench = Bench::new();
    let line = r"printf '\033[31mred\033[0m\033]52;c;ZXZpbA==\007\033]0;title\007\033[?2004h\033Pq\033\\ end\n'";
    assert_eq!(run(&bench, &[], None, line), ("\x1b[31mred\x1b[0m end\n".to_owned(), Some(0)));
}

#[test]
fn secrets_stop_before_the_terminal_too() {
    let bench = Bench::new();
    let line = "echo before; printf 'token ghp_abcdefghijkl'; sleep 0.3; echo mnopqrstuvwxyz0123456789; echo after";
    let (shown, _) = run(&bench, &[], None, line);
    assert!(shown.contains("[REDACTED") && !shown.contains("mnopqrst"), "{shown:?}");
    assert!(shown.starts_with("before\n") && shown.contains("\nafter\n"), "{shown:?}");
}

#[test]
fn a_question_without_a_line_end_is_shown_while_the_command_waits() {
    let bench = Bench::new();
    let (shown, _) = run(&bench, &[], None, "printf 'Go on? '; sleep 0.5; echo yes");
    assert_eq!(shown, "Go on? yes\n");
}

#[test]
fn a_pipe_gets_the_stream_only_where_it_is_asked_for() {
    let bench = Bench::new();
    let all: String = (1..=5000).map(|n| format!("{n}\n")).collect();
    let left = bench.call(&["run", "--reply", "never", "--", "seq", "5000"]);
    assert_eq!(left.stdout, all);
    let left = bench.call(&["run", "--limit", "1000", "--", "seq", "5000"]);
    assert!(left.stdout.len() <= 1001);
    let left = bench.shell("OFFCUT_REPLY=sometimes offcut run -- echo x");
    let message = "offcut: $OFFCUT_REPLY is `sometimes`: expected `auto`, `always` or `never`\n";
    assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), ("x\n", message, Some(0)));
}

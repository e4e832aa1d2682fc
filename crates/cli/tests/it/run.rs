//! `offcut run -- CMD…`.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::workbench::{Bench, Watch, exists, id_in};

fn sh(bench: &Bench, line: &str) -> crate::workbench::Left {
    bench.call(&["run", "--", "sh", "-c", line])
}

#[test]
fn the_exit_code_is_the_command_s_own() {
    let bench = Bench::new();
    for code in [0, 1, 7, 255] {
        let left = sh(&bench, &format!("echo out; exit {code}"));
        assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), ("out\n", "", Some(code)));
    }
}

#[test]
fn a_signal_is_told_as_128_and_its_number() {
    let bench = Bench::new();
    let left = sh(&bench, "echo before; kill -TERM $$");
    assert_eq!((left.stdout.as_str(), left.code), ("before\n", Some(143)));
    assert_eq!(sh(&bench, "kill -KILL $$").code, Some(137));
}

#[test]
fn a_command_that_cannot_be_run_is_127_or_126() {
    let bench = Bench::new();
    bench.write("plain", "not a program");
    let left = bench.call(&["run", "--", "no-such-command-at-all"]);
    assert_eq!(left.stderr, "error: command not found: `no-such-command-at-all`\n");
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(127)));
    let left = bench.call(&["run", "--", "./plain"]);
    assert_eq!(left.code, Some(126));
    assert!(left.stderr.starts_with("error: `./plain` cannot be executed: "), "{}", left.stderr);
    let left = bench.call(&["run", "--", "echo a | cat"]);
    assert_eq!(left.code, Some(127));
    assert!(left.stderr.contains("hint: for a line of shell, write `offcut run -- sh -c '…'`"), "{}", left.stderr);
}

#[test]
fn stdout_and_stderr_keep_their_order() {
    let bench = Bench::new();
    let left = sh(&bench, "for n in 1 2 3 4 5; do echo out $n; echo err $n >&2; done");
    let expected: String = (1..=5).map(|n| format!("out {n}\nerr {n}\n")).collect();
    assert_eq!((left.stdout, left.stderr), (expected, String::new()));
}

#[test]
fn a_long_output_is_cut_and_kept_and_names_its_command() {
    let bench = Bench::new();
    let left = bench.call(&["run", "--limit", "2000", "--", "seq", "1", "5000"]);
    assert!(left.stdout.chars().count() <= 2001);
    assert_eq!(left.code, Some(0));
    let id = id_in(&left.stdout);
    let expected: String = (1..=5000).map(|n| format!("{n}\n")).collect();
    assert_eq!(bench.call(&["artifacts", "show", &id, "--all"]).stdout, expected);
    let info = bench.call(&["artifacts", "info", &id]).stdout;
    assert!(info.contains("\nSource: execute_command seq 1 5000\n"), "{info}");
}

#[test]
fn a_command_that_is_run_again_is_told_apart_from_before() {
    let bench = Bench::new();
    let cat = || bench.call(&["run", "--limit", "2000", "--", "cat", "log"]);
    let mut lines: Vec<String> = (1..=3000).map(|n| format!("request {n} served in {} ms", n * 7 % 90)).collect();
    bench.write("log", &lines.join("\n"));
    let first = cat();
    assert!(!first.stdout.contains("the same command"), "{}", first.stdout);
    let handle = first.stdout.split(['[', ' ', ':']).nth(2).unwrap().to_owned();
    let told = |reply: &str| reply.lines().last().unwrap().split_once(": ").unwrap().1.to_owned();
    assert_eq!(told(&cat().stdout), format!("the same command gave {handle} before; every line is as it was]"));
    lines[1199] = "request 1200 timed out".to_owned();
    lines.remove(50);
    bench.write("log", &lines.join("\n"));
    let reply = cat().stdout;
    assert!(reply.chars().count() <= 2001, "{reply}");
    assert!(told(&reply).ends_with(" before; new: line 1199; 2 lines of before missing]"), "{reply}");
    // Another command, and one that is told not to, are left alone.
    assert!(!bench.call(&["run", "--limit", "2000", "--", "cat", "./log"]).stdout.contains("the same command"));
    bench.write("offcut.toml", "[artifacts]\ntell_changes = false\n");
    assert!(!cat().stdout.contains("the same command"));
}

#[test]
fn the_command_reads_our_stdin() {
    let bench = Bench::new();
    assert_eq!(bench.pipe(b"from outside\n", &["run", "--", "cat"]).stdout, "from outside\n");
}

#[test]
fn json_says_how_the_command_ended() {
    let bench = Bench::new();
    let left = bench.call(&["run", "--json", "--", "sh", "-c", "echo x; kill -INT $$"]);
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!((&json["text"], &json["exit_code"], &json["signal"]), (&"x\n".into(), &130.into(), &2.into()));
    assert_eq!(json["timed_out"], false);
    assert_eq!(left.code, Some(130));
}

/// Starts a command, waits for its first word, and sends a signal to the runner alone.
fn interrupted(bench: &Bench, line: &str, signal: Signal) -> (String, Option<i32>) {
    let mut command = bench.command(&["run", "--", "sh", "-c", line]);
    let (mut child, _watch) = Watch::start(command.stdin(Stdio::null()).stdout(Stdio::piped()));
    let ready = bench.path("ready");
    let since = Instant::now();
    while !exists(&ready) {
        assert!(since.elapsed() < Duration::from_secs(20), "the command did not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    (stdout, child.wait().unwrap().code())
}

#[test]
fn signals_reach_the_command_and_what_there_was_becomes_a_reply() {
    let bench = Bench::new();
    let line = "echo begun; : > ready; exec sleep 30";
    assert_eq!(interrupted(&bench, line, Signal::INT), ("begun\n".to_owned(), Some(130)));
    std::fs::remove_file(bench.path("ready")).unwrap();
    assert_eq!(interrupted(&bench, line, Signal::TERM), ("begun\n".to_owned(), Some(143)));
    std::fs::remove_file(bench.path("ready")).unwrap();
    let caught = "trap 'echo caught; exit 3' TERM; echo begun; : > ready; for _ in $(seq 600); do sleep 0.05; done";
    assert_eq!(interrupted(&bench, caught, Signal::TERM), ("begun\ncaught\n".to_owned(), Some(3)));
}

#[test]
fn when_its_time_is_up_the_command_and_what_it_started_are_ended() {
    let bench = Bench::new();
    let since = Instant::now();
    let left =
        bench.call(&["run", "--timeout", "2500ms", "--", "sh", "-c", "echo begun; sleep 40 & echo $! > pid; wait"]);
    assert!(since.elapsed() < Duration::from_secs(20));
    assert_eq!((left.stdout.as_str(), left.code), ("begun\n", Some(124)));
    assert_eq!(left.stderr, "offcut: the command was ended after 2.5s (--timeout)\n");
    let pid = std::fs::read_to_string(bench.path("pid")).unwrap();
    let gone = || match std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) {
        Ok(stat) => stat.contains(") Z "),
        Err(_) => true,
    };
    while !gone() {
        assert!(since.elapsed() < Duration::from_secs(20), "what the command started lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_producer_without_end_is_ended_at_the_maximum_size() {
    let bench = Bench::new();
    let left = bench.shell("OFFCUT_MAX_ARTIFACT_SIZE=256KB offcut run --limit 1000 -- yes");
    assert!(left.stdout.starts_with("Output size ("), "{}", left.stdout);
    assert_eq!(left.code, Some(143));
    let left = bench.shell("OFFCUT_MAX_ARTIFACT_SIZE=256KB offcut run --limit 1000 -- yes | head -1");
    assert_eq!(left.stdout.lines().count(), 1);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
}

#[test]
fn a_background_process_that_holds_the_pipe_is_not_waited_for() {
    let bench = Bench::new();
    let since = Instant::now();
    let left = sh(&bench, "echo done; sleep 25 & exit 4");
    assert_eq!((left.stdout.as_str(), left.code), ("done\n", Some(4)));
    assert!(since.elapsed() < Duration::from_secs(20));
}

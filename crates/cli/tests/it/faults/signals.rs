//! Signals that ask us to end: what there is becomes the reply.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{send, until_caught};
use crate::workbench::{Bench, Left, Watch, exists, id_in, lines, until};

/// The filter with `input` in its pipe, which stays open, and then this signal.
fn filtered(bench: &Bench, input: &str, signal: Signal) -> Left {
    let mut command = bench.command(&[]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, watch) = Watch::start(&mut command);
    until_caught(&child, signal);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    send(&child, signal);
    let left = watch.left(child);
    drop(stdin);
    left
}

#[test]
fn a_filter_that_is_asked_to_end_replies_with_what_there_is() {
    let bench = Bench::new();
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let left = filtered(&bench, "begun\n", signal);
        assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), ("begun\n", "", Some(code)));
    }
    let input = lines(1000);
    let left = filtered(&bench, &input, Signal::TERM);
    assert_eq!(left.code, Some(143));
    let id = id_in(&left.stdout);
    assert_eq!(bench.call(&["artifacts", "show", &id, "--all"]).stdout, input, "all of what was in the pipe is kept");
}

#[test]
fn a_timeout_over_a_pipeline_does_not_take_the_output() {
    let bench = Bench::new();
    let left = bench.shell("timeout 2 sh -c '(seq 5000; sleep 60) | offcut --limit 2000'");
    assert!(left.stdout.contains("\n4999\n5000\n"), "{}", left.stdout);
    assert!(bench.shell("offcut show last --all").stdout.ends_with("\n4999\n5000\n"));
}

#[test]
fn the_redactor_hands_on_what_it_holds_when_it_is_asked_to_end() {
    let bench = Bench::new();
    let mut command = bench.command(&["redact"]);
    let (mut child, watch) = Watch::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    until_caught(&child, Signal::TERM);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"no line end yet").unwrap();
    send(&child, Signal::TERM);
    let left = watch.left(child);
    assert_eq!((left.stdout.as_str(), left.code), ("no line end yet", Some(143)));
    drop(stdin);
}

#[test]
fn a_hang_up_that_the_starter_ignores_is_ignored() {
    let bench = Bench::new();
    let mut command = bench.command(&[]);
    let binary = command.get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\""]).arg(binary).current_dir(bench.root());
    for (name, value) in command.stdin(Stdio::null()).get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let (mut child, watch) = Watch::start(shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    until_caught(&child, Signal::TERM);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"before\n").unwrap();
    send(&child, Signal::HUP);
    std::thread::sleep(Duration::from_millis(300));
    stdin.write_all(b"after\n").unwrap();
    drop(stdin);
    let left = watch.left(child);
    assert_eq!((left.stdout.as_str(), left.code), ("before\nafter\n", Some(0)));
}

/// Starts `run` on a line of shell, waits for the file `ready`, and sends SIGTERM to the runner alone.
fn terminated(bench: &Bench, line: &str) -> (String, Option<i32>) {
    let mut command = bench.command(&["run", "--", "sh", "-c", line]);
    let (mut child, _watch) = Watch::start(command.stdin(Stdio::null()).stdout(Stdio::piped()));
    until("the command has begun", || exists(&bench.path("ready")));
    send(&child, Signal::TERM);
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    (stdout, child.wait().unwrap().code())
}

#[test]
fn a_command_that_ignores_sigterm_is_killed_and_its_output_is_the_reply() {
    let bench = Bench::new();
    let since = Instant::now();
    let line = "trap '' TERM; echo begun; : > ready; while :; do sleep 0.1; done";
    assert_eq!(terminated(&bench, line), ("begun\n".to_owned(), Some(137)));
    assert!(since.elapsed() >= Duration::from_secs(2), "it had its time to end by itself");
}

#[test]
fn sigterm_reaches_what_the_command_started() {
    let bench = Bench::new();
    // The shell waits for its child, which would hold the pipe for a minute.
    let line = "echo begun; sh -c ': > ready; sleep 60; echo late'; exit 3";
    let (stdout, _) = terminated(&bench, line);
    assert_eq!(stdout, "begun\n");
}

//! Interim output: what a reader sees who looks in between.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use rustix::process::Signal;

use super::send;
use crate::workbench::{Bench, Watch, id_in};

/// Runs a line of shell that waits for the file `go`; what was read before that file was there, up to `lines` lines, and
/// what came after.
fn in_between(bench: &Bench, line: &str, lines: usize) -> (String, String) {
    let line = format!("{line}; while [ ! -e go ]; do sleep 0.05; done; echo end");
    let mut command = bench.command(&["run", "--interim", "--", "sh", "-c", &line]);
    let (mut child, _watch) = Watch::start(command.stdin(Stdio::null()).stdout(Stdio::piped()));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let (mut before, mut after) = (String::new(), String::new());
    for _ in 0..lines {
        stdout.read_line(&mut before).unwrap();
    }
    bench.write("go", "");
    stdout.read_to_string(&mut after).unwrap();
    assert!(child.wait().unwrap().success());
    (before, after)
}

#[test]
fn what_fits_is_passed_on_while_the_command_runs_and_once_only() {
    let bench = Bench::new();
    let (before, after) = in_between(&bench, "echo one; echo two", 2);
    assert_eq!((before.as_str(), after.as_str()), ("one\ntwo\n", "end\n"));
}

#[test]
fn what_does_not_fit_is_cut_within_the_limit_all_the_same() {
    let bench = Bench::new();
    let (before, after) = in_between(&bench, "seq 20000", 100);
    assert!(before.starts_with("1\n2\n3\n"), "{before}");
    assert!(before.len() + after.len() <= 8001, "{} and {} bytes", before.len(), after.len());
    assert!(after.contains("\nend\n"), "{after}");
    let all: String = (1..=20_000).map(|n| format!("{n}\n")).collect();
    assert_eq!(bench.call(&["artifacts", "show", &id_in(&after), "--all"]).stdout, all + "end\n");
}

#[test]
fn a_reader_who_kills_has_what_was_passed_on() {
    let bench = Bench::new();
    let mut command = bench.command(&[]);
    command.args(["run", "--", "sh", "-c", "echo token ghp_abcdefghijklmnopqrstuvwxyz0123456789; sleep 60"]);
    command.env("OFFCUT_INTERIM", "100ms").stdin(Stdio::null()).stdout(Stdio::piped());
    let (mut child, _watch) = Watch::start(&mut command);
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    assert!(line.starts_with("token [REDACTED"), "{line}");
    send(&child, Signal::KILL);
    child.wait().unwrap();
}

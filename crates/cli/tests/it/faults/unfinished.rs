//! A process that is killed leaves what had come by then, marked as unfinished.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use super::send;
use crate::workbench::{Bench, Watch, lines, until};

/// The notes beside outputs that are still coming.
fn notes(bench: &Bench) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(bench.path(".offcut/artifacts/default"));
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "progress")).collect()
}

/// Waits until what came last is saved, `last` being its last line.
fn until_saved(bench: &Bench, last: &str) {
    until("the output is saved", || {
        let folder = bench.path(".offcut/artifacts/default");
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        let files = entries.filter_map(|entry| std::fs::read(entry.unwrap().path()).ok());
        files.into_iter().any(|file| String::from_utf8_lossy(&file).contains(last))
    });
}

fn killed(mut child: Child) {
    send(&child, Signal::KILL);
    child.wait().unwrap();
}

fn listed(bench: &Bench) -> Vec<Value> {
    serde_json::from_str(&bench.call(&["artifacts", "list", "--json"]).stdout).unwrap()
}

#[test]
fn a_filter_that_is_killed_leaves_an_unfinished_artifact() {
    // From one that is still looked at to tell text from binary content to one that has left memory.
    for count in [3, 100, 20_000, 400_000] {
        let bench = Bench::new();
        let (mut child, _watch) = Watch::start(bench.command(&[]).stdin(Stdio::piped()).stdout(Stdio::null()));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(lines(count).as_bytes()).unwrap();
        until_saved(&bench, &format!("entry {count} of"));
        assert_eq!(listed(&bench), Vec::<Value>::new(), "one that is still written is nobody's yet");
        killed(child);
        let artifacts = listed(&bench);
        assert_eq!(artifacts.len(), 1, "{count} lines");
        assert_eq!((&artifacts[0]["unfinished"], &artifacts[0]["lines"]), (&true.into(), &count.into()));
        assert_eq!(bench.call(&["artifacts", "show", "last", "--all"]).stdout, lines(count));
        assert!(bench.call(&["artifacts", "list"]).stdout.contains("text, unfinished"));
        assert!(notes(&bench).is_empty(), "it is recovered once");
        assert_eq!(listed(&bench), artifacts);
        drop(stdin);
    }
}

#[test]
fn a_run_that_is_killed_leaves_what_the_command_said_and_no_secret() {
    let bench = Bench::new();
    let line = "echo first; echo token ghp_abcdefghijklmnopqrstuvwxyz0123456789; echo second; sleep 60";
    let mut command = bench.command(&["run", "--", "sh", "-c", line]);
    let (child, _watch) = Watch::start(command.stdin(Stdio::null()).stdout(Stdio::null()));
    until_saved(&bench, "second");
    killed(child);
    let left = bench.call(&["artifacts", "show", "last", "--all"]);
    let shown: Vec<&str> = left.stdout.lines().collect();
    assert_eq!((shown[0], shown[2], shown.len()), ("first", "second", 3));
    assert!(shown[1].contains("[REDACTED"), "{}", shown[1]);
    let info = bench.call(&["artifacts", "info", "last", "--json"]).stdout;
    let info: Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["unfinished"], true);
    assert!(info["source"]["arguments"].as_str().unwrap().contains("echo first"), "{info}");
}

#[test]
fn an_output_that_ends_leaves_nothing_behind() {
    let bench = Bench::new();
    let line = "(echo slow; sleep 1; echo end) | offcut ";
    assert_eq!(bench.shell(line).stdout, "slow\nend\n");
    assert_eq!(listed(&bench), Vec::<Value>::new());
    let left = bench.shell("(seq 9000; sleep 1; echo end) | offcut ");
    assert!(left.stdout.contains("\nend\n"), "{left:?}");
    let artifacts = listed(&bench);
    assert_eq!(artifacts.len(), 1);
    assert_eq!(artifacts[0].get("unfinished"), None);
    assert!(notes(&bench).is_empty());
    let names = std::fs::read_dir(bench.path(".offcut/artifacts/default")).unwrap();
    let parts = names.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "part"));
    assert_eq!(parts.count(), 0);
}

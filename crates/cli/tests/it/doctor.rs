//! `offcut doctor`: what it finds, and what it says about it.

use serde_json::Value;

use crate::workbench::{Bench, Left, OFFCUT};

/// What is found with nothing but the shell's own programs on PATH.
fn doctor(bench: &Bench, arguments: &[&str]) -> Left {
    let mut command = bench.command(&[&["doctor"], arguments].concat());
    bench.run(command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh"))
}

fn findings(bench: &Bench) -> Vec<(String, String, String)> {
    let left = doctor(bench, &["--json"]);
    let report: Value = serde_json::from_str(&left.stdout).unwrap_or_else(|error| panic!("{error}: {left:?}"));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    let broken = report["findings"].as_array().unwrap().iter().any(|finding| finding["state"] == "broken");
    assert_eq!(left.code, Some(i32::from(broken)), "{left:?}");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|finding| (text(finding, "what"), text(finding, "state"), text(finding, "found"))).collect()
}

fn state<'f>(findings: &'f [(String, String, String)], what: &str) -> &'f str {
    let found = findings.iter().find(|(name, _, _)| name == what);
    &found.unwrap_or_else(|| panic!("no {what} in {findings:?}")).1
}

#[test]
fn an_agent_that_is_set_up_is_tried() {
    let bench = Bench::new();
    assert_eq!(bench.call(&["init", "claude", "codex", "gemini"]).code, Some(0));
    let findings = findings(&bench);
    for what in ["tools", "store", "configuration", "Claude Code: tools", "Claude Code: shell"] {
        assert_eq!(state(&findings, what), "ok", "{what}: {findings:?}");
    }
    for what in ["Codex: tools, shell", "Codex: shell", "Gemini CLI: shell"] {
        assert_eq!(state(&findings, what), "ok", "{what}: {findings:?}");
    }
    assert!(!bench.path(".offcut/artifacts").exists(), "nothing is kept in this project");
}

#[test]
fn what_does_not_work_is_broken_and_has_advice() {
    let bench = Bench::new();
    assert_eq!(bench.call(&["init", "claude"]).code, Some(0));
    let home = bench.root().parent().unwrap().to_owned();
    // The program that the link leads to has gone.
    let link = home.join(".config/offcut/offcut-shell-prefix");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("/nowhere/offcut", &link).unwrap();
    bench.write("offcut.toml", "inline_limt = 5\n");
    let left = doctor(&bench, &[]);
    assert_eq!(left.code, Some(1), "{left:?}");
    let said = left.stdout;
    assert!(said.contains("broken  Claude Code: shell"), "{said}");
    assert!(said.contains("hint: run `offcut init claude --user`, then `offcut doctor`"), "{said}");
    assert!(said.contains("unknown key `inline_limt`"), "{said}");
    assert_eq!(bench.call(&["init", "claude"]).code, Some(0));
    bench.write("offcut.toml", "");
    assert_eq!(doctor(&bench, &[]).code, Some(0));
}

#[test]
fn an_agent_that_is_not_set_up_is_a_note_and_the_last_replies_are_shown() {
    let bench = Bench::new();
    std::fs::create_dir(bench.root().parent().unwrap().join(".codex")).unwrap();
    let long = crate::workbench::lines(3000);
    bench.pipe(long.as_bytes(), &[]);
    let left = doctor(&bench, &[]);
    assert_eq!(left.code, Some(0), "{left:?}");
    assert!(left.stdout.contains("note    Codex"), "{left:?}");
    assert!(left.stdout.contains("hint: `offcut init codex` sets it up"), "{left:?}");
    let characters = crate::workbench::lines(3000).chars().count();
    let thousands = format!("{},{:03} characters", characters / 1000, characters % 1000);
    assert!(left.stdout.contains(&format!("execute_command, {thousands}")), "{left:?}");
}

#[test]
fn the_version_names_what_was_built() {
    let left = Bench::new().call(&["--version"]);
    assert!(left.stdout.starts_with(&format!("offcut {}", env!("CARGO_PKG_VERSION"))), "{left:?} of {OFFCUT}");
}

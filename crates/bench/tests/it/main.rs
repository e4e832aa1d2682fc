//! What a model needs is still shown: the corpus in the repository holds its scores.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::process::{Command, Output};

fn corpus(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench").join(name).display().to_string()
}

/// Runs the program in a directory of the test's own.
fn bench(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_offcut-bench")).current_dir(directory).args(arguments).output().unwrap()
}

#[test]
fn the_scores_on_the_corpus_in_the_repository_do_not_fall() {
    let arguments = ["quality", &corpus("corpus"), "--ratchet", &corpus("ratchet.json"), "--baselines", "all"];
    let output = bench(Path::new("."), &arguments);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("codex: 10,000 tokens of 4 bytes, the middle cut"), "{stdout}");
}

#[test]
fn a_score_below_the_ratchet_fails_and_says_which() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ratchet.json"), r#"{"json": 1.5}"#).unwrap();
    let output = bench(directory.path(), &["quality", &corpus("corpus"), "--ratchet", "ratchet.json"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("recall of json fell to 1.000; the ratchet holds it at 1.5"), "{stderr}");
}

#[test]
fn a_folder_without_a_manifest_is_refused_with_what_would_be_right() {
    let directory = tempfile::tempdir().unwrap();
    let output = bench(directory.path(), &["quality", "."]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("hint: a corpus is a folder with a manifest.jsonl"), "{stderr}");
}

//! What a model needs is still shown: the corpus in the repository holds its scores.

use std::path::Path;

use crate::workbench::Bench;

fn corpus(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench").join(name).display().to_string()
}

#[test]
fn the_scores_on_the_corpus_in_the_repository_do_not_fall() {
    let output = Bench::new()
        .command(&["bench", "quality", &corpus("corpus"), "--ratchet", &corpus("ratchet.json"), "--baselines", "all"])
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("codex: 10,000 tokens of 4 bytes, the middle cut"), "{stdout}");
}

#[test]
fn a_score_below_the_ratchet_fails_and_says_which() {
    let bench = Bench::new();
    bench.write("ratchet.json", r#"{"json": 1.5}"#);
    let output = bench.command(&["bench", "quality", &corpus("corpus"), "--ratchet", "ratchet.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("recall of json fell to 1.000; the ratchet holds it at 1.5"), "{stderr}");
}

#[test]
fn a_folder_without_a_manifest_is_refused_with_what_would_be_right() {
    let bench = Bench::new();
    let output = bench.command(&["bench", "quality", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("hint: a corpus is a folder with a manifest.jsonl"), "{stderr}");
}

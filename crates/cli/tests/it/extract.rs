//! `offcut extract` and `offcut artifacts search`.

use crate::workbench::{Bench, id_in, lines};

fn kept(bench: &Bench) -> String {
    let mut input: Vec<String> = lines(300).lines().map(str::to_owned).collect();
    input[170] = "the volume /dev/sda1 has no room".to_owned();
    let input = input.join("\n") + "\n";
    id_in(&bench.pipe(input.as_bytes(), &["--limit", "2000", "--args", "make all"]).stdout)
}

#[test]
fn without_a_model_a_question_is_answered_by_a_search() {
    let bench = Bench::new();
    let id = kept(&bench);
    let left = bench.call(&["extract", &id, "which volume has no room?"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let start =
        format!("ABSTRACT FROM TOOL OUTPUT execute_command WITH HANDLE {id}, STRATEGY:search:\n\n[lines 170-173]\n");
    assert!(left.stdout.starts_with(&start), "{}", left.stdout);
    assert!(left.stdout.contains("\nthe volume /dev/sda1 has no room\n"), "{}", left.stdout);
    let end = format!(" More: offcut show {id} 130-213]\n");
    assert!(left.stdout.ends_with(&end), "{}", left.stdout);
    let last = bench.call(&["extract", "last", "which volume has no room?"]);
    assert_eq!(last.stdout, left.stdout);
}

#[test]
fn an_answer_for_programs_has_its_account() {
    let bench = Bench::new();
    let id = kept(&bench);
    let left = bench.call(&["extract", &id, "volume", "--mode", "truncate", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!((json["failed"].as_bool(), json["account"]["mode"].as_str()), (Some(false), Some("truncate")));
    assert_eq!(json["account"]["calls"], 0);
    let stats: serde_json::Value = serde_json::from_str(&bench.call(&["stats", "--json"]).stdout).unwrap();
    assert_eq!(stats["extractions"]["total"], 1);
    assert!(bench.call(&["stats"]).stdout.contains("Asked: 1 time (1 truncate), 0 failed, 0 fallbacks;"));
    assert!(bench.call(&["audit"]).stdout.contains("extract truncate"));
}

#[test]
fn what_cannot_be_asked_is_said() {
    let bench = Bench::new();
    kept(&bench);
    let left = bench.call(&["extract", "art_1_nosuch", "x"]);
    assert_eq!(left.code, Some(1));
    let start = "TOOL_OUTPUT FAILED FOR unknown WITH HANDLE art_1_nosuch, STRATEGY:auto:\n\nno artifact `art_1_nosuch`";
    assert!(left.stdout.starts_with(start), "{}", left.stdout);
    let left = bench.call(&["extract", "last", " "]);
    assert_eq!((left.code, left.stderr.contains("the query is empty")), (Some(2), true));
    let left = bench.call(&["extract", "last", "x", "--mode", "keep-top"]);
    assert!(left.code == Some(2) && left.stderr.contains("auto, full-chunked, read-grep, truncate, search"));
    let mut command = bench.command(&["extract", "last", "x"]);
    let left = bench.run(command.env("OFFCUT_MODEL_PROVIDER", "bard"));
    assert!(left.code == Some(2) && left.stderr.contains("`bard` is unknown"), "{left:?}");
}

#[test]
fn all_artifacts_of_a_session_are_searched() {
    let bench = Bench::new();
    let id = kept(&bench);
    bench.pipe(lines(400).as_bytes(), &["--limit", "2000"]);
    let left = bench.call(&["artifacts", "search", "volume sda1", "--max", "1"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let (full, rest) = left.stdout.split_once(' ').unwrap();
    assert!(
        full.contains(&format!("_{id}")) && rest.starts_with("[lines 170-173] execute_command make all\n"),
        "{rest}"
    );
    assert!(left.stdout.ends_with("\n1 passage\n"), "{}", left.stdout);
    let json = bench.call(&["artifacts", "search", "volume sda1", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["artifact"]["id"], full);
    let left = bench.call(&["artifacts", "search", "zebra"]);
    assert_eq!((left.code, left.stdout.as_str()), (Some(1), "No matches in session `default`.\n"));
}

#[test]
fn what_a_search_finds_is_measured() {
    let bench = Bench::new();
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/corpus");
    let left = bench.call(&["bench", "search", &corpus.display().to_string(), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    let share = |policy: usize| json[policy]["kinds"]["all"]["share"].as_f64().unwrap();
    assert!(share(0) >= share(1) && share(0) >= share(2) && share(0) >= share(3), "{json}");
}

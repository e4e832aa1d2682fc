//! `offcut explain`.

use crate::workbench::{Bench, exists, lines};

#[test]
fn kept_and_omitted_lines_are_marked_and_make_the_whole() {
    let bench = Bench::new();
    let input = lines(200);
    bench.write("notes.txt", &input);
    let left = bench.call(&["explain", "notes.txt", "--strategy", "head_tail", "--limit", "2000"]);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
    let rows = left.stdout.lines().filter(|line| line.starts_with("+ ") || line.starts_with("- "));
    let again: String = rows.map(|row| format!("{}\n", row.split_once(" │ ").unwrap().1)).collect();
    assert_eq!(again, input);
    let heads: Vec<&str> = left.stdout.lines().filter(|line| line.starts_with("@@ ")).collect();
    assert!(heads[0].starts_with("@@ lines 1-") && heads[0].contains(": kept, "), "{heads:?}");
    assert!(heads[1].contains(": omitted, "), "{heads:?}");
    assert_eq!(heads.last(), Some(&"@@ report"));
    assert!(left.stdout.contains("\nstrategy: head_tail\n"), "{}", left.stdout);
    assert!(!exists(&bench.path(".offcut")));
    assert!(!left.stdout.contains("art_"), "nothing is kept, so nothing is named");
}

#[test]
fn few_lines_of_what_is_omitted_are_shown_where_few_are_wanted() {
    let bench = Bench::new();
    bench.write("notes.txt", &lines(200));
    let arguments = ["explain", "notes.txt", "--strategy", "head_tail", "--limit", "2000", "--context", "1"];
    let left = bench.call(&arguments);
    assert_eq!(left.stdout.lines().filter(|line| line.starts_with("- ")).count(), 3, "{}", left.stdout);
    assert!(left.stdout.contains(" more lines …"), "{}", left.stdout);
}

#[test]
fn pieces_for_programs_cover_the_document() {
    let bench = Bench::new();
    let input = lines(200);
    let left = bench.pipe(input.as_bytes(), &["explain", "-", "--json", "--limit", "2000"]);
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    let mut at = 0;
    for piece in json["pieces"].as_array().unwrap().iter().filter(|piece| piece["piece"] != "insert") {
        assert_eq!(piece["bytes"][0], at);
        at = piece["bytes"][1].as_u64().unwrap();
    }
    assert_eq!(at, input.len() as u64);
    assert_eq!(json["report"]["was_truncated"], true);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let bench = Bench::new();
    let left = bench.call(&["explain", "no-such-file"]);
    assert_eq!(left.code, Some(1));
    assert!(left.stderr.starts_with("error: could not open `no-such-file`: "), "{}", left.stderr);
}

//! Outputs of which something used to vanish without a word.

use serde_json::Value;

use crate::workbench::{Bench, Left};

/// Pipes `input` into the filter; the reply, and the report about it.
fn reported(bench: &Bench, input: &str, arguments: &[&str]) -> (Left, Value) {
    let left = bench.pipe(input.as_bytes(), &[&["--report", "report.json"], arguments].concat());
    let report = std::fs::read(bench.path("report.json")).unwrap();
    (left, serde_json::from_slice(&report).unwrap())
}

#[test]
fn lines_that_end_with_cr_stay_lines_whatever_colours_there_are() {
    let bench = Bench::new();
    let lines: String = (0..2000).map(|n| format!("line {n} of the log, words {:x}\r", n * 7919)).collect();
    let (left, report) = reported(&bench, &format!("\x1b[31m{lines}"), &[]);
    assert_eq!((&report["original_lines"], &report["was_truncated"]), (&2000.into(), &true.into()));
    assert!(report["artifact_id"].is_string(), "{report}");
    assert!(left.stdout.contains("line 1999 of the log"), "{}", left.stdout);
}

#[test]
fn an_output_that_was_mostly_overwritten_says_so_and_keeps_what_was() {
    let bench = Bench::new();
    let bars: String = (0..3000).map(|n| format!("\rfetching the packages {}% ({n}/3000)", n / 30)).collect();
    let (left, report) = reported(&bench, &format!("start\n{bars}\ndone\n"), &[]);
    let id = report["overwritten_artifact_id"].as_str().unwrap_or_else(|| panic!("{report}"));
    assert!(report["overwritten_characters"].as_u64().unwrap() > 80_000, "{report}");
    let (line, shown) = left.stdout.split_once('\n').unwrap();
    assert!(line.contains("overwritten") && line.contains(id), "{line}");
    assert_eq!(shown, "start\nfetching the packages 99% (2999/3000)\ndone\n");
    let kept = bench.call(&["artifacts", "grep", id, "100/3000"]).stdout;
    assert!(kept.contains("fetching the packages 3% (100/3000)"), "{kept}");
    let (left, report) = reported(&bench, "start\n 10%\r 50%\r100%\ndone\n", &[]);
    assert_eq!((left.stdout.as_str(), &report["overwritten_characters"]), ("start\n100%\ndone\n", &Value::Null));
}

#[test]
fn errors_are_shown_of_a_large_output_that_nothing_keeps() {
    let bench = Bench::new();
    let mut log = String::new();
    for n in 0..300_000 {
        log.push_str(&format!(
            "2024-01-01 12:00:{:02} INFO request {n} handled in {} ms by a worker\n",
            n % 60,
            n % 997
        ));
        if n % 75_000 == 40_000 {
            log.push_str(&format!("ERROR broken at {n}: disk quota exceeded\n"));
        }
    }
    let left = bench.pipe(log.as_bytes(), &["--store", "none"]);
    assert_eq!(left.stdout.matches("ERROR broken at ").count(), 4, "{}", left.stdout);
}

#[test]
fn a_line_that_is_shown_in_part_says_so() {
    let bench = Bench::new();
    let input = format!("{}\n{}{}\n", "a".repeat(3000), "b\n".repeat(300), "c".repeat(3000));
    let (left, report) = reported(&bench, &input, &["--strategy", "head_tail", "--limit", "900"]);
    assert_eq!((&report["omitted_lines"], &report["original_lines"]), (&300.into(), &302.into()));
    let shown: Vec<&str> = left.stdout.lines().filter(|line| line.contains("aaaa") || line.contains("cccc")).collect();
    assert_eq!(shown.len(), 2, "{}", left.stdout);
    assert!(shown.iter().all(|line| line.contains(" [") && line.contains("] ")), "{shown:?}");
}

#[test]
fn what_a_small_limit_leaves_out_is_marked() {
    let bench = Bench::new();
    let all: String = (1..=25).map(|n| format!("{n}\n")).collect();
    for profile in ["bookends", "paged", "handle", "balanced"] {
        let left = bench.pipe(all.as_bytes(), &["--profile", profile, "--limit", "20 lines"]);
        let marked = ["art_", "omitted]", "[offcut "].iter().any(|mark| left.stdout.contains(mark));
        assert!(left.stdout == all || marked, "{profile}: {}", left.stdout);
        assert!(left.stdout.len() <= all.len() || profile != "handle", "{}", left.stdout);
    }
    let many: String = (1..=240_000).map(|n| format!("{n}\n")).collect();
    let left = bench.pipe(many.as_bytes(), &["--limit", "400"]);
    assert!(left.stdout.contains("\n1\n") || left.stdout.starts_with("1\n"), "{}", left.stdout);
    assert!(left.stdout.contains("\n240000\n"), "{}", left.stdout);
}

#[test]
fn a_page_of_one_long_line_names_the_size_that_it_shows() {
    let bench = Bench::new();
    let left = bench.pipe("x".repeat(9000).as_bytes(), &["--profile", "paged", "--limit", "600"]);
    assert!(
        left.stdout.starts_with(&format!("{}\n\n[Showing last 600B of line 1 (line is 8.8KB)", "x".repeat(600))),
        "{}",
        left.stdout
    );
}

#[test]
fn json_that_stands_alone_shows_its_elements_whatever_strategy_the_tool_has() {
    let bench = Bench::new();
    let all: Vec<serde_json::Value> =
        (0..300).map(|id| serde_json::json!({ "id": id, "name": format!("n{id}") })).collect();
    for input in [serde_json::to_string(&all).unwrap(), serde_json::to_string_pretty(&all).unwrap()] {
        let left = bench.pipe(input.as_bytes(), &["--profile", "balanced", "--limit", "900"]);
        let shown: Vec<serde_json::Value> = serde_json::from_str(&left.stdout).unwrap();
        assert_eq!((shown.first(), shown.last()), (all.first(), all.last()), "{}", left.stdout);
    }
}

#[test]
fn texts_that_nul_bytes_separate_are_not_glued_together() {
    let bench = Bench::new();
    let left = bench.shell("mkdir d; touch d/a d/b; find d -name '?' -print0 | sort -z | offcut ");
    assert_eq!(left.stdout, "d\nd/a\nd/b\n");
    let left = bench.shell("env -i A=1 B=2 env -0 | offcut ");
    assert_eq!(left.stdout, "A=1\nB=2\n");
}

#[test]
fn a_slip_on_the_command_line_is_answered_with_what_was_meant() {
    let bench = Bench::new();
    bench.write("build.log", "x\n");
    assert!(bench.call(&["run", "ls"]).stderr.contains("offcut run -- ls"));
    assert!(bench.call(&["build.log"]).stderr.contains("offcut < build.log"));
    let numbers: String = (1..9000).map(|n| format!("{n}\n")).collect();
    let (left, report) = reported(&bench, &numbers, &["--limit", "2,000"]);
    assert_eq!((left.stderr.as_str(), &report["limit"]), ("", &"2000".into()), "{report}");
    let left = bench.shell("offcut completions bash | head -1");
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
}

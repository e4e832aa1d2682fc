//! Rules for lines of a user's own: a runner that nobody knew is seen, and a wrong rule stops nothing.

use serde_json::Value as Json;

use crate::workbench::Bench;

/// The file that CONTRIBUTING.md shows.
fn rules_of_the_guide() -> String {
    let guide = include_str!("../../../../CONTRIBUTING.md");
    let (_, behind) = guide.split_once("```toml\n").expect("CONTRIBUTING.md shows a rule file");
    behind.split_once("```").expect("the rule file ends").0.to_owned()
}

/// A run of so many tests by a runner that nobody has heard of, with one failure in the middle.
fn run_of(tests: usize) -> String {
    let held = |from: usize, to: usize| -> String {
        (from..to).map(|n| format!("· sums::case_{n} ({} ms) {:x}\n", n % 17, n * 7919)).collect()
    };
    let broke = "» broke: sums::carry (12 ms)\n  wanted 10, got 1\n";
    let (before, after) = (held(0, tests / 2), held(tests / 2, tests));
    format!("tally 2.1\n{before}{broke}{after}tally: {} held, 1 broke\n", tests - 1)
}

fn run() -> String {
    run_of(1800)
}

/// The reason and the rule for which each kept piece is kept.
fn kept(bench: &Bench) -> Vec<(String, String)> {
    let left = bench.pipe(run().as_bytes(), &["explain", "-", "--json", "--limit", "2000"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let json: Json = serde_json::from_str(&left.stdout).unwrap();
    let pieces = json["pieces"].as_array().unwrap().iter().filter(|piece| piece["piece"] == "keep");
    let text = |value: &Json| value.as_str().unwrap_or("").to_owned();
    pieces.map(|piece| (text(&piece["why"]), text(&piece["rule"]))).collect()
}

#[test]
fn one_file_makes_the_failures_of_a_new_runner_seen() {
    let bench = Bench::new();
    let failing = |bench: &Bench| kept(bench).into_iter().find(|(why, _)| why == "failing test");
    assert_eq!(failing(&bench), None);

    bench.write("tally.toml", &rules_of_the_guide());
    bench.write("offcut.toml", "line_rules = [\"tally.toml\"]\n");
    let checked = bench.call(&["config", "check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    assert_eq!(failing(&bench), Some(("failing test".to_owned(), "tally-broke".to_owned())));

    let left = bench.pipe(run().as_bytes(), &["--limit", "2000", "--json"]);
    let json: Json = serde_json::from_str(&left.stdout).unwrap();
    let text = json["text"].as_str().unwrap();
    for line in ["» broke: sums::carry (12 ms)", "  wanted 10, got 1", "tally: 1799 held, 1 broke"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(json["report"]["degraded"].as_array().map_or(0, Vec::len), 0, "{}", json["report"]);
}

#[test]
fn a_rule_that_stands_in_the_configuration_holds() {
    let bench = Bench::new();
    bench.write(
        "offcut.toml",
        "[[line_rules]]\nid = \"mine\"\nregex = \"^» \\\\w+: \"\nrole = \"failed_test\"\nseverity = \"critical\"\n",
    );
    assert!(kept(&bench).contains(&("failing test".to_owned(), "mine".to_owned())));
}

#[test]
fn a_wrong_rule_is_named_and_never_stops_a_reply() {
    let bench = Bench::new();
    let wrong = "\n[[rule]]\nid = \"bad\"\nregex = \"(\"\nrole = \"error\"\n";
    bench.write("tally.toml", &(rules_of_the_guide() + wrong));
    bench.write("offcut.toml", "line_rules = [\"tally.toml\", \"gone.toml\"]\n");

    let checked = bench.call(&["config", "check"]);
    assert_eq!(checked.code, Some(2), "{}", checked.stdout);
    for words in ["tally.toml: line rule `bad`: ", "gone.toml: could not be read"] {
        assert!(checked.stderr.contains(words), "{}", checked.stderr);
    }

    let left = bench.pipe(run().as_bytes(), &["--limit", "2000", "--json"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stderr.contains("tally.toml: line rule `bad`: "), "{}", left.stderr);
    let json: Json = serde_json::from_str(&left.stdout).unwrap();
    assert!(json["text"].as_str().unwrap().contains("» broke: sums::carry"), "the other rules hold");
    let degraded = json["report"]["degraded"].to_string();
    assert!(degraded.contains("line rule `bad`") && degraded.contains("gone.toml"), "{degraded}");
}

#[test]
fn a_rule_holds_in_a_large_output_too() {
    let bench = Bench::new();
    bench.write("tally.toml", &rules_of_the_guide());
    bench.write("offcut.toml", "line_rules = [\"tally.toml\"]\n");
    let run = run_of(120_000);
    assert!(run.len() > 4_000_000);
    let left = bench.pipe(run.as_bytes(), &["--limit", "2000"]);
    assert!(left.stdout.contains("» broke: sums::carry (12 ms)"), "{}", left.stdout);
}

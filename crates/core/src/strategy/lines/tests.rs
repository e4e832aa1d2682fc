//! The laws of every cut, and what is shown of telling examples.

mod beside;
mod blocks;
mod failures;
mod headings;
mod kinds;
mod noise;
mod rare_findings;
mod steps;

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use proptest::prelude::*;

use super::Lines;
use crate::budget::{Budget, Marks};
use crate::cut::{Cut, Mark, Piece};
use crate::document::{Document, TextDocument};
use crate::extent::{Extent, Index};
use crate::kind::{Classification, Kind};
use crate::render::Markers;
use crate::strategy::{CutContext, Settings, Strategy as _};
use crate::text;

/// A document that is not in memory as far as its readers can tell.
struct Elsewhere(TextDocument);

impl Document for Elsewhere {
    fn extent(&self) -> &Extent {
        self.0.extent()
    }

    fn index(&self) -> &Index {
        self.0.index()
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        Ok(Cow::Owned(self.0.read(range)?.into_owned()))
    }

    fn text(&self) -> Option<&str> {
        None
    }
}

const KINDS: [Kind; 11] = [
    Kind::Text,
    Kind::Log,
    Kind::Test,
    Kind::Trace,
    Kind::Diff,
    Kind::Search,
    Kind::Listing,
    Kind::Markdown,
    Kind::Git,
    Kind::Table,
    Kind::Ndjson,
];

fn cut_within(document: &dyn Document, kind: Kind, budget: Budget, settings: &Settings) -> Cut {
    let classification = Classification::new(kind, 1.0, "test");
    Lines.cut(document, &CutContext::new(budget, settings, &classification)).unwrap()
}

/// The view that a reader gets, written the obvious way.
fn render(document: &dyn Document, cut: &Cut) -> String {
    let mut view = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => view.push_str(&document.read(range.clone()).unwrap()),
            Piece::Insert(text) => view.push_str(text),
            Piece::Omit { range, mark } => {
                let gap = document.read(range.clone()).unwrap();
                match mark {
                    Mark::Silent | Mark::Body | Mark::Prefix => {}
                    Mark::Inline => view.push_str(&crate::notice::inline_marker(text::chars(&gap))),
                    Mark::Line(detail) => {
                        if !view.is_empty() && !view.ends_with('\n') {
                            view.push('\n');
                        }
                        let detail = detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
                        let (lines, chars) = (text::lines(&gap), text::chars(&gap));
                        view.push_str(&format!("... [{lines} lines / {chars} chars omitted{detail}] ...\n"));
                    }
                }
            }
        }
    }
    view
}

/// The kept text alone.
fn kept(document: &dyn Document, cut: &Cut) -> String {
    let mut kept = String::new();
    for piece in cut.pieces() {
        if let Piece::Keep { range, .. } = piece {
            kept.push_str(&document.read(range.clone()).unwrap());
        }
    }
    kept
}

/// The view of `text` within `chars` characters.
fn view(text: &str, kind: Kind, chars: u64) -> String {
    let document = TextDocument::new(text);
    render(&document, &cut_within(&document, kind, Budget::chars(chars), &Settings::default()))
}

fn check_laws(text: &str, kind: Kind, budget: Budget, settings: &Settings) {
    let document = TextDocument::new(text);
    let cut = cut_within(&document, kind, budget, settings);
    let shown = match budget.marks {
        Marks::Free => kept(&document, &cut),
        Marks::Counts => render(&document, &cut),
        Marks::Addresses { .. } => crate::render::render(&document, &cut, Markers::Addresses("9kgw")).unwrap().text,
    };
    assert!(text::chars(&shown) <= budget.chars, "{} characters of {}: {shown}", text::chars(&shown), budget.chars);
    assert!(cut.about.as_deref().is_none_or(|about| text::chars(about) <= 120), "{:?}", cut.about);
    assert!(budget.bytes.is_none_or(|bytes| shown.len() as u64 <= bytes), "{} bytes of {budget:?}", shown.len());
    assert!(budget.lines.is_none_or(|lines| text::lines(&shown) <= lines), "{} lines: {budget:?}", text::lines(&shown));
    assert_eq!(cut, cut_within(&document, kind, budget, settings), "the same twice");
    assert_eq!(cut, cut_within(&Elsewhere(document.clone()), kind, budget, settings), "the same from a file");
    let starts: Vec<u64> = text::split(text).map(|line| line.start as u64).chain([text.len() as u64]).collect();
    for piece in cut.pieces() {
        if let Piece::Omit { range, mark: Mark::Line(_) } = piece {
            assert!(starts.binary_search(&range.start).is_ok(), "a gap starts with a line");
            assert!(starts.binary_search(&range.end).is_ok(), "a gap ends with a line");
        }
        if let Piece::Omit { range, mark: Mark::Inline } = piece {
            let line = starts.partition_point(|&start| start <= range.start) - 1;
            let long = text::chars(text::slice(text, starts[line] as usize..starts[line + 1] as usize));
            assert!(long > settings.max_line_length.min(budget.chars / 8).min(budget.bytes.unwrap_or(u64::MAX) / 8));
            assert!(range.end <= starts[line + 1]);
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,8}( [a-zé世]{1,9}){0,12}",
        2 => Just("error: cannot find value `x` in this scope".to_owned()),
        1 => Just("test tests::case_17 ... FAILED".to_owned()),
        1 => Just("2026-11-15T10:00:00.123Z WARN pool exhausted, retry 3".to_owned()),
        2 => Just("    at org.example.Thing.run(Thing.java:12)".to_owned()),
        1 => Just("Caused by: org.example.Broken: it".to_owned()),
        1 => Just("Traceback (most recent call last):".to_owned()),
        1 => Just("  File \"a.py\", line 3, in f".to_owned()),
        1 => (1usize..60).prop_map(|n| format!("answer: {{\"items\": [{}]}} end", vec!["{\"id\": 17}"; n].join(", "))),
        1 => (1usize..60).prop_map(|n| format!("{{\n{}\n}}", vec!["  \"é\": [1, 2]"; n].join(",\n"))),
        1 => Just("diff --git a/src/x.rs b/src/x.rs".to_owned()),
        1 => Just("@@ -1,3 +1,4 @@".to_owned()),
        1 => Just("+added line".to_owned()),
        1 => Just("src/main.rs:12:fn main() {".to_owned()),
        1 => Just("## Heading".to_owned()),
        1 => Just("│   ├── name.rs".to_owned()),
        1 => Just(String::new()),
        1 => "[ -~é🎉]{0,400}",
        1 => ("[a-z世]{1,30}", 10usize..80).prop_map(|(word, times)| word.repeat(times)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_cut_fits_its_budget_and_makes_the_whole(
        lines in prop::collection::vec((line(), prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")]), 1..200),
        repeat in 1usize..6,
        kind in prop::sample::select(KINDS.to_vec()),
        chars in prop_oneof![200u64..3000, 200u64..50_000],
        bytes in prop::option::of(400u64..20_000),
        max_lines in prop::option::of(3u64..80),
        max_line_length in 40u64..700,
        prioritize_errors in any::<bool>(),
        marks in prop::sample::select(vec![Marks::Free, Marks::Counts, Marks::Addresses { handle: 4 }]),
        step in prop::option::of((0usize..100, 0usize..100)),
    ) {
        let mut lines = lines;
        if let Some((start, length)) = step {
            let start = start.min(lines.len());
            let end = (start + length).min(lines.len());
            lines.insert(end, ("The command \"./check\" exited with 1.".to_owned(), "\n"));
            lines.insert(start, ("$ ./check".to_owned(), "\n"));
        }
        let text: String = lines.iter().flat_map(|(line, end)| [line.as_str(), end]).collect();
        let budget = Budget { chars, bytes, lines: max_lines, marks };
        let settings = Settings { max_line_length, prioritize_errors, ..Settings::default() };
        check_laws(&text.repeat(repeat), kind, budget, &settings);
    }
}

/// A log of a service, `lines` long.
fn service(lines: usize) -> String {
    (0..lines)
        .map(|n| {
            format!(
                "2026-11-15T10:{:02}:{:02}.{:03}Z INFO api request {n} served in {}ms\n",
                n / 60 % 60,
                n % 60,
                n % 1000,
                n % 97
            )
        })
        .collect()
}

#[test]
fn three_errors_in_a_large_log_are_shown() {
    let mut log = service(20_000);
    let errors = [
        (170_000, "2026-11-15T10:00:01Z ERROR db connection to 10.0.0.7 refused\n"),
        (750_000, "2026-11-15T10:00:02Z ERROR worker 7 panicked: index out of bounds\n"),
        (1_100_000, "2026-11-15T10:00:03Z FATAL disk /var/lib full\n"),
    ];
    for (at, error) in errors.iter().rev() {
        let at = text::slice(&log, 0..*at).rfind('\n').unwrap() + 1;
        log.insert_str(at, error);
    }
    let shown = view(&log, Kind::Log, 2000);
    for (_, error) in errors {
        assert!(shown.contains(error), "{error} in\n{shown}");
    }
}

#[test]
fn large_documents_keep_the_laws() {
    let settings = Settings::default();
    let texts: [(String, Kind); 8] = [
        ("5\n".repeat(100_000), Kind::Text),
        ("word ".repeat(300_000), Kind::Text),
        ("error: the same thing again\n".repeat(60_001), Kind::Log),
        (format!("{}\r\n{}", "é".repeat(500_000), "error in 世界\r\n".repeat(10_000)), Kind::Log),
        (format!("first\n{}\nlast\n", "x".repeat(1_500_000)), Kind::Search),
        ((0..20_000).map(|n| format!("diff --git a/f{n} b/f{n}\n@@ -1 +1 @@\n-a{n}\n+b{n}\n")).collect(), Kind::Diff),
        ((0..60_001).map(|n| format!("src/dir{}/file{n}.rs\n", n / 30)).collect(), Kind::Listing),
        ((0..60_001).map(|n| format!("# Heading {n}\n")).collect(), Kind::Markdown),
    ];
    for (text, kind) in &texts {
        check_laws(text, *kind, Budget::chars(4000), &settings);
    }
}

#[test]
fn a_single_line_of_any_length_is_bounded_and_not_empty() {
    for length in [199, 200, 201, 499, 500, 501, 10_000, 1_100_000] {
        for kind in KINDS {
            let shown = view(&"x".repeat(length), kind, 200);
            assert!(shown.contains("xxx"), "{length} {kind}: {shown}");
        }
    }
}

#[test]
fn the_part_of_a_long_line_that_names_the_failure_is_shown() {
    let line = format!("{} Error: the reason {}", "a ".repeat(900), "b ".repeat(900));
    let shown = view(&format!("{}{line}\n", "filler line\n".repeat(400)), Kind::Log, 2000);
    assert!(shown.contains("Error: the reason"), "{shown}");
}

#[test]
fn failing_tests_are_named_and_passing_ones_counted() {
    let mut output = String::from("running 500 tests\n");
    for n in 0..500 {
        let result = if n % 100 == 42 { "FAILED" } else { "ok" };
        output.push_str(&format!("test module::case_{n} ... {result}\n"));
    }
    output.push_str("\ntest result: FAILED. 495 passed; 5 failed; 0 ignored; 0 measured; 0 filtered out\n");
    let shown = view(&output, Kind::Test, 1500);
    for n in [42, 142, 242, 342, 442] {
        assert!(shown.contains(&format!("case_{n} ... FAILED")), "{shown}");
    }
    assert!(shown.contains("test result: FAILED. 495 passed"), "{shown}");
}

#[test]
fn gaps_say_what_they_hold() {
    let mut output = String::new();
    for n in 0..400 {
        output.push_str(&format!("test module::case_{n} ... ok\n"));
    }
    output.push_str("test module::last ... FAILED\n");
    let shown = view(&output, Kind::Test, 6000);
    assert!(shown.contains(" passed] ...\n"), "{shown}");

    let diff: String = (0..80)
        .map(|n| {
            let body: String = (0..30).map(|k| format!("+line {k} of {n}\n")).collect();
            format!(
                "diff --git a/src/f{n}.rs b/src/f{n}.rs\n--- a/src/f{n}.rs\n+++ b/src/f{n}.rs\n@@ -0,0 +1,30 @@\n{body}"
            )
        })
        .collect();
    let shown = view(&diff, Kind::Diff, 8000);
    assert!(shown.contains("src/f79.rs"), "{shown}");
    assert!(shown.contains(".rs +30 -0] ..."), "{shown}");
}

#[test]
fn every_file_of_search_results_is_seen() {
    let results: String =
        (0..600).map(|n| format!("src/part_{}/mod.rs:{n}:    helper(value, {n});\n", n / 25)).collect();
    let shown = view(&results, Kind::Search, 4000);
    for part in 0..24 {
        assert!(shown.contains(&format!("src/part_{part}/mod.rs:")), "{part}: {shown}");
    }
}

#[test]
fn files_with_more_matches_show_more_of_them() {
    let of = |file: &str, count: usize| -> String {
        (0..count).map(|n| format!("src/{file}.rs:{n}:    {file}_{n}.check(value, {n});\n")).collect()
    };
    let results: String = (0..30).map(|n| of(&format!("part_{n}"), if n == 7 { 100 } else { 4 })).collect();
    let shown = view(&results, Kind::Search, 4000);
    let count = |file: &str| shown.matches(&format!("src/{file}.rs:")).count();
    assert!(count("part_7") >= 2 * count("part_8"), "{shown}");
    assert!((0..30).all(|n| count(&format!("part_{n}")) >= 1), "{shown}");
}

#[test]
fn search_results_as_json_stay_json() {
    let mut events = String::new();
    for file in 0..30 {
        let path = format!("{{\"path\":{{\"text\":\"src/part_{file}.ts\"}}");
        events.push_str(&format!("{{\"type\":\"begin\",\"data\":{path}}}}}\n"));
        for line in 1..20 {
            let words = if (file, line) == (17, 9) { "export class Needle {" } else { "  use(new Needle());" };
            events.push_str(&format!(
                "{{\"type\":\"match\",\"data\":{path},\"lines\":{{\"text\":\"{words}\\n\"}},\"line_number\":{line}}}}}\n"
            ));
        }
        events.push_str(&format!("{{\"type\":\"end\",\"data\":{path}}}}}\n"));
    }
    events.push_str("{\"data\":{\"stats\":{\"matches\":570}},\"type\":\"summary\"}\n");
    assert!(Lines::knows(&TextDocument::new(events.as_str()), Kind::Ndjson));
    for chars in [40, 300, 2000, 8000, 20_000] {
        let document = TextDocument::new(events.as_str());
        let cut = cut_within(&document, Kind::Ndjson, Budget::chars(chars), &Settings::default());
        let shown = render(&document, &cut);
        assert!(cut.parses && text::chars(&shown) <= chars, "{} of {chars}", text::chars(&shown));
        for line in shown.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
        let kept = shown.lines().filter(|line| line.starts_with('{')).count() as u64;
        assert_eq!(cut.omitted_elements, Some(document.extent().lines - kept));
        let told = ["export class Needle", "\"summary\""].iter().all(|needle| shown.contains(needle));
        assert!(told || chars < 2000, "{shown}");
        let parts = (0..30).filter(|n| shown.contains(&format!("src/part_{n}.ts"))).count();
        assert!(chars < 8000 || parts == 30, "{parts} files in {chars} characters");
    }
}

#[test]
fn what_succeeded_is_found_among_attempts_that_failed() {
    let line = |n: u64| match n {
        2200 => {
            "Mar 27 13:08:09 host sshd[1]: Accepted publickey for ann from 10.0.0.7 port 5 ssh2: RSA SHA256:x\n".into()
        }
        2210 => "Mar 27 13:08:30 host sudo: ann : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/vi /etc/passwd\n".into(),
        _ => format!(
            "Mar 27 10:{:02}:{:02} host sshd[{n}]: Failed password for invalid user u{} from 10.1.{}.7 port {n} ssh2\n",
            n / 60 % 60,
            n % 60,
            n % 91,
            n % 200
        ),
    };
    let shown = view(&(0..5000).map(line).collect::<String>(), Kind::Log, 2000);
    assert!(shown.contains("Accepted publickey for ann") && shown.contains("COMMAND=/bin/vi /etc/passwd"), "{shown}");
}

#[test]
fn all_headings_come_before_any_paragraph() {
    let text: String = (0..60).map(|n| format!("## Part {n}\n\n{}\n\n", "Some words of prose. ".repeat(20))).collect();
    let shown = view(&text, Kind::Markdown, 5000);
    for n in 0..60 {
        assert!(shown.contains(&format!("## Part {n}\n")), "{n}: {shown}");
    }
}

#[test]
fn what_a_gap_counts_it_counts_whole_and_the_gravest_first() {
    let line = |n: u32| match n % 20 {
        7 => format!("10:00:00 ERROR cannot reach shard {n}\n"),
        3 | 5 => format!("10:00:00 WARN shard {n} is slow\n"),
        _ => format!("10:00:00 INFO shard {n} answered\n"),
    };
    let log: String = (0..4000).map(line).collect();
    let view = view(&log, Kind::Log, 4000);
    let mut gaps = view.lines().filter_map(|line| line.strip_prefix("... [")?.strip_suffix("] ..."));
    let largest = gaps.find(|gap| gap.contains("errors")).unwrap();
    let said: Vec<&str> = largest.split_once("omitted: ").unwrap().1.split(", ").collect();
    let count = |said: &str| said.split(' ').next().unwrap().parse::<u32>().unwrap();
    assert!(said[0].ends_with(" errors") && said[1].ends_with(" warnings"), "{largest}");
    let ratio = f64::from(count(said[1])) / f64::from(count(said[0]));
    assert!((1.8..2.2).contains(&ratio), "{largest}");
}

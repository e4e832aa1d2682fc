//! `offcut explain`.

use crate::faults::terminal::on_a_terminal;
use crate::workbench::{Bench, exists, id_in, lines};

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

#[test]
fn an_artifact_is_explained_by_its_handle() {
    let bench = Bench::new();
    let handle = id_in(&bench.call(&["run", "--limit", "2000", "--", "seq", "1", "40000"]).stdout);
    for name in [handle.as_str(), "last"] {
        let left = bench.call(&["explain", name, "--limit", "2000", "--context", "0"]);
        assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
        assert!(left.stdout.contains("\noriginal_lines: 40000\n"), "{}", left.stdout);
        assert!(left.stdout.contains(" lines …\n"), "{}", left.stdout);
    }
    // A file of that name comes first.
    bench.write("last", "one line\n");
    assert!(bench.call(&["explain", "last"]).stdout.contains("one line"));
    let left = bench.call(&["explain", "zzz999"]);
    assert!(left.stderr.starts_with("error: could not open `zzz999`: "), "{}", left.stderr);
}

#[test]
fn a_terminal_gets_folded_gaps_and_everything_with_all() {
    let bench = Bench::new();
    bench.write("notes.txt", &lines(400));
    let explain = |flags: &[&str]| {
        let mut command = bench.command(&["explain", "notes.txt", "--strategy", "head_tail", "--limit", "2000"]);
        on_a_terminal(command.args(flags).env("NO_COLOR", "1")).0
    };
    let folded = explain(&[]);
    let omitted: Vec<&str> = folded.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(omitted.len() == 1 && omitted[0].ends_with(" lines …"), "{folded}");
    let all = explain(&["--all"]);
    assert_eq!(all.lines().filter(|line| line.starts_with(['+', '-'])).count(), 400, "{all}");
}

#[test]
fn a_page_holds_what_was_kept_and_what_was_not() {
    let bench = Bench::new();
    let input: String = (1..=900).map(|n| format!("<b>line {n}</b> & \u{202e}more\n")).collect();
    bench.write("notes.txt", &input);
    let left = bench.call(&["explain", "notes.txt", "--limit", "2000", "--html", "page.html"]);
    assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), ("", "", Some(0)));
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>\n") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("&lt;b&gt;line 1&lt;/b&gt; &amp; \\u{202e}more"), "{page}");
    assert!(!page.contains("<b>line") && !page.contains('\u{202e}'), "nothing of the output acts in the page");
    for part in ["class=\"kept\"", "class=\"omitted\"", "What the model reads", "Content-Security-Policy"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("src=") && !page.contains("http://") && !page.contains("https://"), "it needs nothing else");
}

//! What is shown of findings of linters, of stashes, of proxies' logs, and of what was done before a trace.

use super::view;
use crate::classify::{Hints, classify};
use crate::document::TextDocument;
use crate::kind::Kind;

fn kind_of(text: &str) -> Kind {
    classify(&TextDocument::new(text), &Hints::default()).unwrap().kind
}

#[test]
fn the_finding_that_no_other_file_has_is_shown() {
    let of = |n: u32| {
        let extra =
            if n == 31 { "src/part_31.js: line 9, col 7, Expected an identifier and saw 'return'.\n" } else { "" };
        format!(
            "src/part_{n}.js: line 1, col {n}, Missing semicolon.\nsrc/part_{n}.js: line 2, col 5{n}, Missing semicolon.\n\
             src/part_{n}.js: line 3, col 1, Forgotten 'debugger' statement?\n{extra}\
             src/part_{n}.js: line 4, col 1, 'let' is available in a newer edition (use it) or in {n} extensions.\n"
        )
    };
    let findings: String = (0..60).map(of).collect();
    let shown = view(&findings, Kind::Search, 2000);
    assert!(shown.contains("Expected an identifier"), "{shown}");
    assert!(shown.contains("Forgotten 'debugger'") && shown.contains("Missing semicolon"), "{shown}");
}

#[test]
fn a_stash_with_words_of_its_own_is_shown() {
    let stash = |n: u32| match n {
        60 => format!("stash@{{{n}}}: On main: half of the courier\n"),
        _ => format!("stash@{{{n}}}: WIP on main: 4d0ba96 Read a table with times as the table that it is, and {n}\n"),
    };
    let list: String = (0..120).map(stash).collect();
    assert_eq!(kind_of(&list), Kind::Git);
    assert!(view(&list, Kind::Git, 1500).contains("half of the courier"));
}

#[test]
fn a_proxy_shows_each_status_that_it_answered() {
    let line = |n: u32| {
        let status = if n == 334 { 502 } else { 200 };
        format!(
            "1795033794.{n:03}    {n} 10.0.0.1 TCP_MISS/{status} 324 GET http://h/p{n}.html - HIER_DIRECT/10.0.0.2 text/html\n"
        )
    };
    let log: String = (100..900).map(line).collect();
    let shown = view(&log, kind_of(&log), 2000);
    assert!(shown.contains("TCP_MISS/502"), "{shown}");
}

#[test]
fn results_with_records_behind_them_are_no_code() {
    let task = |n: u32| {
        format!(
            "TASK [write file {n}] ****\nchanged: [web] => {{\"changed\": true, \"dest\": \"/srv/{n}\", \"size\": {n}}}\n\n"
        )
    };
    let fatal = "TASK [restart] ****\nfatal: [web]: FAILED! => {\"changed\": false, \"msg\": \"no such file\"}\n\n";
    let log: String = (0..60).map(task).chain([fatal.to_owned()]).collect();
    let kind = kind_of(&log);
    assert!(!matches!(kind, Kind::Code(_)), "{kind:?}");
    assert!(view(&log, kind, 1500).contains("fatal: [web]: FAILED!"));
}

#[test]
fn what_was_being_done_before_a_trace_is_shown() {
    let step = |n: u32| format!("INFO  [migration] Running upgrade r{n} -> r{}\n", n + 1);
    let frame = |n: u32| {
        format!("  File \"/usr/lib/python3/dist-packages/db/base.py\", line {n}, in call_{n}\n    call({n})\n")
    };
    let trace: String = (100..140).map(frame).collect();
    let log: String = (0..60).map(step).collect();
    let log =
        format!("{log}Traceback (most recent call last):\n{trace}db.OperationalError: table t12 already exists\n");
    let shown = view(&log, kind_of(&log), 1200);
    assert!(shown.contains("Running upgrade r59 -> r60"), "{shown}");
}

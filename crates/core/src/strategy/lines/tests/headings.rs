//! What stands above a finding, a table or a list of commits says what it is about.

use super::view;
use crate::kind::Kind;

fn has(view: &str, parts: &[&str]) {
    for part in parts {
        assert!(view.contains(part), "{part} is missing in:\n{view}");
    }
}

#[test]
fn a_table_of_a_document_is_no_run_that_failed() {
    let rows: String = (1..60).map(|n| format!("| client {n}.0 | cluster 1.{n} | ✗ |\n")).collect();
    let sections = ["Installation", "Examples", "Versions", "Troubleshooting"];
    let section = |name: &&str| format!("## {name}\n\n{}\n", "Words about it that go on for a while.\n".repeat(9));
    let text: String = sections.iter().map(section).collect();
    let readme =
        format!("# Client\n\n{text}## Compatibility\n\n| client | cluster | works |\n| --- | :-: | --- |\n{rows}");
    has(&view(&readme, Kind::Markdown, 1000), &["## Installation", "## Examples", "## Versions", "## Compatibility"]);
}

#[test]
fn every_file_with_findings_is_named_however_often_they_say_the_same() {
    let findings: String =
        (1..300).map(|n| format!("  {n}:3   ✖  Expected empty line before rule   empty-line\n")).collect();
    let report =
        format!("\ndist/first.css\n{findings}\ndist/second.css\n{findings}\n✖ 598 problems (598 errors, 0 warnings)\n");
    has(&view(&report, Kind::Build, 2000), &["dist/first.css\n", "dist/second.css\n", "598 problems"]);
}

#[test]
fn the_place_above_a_message_is_shown_with_it() {
    let finding = |n: u32| {
        let code: String = (1..9).map(|m| format!("    {m} │ const value{m} = read('error-{m}')\n")).collect();
        format!("lib/part{n}.js:{n}:7 lint/suspicious/noShadow ━━━━━\n\n  × Do not shadow the global name.\n\n{code}\n")
    };
    let report: String = (1..30).map(finding).collect();
    let view = view(&report, Kind::Build, 1500);
    has(&view, &["lib/part1.js:1:7 lint/suspicious/noShadow", "× Do not shadow the global name."]);
    assert!(view.matches("lint/suspicious").count() > 3, "{view}");
}

#[test]
fn what_stands_above_the_first_table_sums_it_up() {
    let head = "top - 06:32:46 up  1:55,  0 user,  load average: 0.74\nTasks: 101 total,   2 running\n%Cpu(s): 51.6 us\nMiB Mem :  24105.6 total\n";
    let rows: String = (1..200)
        .map(|n| format!("{n:7} root      20   0   {:5}  S   0.0   0:00.{:02} worker{n}\n", n * 7, n % 60))
        .collect();
    let table = format!("{head}\n    PID USER      PR  NI   VIRT  S  %CPU     TIME+ COMMAND\n{rows}");
    let shown = view(&format!("{table}\n{table}"), Kind::Table, 1200);
    has(&shown, &["%Cpu(s): 51.6 us", "MiB Mem :  24105.6 total", "PID USER"]);
}

#[test]
fn each_way_in_which_a_branch_was_moved_is_shown() {
    let entry = |n: u32| match n {
        40..=55 => format!("{n:06x}a HEAD@{{{n}}}: reset: moving to HEAD~{n}\n"),
        90 => format!("{n:06x}a HEAD@{{{n}}}: rebase (start): checkout main\n"),
        n => format!("{n:06x}a HEAD@{{{n}}}: commit: cache: follow-up {n}\n"),
    };
    let reflog: String = (0..150).map(entry).collect();
    has(&view(&reflog, Kind::Git, 1500), &["rebase (start): checkout main", "reset: moving to HEAD~40"]);
}

#[test]
fn a_history_with_its_files_says_who_committed_and_when() {
    let files: String =
        (0..90).map(|n| format!(":000000 100644 {:040x} {:040x} A\tdocs/page{n}.rst\n", 0, 0xabc_0000 + n)).collect();
    let log = format!(
        "commit {:040x}\nAuthor: Ann <a@x.org>\nDate:   Tue Aug 4 10:00:08 2026\n\n    Import\n\n{files}",
        0xabcd
    );
    has(&view(&log, Kind::Git, 1500), &["Author: Ann <a@x.org>", "Date:   Tue Aug 4", "    Import"]);
}

#[test]
fn the_definition_comes_before_matches_of_rare_forms() {
    let uses: String = (0..700).map(|n| format!("src/part{}.rs:{n}:form{n}(StateId, {n})\n", n % 40)).collect();
    let found =
        format!("{uses}src/ids.rs:12:/// A [`StateId`] is a number.\nsrc/ids.rs:751:pub struct StateId(u32);\n");
    has(&view(&found, Kind::Search, 1500), &["pub struct StateId(u32);"]);
}

//! What stands beside that which a text mostly consists of: sentences among entries, verdicts behind diffs, headers of
//! tables, what a report says around the code that it quotes.

use super::{render, view};
use crate::budget::Budget;
use crate::classify::{Hints, classify};
use crate::document::TextDocument;
use crate::kind::{Classification, Kind, Language};
use crate::strategy::smart::Smart;
use crate::strategy::{CutContext, Settings, Strategy as _};

fn has(view: &str, parts: &[&str]) {
    for part in parts {
        assert!(view.contains(part), "{part} is missing in:\n{view}");
    }
}

/// What is shown of a text that is taken for code.
fn as_code(text: &str, language: Language, chars: u64) -> String {
    let (document, settings) = (TextDocument::new(text), Settings::default());
    let classification = Classification::new(Kind::Code(language), 0.9, "test");
    let cut = Smart.cut(&document, &CutContext::new(Budget::chars(chars), &settings, &classification)).unwrap();
    render(&document, &cut)
}

#[test]
fn a_report_that_quotes_numbered_lines_of_code_shows_what_it_says_last() {
    let finding = |n: u32| {
        let code: String =
            (1..8).map(|m| format!(" {} | function read{n}x{m}(parser) {{ return {m}; }}\n", n + m)).collect();
        format!("  ! lint(no-shadow): Do not shadow the name{n}.\n     ,-[src/read{n}.js:{n}:2]\n{code}     `----\n\n")
    };
    let report: String = (1..60).map(finding).collect();
    let shown = as_code(&format!("{report}Found 59 warnings and 0 errors.\nFinished.\n"), Language::JavaScript, 2000);
    has(&shown, &["lint(no-shadow)", "Found 59 warnings and 0 errors."]);
}

#[test]
fn code_that_has_names_of_results_is_code() {
    let function = |n: u32| {
        let body = "        return ImportResult.FAIL\n".repeat(3);
        format!("    override fun import{n}(file: KtFile): ImportResult {{\n{body}    }}\n\n")
    };
    let functions: String = (0..60).map(function).collect();
    let source = format!("class Helper(val project: Project) : Base() {{\n{functions}}}\n");
    has(
        &as_code(&source, Language::Other, 2000),
        &["class Helper(val project: Project)", "fun import0(", "fun import9("],
    );
}

#[test]
fn a_program_that_signs_what_it_says_shows_how_it_ended() {
    let cell =
        |n: u32| format!("[NbApp] Executing cell:\ndef rows{n}():\n    return [{n}]\n[NbApp] content: {{'n': {n}}}\n");
    let cells: String = (1..80).map(cell).collect();
    let run = format!("{cells}FileNotFoundError: [Errno 2] No such file or directory: 'sales.csv'\n");
    has(&as_code(&run, Language::Python, 2000), &["FileNotFoundError: [Errno 2] No such file or directory"]);
}

#[test]
fn what_a_program_says_behind_the_changes_that_it_shows_is_shown() {
    let change = |n: u32| {
        let context = " same\n".repeat(6);
        format!(
            "--- part{n}.py\t2026\n+++ part{n}.py\t2026\n@@ -1,7 +1,7 @@\n{context}-x = ({n})\n+x = {n}\nwould reformat part{n}.py\n"
        )
    };
    let changes: String = (0..40).map(change).collect();
    let text = format!(
        "{changes}error: cannot parse: odd.py:906:6\n\nOh no!\n40 files would be reformatted, 1 file failed.\n"
    );
    has(
        &view(&text, Kind::Diff, 2000),
        &["error: cannot parse: odd.py", "40 files would be reformatted, 1 file failed."],
    );
}

#[test]
fn a_sentence_among_the_entries_of_a_listing_is_shown() {
    let entries: String = (0..200).map(|n| format!(">f+++++++++ pack/part{}/file{n}.py\n", n / 20)).collect();
    let listing = format!("sending the list of files\nsymlink has no referent: \"/srv/pack/dangling\"\n{entries}");
    has(&view(&listing, Kind::Listing, 1000), &["symlink has no referent: \"/srv/pack/dangling\""]);
}

#[test]
fn the_headings_of_restructured_text_are_headings() {
    let version = |n: u32| {
        let items: String = (1..30)
            .map(|m| format!("- Fixed ``Part{m}.close`` raising an error after :exc:`KeyError`\n  in version {n} -- by :user:`ann`.\n\n"))
            .collect();
        format!("3.{n}.0 (2026-01-01)\n===================\n\nBug fixes\n---------\n\n{items}")
    };
    let text: String = (0..40).rev().map(version).collect();
    let classified = classify(&TextDocument::new(text.as_str()), &Hints::default()).unwrap();
    assert_eq!(classified.kind, Kind::Markdown, "{classified:?}");
    let shown = view(&text, Kind::Markdown, 2000);
    has(&shown, &["3.39.0 (2026-01-01)\n", "3.38.0 (2026-01-01)\n", "Bug fixes\n"]);
    assert!(shown.matches(" (2026-01-01)").count() > 10, "{shown}");
}

#[test]
fn each_table_of_a_text_shows_what_its_columns_are_called() {
    let mounts: String = (0..60).map(|n| format!("none on /mnt/m{n} type tmpfs (rw,relatime,size={n}k)\n")).collect();
    let disks: String = (0..60).map(|n| format!("/dev/d{n:<10} ext4  {n:>4}G  {n:>3}G  {n:>2}% /srv/d{n}\n")).collect();
    let text = format!("{mounts}Filesystem      Type   Size  Used Use% Mounted\n{disks}");
    has(&view(&text, Kind::Text, 1500), &["Filesystem      Type   Size  Used Use% Mounted\n/dev/d0"]);
}

#[test]
fn where_there_is_room_lines_that_are_alike_stand_around_the_one_that_tells() {
    let cycle = |n: u32| format!("{}000 cycle {n} push={} pop={}\n", n * 10, n % 2, n % 3);
    let cycles: String = (0..150).map(cycle).collect();
    let text = cycles.replace("600000 cycle", "MISMATCH at 600000\n600000 cycle");
    let shown = view(&text, Kind::Text, 4000);
    has(&shown, &["580000 cycle 58 ", "590000 cycle 59 ", "MISMATCH at 600000\n600000 cycle 60 ", "610000 cycle 61 "]);
    assert!(shown.len() < 2000, "{shown}");
    let passed: String = (0..1000).map(|n| format!("test case_{n} ... ok\n")).collect();
    let run = passed.replace("case_500 ... ok", "case_500 ... FAILED");
    let shown = view(&run, Kind::Test, 2000);
    assert!(shown.contains("case_500 ... FAILED") && shown.matches("... ok").count() < 10, "{shown}");
}

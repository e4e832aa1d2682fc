//! What is shown of a failure: its verdict whatever the kind seems to be, and all that is said about it.

use super::*;

/// A test report with headings and lists, as Markdown has them; two tests of `cases` failed.
fn report(cases: usize) -> String {
    let case = |n: usize| match n {
        57 | 91 => format!("- case {n} keeps its promise [FAILED]\n    expected: {n}\n         got: {}\n", n * 3),
        _ => format!("- case {n} keeps its promise\n"),
    };
    let sections: String = (0..cases).map(|n| format!("## Section {n}\n\n{}\n", case(n))).collect();
    format!("# Report\n\n{sections}{} passed, 2 failed\n", cases - 2)
}

#[test]
fn a_report_that_looks_like_a_document_shows_what_failed() {
    for kind in [Kind::Markdown, Kind::Listing, Kind::Search, Kind::Text, Kind::Test] {
        let view = view(&report(300), kind, 2000);
        for line in
            ["- case 57 keeps its promise [FAILED]", "- case 91 keeps its promise [FAILED]", "2 failed", "got: 171"]
        {
            assert!(view.contains(line), "{kind}: {line} is missing from\n{view}");
        }
    }
}

#[test]
fn lines_behind_the_name_of_a_package_show_what_failed() {
    let quiet = |n: usize| format!("packages/web: transformed module {}\n", n * 7919 % 10_000);
    let mut text: String = (0..300).map(quiet).collect();
    text.push_str("packages/web: tests/cart.spec.ts adds the tax FAILED\npackages/web: 1 failed, 12 passed\n");
    text.extend((300..600).map(quiet));
    let view = view(&text, Kind::Search, 2000);
    assert!(view.contains("adds the tax FAILED") && view.contains("1 failed, 12 passed"), "{view}");
}

#[test]
fn a_document_that_quotes_a_failure_keeps_its_outline() {
    let sections: String = (0..60).map(|n| format!("## Part {n}\n\n{}\n\n", "Words about it. ".repeat(12))).collect();
    let text = format!("# Guide\n\n{sections}```\ntest a ... FAILED\ntest b ... FAILED\n2 failed\n```\n");
    let view = view(&text, Kind::Markdown, 2000);
    assert!(view.contains("## Part 0") && view.contains("## Part 40"), "{view}");
}

#[test]
fn a_changelog_that_tells_of_errors_keeps_its_outline() {
    let section = |n: usize| {
        format!(
            "## v1.{}.0\n\n#### Bug Fixes\n\n* **Error Output:** errors of part {n} fail early ([{n}a](https://x.org/{n}))\n* **errors:** fixed a panic\n\n",
            90 - n
        )
    };
    let text = format!("# Changelog\n\n{}", (0..90).map(section).collect::<String>());
    let view = view(&text, Kind::Markdown, 2000);
    assert!(view.contains("## v1.90.0") && view.contains("## v1.70.0") && view.contains("## v1.60.0"), "{view}");
}

#[test]
fn a_run_that_went_well_shows_what_sums_it_up() {
    let setup: String =
        (0..40).map(|n| format!(" > git config remote.part{n} https://x.org/{n}.git # timeout=10\n")).collect();
    let module = |n: usize| {
        format!(
            "[INFO] Compiling module {n}\n[INFO] Writing classes of part-{}\n[INFO] Tests run: {n}, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n[INFO] ----\n[INFO] Total time:  {n}.801 s\n",
            n * 7919 % 1000
        )
    };
    let text = format!("{setup}{}Archiving artifacts\nFinished: SUCCESS\n", (1..60).map(module).collect::<String>());
    let view = view(&text, Kind::Build, 1500);
    for line in ["Tests run: 59, Failures: 0", "Total time:  59.801 s", "Finished: SUCCESS"] {
        assert!(view.contains(line), "{line} is missing from\n{view}");
    }
}

#[test]
fn the_block_of_a_failing_test_is_shown_whole() {
    let noise = |n: usize| format!("building target {} of the tree\n", n * 7919 % 10_000);
    let block = "FAIL: test_shelf_order\n    given a shelf with three books\n    when one is taken\n    then two stay in order\n\n    first:  alpha, gamma\n    second: gamma, alpha\n\n    at shelf.lang:12\n";
    let text: String = (0..300).map(noise).chain([block.to_owned()]).chain((300..600).map(noise)).collect();
    let view = view(&text, Kind::Test, 2000);
    assert!(view.contains(block), "{view}");
}

#[test]
fn a_finding_has_the_file_that_it_was_found_in() {
    let file = |n: usize| {
        let finding = if n == 40 { "   3:7  error  `total` is never read  no-unused\n" } else { "" };
        format!("src/part_{n}.lang\n  12:1  hint  consider another name  naming\n{finding}\n")
    };
    let text: String = (0..200).map(file).collect();
    let view = view(&text, Kind::Build, 1500);
    assert!(view.contains("src/part_40.lang\n"), "{view}");
    assert!(view.contains("`total` is never read"), "{view}");
}

#[test]
fn no_room_is_left_while_there_is_something_to_show() {
    let parts = ["ba", "ko", "mi", "lu", "zo", "ga", "ni", "hu", "do", "ji"];
    let noise = |n: usize| format!("the {}{}{} was felled\n", parts[n % 10], parts[n / 10 % 10], parts[n / 100]);
    let text: String =
        (0..200).map(noise).chain(["error: it broke\n".to_owned()]).chain((200..400).map(noise)).collect();
    let view = view(&text, Kind::Log, 4000);
    assert!(text::chars(&view) >= 3700, "{} of 4000 characters are used:\n{view}", text::chars(&view));
}

#[test]
fn the_block_of_a_failure_comes_before_names_that_occur_once() {
    let suite = |n: usize| {
        let name: String = format!("{n:03}").bytes().map(|digit| char::from(digit - b'0' + b'k')).collect();
        format!("PASS test/{name}.test.js\n  {name}\n    ✓ adds one (1 ms)\n    ✓ adds two (1 ms)\n\n")
    };
    let mut text: String = (0..60).map(suite).collect();
    text.push_str("FAIL test/cart.test.js\n  cart\n    ✕ adds the tax (6 ms)\n\n  ● cart › adds the tax\n\n");
    text.push_str("    expect(received).toBe(expected)\n\n    Expected: 23\n    Received: 26\n\n");
    text.push_str("      at Object.toBe (test/cart.test.js:8:25)\n\n");
    text.extend((60..120).map(suite));
    text.push_str("Test Suites: 1 failed, 120 passed, 121 total\nTests:       1 failed, 240 passed, 241 total\n");
    let view = view(&text, Kind::Test, 800);
    for part in [
        "✕ adds the tax",
        "expect(received).toBe(expected)\n\n    Expected: 23\n    Received: 26\n",
        "test/cart.test.js:8:25",
        "Tests:       1 failed",
    ] {
        assert!(view.contains(part), "{part} is missing from\n{view}");
    }
}

#[test]
fn few_long_lines_share_the_room() {
    let line = format!("{{\"a\": [{}", "1234567, ".repeat(3000));
    let view = view(&line, Kind::Text, 8000);
    assert!(view.len() > 3500, "{} characters", view.len());
}

#[test]
fn a_failure_has_what_it_is_about_however_alike_that_looks() {
    let scenario = |n: usize| {
        let failed = format!("      ASSERT FAILED: expected {}, got {}\n\n----\nCAPTURED STDOUT: scenario\n", n, n * 9);
        format!(
            "  Scenario: case {n}            # features/c.feature:{}\n    Given a cart with {n} items # features/steps/s.py:2\n    Then the total is {n}      # features/steps/s.py:8\n{}\n",
            n * 4,
            if n % 17 == 5 { failed.as_str() } else { "" }
        )
    };
    let scenarios: String = (0..60).map(scenario).collect();
    let text = format!("Feature: Cart # features/c.feature:1\n\n{scenarios}56 scenarios passed, 4 failed\n");
    let view = view(&text, Kind::Test, 1800);
    for case in [5, 22, 39, 56] {
        assert!(view.contains(&format!("Scenario: case {case} ")), "case {case} is missing from\n{view}");
        assert!(view.contains(&format!("expected {case},")), "case {case} is missing from\n{view}");
    }
}

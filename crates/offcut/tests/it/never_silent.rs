//! Outputs that no store takes, and limits that leave hardly any room: what matters is shown, and every cut says so.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use offcut::options::Options;
use offcut::profile::Profile;
use offcut::{Call, Offcut, Reply};
use offcut_core::limit::Limits;
use offcut_core::text;
use offcut_store::faults::Faults;
use offcut_store::{LocalOptions, LocalStore};

const ERRORS: [&str; 3] = [
    "error[E0308]: mismatched types in the parser",
    "ERROR: cannot open `/srv/data/é`: permission denied",
    "FAILED tests/test_store.py::test_commit - AssertionError: 3 != 4",
];

/// A log of `lines` lines with three errors, far from both ends and from each other.
fn log(lines: usize) -> String {
    let line = |n: usize| match ERRORS.iter().enumerate().find(|(at, _)| n == lines * (at + 1) / 4) {
        Some((_, error)) => format!("{error}\n"),
        None => format!("2026-11-16T10:{:02}:{:02}Z worker-{} finished its task\n", n / 60 % 60, n % 60, n % 7919),
    };
    (0..lines).map(line).collect()
}

fn reply(offcut: &Offcut, output: &str) -> Reply {
    let mut intake = offcut.intake(Call::new("execute_command")).unwrap();
    for chunk in output.as_bytes().chunks(100_000) {
        intake.write_all(chunk).unwrap();
    }
    intake.finish()
}

/// Every error is shown, and every number is the whole output's own.
fn shows_all(reply: &Reply, output: &str) {
    let report = &reply.report;
    for error in ERRORS {
        assert!(reply.text.contains(error), "{error} is missing in\n{}", reply.text);
    }
    assert!(report.degraded.iter().any(|why| why.contains("was not kept")), "{:?}", report.degraded);
    assert_eq!(report.original_lines, Some(text::lines(output)));
    let kept: u64 = report.kept.iter().map(|(first, last)| last - first + 1).sum();
    assert_eq!(kept + report.omitted_lines, text::lines(output));
    let lines: Vec<&str> = output.lines().collect();
    for (first, last) in &report.kept {
        for number in [*first, *last] {
            let line = lines[usize::try_from(number).unwrap() - 1];
            assert!(reply.text.contains(line), "line {number} is `{line}`\n{}", reply.text);
        }
    }
}

#[test]
fn errors_are_shown_where_there_is_no_store() {
    let offcut = Offcut::builder().memory_bound(256 * 1024).build().unwrap();
    let output = log(60_000);
    shows_all(&reply(&offcut, &output), &output);
}

#[test]
fn errors_are_shown_when_the_disk_fills_in_the_middle() {
    let output = log(100_000);
    for nth in [1, 4, 7] {
        let folder = tempfile::tempdir().unwrap();
        let faults = Faults::from(nth, ErrorKind::StorageFull);
        let options = LocalOptions { faults: Some(faults), ..LocalOptions::default() };
        let store = LocalStore::open(folder.path(), options).unwrap();
        let offcut = Offcut::builder().memory_bound(256 * 1024).store_in(Arc::new(store)).build().unwrap();
        shows_all(&reply(&offcut, &output), &output);
    }
}

fn cut(profile: Profile, limit: &str, output: &str) -> Reply {
    let options = Options { profile: Some(profile.name().to_owned()), ..Options::default() };
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let limits: Limits = limit.parse().unwrap();
    offcut.process(Call::new("execute_command").limits(limits), output).unwrap()
}

#[test]
fn an_output_that_is_shorter_than_any_notice_is_marked_or_shown_whole() {
    let numbers: String = (1..=25).map(|n| format!("{n}\n")).collect();
    for profile in Profile::ALL {
        let reply = cut(profile, "20 lines", &numbers);
        let whole = reply.text == numbers && !reply.report.was_truncated && reply.report.artifact_id.is_none();
        let marked =
            reply.report.was_truncated && (reply.text.contains(" omitted] ...") || reply.text.starts_with("[offcut "));
        assert!(whole || marked, "{}: {}", profile.name(), reply.text);
        assert!(text::chars(&reply.text) <= text::chars(&numbers));
    }
}

#[test]
fn a_cut_of_a_small_output_says_that_it_is_one() {
    for count in [60, 80, 120, 200] {
        let numbers: String = (1..=count).map(|n| format!("{n}\n")).collect();
        for profile in Profile::ALL {
            let reply = cut(profile, "20 lines", &numbers);
            assert!(text::chars(&reply.text) <= text::chars(&numbers), "{}: {}", profile.name(), reply.text);
            let id = reply.report.artifact_id.expect("it was kept");
            let name = reply.report.artifact_handle.unwrap_or(id);
            assert!(reply.text.contains(&name), "{} of {count}: {}", profile.name(), reply.text);
        }
    }
}

#[test]
fn the_smallest_limit_still_shows_something() {
    let numbers: String = (1..=24_000).map(|n| format!("{n}\n")).collect();
    let reply = cut(Profile::Auto, "400", &numbers);
    assert!(!reply.report.kept.is_empty() && text::chars(&reply.text) <= 400, "{}", reply.text);
    assert!(reply.text.lines().any(|line| line == "1" || line == "24000"), "{}", reply.text);
}

#[test]
fn json_stays_json_at_every_limit() {
    let items: Vec<String> = (0..40).map(|n| format!("{{\"id\":{n},\"name\":\"number {n}\"}}")).collect();
    let json = format!("{{\"items\":[{}],\"note\":\"{}\"}}", items.join(","), "x".repeat(300));
    for limit in (1..60).chain([100, 300]) {
        let reply = cut(Profile::Balanced, &limit.to_string(), &json);
        assert!(reply.report.was_truncated);
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&reply.text);
        assert!(parsed.is_ok(), "at {limit}: {}", reply.text);
    }
}

//! Traces as wholes, and parts of another kind.

use super::*;
use crate::strategy::lines::traces::tests::{GO, JAVA, NODE, PYTHON, RUBY, RUST, SHARP};

/// A log of `lines` lines with `part` in the middle.
fn around(part: &str, lines: usize) -> String {
    format!("{}{part}{}", service(lines / 2), service(lines / 2))
}

#[test]
fn a_trace_is_shown_whole_in_every_language() {
    for trace in [PYTHON, JAVA, NODE, SHARP, GO, RUST, RUBY] {
        for lines in [400, 20_000] {
            let shown = view(&around(trace, lines), Kind::Log, 8000);
            assert!(shown.contains(trace), "{lines}: {trace}\nin\n{shown}");
        }
        let prefixed: String = trace.lines().map(|line| format!("2026-11-15T10:00:00.123Z {line}\n")).collect();
        let shown = view(&around(&prefixed, 400), Kind::Log, 8000);
        assert!(shown.contains(&prefixed), "{prefixed}\nin\n{shown}");
    }
}

/// A trace of Java with `causes` causes and so many frames each.
fn long_trace(causes: usize, frames: usize) -> String {
    let part = |n: usize| -> String {
        let frame = |k: usize| match k {
            7 => format!("\tat com.shop.Step{n}.run(Step{n}.java:{k})\n"),
            _ => format!("\tat org.springframework.web.Chain{n}x{k}.next(Chain.java:{k})\n"),
        };
        (0..frames).map(frame).collect()
    };
    let mut trace = format!("com.shop.OrderException: order 0 failed\n{}", part(0));
    for n in 1..=causes {
        trace.push_str(&format!("Caused by: com.shop.Cause{n}: reason {n} of it\n{}\t... {n} more\n", part(n)));
    }
    trace
}

#[test]
fn of_a_long_trace_every_message_and_its_own_frame_are_shown() {
    let log = around(&long_trace(4, 120), 600);
    for chars in [2000, 4000, 8000] {
        let shown = view(&log, Kind::Log, chars);
        assert!(shown.contains("OrderException: order 0 failed\n"), "{shown}");
        for n in 1..=4 {
            assert!(shown.contains(&format!("Caused by: com.shop.Cause{n}: reason {n} of it\n")), "{n}: {shown}");
            assert!(shown.contains(&format!("com.shop.Step{n}.run(Step{n}.java:7)")), "{n} of {chars}: {shown}");
        }
    }
}

#[test]
fn recursion_is_folded_with_an_exact_count() {
    let frame = "  File \"/app/tree.py\", line 9, in walk\n    walk(node.left)\n    ~~~~^^^^^^^^^^^\n";
    let trace = |times: usize| {
        format!(
            "Traceback (most recent call last):\n  File \"/app/main.py\", line 3, in <module>\n    walk(root)\n{}\
             RecursionError: maximum recursion depth exceeded\n",
            frame.repeat(times)
        )
    };
    for chars in [700, 2000, 8000] {
        let shown = view(&around(&trace(997), 400), Kind::Log, chars);
        let fold = format!(
            "{frame}... [2988 lines / {} chars omitted: the same 3 lines 996 more times] ...\n",
            996 * frame.len()
        );
        assert!(shown.contains(&fold), "{shown}");
        assert!(shown.contains("RecursionError: maximum"), "{shown}");
    }
    let shown = view(&trace(997), Kind::Trace, 1000);
    assert!(
        shown.starts_with("Traceback") && shown.contains("996 more times") && shown.ends_with("exceeded\n"),
        "{shown}"
    );
    let overflow = format!(
        "java.lang.StackOverflowError\n{}\tat com.shop.Main.main(Main.java:2)\n",
        "\tat com.shop.A.f(A.java:5)\n".repeat(1024)
    );
    let shown = view(&around(&overflow, 400), Kind::Log, 4000);
    assert!(shown.contains("omitted: the same line 1023 more times] ...\n\tat com.shop.Main.main"), "{shown}");
}

#[test]
fn identical_traces_are_shown_whole_once() {
    let log: String = (0..40).map(|_| format!("{JAVA}{}", service(30))).collect();
    let shown = view(&log, Kind::Log, 8000);
    assert_eq!(shown.matches(JAVA).count(), 1);
}

/// An answer of a server, as programs print it.
fn answer(items: usize) -> String {
    let item = |n: usize| {
        let status = if n == 17 { "\"failed\",\n      \"error\": \"card 17 was declined\"" } else { "\"paid\"" };
        format!("    {{\n      \"id\": {n},\n      \"status\": {status}\n    }}")
    };
    let items: Vec<String> = (0..items).map(item).collect();
    format!("{{\n  \"total\": {},\n  \"orders\": [\n{}\n  ]\n}}", items.len(), items.join(",\n"))
}

fn mixed() -> String {
    let build: String = (0..300).map(|n| format!("[{n}/300] Compiling module_{n} v0.{n}.0\n")).collect();
    format!(
        "{build}ERROR request to https://shop.example/orders failed with status 500\nResponse body: {}\n{build}{JAVA}{build}\
         BUILD FAILED in 3m 12s\n",
        answer(200)
    )
}

/// The JSON value that begins behind `lead`, as an independent parser reads it.
fn value_behind(shown: &str, lead: &str) -> Option<serde_json::Value> {
    let (_, behind) = shown.split_once(lead)?;
    let value = serde_json::Deserializer::from_str(behind).into_iter().next();
    Some(value.unwrap_or_else(|| panic!("no value in {shown}")).unwrap_or_else(|error| panic!("{error} in {shown}")))
}

#[test]
fn a_value_in_a_build_log_stays_valid_and_the_rest_is_a_log() {
    let text = mixed();
    let settings = Settings::default();
    let mut values = 0;
    for chars in [300, 500, 800, 1200, 2000, 3000, 4000, 6000, 8000, 12_000, 20_000] {
        check_laws(&text, Kind::Build, Budget::chars(chars), &settings);
        let shown = view(&text, Kind::Build, chars);
        assert!(
            chars < 800 || shown.contains("ERROR request to https://shop.example/orders failed"),
            "{chars}: {shown}"
        );
        if let Some(value) = value_behind(&shown, "Response body: ") {
            values += 1;
            assert_eq!(value["total"], 200, "{shown}");
            assert!(chars < 2000 || shown.contains("card 17 was declined"), "{shown}");
        }
        assert!(chars < 4000 || shown.contains(JAVA), "{chars}: {shown}");
    }
    assert!(values >= 8, "{values}");
    let document = TextDocument::new(text);
    let cut = cut_within(&document, Kind::Build, Budget::chars(8000), &settings);
    let whys = cut.pieces().iter().filter_map(|piece| match piece {
        Piece::Keep { why, .. } => Some(why.as_ref()),
        _ => None,
    });
    assert!(whys.clone().any(|why| why.starts_with("JSON in the text")), "{:?}", whys.collect::<Vec<_>>());
}

#[test]
fn a_value_on_one_line_is_cut_as_data() {
    let items: Vec<String> = (0..300).map(|n| format!("{{\"id\":{n},\"name\":\"item {n}\"}}")).collect();
    let line =
        format!("2026-11-15T10:00:00.001Z WARN unexpected answer: {{\"items\":[{}]}} (ignored)\n", items.join(","));
    for chars in [1000, 4000, 8000] {
        let shown = view(&around(&line, 500), Kind::Log, chars);
        let value = value_behind(&shown, "unexpected answer: ").unwrap();
        assert_eq!(value["items"][0]["id"], 0, "{shown}");
        assert!(shown.contains("]} (ignored)\n") && shown.contains(" items omitted"), "{shown}");
    }
}

#[test]
fn markup_in_a_log_is_cut_by_its_elements() {
    let rows: String = (0..200).map(|n| format!("  <row id=\"{n}\">\n    <name>n{n}</name>\n  </row>\n")).collect();
    let xml = format!("<?xml version=\"1.0\"?>\n<rows>\n{rows}</rows>\n");
    let shown = view(&around(&xml, 400), Kind::Log, 8000);
    assert!(shown.contains("<rows>") && shown.contains("</rows>\n"), "{shown}");
    assert!(shown.contains(" omitted -->") && shown.contains("<row id=\"0\">"), "{shown}");
    // What is never closed is text like other text.
    let open = format!("<rows>\n{rows}");
    check_laws(&around(&open, 400), Kind::Log, Budget::chars(4000), &Settings::default());
}

#[test]
fn a_diff_in_a_log_is_read_as_one() {
    let body: String = (0..60).map(|n| format!("+    line_{n}();\n")).collect();
    let diff = format!(
        "diff --git a/src/a.rs b/src/a.rs\nindex 123..456 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,1 +1,61 @@\n fn main() {{\n{body}"
    );
    let log = format!("{}$ git diff\n{diff}$ make\n{}", service(300), service(300));
    let shown = view(&log, Kind::Log, 6000);
    assert!(shown.contains("diff --git a/src/a.rs b/src/a.rs\n"), "{shown}");
    check_laws(&log, Kind::Log, Budget::chars(3000), &Settings::default());
}

#[test]
fn hostile_parts_end_soon_and_keep_the_laws() {
    let settings = Settings::default();
    let many = 100_000;
    let texts = [
        "[\n".repeat(many),
        "{\n".repeat(many),
        "{\"a\":\n".repeat(many),
        format!("{}{}", "[".repeat(many), "]".repeat(many)),
        format!("start: {{\n{}", "  \"a\": [1, 2, 3],\n".repeat(20_000)),
        "Caused by: java.lang.Error: again\n".repeat(20_000),
        "Caused by:\n\tat a.B(C.java:1)\n".repeat(20_000),
        "\tat a.B(C.java:1)\n".repeat(30_000),
        "Traceback (most recent call last):\n".repeat(20_000),
        "goroutine 1 [running]:\nmain.f()\n\t/a.go:1\n\n".repeat(10_000),
        "panic: x\n".repeat(30_000),
        "<a>\n".repeat(40_000),
        "<a></b>\n".repeat(40_000),
        "diff --git a b\n".repeat(30_000),
        "--- a\n+++ b\n@@ -1,1 +1,1 @@\n".repeat(10_000),
    ];
    for text in &texts {
        check_laws(text, Kind::Log, Budget::chars(3000), &settings);
    }
}

#[test]
fn a_line_about_the_whole_counts_what_was_found() {
    let about = |text: &str, chars: u64| {
        let document = TextDocument::new(text);
        cut_within(&document, Kind::Build, Budget::chars(chars), &Settings::default()).about
    };
    let text = mixed();
    let line = "5 error lines, 1 stack trace, JSON in lines 302-1107";
    assert_eq!(about(&text, 8000).as_deref(), Some(line));
    assert_eq!(about(&text, 3000), None, "there is no room to spare");
    assert_eq!(about(&service(3000), 8000), None, "there is nothing to say");
    assert_eq!(about(&format!("{text}{}", service(20_000)), 8000), None, "not every line was looked at");
}

#[test]
fn of_very_many_tiny_lines_the_last_are_looked_at_too() {
    let text = format!("begun\n{}ERROR the disk is full\n", "{\n".repeat(100_000));
    let shown = view(&text, Kind::Log, 4000);
    assert!(shown.starts_with("begun\n"), "{shown}");
    assert!(shown.contains("ERROR the disk is full\n"), "{shown}");
}

//! The laws of retention, and the list of tests that the design came with, by name.

use proptest::prelude::*;

use super::*;
use crate::text;

const TRACE: &str = "abc-123";

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n")
}

fn stored(_: &str) -> bool {
    true
}

// The list of S4.

#[test]
fn retention_window() {
    let message = Message::tool_result("m", lines(200), 5, TRACE);
    for policy in [Retention::default(), Retention::strict()] {
        for current in [0, 4, 5, 6] {
            assert!(policy.is_fully_retained(&message, current), "turn {current}");
        }
    }
}

#[test]
fn truncation_trigger() {
    let message = Message::tool_result("m", lines(200), 5, TRACE);
    for current in [7, 8, 1000] {
        assert!(!Retention::default().is_fully_retained(&message, current), "turn {current}");
    }
}

#[test]
fn truncate_output() {
    let short = Retention::strict().truncate(&lines(200), TRACE);
    assert_eq!(short, "line 0\nline 1\nline 2\n[TRUNCATED — full output in get_task_trace(traceId=\"abc-123\")]");
    assert!(text::lines(&short) < 5);
    assert_eq!(Retention::default().truncate(&lines(200), TRACE), short);
}

#[test]
fn full_output_preserved() {
    let full = lines(200);
    let before = full.clone();
    let _ = Retention::strict().truncate(&full, TRACE);
    assert_eq!(full, before);
}

#[test]
fn integration_with_context_window() {
    let window: Vec<Message> =
        (1..=3).map(|turn| Message::tool_result(format!("m{turn}"), lines(200), turn, format!("t{turn}"))).collect();
    for policy in [Retention::default(), Retention::strict()] {
        let edited = apply(&window, &policy.edits(&window, 4, stored));
        let whole: Vec<bool> = edited.iter().zip(&window).map(|(now, before)| now == before).collect();
        assert_eq!(whole, [false, false, true]);
        assert!(edited[0].content().ends_with("get_task_trace(traceId=\"t1\")]"));
        assert!(edited[1].content().ends_with("get_task_trace(traceId=\"t2\")]"));
    }
    assert!(window.iter().all(|message| message.content() == lines(200)));
}

#[test]
fn only_tool_results_are_ever_shortened() {
    let words = |turn| PlainMessage { id: "m".into(), content: lines(200), turn };
    let messages = [Message::User(words(1)), Message::Assistant(words(1)), Message::SpecRefresh(words(1))];
    for policy in [Retention::default(), Retention::strict()] {
        assert!(messages.iter().all(|message| policy.is_fully_retained(message, 100)));
        assert_eq!(policy.edits(&messages, 100, stored), []);
    }
}

#[test]
fn a_tool_result_without_a_trace_is_refused() {
    let read = |json: &str| serde_json::from_str::<Message>(json);
    assert!(
        read(r#"{"type":"tool_result","id":"a","content":"x","turn":1}"#).unwrap_err().to_string().contains("traceId")
    );
    let result = read(r#"{"type":"tool_result","id":"a","content":"x","turn":1,"traceId":"t"}"#).unwrap();
    assert_eq!(result, Message::tool_result("a", "x", 1, "t"));
    assert_eq!(read(r#"{"type":"user","id":"a","content":"x","turn":1}"#).unwrap(), Message::user("a", "x", 1));
}

// Beyond it.

#[test]
fn a_result_that_would_not_get_shorter_or_is_not_stored_stays() {
    let policy = Retention::default();
    assert_eq!(policy.shortened("ok", TRACE), None);
    assert_eq!(policy.shortened(&lines(3), TRACE), None);
    let messages = [Message::tool_result("m", lines(200), 1, TRACE)];
    assert_eq!(policy.edits(&messages, 9, |_| false), []);
    assert_eq!(policy.edits(&messages, 9, |trace| trace == TRACE).len(), 1);
    // The letter knows neither.
    assert_eq!(Retention::strict().edits(&messages, 9, |_| false).len(), 1);
    assert!(Retention::strict().truncate("ok", TRACE).starts_with("ok\n[TRUNCATED"));
}

#[test]
fn a_trace_that_cannot_be_named_keeps_its_result_whole() {
    let policy = Retention::default();
    for trace in ["", "a\"b", "a\nb", "a\\", &"x".repeat(201)] {
        assert_eq!(policy.shortened(&lines(200), trace), None, "{trace:?}");
    }
}

#[test]
fn a_long_line_is_shortened_within_itself_and_marked() {
    let policy = Retention::default();
    let short = policy.shortened(&"x".repeat(300_000), TRACE).unwrap();
    let expected = format!(
        "{} ... [299500 chars omitted] ...\n[TRUNCATED — full output in get_task_trace(traceId=\"abc-123\")]",
        "x".repeat(500)
    );
    assert_eq!(short, expected);
    let mixed = format!("a\r\n{}\rb\nc\nd", "é".repeat(501));
    assert_eq!(policy.head(&mixed), format!("a\r\n{} ... [1 char omitted] ...\rb", "é".repeat(500)));
}

#[test]
fn every_line_end_counts() {
    let head = |full| Retention::default().head(full).into_owned();
    assert_eq!(head("a\r\nb\rc\nd\ne"), "a\r\nb\rc");
    assert_eq!(head("\n\n\n\n"), "\n\n");
    assert_eq!(head(""), "");
    let one = Retention { lines: 1, ..Retention::default() };
    assert_eq!(one.head("a\nb"), "a");
    assert_eq!(Retention { lines: 0, ..one }.head("a\nb"), "");
}

fn message() -> impl Strategy<Value = Message> {
    let content = prop_oneof![
        "[a-z \n\r\"é🎉]{0,400}",
        (0usize..60).prop_map(lines),
        (0usize..60, "[a-z0-9-]{1,12}").prop_map(|(count, trace)| Retention::default().truncate(&lines(count), &trace)),
        (0usize..3000).prop_map(|count| "y".repeat(count)),
    ];
    (content, 0u64..12, "[a-z0-9\"-]{0,12}", 0..4).prop_map(|(content, turn, trace, kind)| match kind {
        0 => Message::user("m", content, turn),
        1 => Message::assistant("m", content, turn),
        _ => Message::tool_result("m", content, turn, trace),
    })
}

fn policy() -> impl Strategy<Value = Retention> {
    (0u64..5, 0u64..6).prop_map(|(window, lines)| Retention { window, lines, ..Retention::default() })
}

proptest! {
    #[test]
    fn shortening_twice_changes_nothing(messages in prop::collection::vec(message(), 0..12), policy in policy(), turn in 0u64..16) {
        let once = apply(&messages, &policy.edits(&messages, turn, stored));
        prop_assert_eq!(policy.edits(&once, turn, stored), vec![]);
    }

    #[test]
    fn what_is_shortened_stays_so_byte_for_byte(messages in prop::collection::vec(message(), 0..12), policy in policy(), turn in 0u64..16, later in 0u64..6) {
        let now = policy.edits(&messages, turn, stored);
        let then = policy.edits(&messages, turn + later, stored);
        prop_assert!(now.iter().all(|edit| then.contains(edit)));
        // And also where the shortened conversation is what comes back, under another policy even.
        let edited = apply(&messages, &now);
        let other = Retention { lines: policy.lines + 1, ..policy };
        for edit in other.edits(&edited, turn + later, stored) {
            prop_assert!(!now.iter().any(|before| before.index == edit.index));
        }
    }

    #[test]
    fn only_old_tool_results_change_and_only_to_shorter_ones(messages in prop::collection::vec(message(), 0..12), policy in policy(), turn in 0u64..16) {
        let mut last = None;
        for edit in policy.edits(&messages, turn, stored) {
            prop_assert!(last < Some(edit.index));
            last = Some(edit.index);
            let before = &messages[edit.index];
            prop_assert!(!policy.is_fully_retained(before, turn));
            prop_assert!(text::chars(&edit.content) < text::chars(before.content()));
            let last_line = edit.content.rsplit('\n').next().unwrap_or_default();
            prop_assert!(crate::notice::is_retained(last_line));
        }
    }

    #[test]
    fn the_letter_is_the_first_lines_and_the_notice(full in "[a-z\n]{0,300}", lines in 0u64..6) {
        let policy = Retention { lines, ..Retention::strict() };
        let twin: Vec<&str> = full.strip_suffix('\n').unwrap_or(&full).split('\n').take(lines as usize).collect();
        let expected = format!("{}\n[TRUNCATED — full output in get_task_trace(traceId=\"t\")]", twin.join("\n"));
        prop_assert_eq!(policy.truncate(&full, "t"), expected);
    }
}

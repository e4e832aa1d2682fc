//! `offcut retain` and `offcut trace`.

use serde_json::{Value, json};

use crate::workbench::{Bench, filtered, id_in, lines};

fn chat(turns: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for turn in 0..turns {
        let id = format!("call_{turn}");
        let call = json!({"id": id, "type": "function", "function": {"name": "shell", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": lines(20 + turn)}));
    }
    format!("{:#}\n", json!({"model": "gpt-5", "messages": messages, "seed": 1}))
}

#[test]
fn old_results_leave_the_conversation_and_are_printed_by_their_trace() {
    let bench = Bench::new();
    let body = chat(3);
    let left = bench.pipe(body.as_bytes(), &["retain", "--report", "report.json"]);
    assert_eq!(
        (left.code, left.stderr.starts_with("offcut: 1 result shortened, ")),
        (Some(0), true),
        "{}",
        left.stderr
    );
    let old = serde_json::to_string(&lines(20)).unwrap();
    let first = lines(20).lines().take(3).collect::<Vec<_>>().join("\\n");
    let new = format!("\"{first}\\n[TRUNCATED — full output in get_task_trace(traceId=\\\"ART\\\")]\"");
    assert_eq!(filtered(&left.stdout, &bench), body.replace(&old, &new));
    let id = id_in(&left.stdout);
    assert_eq!(bench.call(&["trace", &id]).stdout, lines(20));
    assert_eq!(bench.call(&["artifacts", "show", &id, "--all"]).stdout, lines(20));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(bench.path("report.json")).unwrap()).unwrap();
    assert_eq!((&report["format"], &report["turn"]), (&json!("openai-chat"), &json!(3)));
    assert_eq!(report["changes"][0]["trace_id"], json!(id));
    assert!(report["tokens_after"].as_u64() < report["tokens_before"].as_u64());
    assert_eq!(report["cost"]["price"], json!("gpt-5"));
    // The next turn repeats it, with the same trace.
    let next = bench.pipe(chat(4).as_bytes(), &["retain"]);
    assert_eq!(id_in(&next.stdout), id);
    // And the shortened conversation stays as it is.
    assert_eq!(bench.pipe(left.stdout.as_bytes(), &["retain"]).stdout, left.stdout);
}

#[test]
fn the_turn_can_be_said_and_the_letter_applied() {
    let bench = Bench::new();
    let result = |turn: u64| json!({"type": "tool_result", "id": "m", "turn": turn, "traceId": format!("t-{turn}"), "content": "short"});
    let body = json!([result(1), result(2), result(3)]).to_string();
    assert_eq!(bench.pipe(body.as_bytes(), &["retain", "--turn", "4"]).stdout, body);
    let strict = bench.pipe(body.as_bytes(), &["retain", "--turn", "4", "--strict"]).stdout;
    assert_eq!(strict.matches("short\\n[TRUNCATED — full output in get_task_trace(traceId=\\\"t-").count(), 2);
    assert_eq!(bench.call(&["trace", "t-1"]).stdout, "short");
}

#[test]
fn what_cannot_be_read_comes_out_unchanged_and_is_said() {
    let bench = Bench::new();
    for (body, why) in [
        ("{\"messages\": [", "not JSON: the text ends inside a value at byte 14"),
        ("{}", "none of `messages`, `input` and `contents`"),
    ] {
        let left = bench.pipe(body.as_bytes(), &["retain"]);
        assert_eq!((left.stdout.as_str(), left.code), (body, Some(1)));
        assert!(
            left.stderr.starts_with("error: the conversation is printed unchanged: ") && left.stderr.contains(why),
            "{}",
            left.stderr
        );
    }
    let left = bench.pipe(b"{}", &["retain", "--format", "grok"]);
    assert_eq!(left.code, Some(2));
    assert!(left.stderr.contains("expected anthropic, openai-chat"), "{}", left.stderr);
}

#[test]
fn an_unknown_trace_is_told_as_the_tool_tells_it() {
    let bench = Bench::new();
    let left = bench.call(&["trace", "nope"]);
    assert_eq!((left.stdout.as_str(), left.code), ("{\"error\":\"TRACE_NOT_FOUND\",\"traceId\":\"nope\"}\n", Some(1)));
    let left = bench.call(&["trace"]);
    assert!(left.stdout.starts_with("{\"error\":\"INVALID_INPUT\","), "{}", left.stdout);
    assert_eq!(left.code, Some(2));
}

#[test]
fn conversations_are_replayed_against_prices_of_ones_own() {
    let bench = Bench::new();
    bench.write("talk.json", &chat(30));
    bench.write(
        "prices.json",
        r#"{"as_of": "2026-01-01", "prices": [{"name": "flat", "input": 1.0, "cache_read": 1.0, "lifetime_s": 300}]}"#,
    );
    let left = bench.call(&["bench", "retention", "talk.json", "--prices", "prices.json", "--generate", "1", "--json"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    let rows: Vec<Value> = serde_json::from_str(&left.stdout).unwrap();
    // One that was recorded, and a short and a long one, each with and without pauses.
    assert_eq!(rows.len(), 5);
    assert_eq!((&rows[0]["conversation"], &rows[0]["requests"]), (&json!("talk"), &json!(31)));
    // Where nothing is cheaper from the cache, every way saves, and shortening saves more than cutting alone.
    for row in &rows {
        let dollars = |name: &str| row[name].as_f64().unwrap();
        assert!(dollars("ours") < dollars("cut") && dollars("cut") <= dollars("never"), "{row}");
        assert!(dollars("strict") < dollars("never") && dollars("keep_last") < dollars("never"), "{row}");
    }
    let left = bench.call(&["bench", "retention", "--price", "nope"]);
    assert!(left.stderr.contains("unknown price `nope`: expected one of claude-opus"), "{}", left.stderr);
}

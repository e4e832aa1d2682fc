//! Extractions from the question to the wire and back.

use std::time::{Duration, Instant};

use offcut::options::{ExtractionOptions, Options};
use offcut::{Call, Cancel, Offcut};
use offcut_extract::{Extraction, Mode, Question, extract};
use serde_json::{Value, json};

use crate::server::{self, Server};

const PROVIDERS: [&str; 2] = ["openai", "anthropic"];

/// A report, as a script writes it.
fn report(text: &str) -> Value {
    let text =
        format!("Thinking about it.\n<ai-agent-{{nonce}}-FINAL format=\"text\">\n{text}\n</ai-agent-{{nonce}}-FINAL>");
    json!({"text": text, "usage": {"input": 120, "output": 7}})
}

fn text(lines: usize) -> String {
    let mut all: Vec<String> = (1..=lines).map(|n| format!("line {n} says that all is well")).collect();
    all[lines / 2] = "error: disk /dev/sda1 is full".to_owned();
    all.join("\n") + "\n"
}

/// Asks a question in one wire format, with this script.
fn run(provider: &str, script: Value, lines: usize, mode: Mode, timeout: i64) -> Option<(Extraction, Server, String)> {
    let server = server::start(&script)?;
    let extraction =
        ExtractionOptions { timeout_seconds: Some(timeout), parallel: Some(1), ..ExtractionOptions::default() };
    let options = Options { extraction, ..Options::default() };
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let call = Call::new("bash").arguments(r#"{"command":"df"}"#);
    let id = offcut.process(call, text(lines)).unwrap().report.artifact_id.unwrap();
    let model = server.model(provider);
    let question = Question::new(&id, "which disk is full?").mode(mode);
    let answer = extract(&offcut, &question, Some(&model), &Cancel::new());
    Some((answer, server, id))
}

#[test]
fn one_chunk_is_one_request() {
    for provider in PROVIDERS {
        let Some((answer, server, id)) = run(provider, json!([report("/dev/sda1")]), 400, Mode::Auto, 30) else {
            return;
        };
        assert_eq!(
            answer.text,
            format!("ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:full-chunked:\n\n/dev/sda1"),
            "{provider}"
        );
        let account = &answer.account;
        assert_eq!((account.calls, account.input_tokens, account.output_tokens), (1, 120, 7), "{provider}");
        assert_eq!(account.model.as_deref(), Some("gpt-4o-mini"));
        let requests = server.requests();
        assert_eq!(requests.len(), 1);
        let wire = if provider == "openai" { "openai-chat" } else { "anthropic" };
        assert_eq!((&requests[0]["wire"], &requests[0]["body"]["max_tokens"]), (&json!(wire), &json!(500)));
        let sent = requests[0]["body"].to_string();
        assert!(sent.contains("error: disk /dev/sda1 is full") && !sent.contains("test-key"), "{provider}");
    }
}

#[test]
fn many_chunks_are_mapped_and_reduced() {
    for provider in PROVIDERS {
        let mut turns: Vec<Value> = (0..4).map(|n| report(&format!("part {n}"))).collect();
        turns.push(report("/dev/sda1"));
        let Some((answer, server, _)) = run(provider, json!(turns), 1500, Mode::FullChunked, 30) else { return };
        assert_eq!((answer.account.chunks, answer.account.calls), (4, 5), "{provider}");
        assert!(answer.text.ends_with(":\n\n/dev/sda1"), "{}", answer.text);
        let last = server.requests()[4]["body"].to_string();
        assert!((0..4).all(|n| last.contains(&format!("part {n}"))), "{last}");
    }
}

#[test]
fn it_looks_around_in_several_turns() {
    for provider in PROVIDERS {
        let script = json!([
            {"tool": "Grep", "args": {"pattern": "error"}},
            {"tools": [{"name": "Read", "args": {"offset": 1500, "limit": 1}}, {"name": "Read", "args": {"offset": 1501, "limit": 1}}]},
            report("Line 1501: \"error: disk /dev/sda1 is full\"")
        ]);
        let Some((answer, server, _)) = run(provider, script, 3000, Mode::Auto, 30) else { return };
        assert_eq!((answer.account.mode, answer.account.calls), (Mode::ReadGrep, 3), "{}", answer.text);
        assert!(answer.text.ends_with(":\n\nLine 1501: \"error: disk /dev/sda1 is full\""), "{}", answer.text);
        let last = &server.requests()[2];
        let results: Vec<&str> =
            last["tool_results"].as_array().unwrap().iter().map(|r| r["text"].as_str().unwrap()).collect();
        assert_eq!(results.len(), 3, "{provider}");
        assert!(results[0].contains("1501: error: disk /dev/sda1 is full"), "{}", results[0]);
        assert!(results[1].contains("1500: line 1500 says"), "{}", results[1]);
        assert_eq!(last["declared_tools"], json!(["Read", "Grep"]));
    }
}

#[test]
fn nothing_found_is_a_success() {
    for provider in PROVIDERS {
        let script = json!([report("NO RELEVANT DATA FOUND\nOnly lines.")]);
        let Some((answer, _, _)) = run(provider, script, 400, Mode::Auto, 30) else { return };
        assert!(!answer.failed && answer.account.not_found);
        assert!(
            answer.text.ends_with("NO RELEVANT DATA FOUND\nSearched for: which disk is full?\nOnly lines."),
            "{}",
            answer.text
        );
    }
}

#[test]
fn a_missing_closing_tag_counts_and_a_missing_wrapper_does_not() {
    for provider in PROVIDERS {
        let open = json!([{"text": "<ai-agent-{nonce}-FINAL format=\"text\">/dev/sda1"}]);
        let Some((answer, _, _)) = run(provider, open, 400, Mode::Auto, 30) else { return };
        assert!(answer.text.ends_with(":\n\n/dev/sda1"), "{}", answer.text);
        let bare = json!([{"text": "/dev/sda1"}, {"text": "/dev/sda1"}]);
        let Some((answer, _, _)) = run(provider, bare, 400, Mode::Auto, 30) else { return };
        assert_eq!((answer.failed, answer.account.mode, answer.account.calls), (false, Mode::Search, 2));
    }
}

#[test]
fn garbage_falls_back() {
    for provider in PROVIDERS {
        let script = json!([{"status": 418, "body": {"tea": true}}]);
        let Some((answer, _, _)) = run(provider, script, 400, Mode::Auto, 30) else { return };
        assert_eq!(answer.account.mode, Mode::Search);
        assert!(answer.text.contains("the model's provider refused the request: 418: "), "{}", answer.text);
    }
}

#[test]
fn a_rate_limit_is_waited_for() {
    for provider in PROVIDERS {
        let script = json!([{"status": 429, "headers": {"retry-after": "0"}}, report("/dev/sda1")]);
        let Some((answer, _, _)) = run(provider, script, 400, Mode::Auto, 30) else { return };
        assert!(answer.text.ends_with(":\n\n/dev/sda1"), "{}", answer.text);
        let outcomes: Vec<&str> = answer.account.trace.iter().map(|step| step.outcome.as_str()).collect();
        assert_eq!(outcomes, ["busy", "ok"], "{provider}");
    }
}

#[test]
fn a_refused_key_and_a_context_that_is_too_long_are_told_apart() {
    for provider in PROVIDERS {
        let Some((answer, _, _)) = run(provider, json!([{"status": 401}]), 400, Mode::Auto, 30) else { return };
        assert!(answer.text.contains("the model's provider refused the key: 401: "), "{}", answer.text);
        let too_long =
            json!({"status": 400, "body": {"error": {"message": "prompt is too long: 9000 tokens > 6000 maximum"}}});
        let script = json!([too_long, report("part 1"), report("part 2"), report("/dev/sda1"), report("/dev/sda1")]);
        let Some((answer, _, _)) = run(provider, script, 500, Mode::FullChunked, 30) else { return };
        assert!(answer.account.chunks > 1 && answer.account.mode == Mode::FullChunked, "{}", answer.text);
    }
}

#[test]
fn an_answer_that_does_not_come_is_given_up() {
    for provider in PROVIDERS {
        let script = json!([{"text": "late", "delay_ms": 20_000}, {"text": "late", "delay_ms": 20_000}, {"text": "late", "delay_ms": 20_000}]);
        let Some((answer, _, _)) = run(provider, script, 400, Mode::Auto, 1) else { return };
        assert_eq!((answer.account.mode, answer.account.calls), (Mode::Search, 3));
        assert!(answer.text.contains("(the model did not answer in time)"), "{}", answer.text);
    }
}

#[test]
fn cancelling_ends_the_request() {
    for provider in PROVIDERS {
        let Some(server) = server::start(&json!([{"text": "late", "delay_ms": 60_000}])) else { return };
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let id = offcut.process(Call::new("bash"), text(400)).unwrap().report.artifact_id.unwrap();
        let model = server.model(provider);
        let cancel = Cancel::new();
        let stop = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            stop.cancel();
        });
        let started = Instant::now();
        let answer = extract(&offcut, &Question::new(&id, "x"), Some(&model), &cancel);
        assert!(answer.failed && answer.text.ends_with(":\n\ncancelled"), "{}", answer.text);
        assert!(started.elapsed() < Duration::from_secs(50), "it did not wait for the answer");
    }
}

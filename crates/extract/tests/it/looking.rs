//! `read-grep`: a model looks around with two tools.

use offcut::options::ExtractionOptions;
use offcut_extract::{Completion, Message, Mode, Question, ToolCall, ToolResult};
use serde_json::json;

use super::{FOUND, Scripted, ask, calling, kept, lines, nonce, offcut, report_of, said};

fn results(message: &Message) -> &[ToolResult] {
    match message {
        Message::Results(results) => results,
        other => panic!("{other:?}"),
    }
}

fn question(id: &str) -> Question {
    Question::new(id, "where is the disk full?").mode(Mode::ReadGrep)
}

fn text() -> String {
    let mut all: Vec<String> = lines(3000).lines().map(str::to_owned).collect();
    all[1699] = "error: disk /dev/sda1 is full".to_owned();
    all.join("\n") + "\n"
}

#[test]
fn it_looks_around_in_several_turns_and_reports() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &text());
    let model = Scripted::new(|prompt, number| {
        Ok(match number {
            1 => calling("Grep", json!({"pattern": "(?i)ERROR", "context": 1})),
            2 => calling("Read", json!({"offset": 1699, "limit": 2})),
            _ => report_of(prompt, "Line 1700: \"error: disk /dev/sda1 is full\""),
        })
    });
    let answer = ask(&offcut, &question(&id), &model);
    assert_eq!(
        answer.text,
        format!(
            "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:read-grep:\n\nLine 1700: \"error: disk /dev/sda1 is \
             full\""
        )
    );
    let asked = model.asked();
    let nonce = nonce(&asked[0].system);
    assert_eq!(asked[0].tools, ["Read", "Grep"]);
    assert!(asked[0].system.contains(&format!("- Handle/filename: {id}\n")), "{}", asked[0].system);
    let second = &results(&asked[1].messages[2])[0];
    assert_eq!(
        second.text,
        format!(
            "<document-{nonce}>\n1699- line 1699 says that all is well\n1700: error: disk /dev/sda1 is full\n1701- line 1701 \
             says that all is well\n</document-{nonce}>\n[1 matching lines.]"
        )
    );
    let third = &results(&asked[2].messages[4])[0];
    assert_eq!(
        third.text,
        format!(
            "<document-{nonce}>\n1699: line 1699 says that all is well\n1700: error: disk /dev/sda1 is full\n\
             </document-{nonce}>\n[Lines 1699-1700 of 3000. Read(offset=1701) continues.]"
        )
    );
    let purposes: Vec<&str> = answer.account.trace.iter().map(|step| step.purpose.as_str()).collect();
    assert_eq!(purposes, ["turn 1", "turn 2", "turn 3"]);
}

#[test]
fn no_other_document_and_no_other_tool_exists_for_it() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &text());
    let model = Scripted::new(|prompt, number| {
        Ok(match number {
            1 => calling("Read", json!({"path": "/etc/passwd"})),
            2 => calling("Bash", json!({"command": "cat /etc/passwd"})),
            3 => calling("Grep", json!({"pattern": "(unclosed"})),
            4 => calling("Read", json!({"offset": 99_999})),
            _ => report_of(prompt, "NO RELEVANT DATA FOUND"),
        })
    });
    let answer = ask(&offcut, &question(&id), &model);
    assert!(answer.account.not_found);
    let asked = model.asked();
    let said = |turn: usize| results(asked[turn].messages.last().unwrap())[0].clone();
    assert_eq!(
        [said(1), said(2), said(3), said(4)].map(|result| (result.text, result.failed)),
        [
            ("There is no other document: Read and Grep need no path.".to_owned(), true),
            ("There is no tool `Bash`: only Read and Grep.".to_owned(), true),
            ("The pattern is no regular expression. As a literal it is `\\(unclosed`.".to_owned(), true),
            ("There is no line 99999: the document ends before it, with line 3000.".to_owned(), true),
        ]
    );
}

#[test]
fn a_report_that_is_missing_or_cut_off_is_a_failure() {
    let offcut = offcut(ExtractionOptions { max_turns: Some(4), ..ExtractionOptions::default() });
    let id = kept(&offcut, &text());
    let check = |model: Scripted, why: &str| {
        let answer = ask(&offcut, &question(&id), &model);
        assert_eq!((answer.failed, answer.account.mode), (false, Mode::Search));
        assert!(
            answer
                .text
                .contains(&format!("WARNING: read-grep gave no answer (the model wrote no usable report: {why})")),
            "{}",
            answer.text
        );
    };
    check(Scripted::new(|_, _| Ok(said("It is the disk."))), "its answer has no wrapper");
    check(Scripted::new(|_, _| Ok(calling("Read", json!({})))), "it called tools to the last");
    check(
        Scripted::new(|prompt, _| {
            let open = format!("<ai-agent-{}-FINAL format=\"text\">It is the", nonce(prompt.system));
            Ok(Completion { cut_off: true, ..said(open) })
        }),
        "it is cut off",
    );
}

#[test]
fn turns_and_calls_a_turn_are_limited_and_the_last_turn_is_told() {
    let offcut =
        offcut(ExtractionOptions { max_turns: Some(3), max_calls_per_turn: Some(2), ..ExtractionOptions::default() });
    let id = kept(&offcut, &text());
    let model = Scripted::new(|prompt, number| {
        if number < 3 {
            let call =
                |n: usize| ToolCall { id: format!("c{n}"), name: "Read".to_owned(), arguments: json!({"limit": 1}) };
            return Ok(Completion { calls: (0..4).map(call).collect(), ..said("") });
        }
        Ok(report_of(prompt, FOUND))
    });
    let answer = ask(&offcut, &question(&id), &model);
    assert!(answer.text.ends_with(&format!(":\n\n{FOUND}")), "{}", answer.text);
    let asked = model.asked();
    let failed: Vec<bool> = results(&asked[1].messages[2]).iter().map(|result| result.failed).collect();
    assert_eq!(failed, [false, false, true, true]);
    let Message::User(last) = asked[2].messages.last().unwrap() else { panic!() };
    assert!(last.starts_with("No tool can be called any more."), "{last}");
    assert_eq!(asked.len(), 3);
}

#[test]
fn json_in_one_line_is_seen_with_one_member_a_line() {
    let offcut = offcut(ExtractionOptions::default());
    let items: Vec<serde_json::Value> = (0..3000).map(|n| json!({"id": n, "name": format!("user {n}")})).collect();
    let id = kept(&offcut, &json!({ "items": items }).to_string());
    let model = Scripted::new(|prompt, number| {
        Ok(match number {
            1 => calling("Grep", json!({"pattern": "user 1234\"", "context": 1})),
            _ => report_of(prompt, "found"),
        })
    });
    ask(&offcut, &question(&id), &model);
    let asked = model.asked();
    assert!(asked[0].system.contains("- View: the document is JSON in very long lines"), "{}", asked[0].system);
    let seen = &results(&asked[1].messages[2])[0].text;
    assert!(seen.contains("      \"id\": 1234,\n4941:       \"name\": \"user 1234\"\n4942-     },\n"), "{seen}");
}

#[test]
fn a_model_without_tools_reads_instead() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &lines(5000));
    let model = Scripted { tools: false, ..Scripted::reporting(FOUND) };
    let answer = ask(&offcut, &Question::new(&id, "x"), &model);
    assert_eq!(answer.account.mode, Mode::FullChunked);
    let model = Scripted { tools: false, ..Scripted::reporting(FOUND) };
    let answer = ask(&offcut, &question(&id), &model);
    assert!(answer.text.contains("(the model cannot be offered tools)"), "{}", answer.text);
}

#[test]
fn its_tokens_are_limited() {
    let offcut = offcut(ExtractionOptions { max_tokens: Some(300), ..ExtractionOptions::default() });
    let id = kept(&offcut, &text());
    let model = Scripted::new(|prompt, _| {
        let told =
            prompt.messages.iter().any(|message| matches!(message, Message::User(said) if said.starts_with("No tool")));
        Ok(if told { report_of(prompt, FOUND) } else { calling("Read", json!({"limit": 1})) })
    });
    let answer = ask(&offcut, &question(&id), &model);
    assert!(answer.text.ends_with(&format!(":\n\n{FOUND}")), "{}", answer.text);
    assert_eq!(answer.account.calls, 4);
}

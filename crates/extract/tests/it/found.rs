//! Handles, failures, and the exact texts.

use offcut::options::ExtractionOptions;
use offcut::{Call, Cancel, Offcut};
use offcut_extract::{Mode, ModelError, Question, extract};

use super::{FOUND, Scripted, ask, kept, lines, nonce, offcut as built, said};

#[test]
fn an_answer_has_the_exact_form() {
    let offcut = built(ExtractionOptions::default());
    let id = kept(&offcut, &lines(500));
    let answer = ask(
        &offcut,
        &Question::new(&id, "what is wrong?"),
        &Scripted::reporting("Nothing is wrong:\n\"all is well\"."),
    );
    assert!(!answer.failed);
    assert_eq!(
        answer.text,
        format!(
            "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:full-chunked:\n\nNothing is wrong:\n\"all is well\"."
        )
    );
}

#[test]
fn the_handle_of_the_profile_handle_is_taken_too() {
    let offcut = Offcut::builder().in_memory().session("s1").build().unwrap();
    let id = kept(&offcut, &lines(500));
    let handle = format!("session-s1/{id}");
    let answer = ask(&offcut, &Question::new(&handle, "x"), &Scripted::reporting(FOUND));
    assert_eq!(
        answer.text,
        format!("ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {handle}, STRATEGY:full-chunked:\n\n{FOUND}")
    );
}

#[test]
fn another_sessions_artifact_is_not_shown() {
    let first = Offcut::builder().in_memory().session("first").build().unwrap();
    let id = kept(&first, &lines(500));
    let second = first.in_session("second").unwrap();
    let answer = extract(&second, &Question::new(&id, "x"), None, &Cancel::new());
    assert!(answer.failed);
    assert_eq!(
        answer.text,
        format!(
            "TOOL_OUTPUT FAILED FOR unknown WITH HANDLE {id}, STRATEGY:auto:\n\nartifact `{id}` belongs to another session: \
             this is final, do not retry; use an id from a notice of this session, or run the tool again"
        )
    );
    assert_eq!(answer.account.outcome, "foreign");
}

#[test]
fn what_is_no_handle_is_refused_and_shown_harmless() {
    let offcut = built(ExtractionOptions::default());
    let answer = extract(&offcut, &Question::new("../../etc/passwd\u{1b}[31m", "x"), None, &Cancel::new());
    assert!(answer.failed);
    assert!(
        answer.text.starts_with("TOOL_OUTPUT FAILED FOR unknown WITH HANDLE ../../etc/passwd[31m, STRATEGY:auto:\n\n"),
        "{}",
        answer.text
    );
}

#[test]
fn binary_content_is_a_failure() {
    let offcut = built(ExtractionOptions::default());
    let bytes: Vec<u8> = (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let id = offcut.process(Call::new("read_file"), bytes).unwrap().report.artifact_id.unwrap();
    let answer = extract(&offcut, &Question::new(&id, "x"), None, &Cancel::new());
    assert!(answer.failed && answer.text.contains("the artifact is not text"), "{}", answer.text);
}

/// What no model gives, without its heading.
fn searched(offcut: &Offcut, id: &str, extract: &str) -> String {
    let answer = extract_of(offcut, &Question::new(id, extract));
    answer.split_once(":\n\n").unwrap().1.to_owned()
}

fn extract_of(offcut: &Offcut, question: &Question) -> String {
    extract(offcut, question, None, &Cancel::new()).text
}

#[test]
fn a_model_that_fails_in_any_way_leaves_what_no_model_gives_and_says_so() {
    let offcut = built(ExtractionOptions { attempts: Some(1), ..ExtractionOptions::default() });
    let id = kept(&offcut, &(lines(5000) + "error: no route to db7\n" + &lines(50)));
    let wanted = "which route is missing?";
    let body = searched(&offcut, &id, wanted);
    assert!(body.contains("error: no route to db7"), "{body}");
    let check = |model: Scripted, mode: Mode, why: &str| {
        let answer = ask(&offcut, &Question::new(&id, wanted).mode(mode), &model);
        assert_eq!((answer.failed, answer.account.mode, answer.account.fallbacks.len()), (false, Mode::Search, 1));
        let expected = format!(
            "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:search:\n\nWARNING: {mode} gave no answer ({why}). \
             Search answers instead, without a model.\n\n{body}"
        );
        assert_eq!(answer.text, expected);
    };
    for mode in [Mode::FullChunked, Mode::ReadGrep] {
        let error = |error: ModelError| Scripted::new(move |_, _| Err(error.clone()));
        let unreachable = ModelError::Unreachable("no way".to_owned());
        check(error(unreachable), mode, "the model could not be reached: no way");
        check(error(ModelError::TimedOut), mode, "the model did not answer in time");
        let refused = ModelError::Refused("policy".to_owned());
        check(error(refused), mode, "the model's provider refused the request: policy");
        let bare = Scripted::new(|_, _| Ok(said("It is the disk.")));
        check(bare, mode, "the model wrote no usable report: its answer has no wrapper");
        let tags = Scripted::new(|prompt, _| {
            Ok(said(format!("<ai-agent-{}-FINAL format=\"text\">\n", nonce(prompt.system)).repeat(9)))
        });
        check(tags, mode, "the model wrote no usable report: its report is empty");
    }
}

#[test]
fn truncate_keeps_top_and_bottom_and_says_what_is_missing() {
    let offcut = built(ExtractionOptions { max_chars: Some(400), ..ExtractionOptions::default() });
    let id = kept(&offcut, &lines(5000));
    let answer = extract(&offcut, &Question::new(&id, "x").mode(Mode::Truncate), None, &Cancel::new());
    let line = |n: usize| format!("line {n} says that all is well\n");
    let head: String = (1..=7).map(line).collect();
    let tail: String = (4997..=5000).map(line).collect();
    let left = 5000 - 11;
    let chars = lines(5000).len() - head.len() - tail.len();
    assert_eq!(
        answer.text,
        format!(
            "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:truncate:\n\n{head}... [{left} lines / {chars} chars \
             omitted] ...\n{tail}"
        )
    );
}

#[test]
fn a_mode_that_needs_a_model_falls_back_without_one() {
    let offcut = built(ExtractionOptions::default());
    let id = kept(&offcut, &lines(500));
    let answer = extract(&offcut, &Question::new(&id, "x").mode(Mode::ReadGrep), None, &Cancel::new());
    assert_eq!((answer.failed, answer.account.mode), (false, Mode::Search));
    assert!(answer.text.contains("no model is configured for read-grep; search needs none"), "{}", answer.text);
}

#[test]
fn results_are_never_cached_and_never_kept() {
    let offcut = built(ExtractionOptions::default());
    let id = kept(&offcut, &lines(500));
    let model = Scripted::reporting(FOUND);
    for _ in 0..2 {
        ask(&offcut, &Question::new(&id, "x"), &model);
    }
    assert_eq!(model.asked().len(), 2);
    assert_eq!(offcut.recall().list().unwrap().len(), 1);
}

#[test]
fn a_cancelled_question_is_a_failure_that_says_so() {
    let offcut = built(ExtractionOptions::default());
    let id = kept(&offcut, &lines(500));
    let cancel = Cancel::new();
    cancel.cancel();
    let model = Scripted::reporting(FOUND);
    let answer = extract(&offcut, &Question::new(&id, "x"), Some(&model), &cancel);
    assert!(answer.failed);
    assert!(answer.text.ends_with(":\n\ncancelled"), "{}", answer.text);
    assert!(model.asked().is_empty());
}

#[test]
fn each_question_is_an_event_without_content() {
    use offcut::event::{Event, Observer, Record};
    use std::sync::{Arc, Mutex};
    #[derive(Debug, Default)]
    struct Seen(Mutex<Vec<Record>>);
    impl Observer for Seen {
        fn observe(&self, record: &Record) {
            self.0.lock().unwrap().push(record.clone());
        }
    }
    let seen = Arc::new(Seen::default());
    let offcut = Offcut::builder().in_memory().observer(seen.clone()).build().unwrap();
    let id = kept(&offcut, &lines(500));
    ask(&offcut, &Question::new(&id, "my secret wish"), &Scripted::reporting("NO RELEVANT DATA FOUND\nlines"));
    let records = seen.0.lock().unwrap();
    let last = records.last().unwrap();
    let Event::Extraction { id: named, tool, mode, model, calls, input_tokens, output_tokens, outcome, .. } =
        &last.event
    else {
        panic!("{last:?}");
    };
    assert_eq!(
        (named.as_str(), tool.as_str(), mode.as_str(), model.as_str()),
        (id.as_str(), "bash", "full-chunked", "scripted")
    );
    assert_eq!((*calls, *input_tokens, *output_tokens, outcome.as_str()), (1, 100, 10, "nothing"));
    assert!(!serde_json::to_string(last).unwrap().contains("wish"));
}

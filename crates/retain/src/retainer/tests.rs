use serde_json::json;

use super::*;
use crate::prices::PriceList;
use crate::trace::task_trace;

fn offcut() -> Offcut {
    Offcut::builder().in_memory().build().unwrap().keeping_once()
}

fn lines(name: &str, count: usize) -> String {
    (1..=count).map(|n| format!("{name} {n}\n")).collect()
}

/// A body of Anthropic's with one call a turn.
fn body(results: &[String]) -> String {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (turn, result) in results.iter().enumerate() {
        let id = format!("toolu_{turn}");
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("step {turn}")}});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages
            .push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": result}]}));
    }
    json!({"model": "claude-sonnet-4-5", "tools": [{"name": "Bash"}], "messages": messages}).to_string()
}

fn contents(body: &str) -> Vec<String> {
    let conversation = Conversation::read(body.as_bytes(), None).unwrap();
    conversation.results.iter().map(|result| result.text().unwrap().into_owned()).collect()
}

fn rewritten(retainer: &Retainer, offcut: &Offcut, body: &str) -> String {
    retainer.rewrite(offcut, body.as_bytes(), &RequestFacts::default()).unwrap().body.unwrap_or_else(|| body.to_owned())
}

#[test]
fn old_results_are_their_first_lines_and_a_trace_that_works() {
    let (offcut, retainer) = (offcut(), Retainer::default());
    let before = body(&[lines("a", 50), lines("b", 50), lines("c", 50)]);
    let done = retainer.rewrite(&offcut, before.as_bytes(), &RequestFacts::default()).unwrap();
    let after = done.body.unwrap();
    let now = contents(&after);
    let trace = done.report.changes[0].trace_id.clone().unwrap();
    assert_eq!(now[0], format!("a 1\na 2\na 3\n[TRUNCATED — full output in get_task_trace(traceId=\"{trace}\")]"));
    assert_eq!((&now[1], &now[2]), (&lines("b", 50), &lines("c", 50)));
    assert_eq!(task_trace(&offcut, &trace).unwrap(), lines("a", 50));
    assert_eq!(done.report.changes.len(), 1);
    assert!(done.report.tokens_after < done.report.tokens_before);
    let cost = done.report.cost.unwrap();
    assert_eq!((cost.price.as_str(), cost.as_of.as_str()), ("claude-sonnet", "2026-11-15"));
    assert!(cost.uncached_after < cost.uncached_before);
    // Everything else is as it was.
    let short = quoted(&now[0]);
    assert_eq!(after, before.replace(&quoted(&lines("a", 50)), &short));
    // Twice changes nothing; a later turn repeats it.
    assert_eq!(rewritten(&retainer, &offcut, &after), after);
    let later = rewritten(&retainer, &offcut, &body(&[lines("a", 50), lines("b", 50), lines("c", 50), lines("d", 50)]));
    assert_eq!(contents(&later)[0], now[0]);
    // And so does a process that knows nothing but the store.
    assert_eq!(rewritten(&Retainer::default(), &offcut.keeping_once(), &before), after);
}

#[test]
fn large_results_are_cut_the_same_every_turn_and_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Offcut::builder().store(directory.path()).build().unwrap().keeping_once();
    let options = || RetainOptions {
        cut: true,
        mode: Mode::Pays,
        channel: RecallChannel::Declared(" --session default".to_owned()),
        ..RetainOptions::default()
    };
    let (offcut, retainer) = (open(), Retainer::new(options()));
    let mut talk = vec![lines("large", 40_000)];
    let first = contents(&rewritten(&retainer, &offcut, &body(&talk)))[0].clone();
    assert!(first.chars().count() <= 8000);
    assert!(first.contains(": offcut show ") && first.contains(" FROM-TO --session default"), "{first}");
    assert!(!first.contains("get_artifact"));
    talk.push("ok".to_owned());
    assert_eq!(contents(&rewritten(&retainer, &offcut, &body(&talk)))[0], first);
    let (offcut, retainer) = (open(), Retainer::new(options()));
    assert_eq!(contents(&rewritten(&retainer, &offcut, &body(&talk)))[0], first);
    assert_eq!(offcut.recall().list().unwrap().len(), 1);
    // Without marks nothing is cached, so it leaves the context when it may; its trace is the artifact it had.
    talk.extend(["ok".to_owned(), "ok".to_owned()]);
    let short = contents(&rewritten(&retainer, &offcut, &body(&talk)))[0].clone();
    assert!(short.starts_with("large 1\nlarge 2\nlarge 3\n[TRUNCATED — full output in offcut trace art_"), "{short}");
    assert_eq!(offcut.recall().list().unwrap().len(), 1);
}

/// Lines of which no two are alike.
fn prose(seed: usize) -> String {
    let letters =
        |n: usize| (0..7).map(|place| char::from(b'a' + (n >> (place * 3) & 7) as u8 * 3)).collect::<String>();
    let line =
        |n: usize| (1..9).map(|word| letters(n.wrapping_mul(0x9E37_79B9 * word) >> 7)).collect::<Vec<_>>().join(" ");
    (1..=500).map(|n| format!("{}\n", line(n * 31 + seed))).collect()
}

#[test]
fn calls_of_one_turn_share_the_room_and_none_is_left_without() {
    let retainer = Retainer::new(RetainOptions { cut: true, mode: Mode::Off, ..RetainOptions::default() });
    let side_by_side = |count: usize| {
        let id = |call: usize| format!("toolu_{call}");
        let calls: Vec<_> = (0..count)
            .map(|call| json!({"type": "tool_use", "id": id(call), "name": "Bash", "input": {"command": format!("cat {call}")}}))
            .collect();
        let results: Vec<_> = (0..count)
            .map(|call| json!({"type": "tool_result", "tool_use_id": id(call), "content": prose(call)}))
            .collect();
        let messages = json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": results},
        ]);
        let body = json!({"model": "claude-sonnet-4-5", "tools": [{"name": "Bash"}], "messages": messages}).to_string();
        contents(&rewritten(&retainer, &offcut(), &body)).iter().map(|text| text.chars().count()).collect::<Vec<_>>()
    };
    assert!(side_by_side(4).iter().all(|chars| (4000..=8000).contains(chars)), "{:?}", side_by_side(4));
    assert!(side_by_side(8).iter().all(|chars| (2000..=4000).contains(chars)), "{:?}", side_by_side(8));
    assert!(side_by_side(40).iter().all(|chars| (1000..=2000).contains(chars)), "{:?}", side_by_side(40));
}

#[test]
fn a_result_that_failed_is_told_as_one_and_no_other_is() {
    let retainer = Retainer::new(RetainOptions { cut: true, mode: Mode::Off, ..RetainOptions::default() });
    let fine = body(&[lines("a", 5000)]);
    let failed = fine.replace("\"tool_use_id\"", "\"is_error\":true,\"tool_use_id\"");
    let told = |body: &str| contents(&rewritten(&retainer, &offcut(), body))[0].contains("; the call failed. ");
    assert_eq!((told(&fine), told(&failed)), (false, true));
}

#[test]
fn nothing_is_changed_where_nothing_is_too_large_or_old() {
    let retainer = Retainer::new(RetainOptions { cut: true, mode: Mode::Pays, ..RetainOptions::default() });
    let done = retainer
        .rewrite(&offcut(), body(&[lines("a", 5), lines("b", 9)]).as_bytes(), &RequestFacts::default())
        .unwrap();
    assert_eq!((done.body, done.report.changes), (None, vec![]));
}

#[test]
fn secrets_in_results_stop_here_even_in_small_ones() {
    let retainer = Retainer::new(RetainOptions { cut: true, mode: Mode::Off, ..RetainOptions::default() });
    let key = format!("AWS_ACCESS_KEY_ID=AKIA{}\n", "QWERTYUIOPASDFGH");
    let done = retainer.rewrite(&offcut(), body(&[key]).as_bytes(), &RequestFacts::default()).unwrap();
    assert!(!done.body.unwrap().contains("QWERTYUIOP"));
    assert_eq!(done.report.changes[0].action, Action::Cleaned);
}

#[test]
fn what_cannot_be_kept_stays_whole_and_is_said() {
    let nowhere = Offcut::builder().build().unwrap();
    let before = body(&[lines("a", 5000), lines("b", 5), lines("c", 5)]);
    for (cut, mode) in [(true, Mode::Off), (false, Mode::Window)] {
        let retainer = Retainer::new(RetainOptions { cut, mode, ..RetainOptions::default() });
        let done = retainer.rewrite(&nowhere, before.as_bytes(), &RequestFacts::default()).unwrap();
        assert_eq!(done.body, None);
        assert!(done.report.skipped[0].why.contains("could not be kept"), "{:?}", done.report.skipped);
    }
}

#[test]
fn protected_tools_and_models_without_a_way_back_keep_their_results() {
    let offcut = offcut();
    let before = body(&[lines("a", 50), lines("b", 50), lines("c", 50)]);
    let options = RetainOptions { protected: vec!["Bash".to_owned()], ..RetainOptions::default() };
    assert_eq!(rewritten(&Retainer::new(options), &offcut, &before), before);
    let declared = RetainOptions { channel: RecallChannel::Declared(String::new()), ..RetainOptions::default() };
    let toolless = before.replace(r#"{"name":"Bash"}"#, r#"{"name":"Think"}"#);
    assert_eq!(rewritten(&Retainer::new(declared.clone()), &offcut, &toolless), toolless);
    assert_ne!(rewritten(&Retainer::new(declared), &offcut, &before), before);
}

#[test]
fn what_was_read_back_is_not_cut_again() {
    let retainer = Retainer::new(RetainOptions { cut: true, mode: Mode::Off, ..RetainOptions::default() });
    let page = lines("page", 1500);
    let before = body(&[page]).replace("step 0", "offcut show 9kgw 1-9");
    assert_eq!(rewritten(&retainer, &offcut(), &before), before);
}

#[test]
fn a_result_that_names_its_own_artifact_leads_there() {
    let offcut = offcut();
    let reply = offcut.process(Call::new("bash").strategy("head_tail"), lines("x", 9000)).unwrap();
    let id = reply.report.artifact_id.clone().unwrap();
    let done = Retainer::default()
        .rewrite(&offcut, body(&[reply.text, lines("b", 2), lines("c", 2)]).as_bytes(), &RequestFacts::default())
        .unwrap();
    assert_eq!(done.report.changes[0].trace_id.as_deref(), Some(id.as_str()));
    assert_eq!(offcut.recall().list().unwrap().len(), 1);
}

#[test]
fn the_letter_of_the_rule_is_applied_to_neutral_messages() {
    let offcut = offcut();
    let message = |turn: u64, content: &str| json!({"type": "tool_result", "id": "m", "turn": turn, "traceId": format!("t{turn}"), "content": content});
    let body = json!([message(1, "a"), message(2, &lines("b", 9)), message(3, "c")]).to_string();
    let strict = Retainer::new(RetainOptions { retention: Retention::strict(), ..RetainOptions::default() });
    let asked = RequestFacts { turn: Some(4), ..RequestFacts::default() };
    let after = strict.rewrite(&offcut, body.as_bytes(), &asked).unwrap().body.unwrap();
    let notice = |trace: &str| format!("[TRUNCATED — full output in get_task_trace(traceId=\"{trace}\")]");
    let expected = [format!("a\n{}", notice("t1")), format!("b 1\nb 2\nb 3\n{}", notice("t2")), "c".to_owned()];
    assert_eq!(contents(&after), expected);
    assert_eq!(task_trace(&offcut, "t2").unwrap(), lines("b", 9));
    let safe = Retainer::default().rewrite(&offcut, body.as_bytes(), &asked).unwrap();
    assert_eq!(safe.body, None);
}

#[test]
fn a_pause_is_used_and_the_next_request_repeats_it() {
    let prices = PriceList::built_in();
    let options =
        RetainOptions { mode: Mode::Pays, price: Some("gpt-5".to_owned()), prices, ..RetainOptions::default() };
    let (offcut, retainer) = (offcut(), Retainer::new(options));
    let mut talk: Vec<String> = (0..8).map(|n| lines(&format!("r{n}"), 60)).collect();
    let at = |minutes: u64| RequestFacts { now_ms: Some(1_000_000_000 + minutes * 60_000), ..RequestFacts::default() };
    let send = |talk: &[String], minutes| {
        // Long enough to be cached.
        let body = body(talk).replacen("\"go\"", &quoted(&"go on ".repeat(3000)), 1);
        let done = retainer.rewrite(&offcut, body.as_bytes(), &at(minutes)).unwrap();
        done.report.changes.iter().map(|change| (change.result, change.trace_id.clone())).collect::<Vec<_>>()
    };
    assert_eq!(send(&talk, 0), []);
    talk.push(lines("after", 3));
    let cold = send(&talk, 30);
    assert_eq!(cold.iter().map(|(result, _)| *result).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    talk.push(lines("then", 3));
    // The last large one goes as soon as it may: hardly anything stands behind it.
    let later = send(&talk, 31);
    assert_eq!(later[..7], cold);
    assert_eq!(later[7..].iter().map(|(result, _)| *result).collect::<Vec<_>>(), [7]);
}

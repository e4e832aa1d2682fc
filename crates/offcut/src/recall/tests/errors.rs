use std::sync::Arc;

use offcut_store::{MemoryStore, StoreError};
use serde_json::json;

use super::Kept;
use crate::Offcut;
use crate::recall::{RecallError, Request, Selector};

fn refused(kept: &Kept, arguments: serde_json::Value) -> (String, u16, String) {
    let mut arguments = arguments;
    if arguments.get("id").is_none() {
        arguments["id"] = json!(kept.id);
    }
    let answer = Request::from_json(arguments).and_then(|request| kept.offcut.recall().page(&request));
    let error = answer.unwrap_err();
    (error.code().to_owned(), error.status(), error.to_string())
}

// S0 AC-063: 404 for unknown.
#[test]
fn unknown_ids_and_those_of_other_sessions_are_answered_for_good_and_told_apart() {
    let store = Arc::new(MemoryStore::new());
    let build = |session: &str| Offcut::builder().session(session).store_in(store.clone()).build().unwrap();
    let (own, other) = (build("own"), build("other"));
    let reply = other.process(crate::Call::new("t"), "x\n".repeat(9000)).unwrap();
    let theirs = reply.report.artifact_id.unwrap();
    assert!(other.recall().whole(&theirs).is_ok());
    for handle in [theirs.clone(), format!("session-other/{theirs}"), format!("session-own/{theirs}")] {
        let error = own.recall().page(&Request::whole(&handle)).unwrap_err();
        assert_eq!((error.code(), error.status()), ("foreign", 404));
        assert_eq!(
            error.to_string(),
            format!(
                "artifact `{theirs}` belongs to another session: this is final, do not retry; use an id from a notice of \
                 this session, or run the tool again"
            )
        );
    }
    let nothing = own.recall().whole("art_1_unknown").unwrap_err();
    assert_eq!((nothing.code(), nothing.status()), ("nothing_stored", 404));
    assert!(nothing.to_string().contains("nothing is stored for this session"), "{nothing}");
    own.process(crate::Call::new("t"), "y\n".repeat(9000)).unwrap();
    let unknown = own.recall().whole("art_1_unknown").unwrap_err();
    assert_eq!((unknown.code(), unknown.status()), ("not_found", 404));
    assert!(unknown.to_string().contains("this is final, do not retry"), "{unknown}");
}

#[test]
fn what_is_no_id_is_refused_before_anything_is_looked_up() {
    let kept = Kept::new("a\n");
    for id in
        ["", "../../etc/passwd", "art_1", "session-own/../x", "session-own/art_1_a/b", "session-../art_1_a", "a\0"]
    {
        let (code, status, _) = refused(&kept, json!({ "id": id }));
        assert_eq!((code.as_str(), status), ("invalid_id", 400), "{id:?}");
    }
    assert_eq!(
        refused(&kept, json!({ "id": "art 1" })).2,
        "`art 1` is not an artifact id: an id looks like `a1b2` or `art_1699234567890_a1b2c3d4`; copy it from a \
         notice as it stands there"
    );
    assert_eq!(kept.events().last().unwrap(), &("whole".to_owned(), "invalid_id".to_owned()));
}

#[test]
fn bad_ranges_say_what_would_be_right() {
    let kept = Kept::new("a\nb\nc\n");
    let check = |arguments, text: &str| {
        assert_eq!(refused(&kept, arguments), ("bad_range".to_owned(), 416, format!("bad range: {text}")));
    };
    check(json!({"start_line": 0}), "start_line is 0, but lines are counted from 1; the artifact has lines 1 to 3");
    check(json!({"end_line": 0}), "end_line is 0, but lines are counted from 1; the artifact has lines 1 to 3");
    check(json!({"start_line": 3, "end_line": 2}), "start_line (3) is after end_line (2); give the smaller one first");
    check(json!({"start_line": 4}), "line 4 is past the end; the artifact has 3 lines");
    check(json!({"start_byte": 6}), "byte 6 is past the end; the artifact has 6 bytes");
    check(json!({"start_byte": 2, "end_byte": 2}), "start_byte (2) is not before end_byte (2), which is exclusive");
    check(json!({"pattern": "a", "start_line": 9}), "line 9 is past the end; the artifact has 3 lines");
    assert_eq!(kept.events().last().unwrap(), &("pattern".to_owned(), "bad_range".to_owned()));
}

#[test]
fn two_selectors_are_named() {
    let kept = Kept::new("[1]\n");
    let check = |arguments, first: &str, second: &str| {
        let text = format!("`{first}` and `{second}` cannot be used together: give one of them");
        assert_eq!(refused(&kept, arguments), ("two_selectors".to_owned(), 400, text));
    };
    check(json!({"start_line": 1, "end_byte": 5}), "start_line", "end_byte");
    check(json!({"query": "$", "pattern": "x"}), "query", "pattern");
    check(json!({"query": "$", "end_line": 1}), "query", "end_line");
    check(json!({"query": "$", "start_byte": 1}), "query", "start_byte");
    check(json!({"pattern": "x", "start_byte": 1}), "pattern", "start_byte");
}

#[test]
fn a_request_takes_numbers_as_clients_write_them_and_refuses_the_rest() {
    let kept = Kept::new("a\nb\nc\n");
    let page = |arguments: serde_json::Value| {
        let mut arguments = arguments;
        arguments["id"] = json!(kept.id);
        Request::from_json(arguments).and_then(|request| kept.offcut.recall().page(&request))
    };
    assert_eq!(page(json!({"start_line": "2", "end_line": 2.0, "query": "", "pattern": null})).unwrap(), "b\n");
    for arguments in
        [json!({"start_line": -1}), json!({"start_line": "two"}), json!({"start_line": 1.5}), json!({"lines": 3})]
    {
        let error = page(arguments).unwrap_err();
        assert_eq!((error.code(), error.status()), ("bad_request", 400));
    }
    assert_eq!(
        page(json!({"start_line": -1})).unwrap_err().to_string(),
        "bad request: `-1` is not a whole number of 0 or more"
    );
    assert!(page(json!({"line": 3})).unwrap_err().to_string().starts_with("bad request: unknown field `line`"));
    assert_eq!(page(json!({"lines": "2-3"})).unwrap(), "b\nc\n");
    assert_eq!(page(json!({"lines": "[9kgw 2-2]"})).unwrap(), "b\n");
    assert_eq!(page(json!({"lines": "b2-4"})).unwrap(), "b\n");
    assert_eq!(
        page(json!({"lines": "2-", "pattern": "."})).unwrap(),
        "2: b\n3: c\n[2 of 2 matches shown, in lines 2-3.]"
    );
    assert_eq!(page(json!({"lines": "two"})).unwrap_err().code(), "bad_range");
    let handle = Request::from_json(json!({"handle": kept.id})).unwrap();
    assert_eq!(kept.offcut.recall().page(&handle).unwrap(), "a\nb\nc\n");
}

#[test]
fn evicted_and_damaged_artifacts_are_told_apart_and_final() {
    let id: offcut_store::ArtifactId = "art_1_a".parse().unwrap();
    let evicted = RecallError::from(StoreError::Evicted { id: id.clone() });
    assert_eq!((evicted.code(), evicted.status()), ("evicted", 410));
    assert_eq!(
        evicted.to_string(),
        "artifact `art_1_a` was evicted to keep the session within its quota: this is final, do not retry; run the \
         tool again if its output is still needed"
    );
    let what = "block 3 does not match its hash".to_owned();
    let corrupt = RecallError::from(StoreError::Corrupt { id, block: Some(3), what });
    assert_eq!((corrupt.code(), corrupt.status()), ("corrupt", 500));
    assert_eq!(
        corrupt.to_string(),
        "artifact `art_1_a` is damaged and is not shown: block 3 does not match its hash; do not retry, run the tool \
         again if its output is still needed"
    );
}

#[test]
fn bad_queries_and_patterns_have_codes_of_their_own() {
    let kept = Kept::new("[1]\n");
    assert_eq!(refused(&kept, json!({"query": "users"})).0, "bad_query");
    assert_eq!(refused(&kept, json!({"pattern": "a("})).0, "bad_pattern");
    let text = Kept::new("words\n");
    assert_eq!(refused(&text, json!({"query": "$"})).0, "not_json");
    let events: Vec<String> = kept.events().into_iter().map(|(range, outcome)| format!("{range}: {outcome}")).collect();
    assert_eq!(events, ["query: bad_query", "pattern: bad_pattern"]);
}

#[test]
fn without_a_store_nothing_was_kept() {
    let offcut = Offcut::builder().build().unwrap();
    let error = offcut.recall().read("art_1_a", &Selector::Whole).unwrap_err();
    assert_eq!((error.code(), error.status()), ("no_store", 404));
}

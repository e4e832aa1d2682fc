//! One set of rules and one store for several sessions.

use offcut::recall::Request;
use offcut::{Call, Offcut};
use offcut_core::notice::Recall;

fn large() -> String {
    (1..=5000).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn a_session_cannot_read_what_another_of_the_same_store_kept() {
    let first = Offcut::builder().in_memory().session("first").build().unwrap();
    let second = first.in_session("second").unwrap();
    let reply = first.process(Call::new("execute_command"), large()).unwrap();
    let id = reply.report.artifact_id.unwrap();

    assert_eq!(first.recall().whole(&id).unwrap(), large());
    assert_eq!(second.recall().whole(&id).unwrap_err().code(), "foreign");
    assert_eq!(second.session().to_string(), "second");
}

#[test]
fn a_session_that_is_none_is_refused() {
    let offcut = Offcut::builder().in_memory().build().unwrap();
    assert!(offcut.in_session("../etc").is_err());
}

#[test]
fn another_wording_names_another_call() {
    let offcut = Offcut::builder().in_memory().build().unwrap().worded(Recall::Tool("files_get_artifact".into()));
    let reply = offcut.process(Call::new("execute_command"), large()).unwrap();
    assert!(reply.text.contains("files_get_artifact(id=\""), "{}", reply.text);
}

#[test]
fn nothing_is_larger_than_what_the_reader_takes_whole() {
    for profile in ["auto", "balanced", "paged", "handle"] {
        let offcut = Offcut::builder().profile(profile).in_memory().build().unwrap().within(4000);
        let reply = offcut.process(Call::new("execute_command"), large()).unwrap();
        assert!(reply.text.len() <= 4000, "{profile}: {}", reply.text.len());
        let id = reply.report.artifact_id.unwrap();
        let page = offcut.recall().page(&Request::whole(&id)).unwrap();
        assert!(page.len() <= 4000 && page.contains("lines=\""), "{profile}: {page}");
    }
}

#[test]
fn a_reader_that_takes_more_than_the_limit_changes_nothing() {
    let offcut = Offcut::builder().in_memory().build().unwrap();
    let cut = |offcut: &Offcut| offcut.process(Call::new("execute_command"), large()).unwrap().report.kept;
    assert_eq!(cut(&offcut.within(50_000)), cut(&offcut));
}

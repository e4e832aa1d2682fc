//! Artifacts as a user of the library meets them: made, named, read back, refused, cleaned up.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use offcut::event::{Event, Observer, Record};
use offcut::options::{LimitOption, OnQuota, Options};
use offcut::recall::{Request, Selector};
use offcut::{Call, Offcut, Reply};
use offcut_store::MemoryStore;
use regex::Regex;
use tempfile::TempDir;

use crate::outputs::lines;

/// Options that differ from the default ones.
fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

/// An Offcut that keeps its artifacts in a directory of its own.
fn in_folder(options: Options) -> (TempDir, Offcut) {
    let folder = tempfile::tempdir().unwrap();
    let offcut = Offcut::builder().options(options).store(folder.path().join("store")).build().unwrap();
    (folder, offcut)
}

/// Makes an artifact of so many lines.
fn keep(offcut: &Offcut, count: u64) -> (Reply, String) {
    let reply = offcut.process(Call::new("execute_command"), lines(count)).unwrap();
    let id = reply.report.artifact_id.clone().unwrap();
    (reply, id)
}

/// What a session's folder holds, without what is ours alone.
fn visible(folder: &Path) -> usize {
    match fs::read_dir(folder) {
        Ok(entries) => {
            entries.filter(|entry| !entry.as_ref().unwrap().file_name().as_encoded_bytes().starts_with(b"."))
        }
        Err(_) => return 0,
    }
    .count()
}

#[derive(Debug, Default)]
struct Retrievals(Mutex<Vec<String>>);

impl Observer for Retrievals {
    fn observe(&self, record: &Record) {
        if let Event::Retrieval { range, by, outcome, .. } = &record.event {
            self.0.lock().unwrap().push(format!("{by}: {range}: {outcome}"));
        }
    }
}

// S0 AC-045, AC-048, AC-050.
#[test]
fn an_output_over_the_limit_is_kept_whole_and_its_reply_says_where() {
    let (_folder, offcut) = in_folder(Options::default());
    let (reply, id) = keep(&offcut, 5000);
    assert!(reply.report.artifact_created);
    let handle = reply.report.artifact_handle.unwrap();
    assert!(
        id.contains(&format!("_{handle}")) && reply.text.starts_with(&format!("[offcut {handle}: ")),
        "{}",
        reply.text
    );
    assert_eq!(offcut.recall().whole(&handle).unwrap(), lines(5000));
    assert_eq!(offcut.recall().whole("last").unwrap(), lines(5000));
    assert_eq!(offcut.recall().whole(&id).unwrap(), lines(5000));
    let small = offcut.process(Call::new("execute_command"), lines(10)).unwrap();
    assert_eq!((small.report.artifact_id, offcut.recall().list().unwrap().len()), (None, 1));
}

// S0 AC-056, AC-057, AC-058, AC-059, AC-060.
#[test]
fn a_reference_names_id_summary_type_size_source_and_time() {
    let (_folder, offcut) = in_folder(Options { profile: Some("balanced".to_owned()), ..Options::default() });
    let records: Vec<String> = (0..5000).map(|n| format!("{{\"id\": {n}, \"name\": \"user {n}\"}}")).collect();
    let json = format!("[{}]", records.join(",\n"));
    let call = Call::new("http_request").arguments("GET /api/v1/users?limit=5000");
    let reply = offcut.process(call, &json).unwrap();
    let id = reply.report.artifact_id.unwrap();
    let format = Regex::new(
        r"^\[Artifact: (art_[0-9]+_[a-z0-9]+)\] (.{1,100}) \(([0-9.]+ KB)\)\nType: application/json\nSize: ([0-9.]+ KB) \(([0-9]+) bytes, ~([0-9]+) tokens\)\nSource: http_request GET /api/v1/users\?limit=5000\nCreated: [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC\n",
    )
    .unwrap();
    let found = format.captures(&reply.text).unwrap_or_else(|| panic!("{}", reply.text));
    assert_eq!(&found[1], id);
    assert_eq!(found[3], found[4]);
    assert_eq!(found[5].parse::<usize>().unwrap(), json.len());
}

// S0 AC-065: every call that a reply offers can be made as it stands.
#[test]
fn every_call_that_a_reference_offers_can_be_made() {
    let (_folder, offcut) = in_folder(Options { profile: Some("balanced".to_owned()), ..Options::default() });
    let (reply, id) = keep(&offcut, 20_000);
    let call = Regex::new(r#"get_artifact\((id="[^)]*)\)"#).unwrap();
    let argument = Regex::new(r#"(\w+)=("[^"]*"|\d+)"#).unwrap();
    let mut calls = 0;
    for found in call.captures_iter(&reply.text) {
        let arguments = argument.captures_iter(&found[1]);
        let arguments = arguments.map(|pair| (pair[1].to_owned(), serde_json::from_str(&pair[2]).unwrap()));
        let request = Request::from_json(serde_json::Value::Object(arguments.collect())).unwrap();
        assert_eq!(request.id, id);
        offcut.recall().page(&request).unwrap_or_else(|error| panic!("{}: {error}", &found[0]));
        calls += 1;
    }
    assert!(calls >= 5, "{}", reply.text);
}

// S0 AC-063: what was evicted is told apart from what never was.
#[test]
fn an_artifact_that_made_room_for_another_is_answered_as_evicted() {
    let watched = Arc::new(Retrievals::default());
    let options = options(|options| options.artifacts.max_session_count = Some(1));
    let folder = tempfile::tempdir().unwrap();
    let offcut = Offcut::builder().options(options).store(folder.path()).observer(watched.clone()).build().unwrap();
    let (_, first) = keep(&offcut, 5000);
    let (_, second) = keep(&offcut, 5001);
    let error = offcut.recall().page(&Request::whole(&first)).unwrap_err();
    assert_eq!((error.code(), error.status()), ("evicted", 410));
    assert!(error.to_string().contains("this is final, do not retry"), "{error}");
    assert_eq!(offcut.recall().whole(&second).unwrap(), lines(5001));
    assert_eq!(*watched.0.lock().unwrap(), ["model: whole: evicted", "user: whole: ok"]);
}

// S0 AC-107.
#[test]
fn a_full_session_that_rejects_leaves_a_cut_that_says_so() {
    let options = options(|options| {
        options.artifacts.max_session_bytes = Some(LimitOption::Text("100KB".to_owned()));
        options.artifacts.on_quota = Some(OnQuota::Reject);
    });
    let (_folder, offcut) = in_folder(options);
    let (_, first) = keep(&offcut, 5000);
    let reply = offcut.process(Call::new("execute_command"), lines(9000)).unwrap();
    assert_eq!(reply.report.artifact_id, None);
    assert!(reply.text.contains("not kept: "), "{}", reply.text);
    assert_eq!(offcut.recall().whole(&first).unwrap(), lines(5000));
}

// S0 threat 5: a changed file is refused, through every way of reading it, and told.
#[test]
fn a_damaged_artifact_is_refused_by_every_selector_that_touches_the_damage() {
    let watched = Arc::new(Retrievals::default());
    let folder = tempfile::tempdir().unwrap();
    let offcut = Offcut::builder().store(folder.path()).observer(watched.clone()).build().unwrap();
    let (_, id) = keep(&offcut, 100_000);
    let path = offcut.recall().open(&id).unwrap().info().path.clone().unwrap();
    let mut content = fs::read(&path).unwrap();
    content[700_000] ^= 1;
    fs::write(&path, content).unwrap();

    let recall = offcut.recall();
    let pattern =
        Selector::Pattern { pattern: "line 99999".to_owned(), context: 0, max_matches: None, start: None, end: None };
    for selector in [Selector::Whole, pattern, Selector::Bytes { start: Some(699_990), end: Some(700_010) }] {
        let error = recall.read(&id, &selector).unwrap_err();
        assert_eq!((error.code(), error.status()), ("corrupt", 500), "{selector}");
        let said = format!("artifact `{id}` is damaged and is not shown: block 2 does not match its hash");
        assert!(error.to_string().starts_with(&said), "{error}");
    }
    let before = Selector::Lines { start: Some(1), end: Some(2) };
    assert_eq!(recall.read(&id, &before).unwrap().text, "line 1\nline 2\n");
    assert_eq!(watched.0.lock().unwrap().last().unwrap(), "user: lines 1-2: ok");
    assert_eq!(watched.0.lock().unwrap().first().unwrap(), "user: whole: corrupt");
}

// S0 AC-055, AC-102, AC-103; the audit of SPEC §11.
#[test]
fn creations_retrievals_and_refusals_are_audited_without_content() {
    let folder = tempfile::tempdir().unwrap();
    let log = Arc::new(offcut::audit_log::AuditLog::in_store(folder.path()));
    let offcut = Offcut::builder().store(folder.path()).session("own").observer(log.clone()).build().unwrap();
    let (_, id) = keep(&offcut, 5000);
    let request = Request { start_line: Some(7), end_line: Some(9), ..Request::whole(&id) };
    offcut.recall().page(&request).unwrap();
    offcut.recall().whole("art_1_unknown").unwrap_err();
    offcut.recall().whole("../../etc/passwd").unwrap_err();
    drop(offcut);
    let written = fs::read_to_string(log.path()).unwrap();
    let entries: Vec<serde_json::Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<String> = entries
        .iter()
        .map(|entry| {
            let field = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            [field("kind"), field("by"), field("range"), field("outcome"), field("reason")].join(" ").trim().to_owned()
        })
        .collect();
    assert_eq!(
        told,
        ["creation", "retrieval model lines 7-9 ok", "retrieval user whole not_found", "refusal user   invalid_id",]
    );
    assert!(entries.iter().all(|entry| entry["session"] == "own"), "{written}");
    assert!(!written.contains("line 7"), "{written}");
}

#[test]
fn with_partial_retrieval_switched_off_only_the_whole_is_given_out() {
    let options = options(|options| {
        options.artifacts.enable_partial_retrieval = Some(false);
        options.retrieval_limit = Some(LimitOption::Number(1000));
    });
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let (reply, id) = keep(&offcut, 20_000);
    let handle = reply.report.artifact_handle.unwrap();
    assert!(reply.text.contains(&format!("]: get_artifact(id=\"{handle}\"). ")), "{}", reply.text);
    let recall = offcut.recall();
    assert_eq!(recall.whole(&id).unwrap(), lines(20_000));
    let error = recall.read(&id, &Selector::Lines { start: Some(1), end: Some(2) }).unwrap_err();
    assert_eq!((error.code(), error.status()), ("whole_only", 403));
    assert_eq!(
        error.to_string(),
        "parts of artifacts are not to be read (`lines 1-2` was asked for): \
         `artifacts.enable_partial_retrieval` is `false`; ask for the whole, with nothing but its id"
    );
    assert_eq!(recall.write(&id, &Selector::Tail(5), &mut Vec::new()).unwrap_err().code(), "whole_only");
    let part = Request { query: Some("$".to_owned()), ..Request::whole(&id) };
    assert_eq!(recall.page(&part).unwrap_err().code(), "whole_only");
    let page = recall.turn(&Request::whole(&id)).unwrap();
    assert_eq!(page.next, None);
    let notice = page.notice.clone().unwrap();
    assert!(notice.ends_with("The rest is not to be read: partial retrieval is switched off.]"), "{notice}");
    assert!(page.text().chars().count() <= 1000);
}

#[test]
fn a_page_too_small_for_its_own_notice_is_refused_when_the_rules_are_made() {
    let refused = |limit: LimitOption| {
        let options = options(|options| options.retrieval_limit = Some(limit));
        Offcut::builder().options(options).build().unwrap_err().to_string()
    };
    let expected = "expected at least 400 characters, of which the notice under a page takes a part";
    assert_eq!(refused(LimitOption::Number(399)), format!("`retrieval_limit` is `399`: {expected}"));
    let text = LimitOption::Text("99 tokens".to_owned());
    assert_eq!(refused(text), format!("`retrieval_limit` is `99 tokens`: {expected}"));
    let smallest = options(|options| options.retrieval_limit = Some(LimitOption::Number(400)));
    let offcut = Offcut::builder().options(smallest).in_memory().build().unwrap();
    let (_, id) = keep(&offcut, 5000);
    assert!(offcut.recall().page(&Request::whole(&id)).unwrap().chars().count() <= 400);
}

fn owner(folder: &Path, session: &str) -> Offcut {
    let options = options(|options| options.artifacts.cleanup_on_exit = Some(true));
    Offcut::builder().options(options).store(folder).session(session).build().unwrap()
}

// S0 AC-053, AC-105.
#[test]
fn the_artifacts_of_a_session_go_with_the_last_who_owns_it() {
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("s");
    let offcut = owner(folder.path(), "s");
    let clone = offcut.clone();
    let second = owner(folder.path(), "s");
    keep(&offcut, 5000);
    drop(offcut);
    assert_eq!(visible(&session), 2, "a clone still uses it");
    drop(clone);
    assert_eq!(visible(&session), 2, "another owner still uses it");
    drop(second);
    assert!(!session.exists());
}

#[test]
fn closing_ends_a_session_at_once_and_says_what_went() {
    let folder = tempfile::tempdir().unwrap();
    let offcut = owner(folder.path(), "s");
    keep(&offcut, 5000);
    let other = offcut.in_session("other").unwrap();
    let (_, id) = keep(&other, 5000);
    let cleared = offcut.close().unwrap().unwrap();
    assert_eq!((cleared.artifacts, cleared.bytes), (1, lines(5000).len() as u64));
    assert_eq!(offcut.close().unwrap(), None, "it is closed already");
    assert_eq!(other.recall().whole(&id).unwrap(), lines(5000), "another session is not touched");
    drop(other);
    assert_eq!(visible(&folder.path().join("other")), 0);
}

#[test]
fn without_cleanup_on_exit_and_for_a_session_that_outlives_it_nothing_goes() {
    let folder = tempfile::tempdir().unwrap();
    let plain = Offcut::builder().store(folder.path()).session("s").build().unwrap();
    keep(&plain, 5000);
    assert_eq!(plain.close().unwrap(), None);
    drop(plain);
    let options = options(|options| options.artifacts.cleanup_on_exit = Some(true));
    let command = Offcut::builder().options(options).store(folder.path()).session("s").outlived().build().unwrap();
    drop(command);
    assert_eq!(visible(&folder.path().join("s")), 2);
}

// Law 8.
#[test]
fn a_directory_that_cannot_be_used_costs_the_artifact_and_not_the_reply() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, b"not a folder").unwrap();
    for owned in [false, true] {
        let options = options(|options| options.artifacts.cleanup_on_exit = Some(owned));
        let offcut = Offcut::builder().options(options).store(&file).build().unwrap();
        let reply = offcut.process(Call::new("execute_command"), lines(5000)).unwrap();
        assert!(reply.text.contains("not kept: "), "{}", reply.text);
        assert!(reply.text.contains("line 5000") && reply.report.truncated_size <= 8000);
        assert_eq!((reply.report.artifact_created, reply.report.degraded.len()), (false, 1));
    }
}

#[test]
fn a_store_whose_directory_is_removed_under_it_goes_on_in_a_new_one() {
    let (folder, offcut) = in_folder(Options::default());
    let (_, gone) = keep(&offcut, 5000);
    fs::remove_dir_all(folder.path().join("store")).unwrap();
    assert_eq!(offcut.recall().whole(&gone).unwrap_err().code(), "nothing_stored");
    let (_, again) = keep(&offcut, 5000);
    assert_eq!(offcut.recall().whole(&again).unwrap(), lines(5000));
}

// S0 AC-054, AC-078.
#[test]
fn ten_outputs_at_once_become_ten_artifacts() {
    let offcut = Offcut::builder().store_in(Arc::new(MemoryStore::new())).build().unwrap();
    let (_folder, local) = in_folder(Options::default());
    for offcut in [offcut, local] {
        std::thread::scope(|scope| {
            for n in 0..10 {
                let offcut = &offcut;
                scope.spawn(move || {
                    let (_, id) = keep(offcut, 5000 + n);
                    assert_eq!(offcut.recall().whole(&id).unwrap(), lines(5000 + n));
                });
            }
        });
        assert_eq!(offcut.recall().list().unwrap().len(), 10);
    }
}

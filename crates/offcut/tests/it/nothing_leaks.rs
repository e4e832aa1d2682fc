//! Secrets at random places, in random chunks: none is in anything that Offcut writes.

use std::fmt::{Debug, Write as _};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, Once};

use memchr::memmem;
use offcut::audit_log::AuditLog;
use offcut::event_log::EventLog;
use offcut::options::Options;
use offcut::recall::Request;
use offcut::{Call, Offcut};
use proptest::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::outputs::in_chunks;

/// What every output has beside its secrets: where it is not found, nothing would be.
const CANARY: &str = "nothing to hide in this line";

/// Passwords without vowels: one that happens to have `your` or `test` in it is taken for a stand-in and stays.
const PASSWORD: &str = "[b-d][B-DF-HJ-NP-TV-Wb-df-hj-np-tv-w2-9]{14}[2-9]";

/// A secret, and the text around it.
#[derive(Debug, Clone)]
struct Planted {
    secrets: Vec<String>,
    text: String,
}

fn planted(text: String, secret: String) -> Planted {
    Planted { secrets: vec![secret], text }
}

/// Made secrets. Their marks are put together here, so that no scanner takes this file for a leak.
fn any_planted() -> impl Strategy<Value = Planted> {
    let around = prop::sample::select(vec![("", ""), ("token: ", ""), ("{\"key\": \"", "\"}"), ("got '", "' back")]);
    let token = prop_oneof![
        "[A-Za-z0-9]{36}".prop_map(|rest| ["gh", "p_", &rest].concat()),
        "[A-Z2-7]{16}".prop_map(|rest| ["AK", "IA", &rest].concat()),
        "[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{24}".prop_map(|rest| ["xo", "xb-", &rest].concat()),
        "[A-Za-z0-9]{24}".prop_map(|rest| ["sk", "_live_", &rest].concat()),
    ];
    prop_oneof![
        (token, around).prop_map(|(token, (before, after))| planted(format!("{before}{token}{after}"), token)),
        PASSWORD.prop_map(|word| planted(format!("postgres://app:{word}@db.local:5432/main"), word)),
        PASSWORD.prop_map(|word| planted(format!("DB_PASSWORD={word}"), word)),
        PASSWORD.prop_map(|word| planted(format!("{{\"user\": 1, \"password\": \"{word}\"}}"), word)),
        "[A-Za-z0-9]{40}".prop_map(|word| planted(format!("Authorization: Bearer {word}"), word)),
        prop::collection::vec("[A-Za-z0-9+/]{64}", 3..30).prop_map(|lines| {
            let mark = |word: &str| ["-----", word, " RSA PRIV", "ATE KEY-----"].concat();
            let text = format!("{}\n{}\n{}", mark("BEGIN"), lines.join("\n"), mark("END"));
            Planted { secrets: lines, text }
        }),
    ]
}

/// An output of up to 200 KB with secrets in it, and the secrets.
fn any_output() -> impl Strategy<Value = (Vec<u8>, Vec<String>)> {
    (0usize..4000, prop::collection::vec((any_planted(), 0usize..4000), 1..6)).prop_map(|(count, planted)| {
        let mut lines: Vec<String> = (0..count).map(|number| format!("{number}: {CANARY}")).collect();
        lines.push(CANARY.to_owned());
        let mut secrets = Vec::new();
        for (planted, at) in planted {
            lines.insert(at % lines.len(), planted.text);
            secrets.extend(planted.secrets);
        }
        (lines.join("\n").into_bytes(), secrets)
    })
}

/// Everything that is logged, at every level and by every thread.
static LOGGED: Mutex<String> = Mutex::new(String::new());

struct Everything;

impl Visit for Everything {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = writeln!(LOGGED.lock().unwrap(), "{field}={value:?}");
    }
}

impl Subscriber for Everything {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Everything);
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Everything);
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut Everything);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What was logged since it was asked for last.
fn logged() -> String {
    static START: Once = Once::new();
    START.call_once(|| tracing::subscriber::set_global_default(Everything).unwrap());
    std::mem::take(&mut LOGGED.lock().unwrap())
}

/// Every file below `directory`, as it lies there.
fn files(directory: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).unwrap()));
        }
    }
}

/// Fails where one of `secrets` is in a file below `directory` or in one of `texts`; tells whether a file has the canary.
fn search(directory: &Path, texts: &[(&str, &str)], secrets: &[String]) -> Result<bool, TestCaseError> {
    let mut places: Vec<(String, Vec<u8>)> = Vec::new();
    files(directory, &mut places);
    let canary = places.iter().any(|(_, bytes)| memmem::find(bytes, CANARY.as_bytes()).is_some());
    places.extend(texts.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())));
    for (name, bytes) in &places {
        for secret in secrets {
            prop_assert!(memmem::find(bytes, secret.as_bytes()).is_none(), "{secret} is in {name}");
        }
    }
    Ok(canary)
}

fn offcut(parent: &Path) -> Offcut {
    let store = parent.join("store");
    Offcut::builder()
        .options(Options::default())
        .observer(Arc::new(EventLog::in_store(&store)))
        .observer(Arc::new(AuditLog::in_store(&store)))
        .store(store)
        .memory_bound(64 * 1024)
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_is_in_anything_that_is_written(
        (output, secrets) in any_output(),
        sizes in prop::collection::vec(1usize..3000, 1..8),
        arguments in any_planted(),
    ) {
        logged();
        let parent = tempfile::tempdir().unwrap();
        let offcut = offcut(parent.path());
        let all: Vec<String> = secrets.iter().chain(&arguments.secrets).cloned().collect();

        let mut intake = offcut.intake(Call::new("bash").arguments(&arguments.text)).unwrap();
        for chunk in in_chunks(&output, &sizes) {
            intake.write_all(chunk).unwrap();
        }
        let reply = intake.finish();
        let json = serde_json::to_string(&reply).unwrap();
        let mut texts = vec![("the reply", reply.text.clone()), ("the report", json)];
        if let Some(id) = &reply.report.artifact_id {
            texts.push(("the artifact", offcut.recall().whole(id).unwrap()));
            texts.push(("a page", offcut.recall().page(&Request::whole(id)).unwrap()));
        }
        // What a model takes for an id may be a secret as well; the error is the model's own words.
        let _ = offcut.recall().whole(&arguments.text);
        texts.push(("the log", logged()));
        prop_assert!(texts.iter().any(|(_, text)| text.contains("tool=")), "nothing was logged");

        let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let canary = search(parent.path(), &texts, &all)?;
        prop_assert_eq!(canary, reply.report.artifact_id.is_some());
        let told: u64 = reply.report.redactions.values().sum();
        prop_assert!(told > 0);
    }

    #[test]
    fn no_secret_is_in_the_staging_file_of_an_output_that_is_given_up(
        (output, secrets) in any_output(),
        sizes in prop::collection::vec(1usize..3000, 1..8),
        until in 0.5f64..1.0,
    ) {
        let parent = tempfile::tempdir().unwrap();
        let offcut = offcut(parent.path());
        // Enough follows that what was taken in is on the disk, not in a buffer.
        let output = [output, format!("\n{CANARY}").repeat(100_000).into_bytes()].concat();
        let taken = output.get(..(output.len() as f64 * until) as usize).unwrap();
        let mut intake = offcut.intake(Call::new("bash")).unwrap();
        for chunk in in_chunks(taken, &sizes) {
            intake.write_all(chunk).unwrap();
        }
        // The disk is written by a thread of its own.
        let mut tries = 0;
        while !search(parent.path(), &[], &secrets)? {
            tries += 1;
            prop_assert!(tries < 200, "nothing is staged");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        drop(intake);
        prop_assert!(!search(parent.path(), &[], &secrets)?, "a draft that was given up is still there");
    }
}

fn cases() -> u32 {
    std::env::var("OFFCUT_LEAK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

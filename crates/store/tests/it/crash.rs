//! Processes that die, disks that fill, clocks that go wrong: nothing half is ever visible, nothing committed is lost.
//!
//! The tests marked as ignored are the other side: this very program, started again as a child.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use offcut_store::conformance::{facts, keep, sample, session};
use offcut_store::{ArtifactInfo, BLOCK, Clock, Limits, LocalOptions, LocalStore, Store, Sweep};

const FOLDER: &str = "OFFCUT_TEST_FOLDER";

/// The sizes that a child writes, one after the other: from memory, from the spool, and over several chunks.
const SIZES: [usize; 5] = [10, 70_000, 5 * BLOCK, 300, 9 * BLOCK + 1];

fn open(folder: &Path) -> LocalStore {
    let options = LocalOptions { compress_large: folder.join("compress").exists(), ..LocalOptions::default() };
    LocalStore::open(folder.join("store"), options).unwrap()
}

/// This program, running only the test `name`.
fn child(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The folder that a child was given.
fn given() -> std::path::PathBuf {
    std::env::var_os(FOLDER).expect("only a test that starts a child runs this").into()
}

/// The ids that a child said it committed; a last line that was cut short by its death says nothing.
fn said(child: &mut Child) -> Vec<String> {
    let mut lines = Vec::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.strip_suffix('\n') {
            Some(line) => lines.extend(line.strip_prefix("committed ").map(str::to_owned)),
            None => return lines,
        }
    }
}

fn assert_whole(store: &dyn Store, info: &ArtifactInfo) {
    let content = store.open(&info.session, &info.id).unwrap().read(0..u64::MAX).unwrap();
    assert_eq!(blake3::hash(&content).to_hex().as_str(), info.blake3);
    assert!(content == sample(content.len()), "{} bytes", content.len());
}

#[test]
#[ignore = "the child of another test"]
fn commits_until_it_is_killed() {
    let store = open(&given());
    let out = std::io::stdout();
    writeln!(out.lock(), "\nstarted").unwrap();
    for size in SIZES.into_iter().cycle() {
        let id = keep(&store, &session("s"), &sample(size)).id;
        writeln!(out.lock(), "committed {id}").unwrap();
    }
}

// `OFFCUT_KILL_ROUNDS=300` runs as many rounds.
#[test]
fn whenever_a_writer_is_killed_what_it_committed_is_whole_and_nothing_else_is_visible() {
    let rounds = std::env::var("OFFCUT_KILL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(30u64);
    let (mut committed, mut leftovers) = (0, 0);
    for round in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        if round % 3 == 0 {
            std::fs::write(folder.path().join("compress"), b"").unwrap();
        }
        let mut writers: Vec<Child> =
            (0..2).map(|_| child("crash::commits_until_it_is_killed", folder.path()).spawn().unwrap()).collect();
        std::thread::sleep(Duration::from_micros(8_000 + round * 7919 % 60_000));
        let mut ids = BTreeSet::new();
        for writer in &mut writers {
            writer.kill().unwrap();
            ids.extend(said(writer));
            writer.wait().unwrap();
        }
        let store = open(folder.path());
        let listed = store.list(&session("s")).unwrap();
        for info in &listed {
            assert_whole(&store, info);
            ids.remove(info.id.as_str());
        }
        assert!(ids.is_empty(), "lost in round {round}: {ids:?}");
        leftovers += store.sweep(&Sweep::default()).unwrap().leftovers;
        committed += listed.len();
        assert_eq!(store.list(&session("s")).unwrap(), listed);
        assert_eq!(files(&store), 2 * listed.len(), "round {round} left something behind");
        assert_eq!(store.sweep(&Sweep::default()).unwrap().leftovers, 0);
    }
    eprintln!("{rounds} rounds: {committed} artifacts whole, {leftovers} leftovers swept");
    assert!(committed > 0);
}

/// How many files the session has, but for its ledger.
fn files(store: &LocalStore) -> usize {
    match std::fs::read_dir(store.root().join("s")) {
        Ok(entries) => entries.filter(|entry| entry.as_ref().unwrap().file_name() != ".ledger").count(),
        Err(_) => 0,
    }
}

#[test]
#[ignore = "the child of another test"]
fn commits_a_hundred() {
    let options =
        LocalOptions { limits: Limits { session_artifacts: Some(5000), ..Limits::default() }, ..Default::default() };
    let store = LocalStore::open(given().join("store"), options).unwrap();
    writeln!(std::io::stdout(), "\nstarted").unwrap();
    for at in 0..100 {
        let id = keep(&store, &session("s"), &sample(at * 37)).id;
        writeln!(std::io::stdout(), "committed {id}").unwrap();
    }
}

// S0 AC-054, AC-078, AC-100, AC-106.
#[test]
fn a_thousand_artifacts_from_ten_processes_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut writers: Vec<Child> =
        (0..10).map(|_| child("crash::commits_a_hundred", folder.path()).spawn().unwrap()).collect();
    let mut ids = BTreeSet::new();
    for writer in &mut writers {
        ids.extend(said(writer));
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(ids.len(), 1000);
    let store = open(folder.path());
    let listed = store.list(&session("s")).unwrap();
    assert_eq!(listed.iter().map(|info| info.id.to_string()).collect::<BTreeSet<_>>(), ids);
    listed.iter().for_each(|info| assert_whole(&store, info));
    let ledger = std::fs::read_to_string(store.root().join("s/.ledger")).unwrap();
    assert_eq!(ledger.lines().filter(|line| line.starts_with("+ ")).count(), 1000, "no line was lost or torn");
}

#[test]
#[ignore = "the child of another test"]
fn attaches_and_waits() {
    let store = open(&given());
    let _lease = store.attach(&session("s")).unwrap();
    keep(&store, &session("s"), b"x");
    writeln!(std::io::stdout(), "\ncommitted x").unwrap();
    std::thread::sleep(Duration::from_secs(600));
}

#[test]
fn the_session_of_an_owner_that_died_is_swept_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let mut owner = child("crash::attaches_and_waits", folder.path()).spawn().unwrap();
    let mut reader = BufReader::new(owner.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("committed") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the child ended early");
    }
    let store = open(folder.path());
    let abandoned = Sweep { abandoned: true, ..Sweep::default() };
    assert!(store.sessions().unwrap()[0].in_use);
    assert_eq!(store.sweep(&abandoned).unwrap().sessions, 0);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_eq!(store.sweep(&abandoned).unwrap().sessions, 1);
    assert_eq!(store.sessions().unwrap(), []);
}

#[test]
#[ignore = "the child of another test"]
fn fills_a_small_disk() {
    let folder = given();
    let store = open(&folder);
    let content = sample(3 * BLOCK);
    let mut kept = Vec::new();
    let error = loop {
        let mut draft = store.draft(&session("s")).unwrap();
        match draft.write(&content).and_then(|()| draft.commit(facts(&content))) {
            Ok(info) => kept.push(info),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "full", "{error}");
    let large = sample(40 * BLOCK);
    let mut draft = store.draft(&session("s")).unwrap();
    let error = draft.write(&large).and_then(|()| draft.commit(facts(&large))).unwrap_err();
    assert_eq!(error.code(), "full", "{error}");
    let mut start = vec![0; 1000];
    let read = draft.read_at(0, &mut start).unwrap();
    assert!(start[..read] == large[..read], "what was written before can still be read");
    drop(draft);
    assert_eq!(store.list(&session("s")).unwrap(), kept);
    kept.iter().for_each(|info| assert_whole(&store, info));
    assert_eq!(files(&store), 2 * kept.len(), "nothing half is left");
    store.remove(&session("s"), &kept[0].id).unwrap();
    keep(&store, &session("s"), &content);

    let status = Command::new("mount").args(["-o", "remount,ro"]).arg(&folder).status().unwrap();
    assert!(status.success());
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(b"x").unwrap();
    assert_eq!(draft.commit(facts(b"x")).unwrap_err().code(), "read_only");
    assert_eq!(store.list(&session("s")).unwrap().len(), kept.len());
    assert_whole(&store, &kept[1]);
    writeln!(std::io::stdout(), "\ncommitted {}", kept.len()).unwrap();
}

#[test]
fn a_full_and_a_read_only_disk_leave_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=6m tmpfs \"$0\" && shift 0 && exec \"$@\"";
    let isolated = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--map-root-user", "sh", "-c", script]).arg(folder.path());
        command
    };
    let possible = isolated("mount -t tmpfs -o size=1m tmpfs \"$0\"").stderr(Stdio::null()).status();
    if !possible.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: a small disk cannot be mounted here (no `unshare`, or not allowed)");
        return;
    }
    let inner = child("crash::fills_a_small_disk", folder.path());
    let mut command = isolated(mount);
    command.arg(inner.get_program()).args(inner.get_args()).env(FOLDER, folder.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("committed "), "the child ran");
}

#[test]
fn a_clock_that_goes_backwards_changes_neither_what_is_kept_nor_who_makes_room() {
    let folder = tempfile::tempdir().unwrap();
    let time = Arc::new(AtomicU64::new(5_000_000));
    let now = time.clone();
    let options = LocalOptions {
        clock: Clock::new(move || now.load(Ordering::Relaxed)),
        limits: Limits { session_artifacts: Some(2), ..Limits::default() },
        ..LocalOptions::default()
    };
    let store = LocalStore::open(folder.path(), options).unwrap();
    let kept: Vec<_> = [5_000_000, 1_000, 0]
        .into_iter()
        .map(|at| {
            time.store(at, Ordering::Relaxed);
            keep(&store, &session("s"), b"x").id
        })
        .collect();
    assert_eq!(store.open(&session("s"), &kept[0]).unwrap_err().code(), "evicted", "it came first");
    assert!(store.open(&session("s"), &kept[1]).is_ok() && store.open(&session("s"), &kept[2]).is_ok());
    let old = Sweep { older_than: Some(Duration::from_secs(1)), ..Sweep::default() };
    assert_eq!(store.sweep(&old).unwrap().artifacts, 0, "what is from the future is not old");
}

//! Writers that die after they have saved their progress.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use offcut_store::conformance::{facts, sample, session};
use offcut_store::{BLOCK, LocalOptions, LocalStore, Progress, Source, Store, Sweep};

const FOLDER: &str = "OFFCUT_TEST_UNFINISHED";

fn open(folder: &Path) -> LocalStore {
    let options = LocalOptions { compress_large: folder.join("compress").exists(), ..LocalOptions::default() };
    LocalStore::open(folder.join("store"), options).unwrap()
}

fn progress(tail: &str) -> Progress {
    let source = Source { tool: "bash".to_owned(), arguments: "make".to_owned() };
    Progress { source, binary: false, tail: tail.to_owned() }
}

/// The sizes that a writer has come to when it dies: nothing but a tail, in memory, in its file, over several chunks.
const SIZES: [usize; 5] = [0, 10, 70_000, 5 * BLOCK, 21 * BLOCK + 7];

#[test]
#[ignore = "the child of another test"]
fn saves_its_progress_and_waits() {
    let folder = std::env::var_os(FOLDER).expect("only a test that starts a child runs this");
    let store = open(Path::new(&folder));
    let drafts: Vec<_> = SIZES
        .into_iter()
        .map(|size| {
            let mut draft = store.draft(&session("s")).unwrap();
            let content = sample(size);
            let (first, second) = content.split_at(size / 3);
            draft.write(first).unwrap();
            draft.save_progress(&progress("an earlier tail that is longer than the later one\n")).unwrap();
            draft.write(second).unwrap();
            draft.save_progress(&progress("tail\n")).unwrap();
            draft
        })
        .collect();
    writeln!(std::io::stdout(), "\nsaved").unwrap();
    std::thread::sleep(Duration::from_secs(600));
    drop(drafts);
}

/// A store in which a writer has died.
fn abandoned(folder: &Path) -> LocalStore {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "unfinished::saves_its_progress_and_waits", "--ignored", "--nocapture"]);
    let mut writer = command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut reader = BufReader::new(writer.stdout.take().unwrap());
    let mut line = String::new();
    while line != "saved\n" {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the child ended early");
    }
    let store = open(folder);
    assert_eq!(store.list(&session("s")).unwrap(), [], "what is still written is nobody's yet");
    assert_eq!(store.sweep(&Sweep::default()).unwrap().leftovers, 0);
    writer.kill().unwrap();
    writer.wait().unwrap();
    store
}

fn files(store: &LocalStore) -> usize {
    let entries = std::fs::read_dir(store.root().join("s")).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().file_name() != ".ledger").count()
}

#[test]
fn what_a_writer_had_saved_is_an_unfinished_artifact_once_it_has_died() {
    let folder = tempfile::tempdir().unwrap();
    let store = abandoned(folder.path());
    let listed = store.list(&session("s")).unwrap();
    assert_eq!(listed.len(), SIZES.len());
    let mut expected: Vec<Vec<u8>> =
        SIZES.into_iter().map(|size| [sample(size), b"tail\n".to_vec()].concat()).collect();
    for info in &listed {
        assert!(info.unfinished);
        assert_eq!((info.source.tool.as_str(), info.source.arguments.as_str()), ("bash", "make"));
        let content = store.open(&info.session, &info.id).unwrap().read(0..u64::MAX).unwrap();
        assert_eq!(info.extent.bytes, content.len() as u64);
        let at = expected.iter().position(|expected| *expected == content);
        expected.remove(at.unwrap_or_else(|| panic!("an artifact of {} bytes was not written", content.len())));
    }
    assert_eq!(files(&store), 2 * listed.len(), "nothing else is left of the writer");
    assert_eq!(store.list(&session("s")).unwrap(), listed);
}

#[test]
fn what_was_compressed_is_recovered_up_to_the_last_whole_chunk() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("compress"), b"").unwrap();
    let store = abandoned(folder.path());
    let listed = store.list(&session("s")).unwrap();
    assert_eq!(listed.len(), SIZES.len());
    for info in &listed {
        let content = store.open(&info.session, &info.id).unwrap().read(0..u64::MAX).unwrap();
        let text = content.strip_suffix(b"tail\n").unwrap_or(&content);
        let written = SIZES.into_iter().any(|size| sample(size).starts_with(text));
        assert!(written, "{} bytes are what was written", text.len());
    }
    let longest = listed.iter().map(|info| info.extent.bytes).max().unwrap();
    let whole = 20 * BLOCK as u64;
    assert!((whole - 3..=whole).contains(&longest), "{longest}: up to the last whole character");
}

#[test]
fn a_sweep_recovers_and_clearing_removes() {
    let folder = tempfile::tempdir().unwrap();
    let store = abandoned(folder.path());
    assert_eq!(store.sweep(&Sweep::default()).unwrap().artifacts, 0);
    assert_eq!(files(&store), 2 * SIZES.len());
    let folder = tempfile::tempdir().unwrap();
    let store = abandoned(folder.path());
    store.clear(&session("s")).unwrap();
    assert!(!store.root().join("s").exists());
    assert_eq!(store.list(&session("s")).unwrap(), []);
}

#[test]
fn a_draft_that_was_saved_is_committed_whole_or_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for compress in [false, true] {
        let options = LocalOptions { compress_large: compress, ..LocalOptions::default() };
        let store = LocalStore::open(folder.path(), options).unwrap();
        for size in SIZES.into_iter().filter(|size| *size > 0) {
            let content = sample(size);
            let mut draft = store.draft(&session("s")).unwrap();
            for part in content.chunks(size.div_ceil(4)) {
                draft.write(part).unwrap();
                draft.save_progress(&progress("not in the content")).unwrap();
            }
            let info = draft.commit(facts(&content)).unwrap();
            assert!(!info.unfinished);
            assert_eq!(store.open(&session("s"), &info.id).unwrap().read(0..u64::MAX).unwrap(), content);
            store.remove(&session("s"), &info.id).unwrap();
            let mut draft = store.draft(&session("s")).unwrap();
            draft.write(&content).unwrap();
            draft.save_progress(&progress("")).unwrap();
            drop(draft);
        }
    }
    let names = std::fs::read_dir(folder.path().join("s")).unwrap();
    let left: Vec<_> = names.map(|entry| entry.unwrap().file_name()).filter(|name| name != ".ledger").collect();
    assert!(left.is_empty(), "{left:?}");
}

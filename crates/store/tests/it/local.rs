//! The local directory: what lies on disk, who may see it, and what is refused.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use offcut_store::conformance::{facts, keep, sample, session};
use offcut_store::faults::Faults;
use offcut_store::{BLOCK, Facts, Limits, LocalOptions, LocalStore, Store, StoreError, Sweep};
use tempfile::TempDir;

fn store() -> (TempDir, LocalStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = LocalStore::below(folder.path(), ".offcut/artifacts", LocalOptions::default()).unwrap();
    (folder, store)
}

/// The files in a folder, but for the ledger.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != ".ledger");
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn nothing_is_made_on_disk_before_something_is_kept() {
    let (folder, store) = store();
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(b"small").unwrap();
    drop(draft);
    assert_eq!(store.list(&session("s")).unwrap(), []);
    assert_eq!(store.sessions().unwrap(), []);
    store.sweep(&Sweep::default()).unwrap();
    assert_eq!(names(folder.path()), [""; 0]);
}

// S0 AC-052.
#[test]
fn the_content_is_a_plain_file_in_the_sessions_folder() {
    let (folder, store) = store();
    let info = keep(&store, &session("s"), b"plain text\n");
    let path = info.path.unwrap();
    assert_eq!(path, folder.path().join(".offcut/artifacts/s").join(format!("{}.txt", info.id)));
    assert_eq!(fs::read(&path).unwrap(), b"plain text\n");
    assert_eq!(names(path.parent().unwrap()), [format!("{}.meta", info.id), format!("{}.txt", info.id)]);
}

#[test]
fn the_metadata_begins_with_two_lines_for_people() {
    let (_folder, store) = store();
    let info = keep(&store, &session("s"), b"x\n");
    let bytes = fs::read(info.path.unwrap().with_extension("meta")).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("offcut-artifact 1 "));
    let json: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(json["id"], info.id.as_str());
    assert_eq!(json["source"]["tool"], "bash");
}

// S0 AC-104.
#[test]
fn folders_and_files_are_for_their_owner_only() {
    let (folder, store) = store();
    let path = keep(&store, &session("s"), &sample(6 * BLOCK)).path.unwrap();
    for inside in [".offcut", ".offcut/artifacts", ".offcut/artifacts/s"] {
        assert_eq!(mode(&folder.path().join(inside)), 0o700, "{inside}");
    }
    assert_eq!((mode(&path), mode(&path.with_extension("meta"))), (0o600, 0o600));
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    keep(&store, &session("s"), b"x");
    assert_eq!(mode(path.parent().unwrap()), 0o700, "an open folder is closed again");
}

#[test]
fn artifacts_are_kept_out_of_git() {
    let (folder, store) = store();
    keep(&store, &session("s"), b"x");
    assert_eq!(fs::read_to_string(folder.path().join(".offcut/artifacts/.gitignore")).unwrap(), "*\n");
}

#[test]
fn a_content_file_may_have_a_name_of_its_own_and_taken_names_are_numbered() {
    let (_folder, store) = store();
    let mut files = Vec::new();
    for content in [b"1".as_slice(), b"22", b"333"] {
        let mut draft = store.draft(&session("s")).unwrap();
        draft.write(content).unwrap();
        let info = draft.commit(Facts { file_name: Some("bash-call_1.txt".to_owned()), ..facts(content) }).unwrap();
        assert_eq!(store.open(&session("s"), &info.id).unwrap().read(0..9).unwrap(), content);
        assert_eq!(fs::read(info.path.as_ref().unwrap()).unwrap(), content);
        files.push(info.path.unwrap().file_name().unwrap().to_str().unwrap().to_owned());
    }
    assert_eq!(files, ["bash-call_1.txt", "bash-call_1-2.txt", "bash-call_1-3.txt"]);
    store.clear(&session("s")).unwrap();
    assert_eq!(store.sessions().unwrap(), []);
}

/// Stores a content, lets `damage` change its files, and says what reading all of it then says.
fn after(damage: impl Fn(&Path, &Path)) -> StoreError {
    let (_folder, store) = store();
    let info = keep(&store, &session("s"), &sample(3 * BLOCK + 9));
    let content = info.path.unwrap();
    damage(&content, &content.with_extension("meta"));
    let read = store.open(&session("s"), &info.id).and_then(|artifact| artifact.read(0..u64::MAX));
    read.unwrap_err()
}

fn rewrite(path: &Path, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

// S0 threat 5.
#[test]
fn a_flipped_bit_is_refused_and_the_block_is_named() {
    let error = after(|content, _| rewrite(content, |bytes| bytes[2 * BLOCK + 5] ^= 1));
    assert!(matches!(error, StoreError::Corrupt { block: Some(2), .. }), "{error}");
    assert!(error.to_string().ends_with("is damaged: block 2 does not match its hash"), "{error}");
}

#[test]
fn a_shortened_or_lengthened_content_is_refused() {
    let error = after(|content, _| rewrite(content, |bytes| bytes.truncate(2 * BLOCK)));
    assert!(matches!(error, StoreError::Corrupt { block: Some(2), .. }), "{error}");
    let error = after(|content, _| rewrite(content, |bytes| bytes.push(b'x')));
    assert_eq!(error.code(), "corrupt");
}

#[test]
fn swapped_blocks_are_refused() {
    let error = after(|content, _| {
        rewrite(content, |bytes| {
            let (first, second) = bytes.split_at_mut(BLOCK);
            first.swap_with_slice(&mut second[..BLOCK]);
        });
    });
    assert!(matches!(error, StoreError::Corrupt { block: Some(0), .. }), "{error}");
}

#[test]
fn a_content_that_is_missing_or_whose_metadata_is_damaged_is_refused() {
    assert_eq!(after(|content, _| fs::remove_file(content).unwrap()).code(), "corrupt");
    assert_eq!(after(|_, metadata| rewrite(metadata, |bytes| bytes[200] ^= 4)).code(), "corrupt");
    assert_eq!(after(|_, metadata| rewrite(metadata, |bytes| bytes.truncate(700))).code(), "corrupt");
    assert_eq!(after(|_, metadata| fs::write(metadata, b"").unwrap()).code(), "corrupt");
}

#[test]
fn damage_to_a_compressed_content_is_refused_and_the_block_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = LocalOptions { compress_large: true, ..LocalOptions::default() };
    let store = LocalStore::open(folder.path(), options).unwrap();
    let content = sample(9 * BLOCK + 5);
    let info = keep(&store, &session("s"), &content);
    assert!(info.compressed && info.path.is_none() && info.stored_bytes < content.len() as u64 / 2, "{info:?}");
    let path = folder.path().join("s").join(format!("{}.zst", info.id));
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        let artifact = store.open(&session("s"), &info.id).unwrap();
        match artifact.read(0..u64::MAX) {
            Ok(read) => assert!(read == content, "the flip of a bit that means nothing"),
            Err(error) => assert!(matches!(error, StoreError::Corrupt { block: Some(_), .. }), "{error}"),
        }
    }
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(store.open(&session("s"), &info.id).unwrap_err().code(), "corrupt");
    fs::write(&path, &whole).unwrap();
    let middle = 4 * BLOCK as u64 + 10..4 * BLOCK as u64 + 20;
    let read = store.open(&session("s"), &info.id).unwrap().read(middle).unwrap();
    assert!(read == content[4 * BLOCK + 10..4 * BLOCK + 20]);
}

#[test]
fn only_contents_above_one_mebibyte_are_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let options = LocalOptions { compress_large: true, ..LocalOptions::default() };
    let store = LocalStore::open(folder.path(), options).unwrap();
    assert!(!keep(&store, &session("s"), &sample(1 << 20)).compressed);
    assert!(keep(&store, &session("s"), &sample((1 << 20) + 1)).compressed);
}

#[test]
fn undamaged_blocks_of_a_damaged_artifact_can_still_be_read() {
    let (_folder, store) = store();
    let content = sample(3 * BLOCK);
    let info = keep(&store, &session("s"), &content);
    fs::OpenOptions::new().write(true).open(info.path.unwrap()).unwrap().write_all_at(b"#", 10).unwrap();
    let artifact = store.open(&session("s"), &info.id).unwrap();
    assert_eq!(artifact.read(0..1).unwrap_err().code(), "corrupt");
    let rest = BLOCK as u64..3 * BLOCK as u64;
    assert!(artifact.read(rest).unwrap() == content[BLOCK..]);
}

#[test]
fn metadata_copied_from_another_session_or_artifact_is_refused() {
    let (folder, store) = store();
    let theirs = keep(&store, &session("theirs"), b"secret");
    keep(&store, &session("mine"), b"x");
    let root = folder.path().join(".offcut/artifacts");
    for end in ["meta", "txt"] {
        let name = format!("{}.{end}", theirs.id);
        fs::copy(root.join("theirs").join(&name), root.join("mine").join(&name)).unwrap();
    }
    assert_eq!(store.open(&session("mine"), &theirs.id).unwrap_err().code(), "corrupt");
    assert_eq!(store.list(&session("mine")).unwrap().len(), 1);
}

// S0 AC-055, AC-102.
#[test]
fn a_planted_link_is_refused_wherever_it_stands() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), b"secret").unwrap();
    let replace = |path: &Path, target: PathBuf| {
        fs::remove_file(path).unwrap();
        symlink(target, path).unwrap();
    };
    assert_eq!(after(|content, _| replace(content, outside.path().join("secret"))).code(), "refused");
    assert_eq!(after(|_, metadata| replace(metadata, outside.path().join("secret"))).code(), "refused");

    let (folder, store) = store();
    fs::create_dir_all(folder.path().join(".offcut/artifacts")).unwrap();
    symlink(outside.path(), folder.path().join(".offcut/artifacts/s")).unwrap();
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(b"x").unwrap();
    assert_eq!(draft.commit(facts(b"x")).unwrap_err().code(), "refused");
    assert_eq!(store.list(&session("s")).unwrap_err().code(), "refused");
    assert_eq!(store.clear(&session("s")).unwrap_err().code(), "refused");
    assert_eq!(store.sessions().unwrap(), []);
    store.sweep(&Sweep { abandoned: true, older_than: Some(std::time::Duration::ZERO), ..Sweep::default() }).unwrap();
    assert_eq!(names(outside.path()), ["secret"]);
}

#[test]
fn a_link_on_the_way_from_the_project_to_the_store_is_refused() {
    let outside = tempfile::tempdir().unwrap();
    let (folder, store) = store();
    symlink(outside.path(), folder.path().join(".offcut")).unwrap();
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(b"x").unwrap();
    assert_eq!(draft.commit(facts(b"x")).unwrap_err().code(), "refused");
    assert_eq!(names(outside.path()), [""; 0]);
}

#[test]
fn a_file_with_a_second_name_a_pipe_and_a_folder_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(after(|content, _| fs::hard_link(content, outside.path().join("second")).unwrap()).code(), "refused");
    let pipe = |path: &Path| {
        fs::remove_file(path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    assert_eq!(after(|content, _| pipe(content)).code(), "refused");
    assert_eq!(after(|_, metadata| pipe(metadata)).code(), "refused");
    let folder = |path: &Path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    };
    assert_eq!(after(|content, _| folder(content)).code(), "refused");
}

#[test]
fn what_is_not_ours_is_neither_listed_nor_removed() {
    let (folder, store) = store();
    keep(&store, &session("s"), b"x");
    let inside = folder.path().join(".offcut/artifacts/s");
    fs::write(inside.join("notes.md"), b"mine").unwrap();
    store.sweep(&Sweep { abandoned: true, ..Sweep::default() }).unwrap();
    store.clear(&session("s")).unwrap();
    assert_eq!(names(&inside), ["notes.md"]);
}

/// Sweeps until so many leftovers are gone; how many are. A program that another test starts holds, until it runs, the files that are
/// open here, and so their locks: one sweep may find them in use.
fn swept(store: &LocalStore, leftovers: u64) -> u64 {
    let mut gone = 0;
    for _ in 0..500 {
        gone += store.sweep(&Sweep::default()).unwrap().leftovers;
        if gone >= leftovers {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    gone
}

#[test]
fn leftovers_of_a_writer_that_died_are_swept() {
    let (folder, store) = store();
    let kept = keep(&store, &session("s"), b"kept");
    let inside = folder.path().join(".offcut/artifacts/s");
    fs::write(inside.join(".art_1_dead.part"), b"12345").unwrap();
    fs::write(inside.join(".art_1_dead.meta.part"), b"half").unwrap();
    fs::write(inside.join("art_2_dead.txt"), b"named, but without metadata").unwrap();
    assert_eq!(store.list(&session("s")).unwrap(), std::slice::from_ref(&kept));
    let swept = store.sweep(&Sweep::default()).unwrap();
    assert_eq!((swept.leftovers, swept.artifacts), (3, 0));
    assert_eq!(names(&inside).len(), 2);
    assert_eq!(store.list(&session("s")).unwrap(), [kept]);
}

#[test]
fn the_first_large_draft_of_the_next_process_sweeps_what_a_writer_that_died_left() {
    let (folder, store) = store();
    keep(&store, &session("s"), b"kept");
    let left = folder.path().join(".offcut/artifacts/s/.art_1_dead.part");
    fs::write(&left, b"12345").unwrap();
    keep(&store, &session("s"), &sample(BLOCK));
    assert!(left.exists(), "a small one does not look");
    keep(&store, &session("s"), &sample(5 * BLOCK));
    assert!(!left.exists());
    assert_eq!(store.list(&session("s")).unwrap().len(), 3);
}

#[test]
fn a_left_content_with_its_own_name_is_found_through_its_metadata() {
    let (folder, store) = store();
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(b"x").unwrap();
    let info = draft.commit(Facts { file_name: Some("bash.txt".to_owned()), ..facts(b"x") }).unwrap();
    drop(draft);
    let inside = folder.path().join(".offcut/artifacts/s");
    // As if the writer had died between the two names.
    fs::rename(inside.join(format!("{}.meta", info.id)), inside.join(format!(".{}.meta.part", info.id))).unwrap();
    assert_eq!(store.list(&session("s")).unwrap(), []);
    assert_eq!(swept(&store, 2), 2);
    assert_eq!(names(&inside), [""; 0]);
}

// Law 8: the N-th call to the system fails, for every N.
#[test]
fn whichever_call_fails_the_artifact_is_whole_or_not_there_and_nothing_is_left() {
    for size in [100, 6 * BLOCK] {
        let content = sample(size);
        let attempt = |faults: &std::sync::Arc<Faults>| {
            let folder = tempfile::tempdir().unwrap();
            let options = LocalOptions { faults: Some(faults.clone()), ..LocalOptions::default() };
            let store = LocalStore::open(folder.path().join("root"), options).unwrap();
            let written = store.draft(&session("s")).and_then(|mut draft| {
                draft.write(&content)?;
                draft.commit(facts(&content))
            });
            (folder, written)
        };
        let counter = Faults::none();
        attempt(&counter).1.unwrap();
        let calls = counter.seen();
        assert!(calls > 10, "{calls}");
        for at in 0..calls {
            let faults = Faults::once(at, std::io::ErrorKind::Other);
            let (folder, written) = attempt(&faults);
            let store = LocalStore::open(folder.path().join("root"), LocalOptions::default()).unwrap();
            let listed = store.list(&session("s")).unwrap();
            match written {
                Ok(info) => {
                    assert_eq!(listed, std::slice::from_ref(&info), "call {at} of {calls}");
                    assert!(store.open(&session("s"), &info.id).unwrap().read(0..u64::MAX).unwrap() == content);
                }
                Err(error) => {
                    assert_eq!(error.code(), "io", "call {at} of {calls}");
                    assert_eq!(listed, [], "call {at} of {calls}");
                }
            }
            store.sweep(&Sweep::default()).unwrap();
            let inside = folder.path().join("root/s");
            let left = if inside.exists() { names(&inside).len() } else { 0 };
            assert_eq!(left, 2 * listed.len(), "call {at} of {calls}");
        }
    }
}

#[test]
fn a_full_disk_is_said_to_be_full_and_a_read_only_one_read_only() {
    for (kind, code) in
        [(std::io::ErrorKind::StorageFull, "full"), (std::io::ErrorKind::ReadOnlyFilesystem, "read_only")]
    {
        let folder = tempfile::tempdir().unwrap();
        let options = LocalOptions { faults: Some(Faults::from(0, kind)), ..LocalOptions::default() };
        let store = LocalStore::open(folder.path().join("root"), options).unwrap();
        let mut draft = store.draft(&session("s")).unwrap();
        draft.write(b"x").unwrap();
        assert_eq!(draft.commit(facts(b"x")).unwrap_err().code(), code);
    }
}

#[test]
fn a_store_that_is_removed_while_running_is_made_again() {
    let (folder, store) = store();
    keep(&store, &session("s"), b"gone");
    let mut open = store.draft(&session("s")).unwrap();
    open.write(&sample(6 * BLOCK)).unwrap();
    fs::remove_dir_all(folder.path().join(".offcut")).unwrap();
    assert_eq!(store.list(&session("s")).unwrap(), []);
    assert!(open.commit(facts(&sample(6 * BLOCK))).is_err(), "its staging file is gone");
    let info = keep(&store, &session("s"), b"again");
    assert_eq!(store.list(&session("s")).unwrap(), std::slice::from_ref(&info));
    assert_eq!(fs::metadata(info.path.unwrap()).unwrap().nlink(), 1);
}

// S0 AC-073: what a small artifact costs is a fixed number of calls, three of them syncs, whatever its size.
#[test]
fn an_artifact_of_up_to_one_mebibyte_costs_a_fixed_number_of_calls() {
    let calls = |size: usize| {
        let (folder, faults) = (tempfile::tempdir().unwrap(), Faults::none());
        let options = LocalOptions { faults: Some(faults.clone()), ..LocalOptions::default() };
        let store = LocalStore::open(folder.path(), options).unwrap();
        keep(&store, &session("s"), b"makes the folders");
        let before = faults.seen();
        keep(&store, &session("s"), &sample(size));
        faults.seen() - before
    };
    let least = calls(10);
    assert!(least <= 24, "{least} calls");
    assert_eq!((calls(100_000), calls(1 << 20)), (least, least));
}

// S0 AC-074: a large artifact is written beside its caller, and can be read back meanwhile.
#[test]
fn a_large_draft_is_written_by_a_thread_of_its_own() {
    let threads = || {
        let tasks = fs::read_dir("/proc/self/task").ok()?;
        let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        Some(names.filter(|name| name.trim() == "offcut-spool").count())
    };
    let (_folder, store) = store();
    let content = sample(9 * BLOCK);
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(&content).unwrap();
    let mut read = vec![0; 1000];
    assert_eq!(draft.read_at(0, &mut read).unwrap(), 1000);
    assert!(read == content[..1000]);
    // What is read back was written, so its thread has begun and has its name. Other tests may have drafts of their own.
    match threads() {
        Some(count) => assert!(count >= 1, "no thread writes"),
        None => eprintln!("skipped: no /proc to count threads in"),
    }
    let info = draft.commit(facts(&content)).unwrap();
    assert!(store.open(&session("s"), &info.id).unwrap().read(0..u64::MAX).unwrap() == content);
}

/// Two processes that keep artifacts in one session, which may have three.
fn two_stores(folder: &TempDir) -> [LocalStore; 2] {
    let limits = Limits { session_artifacts: Some(3), ..Limits::default() };
    let options = || LocalOptions { limits, ..LocalOptions::default() };
    [0, 1].map(|_| LocalStore::below(folder.path(), ".offcut/artifacts", options()).unwrap())
}

#[test]
fn two_processes_evict_the_oldest_of_both_also_after_the_ledger_was_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = two_stores(&folder);
    let session = session("s");
    let mut kept = Vec::new();
    for round in 0..30 {
        let by = [&one, &two][round * 7 % 5 % 2];
        kept.push(keep(by, &session, format!("output {round}\n").as_bytes()).id);
        // Somebody removes one by hand, and the ledger is written anew behind both.
        if round % 10 == 9 {
            let gone = kept.remove(kept.len() - 2);
            fs::remove_file(folder.path().join(format!(".offcut/artifacts/s/{gone}.meta"))).unwrap();
            two.sweep(&Sweep::default()).unwrap();
        }
        // Two are left of the three.
        let most = if round % 10 == 9 { 2 } else { 3 };
        kept = kept.split_off(kept.len().saturating_sub(most));
        let there: BTreeSet<_> = one.list(&session).unwrap().into_iter().map(|info| info.id).collect();
        assert_eq!(there, kept.iter().cloned().collect(), "{round}");
    }
}

#[test]
fn a_ledger_that_is_mostly_about_what_is_gone_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = two_stores(&folder);
    let session = session("s");
    let first = keep(&one, &session, b"the first\n").id;
    let ledger = folder.path().join(".offcut/artifacts/s/.ledger");
    let gone: String = (0..20_000).map(|n| format!("+ art_{n}_gone 10 {n}\ne art_{n}_gone\n")).collect();
    fs::write(&ledger, fs::read_to_string(&ledger).unwrap() + &gone).unwrap();
    let second = keep(&two, &session, b"the second\n").id;
    let text = fs::read_to_string(&ledger).unwrap();
    assert_eq!(text.lines().count(), 10_002);
    assert!(text.starts_with("e art_10000_gone\n"), "of what was evicted the newest is remembered");
    let third = keep(&one, &session, b"the third\n").id;
    let there: BTreeSet<_> = one.list(&session).unwrap().into_iter().map(|info| info.id).collect();
    assert_eq!(there, BTreeSet::from([first, second, third]));
}

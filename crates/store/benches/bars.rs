//! The store against plain tools, side by side in one run: `cargo bench -p offcut-store --bench bars [MiB]`.
//!
//! Prints what storing costs beside `cp` with a sync at the end, what a small commit costs, and what a recall from the
//! middle costs beside `dd` of the same bytes, for a small and a large artifact.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a report for people, which fails by panicking")]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use offcut_core::extent::Meter;
use offcut_store::conformance::{sample, session};
use offcut_store::{ArtifactInfo, Facts, LocalOptions, LocalStore, Store};

fn main() {
    let mib = std::env::args().filter_map(|word| word.parse::<usize>().ok()).next().unwrap_or(1024);
    let folder = tempfile::tempdir_in(".").unwrap();
    writing(folder.path(), mib);
    small_commits(folder.path());
}

/// A file of this size, repeated from one sample.
fn source(folder: &Path, mib: usize) -> std::path::PathBuf {
    use std::io::Write;
    let path = folder.join(format!("source-{mib}"));
    let piece = sample(1 << 20);
    let mut file = File::create(&path).unwrap();
    (0..mib).for_each(|_| file.write_all(&piece).unwrap());
    file.sync_all().unwrap();
    path
}

/// Stores a file as the intake would: in chunks, measured on the way.
fn store_file(store: &dyn Store, path: &Path, measure: bool) -> ArtifactInfo {
    let mut file = File::open(path).unwrap();
    let mut draft = store.draft(&session("bench")).unwrap();
    let mut meter = Meter::default();
    let (mut buffer, mut bytes) = (vec![0u8; 1 << 20], 0);
    loop {
        let count = file.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        bytes += count as u64;
        if measure {
            meter.push(std::str::from_utf8(&buffer[..count]).unwrap());
        }
        draft.write(&buffer[..count]).unwrap();
    }
    let (mut extent, index) = meter.finish();
    extent.bytes = bytes;
    draft.commit(Facts { extent, index, ..Facts::default() }).unwrap()
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn writing(folder: &Path, mib: usize) {
    let path = source(folder, mib);
    let store = LocalStore::open(folder.join("store"), LocalOptions::default()).unwrap();
    let (mut copies, mut stores, mut measured) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        let copy = folder.join("copy");
        let (time, ()) = timed(|| {
            assert!(Command::new("cp").arg(&path).arg(&copy).status().unwrap().success());
            File::open(&copy).unwrap().sync_all().unwrap();
        });
        copies.push(time);
        std::fs::remove_file(&copy).unwrap();
        for (times, measure) in [(&mut stores, false), (&mut measured, true)] {
            let (time, info) = timed(|| store_file(&store, &path, measure));
            times.push(time);
            store.remove(&session("bench"), &info.id).unwrap();
        }
    }
    let (copy, store, measured) = (median(&mut copies), median(&mut stores), median(&mut measured));
    let ratio = |time: Duration| time.as_secs_f64() / copy.as_secs_f64();
    println!("write {mib} MiB: cp + sync {copy:?}; stored {store:?} ({:.2}×)", ratio(store));
    println!("write {mib} MiB, measured as text on the way: {measured:?} ({:.2}×)", ratio(measured));
}

fn small_commits(folder: &Path) {
    for kib in [10, 100, 1000] {
        let content = sample(kib << 10);
        let mut meter = Meter::default();
        meter.push(std::str::from_utf8(&content).unwrap());
        let (extent, index) = meter.finish();
        let mut line = format!("commit {kib} KiB:");
        for durable in [true, false] {
            let options = LocalOptions { durable, ..LocalOptions::default() };
            let store = LocalStore::open(folder.join("small"), options).unwrap();
            let mut times: Vec<Duration> = (0..200)
                .map(|_| {
                    let facts = Facts { extent, index: index.clone(), ..Facts::default() };
                    let (time, _) = timed(|| {
                        let mut draft = store.draft(&session("bench")).unwrap();
                        draft.write(&content).unwrap();
                        draft.commit(facts).unwrap()
                    });
                    time
                })
                .collect();
            line += &format!(" {} {:?}", if durable { "durable" } else { ", without syncs" }, median(&mut times));
        }
        println!("{line}");
    }
    let store = LocalStore::open(folder.join("small"), LocalOptions::default()).unwrap();
    let (time, list) = timed(|| store.list(&session("bench")).unwrap());
    println!("list {} artifacts: {time:?}", list.len());
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

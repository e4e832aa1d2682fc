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
    small_commits(folder.path());
    let source = source(folder.path(), mib);
    writing(folder.path(), &source, mib);
    recall(folder.path(), &source, mib);
}

/// A log of this size.
fn source(folder: &Path, mib: usize) -> std::path::PathBuf {
    use std::io::Write;
    let path = folder.join(format!("source-{mib}"));
    let mut file = std::io::BufWriter::with_capacity(1 << 20, File::create(&path).unwrap());
    let (mut written, mut line) = (0usize, 0u64);
    while written < mib << 20 {
        let hash = line.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let text = format!(
            "2026-11-15T12:{:02}:{:02}.{:03}Z INFO worker-{} request {hash:016x} served in {} ms\n",
            line / 60_000 % 60,
            line / 1000 % 60,
            line % 1000,
            hash % 16,
            hash % 977
        );
        file.write_all(text.as_bytes()).unwrap();
        written += text.len();
        line += 1;
    }
    file.into_inner().unwrap().sync_all().unwrap();
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

fn writing(folder: &Path, path: &Path, mib: usize) {
    let store = LocalStore::open(folder.join("store"), LocalOptions::default()).unwrap();
    let (mut copies, mut stores, mut measured) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        let copy = folder.join("copy");
        let (time, ()) = timed(|| {
            assert!(Command::new("cp").arg(path).arg(&copy).status().unwrap().success());
            File::open(&copy).unwrap().sync_all().unwrap();
        });
        copies.push(time);
        std::fs::remove_file(&copy).unwrap();
        for (times, measure) in [(&mut stores, false), (&mut measured, true)] {
            let (time, info) = timed(|| store_file(&store, path, measure));
            times.push(time);
            store.remove(&session("bench"), &info.id).unwrap();
        }
    }
    let (copy, store, measured) = (median(&mut copies), median(&mut stores), median(&mut measured));
    let ratio = |time: Duration| time.as_secs_f64() / copy.as_secs_f64();
    println!("write {mib} MiB: cp + sync {copy:?}; stored {store:?} ({:.2}×)", ratio(store));
    println!("write {mib} MiB, measured as text on the way: {measured:?} ({:.2}×)", ratio(measured));
}

/// 100 lines from the middle: opened, found by the index, read and verified.
fn lines_from_the_middle(store: &dyn Store, info: &ArtifactInfo) -> (u64, usize) {
    let artifact = store.open(&session("bench"), &info.id).unwrap();
    let first = info.extent.lines / 2;
    let start = artifact.index().before_line(first);
    let end = artifact.index().before_line(first + 100).byte + offcut_core::extent::STRIDE;
    let bytes = artifact.read(start.byte..end).unwrap();
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').skip((first - start.line) as usize).take(100);
    (start.byte, lines.map(<[u8]>::len).sum())
}

fn recall(folder: &Path, large: &Path, mib: usize) {
    let small = folder.join("source-small");
    let mut content = vec![0u8; 10 << 20];
    File::open(large).unwrap().read_exact(&mut content).unwrap();
    std::fs::write(&small, &content).unwrap();
    for compress_large in [false, true] {
        let options = LocalOptions { compress_large, ..LocalOptions::default() };
        let store = LocalStore::open(folder.join(format!("recall-{compress_large}")), options).unwrap();
        let mut medians = Vec::new();
        for (path, size) in [(&small, 10), (&large.to_owned(), mib)] {
            let info = store_file(&store, path, true);
            let (at, length) = lines_from_the_middle(&store, &info);
            let mut times: Vec<Duration> = (0..101).map(|_| timed(|| lines_from_the_middle(&store, &info)).0).collect();
            let mut fresh: Vec<Duration> = (0..101)
                .map(|_| {
                    let options = LocalOptions { compress_large, ..LocalOptions::default() };
                    let store = LocalStore::open(store.root(), options).unwrap();
                    timed(|| lines_from_the_middle(&store, &info)).0
                })
                .collect();
            let mut dd: Vec<Duration> = (0..21)
                .map(|_| {
                    let mut command = Command::new("dd");
                    command.arg(format!("if={}", path.display())).args(["iflag=skip_bytes,count_bytes", "status=none"]);
                    command.arg(format!("skip={at}")).arg(format!("count={length}")).arg("of=/dev/null");
                    timed(|| assert!(command.status().unwrap().success())).0
                })
                .collect();
            let (median, fresh) = (median(&mut times), median(&mut fresh));
            let kind = if compress_large { "compressed" } else { "plain" };
            println!(
                "100 lines ({length} bytes) from the middle of {size} MiB, {kind}: {median:?}, the first time {fresh:?}; dd {:?}",
                crate::median(&mut dd)
            );
            medians.push((median, fresh));
        }
        if let [small, large] = medians.as_slice() {
            let ratio = |large: Duration, small: Duration| large.as_secs_f64() / small.as_secs_f64();
            println!("  large : small {:.2}×, the first time {:.2}×", ratio(large.0, small.0), ratio(large.1, small.1));
        }
    }
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

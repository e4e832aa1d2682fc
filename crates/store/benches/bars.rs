//! The store against plain tools, side by side in one run:
//! `cargo bench -p offcut-store --bench bars -- [MiB] [small|write|recall]`.
//!
//! Prints what storing costs beside `cp` with a sync at the end, what a small commit costs, and what a recall from the
//! middle costs beside `dd` of the same bytes, for a small and a large artifact. Rounds alternate, medians are printed,
//! and beside the time that passed stands the time that a processor worked: on a busy machine that says more.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a report for people, which fails by panicking")]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use offcut_core::extent::Meter;
use offcut_store::conformance::{sample, session};
use offcut_store::{ArtifactInfo, BLOCK, Facts, LocalOptions, LocalStore, Store};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mib = words.iter().filter_map(|word| word.parse::<usize>().ok()).next().unwrap_or(1024);
    let parts = ["small", "write", "recall"];
    let all = !words.iter().any(|word| parts.contains(&word.as_str()));
    let wanted = |part: &str| all || words.iter().any(|word| word == part);
    let folder = tempfile::tempdir_in(".").unwrap();
    if wanted("small") {
        small_commits(folder.path());
    }
    let source = source(folder.path(), mib);
    if wanted("write") {
        writing(folder.path(), &source, mib);
    }
    if wanted("recall") {
        recall(folder.path(), &source, mib);
    }
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
    let (mut buffer, mut bytes) = (vec![0u8; 256 << 10], 0);
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

/// What one way of writing took, round by round.
#[derive(Default, Clone)]
struct Costs {
    passed: Vec<Duration>,
    worked: Vec<Duration>,
}

impl Costs {
    fn add<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let before = worked();
        let (passed, result) = timed(work);
        self.passed.push(passed);
        self.worked.push(worked() - before);
        result
    }

    /// The medians, and how they compare with those of `other`.
    fn beside(&mut self, other: &mut Costs) -> String {
        let (passed, worked) = (median(&mut self.passed), median(&mut self.worked));
        format!(
            "{:.2} s ({:.2}×), at least {:.2} s ({:.2}×), processors worked {:.2} s ({:.2}×)",
            passed.as_secs_f64(),
            ratio(passed, median(&mut other.passed)),
            least(&self.passed).as_secs_f64(),
            ratio(least(&self.passed), least(&other.passed)),
            worked.as_secs_f64(),
            ratio(worked, median(&mut other.worked))
        )
    }
}

/// The time that processors worked for this process and for the children that it waited for.
fn worked() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in brackets; the 14th to 17th of all fields are ticks of 10 ms.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(4);
    Duration::from_millis(fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10)
}

fn writing(folder: &Path, path: &Path, mib: usize) {
    let store = LocalStore::open(folder.join("store"), LocalOptions::default()).unwrap();
    let (mut copies, mut stores, mut measured) = (Costs::default(), Costs::default(), Costs::default());
    for _ in 0..9 {
        let copy = folder.join("copy");
        copies.add(|| {
            assert!(Command::new("cp").arg(path).arg(&copy).status().unwrap().success());
            File::open(&copy).unwrap().sync_all().unwrap();
        });
        std::fs::remove_file(&copy).unwrap();
        for (costs, measure) in [(&mut stores, false), (&mut measured, true)] {
            let info = costs.add(|| store_file(&store, path, measure));
            store.remove(&session("bench"), &info.id).unwrap();
        }
    }
    println!("write {mib} MiB: cp and sync: {}", copies.clone().beside(&mut copies));
    println!("write {mib} MiB: stored and hashed: {}", stores.beside(&mut copies));
    println!("write {mib} MiB: stored, hashed, measured as text and indexed: {}", measured.beside(&mut copies));
}

/// 100 lines from the middle: opened, found by the index, read and verified. They lie in one block, so that it is not
/// chance (two blocks where they cross a border) that tells a large artifact from a small one.
fn lines_from_the_middle(store: &dyn Store, info: &ArtifactInfo) -> (u64, usize) {
    let artifact = store.open(&session("bench"), &info.id).unwrap();
    let start = artifact.index().before_line(info.extent.lines / 2);
    let bytes = artifact.read(start.byte..start.byte + BLOCK as u64).unwrap();
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let skipped: usize = lines.by_ref().take(1000).map(<[u8]>::len).sum();
    let length = lines.take(100).map(<[u8]>::len).sum();
    (start.byte + skipped as u64, length)
}

/// What 100 lines from the middle of one artifact cost, round by round.
struct Middle {
    path: std::path::PathBuf,
    mib: usize,
    info: ArtifactInfo,
    /// The metadata was read before.
    again: Vec<Duration>,
    /// By a store that was opened for it.
    first: Vec<Duration>,
    /// `dd` of the same bytes of a plain file, process and all.
    dd: Vec<Duration>,
}

impl Middle {
    fn new(store: &LocalStore, path: &Path, mib: usize) -> Middle {
        let info = store_file(store, path, true);
        Middle { path: path.to_owned(), mib, info, again: Vec::new(), first: Vec::new(), dd: Vec::new() }
    }

    fn round(&mut self, store: &LocalStore, options: &LocalOptions) {
        let (at, length) = lines_from_the_middle(store, &self.info);
        self.again.push(timed(|| lines_from_the_middle(store, &self.info)).0);
        let fresh = LocalStore::open(store.root(), options.clone()).unwrap();
        self.first.push(timed(|| lines_from_the_middle(&fresh, &self.info)).0);
        let mut command = Command::new("dd");
        command.arg(format!("if={}", self.path.display())).args(["iflag=skip_bytes,count_bytes", "status=none"]);
        command.arg(format!("skip={at}")).arg(format!("count={length}")).arg("of=/dev/null");
        self.dd.push(timed(|| assert!(command.status().unwrap().success())).0);
    }
}

fn recall(folder: &Path, large: &Path, mib: usize) {
    let small = folder.join("source-small");
    let mut content = vec![0u8; 10 << 20];
    File::open(large).unwrap().read_exact(&mut content).unwrap();
    std::fs::write(&small, &content).unwrap();
    for compress_large in [false, true] {
        let kind = if compress_large { "compressed" } else { "plain" };
        let options = LocalOptions { compress_large, ..LocalOptions::default() };
        let store = LocalStore::open(folder.join(format!("recall-{compress_large}")), options.clone()).unwrap();
        let mut middles = [Middle::new(&store, &small, 10), Middle::new(&store, large, mib)];
        for _ in 0..301 {
            middles.iter_mut().for_each(|middle| middle.round(&store, &options));
        }
        // On a busy machine the quickest tenth was disturbed least.
        for (share, name) in [(2, "median"), (10, "quickest tenth")] {
            let mut figures = Vec::new();
            for middle in &mut middles {
                let [again, first, dd] =
                    [&mut middle.again, &mut middle.first, &mut middle.dd].map(|times| quantile(times, share));
                println!(
                    "100 lines from the middle of {} MiB, {kind}, {name}: {again:?}, the first time {first:?}; dd \
                     {dd:?} ({:.2}×, {:.2}×)",
                    middle.mib,
                    ratio(again, dd),
                    ratio(first, dd)
                );
                figures.push((again, first));
            }
            if let [small, large] = figures.as_slice() {
                println!(
                    "  {mib} MiB : 10 MiB = {:.2}×, the first time {:.2}×",
                    ratio(large.0, small.0),
                    ratio(large.1, small.1)
                );
            }
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

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

fn median(times: &mut [Duration]) -> Duration {
    quantile(times, 2)
}

fn least(times: &[Duration]) -> Duration {
    times.iter().min().copied().unwrap_or_default()
}

/// The time that one in `share` did not exceed.
fn quantile(times: &mut [Duration], share: usize) -> Duration {
    times.sort();
    times[times.len() / share]
}

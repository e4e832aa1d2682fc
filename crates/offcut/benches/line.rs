//! The whole line, from bytes to reply, by size: `cargo bench -p offcut-lib --bench line`.

use divan::Bencher;
use divan::counter::BytesCount;
use offcut::{Call, Offcut};

fn main() {
    divan::main();
}

/// A log of `bytes` bytes, different in every line.
fn log(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    let mut n = 0u64;
    while text.len() < bytes {
        let level = ["INFO", "INFO", "DEBUG", "INFO", "WARN", "INFO", "INFO", "ERROR"][(n * n % 8) as usize];
        text.push_str(&format!(
            "2026-11-15T10:{:02}:{:02}.{:03}Z {level} [worker-{}] app.module{}: handled request id={:x} in {} ms\n",
            n / 60 % 60,
            n % 60,
            n % 1000,
            n % 16,
            n % 37,
            n.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            n * 7919 % 900
        ));
        n += 1;
    }
    text.truncate(bytes);
    text
}

#[divan::bench(args = [1_000, 100_000, 10_000_000])]
fn in_memory(bencher: Bencher<'_, '_>, bytes: usize) {
    let output = log(bytes);
    let offcut = Offcut::builder().in_memory().build().expect("the defaults are right");
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let reply = offcut.process(Call::new("execute_command"), &output).expect("a reply");
        if let (Some(id), Some((store, session))) = (&reply.report.artifact_id, offcut.store()) {
            let _ = store.remove(session, &id.parse().expect("an id"));
        }
        reply
    });
}

#[divan::bench(args = [100_000, 10_000_000])]
fn in_a_directory(bencher: Bencher<'_, '_>, bytes: usize) {
    let output = log(bytes);
    let directory = tempfile::tempdir().expect("a directory");
    let offcut = Offcut::builder().store(directory.path()).build().expect("the defaults are right");
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| offcut.process(Call::new("execute_command"), &output).expect("a reply"));
}

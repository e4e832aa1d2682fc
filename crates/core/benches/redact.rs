//! How fast redaction is, all rules on, one core: on logs, on code, on hostile lines.
//!
//! `cargo bench -p offcut-core --bench redact`; for counts, `valgrind --tool=callgrind` on the example `redact_speed`.

use std::sync::Arc;

use divan::counter::BytesCount;
use offcut_core::redact::{Redactor, Rules};

#[path = "support/samples.rs"]
mod samples;

fn main() {
    divan::main();
}

fn run(bencher: divan::Bencher<'_, '_>, text: &str) {
    let rules = Rules::builtin();
    bencher.counter(BytesCount::of_str(text)).bench_local(|| {
        let mut redactor = Redactor::new(Arc::clone(&rules));
        let mut length = 0;
        for chunk in samples::chunks(text) {
            redactor.push(chunk, &mut |piece| length += piece.len());
        }
        redactor.finish(&mut |piece| length += piece.len());
        length
    });
}

#[divan::bench]
fn log(bencher: divan::Bencher<'_, '_>) {
    run(bencher, &samples::log(8 << 20));
}

#[divan::bench]
fn code(bencher: divan::Bencher<'_, '_>) {
    run(bencher, &samples::code(8 << 20));
}

#[divan::bench(args = ["aaaa", "key=", "pass=", "eyJ", "-eyJ", "token:\"", "://a:b", "AKIA-"])]
fn one_long_line(bencher: divan::Bencher<'_, '_>, part: &str) {
    run(bencher, &part.repeat((4 << 20) / part.len()));
}

#[divan::bench]
fn compiling_the_rules(bencher: divan::Bencher<'_, '_>) {
    bencher.bench_local(|| Rules::with(&offcut_core::redact::RedactOptions::default()));
}

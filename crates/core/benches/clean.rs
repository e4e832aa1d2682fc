//! How fast raw bytes become text, by what is in them.

use divan::Bencher;
use divan::counter::BytesCount;
use offcut_core::clean::Cleaner;

fn main() {
    divan::main();
}

const SIZE: usize = 8 * 1024 * 1024;

/// `SIZE` bytes of lines made by `line`.
fn lines(line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::with_capacity(SIZE + 1024);
    let mut number = 0;
    while text.len() < SIZE {
        text.push_str(&line(number));
        number += 1;
    }
    text.into_bytes()
}

/// Cleans `bytes` in chunks as a pipe would send them.
fn clean(bencher: Bencher<'_, '_>, bytes: &[u8]) {
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let mut cleaner = Cleaner::default();
        let mut scratch = String::new();
        let mut length = 0;
        for chunk in bytes.chunks(64 * 1024) {
            length += cleaner.push(chunk, &mut scratch).len();
        }
        length + cleaner.finish(&mut scratch).len()
    });
}

#[divan::bench]
fn plain_log(bencher: Bencher<'_, '_>) {
    clean(bencher, &lines(|n| format!("2026-11-15 10:00:00.{n:06} INFO worker-{}: request {n} took 12 ms\n", n % 7)));
}

#[divan::bench]
fn windows_log(bencher: Bencher<'_, '_>) {
    clean(bencher, &lines(|n| format!("2026-11-15 10:00:00.{n:06} INFO worker-{}: request {n} took 12 ms\r\n", n % 7)));
}

#[divan::bench]
fn colour_log(bencher: Bencher<'_, '_>) {
    clean(bencher, &lines(|n| format!("\x1b[2m10:00:00.{n:06}\x1b[0m \x1b[32m INFO\x1b[0m request {n} took 12 ms\n")));
}

#[divan::bench]
fn progress_log(bencher: Bencher<'_, '_>) {
    let state = |n: usize| format!("\rReceiving objects: {}% ({n}/90000), 1.2 MiB/s\x1b[K", n % 100);
    clean(bencher, &lines(|n| state(n) + if n % 50 == 49 { "\n" } else { "" }));
}

#[divan::bench]
fn other_scripts(bencher: Bencher<'_, '_>) {
    clean(bencher, &lines(|n| format!("{n}: 出力が長すぎます — les données « brutes » пример текста\n")));
}

#[divan::bench]
fn one_long_line(bencher: Bencher<'_, '_>) {
    clean(bencher, &lines(|n| format!("{{\"id\":{n},\"name\":\"item {n}\"}},")));
}

//! How fast `smart` looks through each kind of text, in bytes a second.
#![allow(missing_docs)]

use divan::Bencher;
use divan::counter::BytesCount;
use offcut_core::budget::Budget;
use offcut_core::classify::{Hints, classify};
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::{Classification, Kind, Language};
use offcut_core::strategy::smart::Smart;
use offcut_core::strategy::{CutContext, Settings, Strategy};

fn main() {
    divan::main();
}

const TINY: usize = 100_000;
const SMALL: usize = 1 << 20;
const LARGE: usize = 64 << 20;

/// A text of at least `bytes` bytes, of the lines that `line` makes of a number.
fn text(bytes: usize, line: impl Fn(u64) -> String) -> TextDocument {
    let mut text = String::with_capacity(bytes + 256);
    let mut n = 0u64;
    while text.len() < bytes {
        text.push_str(&line(n));
        text.push('\n');
        n += 1;
    }
    TextDocument::new(text)
}

fn service(n: u64) -> String {
    let level = match n % 1000 {
        0 => "ERROR",
        1..=9 => "WARN",
        _ => "INFO",
    };
    let what = ["request served", "cache refreshed", "session opened for user", "job queued"];
    let what = what[(n.wrapping_mul(2_654_435_761) >> 7) as usize % what.len()];
    format!(
        "2026-11-15T10:{:02}:{:02}.{:03}Z {level} api.worker-{} {what} id={n} took={}ms",
        n / 60 % 60,
        n % 60,
        n % 1000,
        n % 7,
        n % 97
    )
}

fn cut(bencher: Bencher<'_, '_>, kind: Kind, document: &TextDocument) {
    let classification = Classification::new(kind, 1.0, "bench");
    let settings = Settings::default();
    bencher.counter(BytesCount::new(document.extent().bytes as usize)).bench(|| {
        let context = CutContext::new(Budget::chars(7700), &settings, &classification);
        Smart.cut(divan::black_box(document), &context)
    });
}

/// What it costs to tell the kind.
#[divan::bench(args = [TINY, LARGE])]
fn kind_of_log(bencher: Bencher<'_, '_>, bytes: usize) {
    let document = text(bytes, service);
    bencher.bench(|| classify(divan::black_box(&document), &Hints::default()));
}

#[divan::bench(args = [TINY, SMALL, LARGE])]
fn log(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(bencher, Kind::Log, &text(bytes, service));
}

#[divan::bench(args = [SMALL, LARGE])]
fn errors_only(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(
        bencher,
        Kind::Log,
        &text(bytes, |n| {
            format!("2026-11-15T10:00:00Z ERROR worker {n} failed: connection refused by host-{}", n % 50)
        }),
    );
}

#[divan::bench(args = [SMALL, LARGE])]
fn identical_lines(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(bencher, Kind::Log, &text(bytes, |_| "waiting for the server to come up".into()));
}

#[divan::bench(args = [SMALL, LARGE])]
fn tiny_lines(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(bencher, Kind::Text, &text(bytes, |n| (n % 10).to_string()));
}

#[divan::bench(args = [SMALL, LARGE])]
fn one_line(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(bencher, Kind::Text, &TextDocument::new("word ".repeat(bytes / 5)));
}

#[divan::bench(args = [SMALL, LARGE])]
fn tests(bencher: Bencher<'_, '_>, bytes: usize) {
    let line = |n: u64| match n % 5000 {
        4999 => format!("test module_{}::case_{n} ... FAILED", n % 31),
        _ => format!("test module_{}::case_{n} ... ok", n % 31),
    };
    cut(bencher, Kind::Test, &text(bytes, line));
}

#[divan::bench(args = [SMALL, LARGE])]
fn diff(bencher: Bencher<'_, '_>, bytes: usize) {
    let line = |n: u64| match n % 60 {
        0 => format!("diff --git a/src/file_{n}.rs b/src/file_{n}.rs"),
        1 => format!("--- a/src/file_{n}.rs"),
        2 => format!("+++ b/src/file_{n}.rs"),
        3 => "@@ -1,40 +1,56 @@ impl Thing {".into(),
        k if k % 3 == 0 => format!("+    let value_{n} = compute({n});"),
        k => format!("     other_{k}(value);"),
    };
    cut(bencher, Kind::Diff, &text(bytes, line));
}

#[divan::bench(args = [SMALL, LARGE])]
fn search(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(
        bencher,
        Kind::Search,
        &text(bytes, |n| format!("src/module_{}/file.c:{n}:    use_of_name(argument, {n});", n / 20)),
    );
}

#[divan::bench(args = [SMALL, LARGE])]
fn listing(bencher: Bencher<'_, '_>, bytes: usize) {
    cut(bencher, Kind::Listing, &text(bytes, |n| format!("./packages/package-{}/lib/file-{n}.js", n / 12)));
}

#[divan::bench(args = [SMALL, LARGE])]
fn markdown(bencher: Bencher<'_, '_>, bytes: usize) {
    let line = |n: u64| match n % 12 {
        0 => format!("## Section {n}"),
        1 | 11 => String::new(),
        _ => format!("Words about thing {n} that go on for a while, as prose does."),
    };
    cut(bencher, Kind::Markdown, &text(bytes, line));
}

/// Many functions of three lines.
#[divan::bench(args = [100_000, 400_000])]
fn code(bencher: Bencher<'_, '_>, bytes: usize) {
    let line = |n: u64| format!("def function_{n}(value):\n    return value + {n}\n");
    cut(bencher, Kind::Code(Language::Python), &text(bytes, line));
}

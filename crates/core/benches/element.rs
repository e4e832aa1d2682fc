//! How fast structured data is cut, by format: `cargo bench -p offcut-core --bench element`.
//!
//! To compare with `jq length` on a file of any size, use the example `structured` with `--facts`.

use divan::Bencher;
use divan::counter::BytesCount;
use offcut_core::budget::Budget;
use offcut_core::document::TextDocument;
use offcut_core::kind::{Classification, Kind};
use offcut_core::strategy::element::Element;
use offcut_core::strategy::{CutContext, Settings, Strategy};

fn main() {
    divan::main();
}

const RECORDS: usize = 100_000;

fn bench(bencher: Bencher<'_, '_>, kind: Kind, text: String) {
    let document = TextDocument::new(text);
    let classification = Classification::new(kind, 1.0, "bench");
    let settings = Settings::default();
    let context = CutContext::new(Budget::chars(8000), &settings, &classification);
    let bytes = offcut_core::document::Document::extent(&document).bytes;
    bencher.counter(BytesCount::new(bytes)).bench_local(|| Element.cut(&document, &context).map(|cut| cut.omits()));
}

fn record(n: usize) -> String {
    format!(
        r#"{{"id": {n}, "name": "user {n}", "email": "user{n}@example.com", "status": "active", "score": {}.5, "tags": ["a", "b"], "address": {{"street": "Main {n}", "zip": "12345"}}}}"#,
        n * 3
    )
}

#[divan::bench]
fn json(bencher: Bencher<'_, '_>) {
    let records: Vec<String> = (0..RECORDS).map(record).collect();
    bench(bencher, Kind::Json, format!("[{}]", records.join(",\n")));
}

#[divan::bench]
fn ndjson(bencher: Bencher<'_, '_>) {
    bench(bencher, Kind::Ndjson, (0..RECORDS).map(|n| record(n) + "\n").collect());
}

#[divan::bench]
fn json_of_one_long_string(bencher: Bencher<'_, '_>) {
    bench(bencher, Kind::Json, format!("[\"{}\"]", "lorem ipsum dolor ".repeat(1_000_000)));
}

#[divan::bench]
fn json_nested_a_million_deep(bencher: Bencher<'_, '_>) {
    bench(bencher, Kind::Json, "[".repeat(1_000_000) + &"]".repeat(1_000_000));
}

#[divan::bench]
fn csv(bencher: Bencher<'_, '_>) {
    let rows: String =
        (0..RECORDS).map(|n| format!("{n},\"user {n}\",user{n}@example.com,active,{}.5\n", n * 3)).collect();
    bench(bencher, Kind::Csv, format!("id,name,email,status,score\n{rows}"));
}

#[divan::bench]
fn xml(bencher: Bencher<'_, '_>) {
    let items: String = (0..RECORDS)
        .map(|n| format!("  <user id=\"{n}\"><name>user {n}</name><email>user{n}@example.com</email></user>\n"))
        .collect();
    bench(bencher, Kind::Xml, format!("<?xml version=\"1.0\"?>\n<users>\n{items}</users>\n"));
}

#[divan::bench]
fn html(bencher: Bencher<'_, '_>) {
    let rows: String =
        (0..RECORDS).map(|n| format!("<tr><td>{n}</td><td><a href=\"/u/{n}\">user {n}</a></td></tr>\n")).collect();
    bench(
        bencher,
        Kind::Html,
        format!("<!DOCTYPE html><html><body><h1>Users</h1><table>\n{rows}</table></body></html>\n"),
    );
}

#[divan::bench]
fn yaml(bencher: Bencher<'_, '_>) {
    let items: String = (0..RECORDS)
        .map(|n| format!("  - id: {n}\n    name: user {n}\n    email: user{n}@example.com\n    status: active\n"))
        .collect();
    bench(bencher, Kind::Yaml, format!("users:\n{items}total: {RECORDS}\n"));
}

#[divan::bench]
fn lines(bencher: Bencher<'_, '_>) {
    let lines: String =
        (0..RECORDS).map(|n| format!("src/module_{n}/file.rs:{n}: let value = compute({n});\n")).collect();
    bench(bencher, Kind::Search, lines);
}

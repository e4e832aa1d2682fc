//! Prints the kind of every file of a corpus (a directory with `manifest.tsv`: file, kind, type, tool, command), once
//! with the tool's name and once with a wrong one.
//!
//! `cargo run --release --example kinds -- DIRECTORY`

#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types)]

use std::path::Path;
use std::time::Instant;

use offcut_core::classify::{Hints, classify};
use offcut_core::clean::Cleaner;
use offcut_core::document::TextDocument;
use offcut_core::{binary, kind::Classification};

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let manifest = std::fs::read_to_string(Path::new(&directory).join("manifest.tsv"))?;
    for row in manifest.lines() {
        let mut fields = row.split('\t');
        let mut field = || fields.next().unwrap_or_default();
        let (file, kind, content_type, tool, arguments) = (field(), field(), field(), field(), field());
        let bytes = std::fs::read(Path::new(&directory).join(file))?;
        if let Some(found) = binary::sniff(&bytes) {
            println!("{kind}\t{content_type}\tbinary\tbinary\t1.00\t{}\t{file}", found.name);
            continue;
        }
        let mut cleaner = Cleaner::default();
        let mut scratch = String::new();
        let mut text = cleaner.push(&bytes, &mut scratch).to_owned();
        text.push_str(cleaner.finish(&mut scratch));
        let document = TextDocument::new(text);
        let start = Instant::now();
        let hinted = classify(&document, &Hints { tool, arguments, forced: None })?;
        let spent = start.elapsed().as_micros();
        let wrong = classify(&document, &Hints { tool: "execute_command", arguments: "cat", forced: None })?;
        let Classification { kind: found, confidence, reason } = hinted;
        println!("{kind}\t{content_type}\t{found}\t{}\t{confidence:.2}\t{reason}\t{file}\t{spent} µs", wrong.kind);
    }
    Ok(())
}

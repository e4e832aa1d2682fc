//! Extents, positions and line cursors agree with a plain count, wherever the document lies.
//!
//! `cargo +nightly fuzz run document -- -max_total_time=60`

#![no_main]

use libfuzzer_sys::fuzz_target;
use offcut_core::document::{Document, TextDocument};
use offcut_core::text;

fuzz_target!(|text: &str| {
    let document = TextDocument::new(text);
    let extent = *document.extent();
    assert_eq!(extent.chars, text.chars().count() as u64);
    assert_eq!(extent.lines, text::split(text).count() as u64);
    let document: &dyn Document = &document;
    let mut joined = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next_line().expect("memory can be read") {
        assert_eq!(line.position.byte as usize, joined.len());
        joined.push_str(line.text);
        joined.push_str(line.end);
    }
    assert_eq!(joined, text);
    for (number, line) in text::split(text).enumerate() {
        let start = document.line_start(number as u64).expect("memory can be read");
        assert_eq!((start.byte, start.line), (line.start as u64, number as u64));
    }
});

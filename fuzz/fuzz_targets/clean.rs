//! Cleaning never fails, leaves no control characters, and does not depend on the chunks.
//!
//! `cargo +nightly fuzz run clean -- -max_total_time=60`

#![no_main]

use libfuzzer_sys::fuzz_target;
use offcut_core::clean::Cleaner;

fn clean<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> String {
    let mut cleaner = Cleaner::default();
    let mut scratch = String::new();
    let mut out = String::new();
    for chunk in chunks {
        out.push_str(cleaner.push(chunk, &mut scratch));
    }
    out.push_str(cleaner.finish(&mut scratch));
    out
}

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let whole = clean(std::iter::once(bytes));
    assert_eq!(clean(bytes.chunks(usize::from(size) + 1)), whole);
    assert!(!whole.chars().any(|char| char.is_control() && !matches!(char, '\t' | '\n' | '\r')));
});

//! Redacting JSON does not depend on the chunks, keeps JSON what it is, and changes nothing the second time.
//!
//! `cargo +nightly fuzz run redact_json -- -max_total_time=60`

#![no_main]

use libfuzzer_sys::fuzz_target;
use offcut_core::redact::{JsonKeys, JsonRedactor, Redactor, Rules};

const KEYS: JsonKeys = JsonKeys { opaque: &["id"], opaque_depth: 2, media: &["data"] };

fn redacted<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut redactor = JsonRedactor::new(Redactor::new(Rules::builtin()), KEYS);
    let mut out = Vec::new();
    chunks.for_each(|chunk| redactor.push(chunk, &mut |part| out.extend_from_slice(part)));
    redactor.finish(&mut |part| out.extend_from_slice(part));
    out
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let whole = redacted(std::iter::once(bytes));
    assert_eq!(redacted(bytes.chunks(usize::from(size) + 1)), whole);
    if is_json(bytes) {
        assert!(is_json(&whole));
        assert_eq!(redacted(std::iter::once(whole.as_slice())), whole);
    }
});

//! Every strategy stays within its budget, and its pieces make the whole.
//!
//! `cargo +nightly fuzz run cut -- -max_total_time=60`

#![no_main]

use libfuzzer_sys::fuzz_target;
use offcut_core::budget::Budget;
use offcut_core::classify::{Hints, classify};
use offcut_core::document::{Document, TextDocument};
use offcut_core::render::{Markers, render};
use offcut_core::strategy::registry::Registry;
use offcut_core::strategy::{CutContext, Settings};
use offcut_core::text;

fuzz_target!(|input: (u16, &str)| {
    let (chars, text) = input;
    let document = TextDocument::new(text);
    let classification = classify(&document, &Hints::default()).expect("memory can be read");
    let settings = Settings::default();
    let budget = Budget::chars(u64::from(chars).max(200));
    let registry = Registry::default();
    for name in ["head", "tail", "head_tail", "lines", "element", "smart"] {
        let strategy = registry.get(name).expect("a built-in strategy");
        let context = CutContext::new(budget, &settings, &classification);
        let Ok(cut) = strategy.cut(&document, &context) else { continue };
        let rendered = render(&document, &cut, Markers::Shown).expect("memory can be read");
        let kept = document.extent().chars - rendered.omitted_chars();
        assert_eq!(kept, rendered.kept_chars, "{name}");
        assert!(text::chars(&rendered.text) <= budget.chars || !cut.omits(), "{name}: over {}", budget.chars);
    }
});

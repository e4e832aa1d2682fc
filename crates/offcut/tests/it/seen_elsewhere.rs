//! Mistakes that others made, as tests of ours.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use offcut::{Call, Offcut};
use offcut_core::budget::Budget;
use offcut_core::cut::{Cut, Piece};
use offcut_core::document::Document;
use offcut_core::strategy::{CutContext, CutError, Cutter, Strategy};
use offcut_store::MemoryStore;
use offcut_store::faults::{Faults, FaultyStore};

use crate::outputs::{lines, without_ids, without_times};

fn offcut() -> Offcut {
    Offcut::builder().in_memory().build().unwrap()
}

#[test]
fn one_huge_line_is_bounded_and_not_empty() {
    for size in [7999, 8000, 8001, 10_000_000] {
        let reply = offcut().process(Call::new("x"), "y".repeat(size)).unwrap();
        assert!(reply.report.truncated_size <= 8000);
        assert!(reply.text.contains("yyyy"), "{size}");
    }
}

#[test]
fn the_first_bad_byte_does_not_end_the_capture() {
    let mut output = b"before\n\xff\xfe\x80 middle\n".to_vec();
    output.extend_from_slice("after 世界\n".as_bytes());
    let reply = offcut().process(Call::new("x"), &output).unwrap();
    assert_eq!(reply.text, "before\n\u{fffd}\u{fffd}\u{fffd} middle\nafter 世界\n");
}

#[test]
fn a_character_split_at_any_chunk_border_is_whole() {
    let text = "é世🎉\r\n".repeat(10);
    for at in 0..text.len() {
        let (left, right) = text.as_bytes().split_at(at);
        let offcut = offcut();
        let mut intake = offcut.intake(Call::new("x")).unwrap();
        intake.write_all(left).unwrap();
        intake.write_all(right).unwrap();
        assert_eq!(intake.finish().text, text);
    }
}

#[test]
fn a_store_that_fails_at_any_operation_leaves_a_bounded_reply_that_says_so() {
    let output = lines(40_000);
    let mut lost = 0;
    for nth in 0..12 {
        let store = FaultyStore::new(MemoryStore::default(), Faults::from(nth, ErrorKind::StorageFull));
        let offcut = Offcut::builder().store_in(Arc::new(store)).memory_bound(1 << 20).build().unwrap();
        for times in [1, 4] {
            let reply = offcut.process(Call::new("x").strategy("head_tail"), output.repeat(times)).unwrap();
            assert!(reply.report.truncated_size <= 8000, "{nth}");
            assert!(reply.text.contains("line 1\n") && reply.text.contains("line 40000"), "{nth}: {}", reply.text);
            match &reply.report.artifact_id {
                Some(_) => assert!(reply.text.contains(reply.report.artifact_handle.as_ref().unwrap())),
                None => {
                    lost += 1;
                    assert!(reply.text.contains("not kept: "), "{nth}: {}", reply.text);
                    assert!(!reply.report.degraded.is_empty());
                    assert!(!reply.text.contains("get_artifact"), "{nth}: {}", reply.text);
                    assert!(!reply.text.contains("art_"), "{}", reply.text);
                }
            }
        }
    }
    assert!(lost > 2, "{lost}");
}

/// A large output is cut alike whether it stayed in memory or was looked through on its way to the store; also one that
/// turns out to be something else than its beginning promised.
#[test]
fn where_a_large_output_waited_does_not_matter() {
    let line = |n: usize| match n {
        n if n % 4001 == 17 => format!("2026-11-15T10:00:00Z ERROR [worker-{}] task {n} failed: disk full\n", n % 7),
        30_303 => "the only line of its kind, before everything went wrong\n".to_owned(),
        n => format!("2026-11-15T10:00:00Z INFO [worker-{}] task {n} done\n", n % 16),
    };
    let log: String = (0..60_000).map(line).collect();
    let json =
        format!("[{}]", (0..60_000).map(|n| format!("{{\"id\":{n},\"name\":\"x\"}}")).collect::<Vec<_>>().join(","));
    let mixed = format!("{}{json}\n", lines(15_000));
    for output in [log, json, mixed] {
        let reply = |bound: usize| {
            let store = Arc::new(MemoryStore::default());
            let offcut = Offcut::builder().store_in(store).memory_bound(bound).build().unwrap();
            without_times(&without_ids(&offcut.process(Call::new("x"), &output).unwrap().text))
        };
        assert_eq!(reply(1 << 24), reply(1 << 16));
    }
}

#[test]
fn without_a_store_the_reply_says_that_nothing_was_kept() {
    let offcut = Offcut::builder().memory_bound(1 << 20).build().unwrap();
    for n in [2000, 400_000] {
        let reply = offcut.process(Call::new("x").strategy("head_tail"), lines(n)).unwrap();
        assert!(reply.text.contains("not kept: no store is configured"), "{}", reply.text);
        assert!(reply.text.contains("line 1\n") && reply.text.contains(&format!("line {n}\n")));
    }
}

struct FirstTen;

impl Strategy for FirstTen {
    fn name(&self) -> &str {
        "first_ten"
    }

    fn prepare<'a>(&'a self, document: &'a dyn Document, _: &CutContext<'a>) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let end = document.line_start(10)?.byte;
        Ok(Box::new(move |_: &Budget| {
            let pieces = vec![Piece::keep(0..end, "first ten"), Piece::omit(end..document.extent().bytes)];
            Ok(Cut::of("first_ten", pieces, document.extent())?)
        }))
    }
}

#[test]
fn a_user_can_register_a_strategy_and_name_it() {
    let offcut = Offcut::builder().strategy(Arc::new(FirstTen)).in_memory().build().unwrap();
    let reply = offcut.process(Call::new("x").strategy("first_ten"), lines(5000)).unwrap();
    assert_eq!(reply.report.strategy.as_deref(), Some("first_ten"));
    assert_eq!(reply.report.kept, [(1, 10)]);
    let error = offcut.process(Call::new("x").strategy("first_eleven"), "").unwrap_err();
    assert!(error.to_string().contains("first_ten"), "{error}");
}

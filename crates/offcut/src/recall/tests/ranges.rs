use offcut_core::text;
use proptest::prelude::*;

use super::Kept;
use crate::recall::{Request, Selector};

fn naive_lines(content: &str, first: u64, last: u64) -> String {
    let lines = text::split(content).enumerate();
    let wanted = lines.filter(|(at, _)| (first..=last).contains(&(*at as u64 + 1)));
    wanted.flat_map(|(_, line)| [line.text, line.end]).collect()
}

fn read(kept: &Kept, selector: Selector) -> String {
    kept.offcut.recall().read(&kept.id, &selector).unwrap().text
}

// S0 AC-061, AC-062: by id, whole.
#[test]
fn an_id_or_a_handle_of_the_session_gives_the_whole_content() {
    let kept = Kept::new("one\r\ntwo\n\nthrée");
    let recall = kept.offcut.recall();
    assert_eq!(recall.whole(&kept.id).unwrap(), "one\r\ntwo\n\nthrée");
    assert_eq!(recall.whole(&format!("session-own/{}", kept.id)).unwrap(), "one\r\ntwo\n\nthrée");
    assert_eq!(recall.list().unwrap().len(), 1);
    assert_eq!(kept.events(), [("whole".to_owned(), "ok".to_owned()), ("whole".to_owned(), "ok".to_owned())]);
}

// S0 AC-064: parts.
#[test]
fn lines_are_counted_from_one_and_the_last_is_included() {
    let kept = Kept::new("a\nb\r\nc\rd");
    let check = |start, end, expected: &str, lines| {
        let found = kept.offcut.recall().read(&kept.id, &Selector::Lines { start, end }).unwrap();
        assert_eq!((found.text.as_str(), found.tally.lines), (expected, Some(lines)));
        assert_eq!(found.tally.bytes, expected.len() as u64);
        assert_eq!(found.tally.total_lines, 4);
    };
    check(Some(1), Some(1), "a\n", (1, 1));
    check(Some(2), Some(3), "b\r\nc\r", (2, 3));
    check(Some(3), None, "c\rd", (3, 4));
    check(None, Some(2), "a\nb\r\n", (1, 2));
    check(Some(4), Some(900), "d", (4, 4));
    assert_eq!(read(&kept, Selector::Tail(2)), "c\rd");
    assert_eq!(read(&kept, Selector::Tail(90)), "a\nb\r\nc\rd");
    assert_eq!(read(&kept, Selector::Tail(0)), "");
}

#[test]
fn bytes_are_moved_to_the_start_of_the_character_that_they_point_into() {
    let kept = Kept::new("aé世🎉z");
    let check = |start, end, expected: &str| {
        assert_eq!(read(&kept, Selector::Bytes { start, end }), expected, "{start:?}-{end:?}");
    };
    check(Some(0), Some(1), "a");
    check(Some(0), Some(2), "a");
    check(Some(2), Some(6), "é世");
    check(Some(4), Some(5), "世");
    check(Some(7), Some(9), "🎉");
    check(Some(10), None, "z");
    check(None, Some(3), "aé");
    check(None, Some(9000), "aé世🎉z");
}

#[test]
fn an_empty_artifact_is_read_as_nothing() {
    let kept = Kept::new("");
    assert_eq!(read(&kept, Selector::Whole), "");
    assert_eq!(read(&kept, Selector::Tail(3)), "");
    assert_eq!(kept.offcut.recall().page(&Request::whole(&kept.id)).unwrap(), "");
}

/// A text over several strides and blocks, with every line end, characters of every width, and long lines.
fn large() -> String {
    let mut content = String::new();
    for number in 0..60_000u32 {
        content.push_str(["plain ", "é", "世界 ", "🎉🎉", "x"][number as usize % 5]);
        match number.wrapping_mul(2_654_435_761) >> 28 {
            0..=3 => content.push('\n'),
            4 => content.push_str("\r\n"),
            5 => content.push('\r'),
            _ => {}
        }
        if number == 30_000 {
            content.push_str(&"lang 🎉 ".repeat(60_000));
        }
    }
    content
}

#[test]
fn ranges_of_a_large_artifact_equal_those_of_its_text() {
    let content = large();
    assert!(content.len() > 900_000);
    let kept = Kept::new(&content);
    let lines = text::lines(&content);
    for first in (1..=lines).step_by(977).chain(lines - 3..=lines) {
        for count in [1, 2, 50] {
            let last = (first + count - 1).min(lines);
            let selector = Selector::Lines { start: Some(first), end: Some(last) };
            let found = kept.offcut.recall().read(&kept.id, &selector).unwrap();
            assert_eq!(found.text, naive_lines(&content, first, last), "lines {first}-{last}");
            assert_eq!(found.tally.lines, Some((first, last)));
        }
    }
    for start in (0..content.len()).step_by(7919) {
        let end = (start + 12_345).min(content.len());
        let selector = Selector::Bytes { start: Some(start as u64), end: Some(end as u64) };
        let expected = content.get(text::floor(&content, start)..text::floor(&content, end)).unwrap();
        assert_eq!(read(&kept, selector), expected, "bytes {start}-{end}");
    }
}

#[test]
fn a_line_range_reads_a_few_blocks_and_not_the_artifact() {
    use offcut_store::{Artifact, ArtifactInfo, StoreError};
    use std::cell::Cell;

    #[derive(Debug)]
    struct Watched<'a>(&'a dyn Artifact, std::sync::Mutex<Cell<u64>>);
    impl Artifact for Watched<'_> {
        fn info(&self) -> &ArtifactInfo {
            self.0.info()
        }
        fn index(&self) -> &offcut_core::extent::Index {
            self.0.index()
        }
        fn read(&self, range: std::ops::Range<u64>) -> Result<Vec<u8>, StoreError> {
            let bytes = self.0.read(range)?;
            let read = self.1.lock().unwrap();
            read.set(read.get() + bytes.len() as u64);
            Ok(bytes)
        }
    }

    let content: String = (0..1_500_000).map(|number| format!("line {number}\n")).collect();
    let kept = Kept::new(&content);
    let artifact = kept.offcut.recall().open(&kept.id).unwrap();
    let watched = Watched(artifact.as_ref(), std::sync::Mutex::default());
    let mut out = Vec::new();
    let selector = Selector::Lines { start: Some(700_000), end: Some(700_099) };
    crate::recall::select(&watched, &selector, &mut out).unwrap();
    assert!(out.starts_with(b"line 699999\n") && out.ends_with(b"line 700098\n"));
    let read = watched.1.lock().unwrap().get();
    assert!(read <= 4 * 256 * 1024, "{read} bytes of {} were read", content.len());
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\r\n"),
        Just("\r"),
        Just("a"),
        Just("word "),
        Just("é"),
        Just("世"),
        Just("🎉"),
        Just("\n\n")
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_line_range_equals_the_naive_slice(content in any_text(), first in 1u64..40, count in 0u64..20) {
        let kept = Kept::new(&content);
        let selector = Selector::Lines { start: Some(first), end: Some(first + count) };
        let found = kept.offcut.recall().read(&kept.id, &selector);
        if first > text::lines(&content) {
            prop_assert_eq!(found.unwrap_err().code(), "bad_range");
        } else {
            prop_assert_eq!(found.unwrap().text, naive_lines(&content, first, first + count));
        }
    }

    #[test]
    fn byte_ranges_that_meet_lose_and_repeat_nothing(content in any_text(), at in 1u64..200) {
        prop_assume!(at < content.len() as u64 && text::floor(&content, at as usize) > 0);
        let kept = Kept::new(&content);
        let left = read(&kept, Selector::Bytes { start: None, end: Some(at) });
        let right = read(&kept, Selector::Bytes { start: Some(at), end: None });
        prop_assert_eq!(left + &right, content);
    }

    #[test]
    fn the_last_lines_equal_the_naive_slice(content in any_text(), count in 0u64..50) {
        let kept = Kept::new(&content);
        let lines = text::lines(&content);
        let expected = naive_lines(&content, lines.saturating_sub(count) + 1, lines);
        prop_assert_eq!(read(&kept, Selector::Tail(count)), expected);
    }
}

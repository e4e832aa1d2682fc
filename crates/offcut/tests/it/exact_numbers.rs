//! Every number that a reply says is compared with the output: what it shows is what it says, each gap is the argument
//! that returns exactly what is missing, and both together are the output.

use offcut::options::{Options, RedactionMode};
use offcut::recall::Selector;
use offcut::{Call, Offcut};
use offcut_core::limit::{Limit, Limits};
use offcut_core::text;
use proptest::prelude::*;
use regex::{Captures, Regex};

use crate::outputs::{any_output, handle_in};

pub(crate) fn offcut() -> Offcut {
    let mut options = Options::default();
    options.redaction.mode = Some(RedactionMode::Off);
    Offcut::builder().options(options).in_memory().memory_bound(256 * 1024).build().unwrap()
}

/// Checks the reply to `output`; says whether it was cut.
pub(crate) fn check(output: &[u8], limit: u64, strategy: &str) -> bool {
    let offcut = offcut();
    let call = Call::new("some_tool").limits(Limits::from(Limit::chars(limit))).strategy(strategy);
    let reply = offcut.process(call, output).unwrap();
    let report = &reply.report;
    if report.compacted {
        let handle = handle_in(&reply.text).unwrap();
        assert_eq!(recall_whole(&offcut, handle), recall_whole(&offcut, report.artifact_id.as_deref().unwrap()));
        return false;
    }
    if !report.was_truncated || report.kind == "binary" {
        return false;
    }
    let recall = offcut.recall();
    let id = report.artifact_id.as_deref().unwrap();
    let whole = recall.whole(id).unwrap();
    // Lines that end with CR alone are compared as if they ended with LF, as marks do.
    let lone = whole.contains('\r') && !whole.contains('\n');
    let even = |text: &str| if lone { text.replace('\r', "\n") } else { text.to_owned() };
    let whole = even(&whole);
    assert_eq!(report.original_lines, Some(text::lines(&whole)));
    let Some(handle) = handle_in(&reply.text) else { panic!("no header in {}", reply.text) };
    let (header, body) = reply.text.split_once('\n').unwrap();
    let body = even(body);
    let counts = Regex::new(r"^\[offcut \w+: (\d+) of (\d+) (line|item|record)s?\b").unwrap();
    let counts = counts.captures(header).unwrap_or_else(|| panic!("{header}"));
    let number = |at: usize| counts[at].parse::<u64>().unwrap();
    let fetch = |address: &str| even(&recall.read(handle, &Selector::at(address).unwrap()).unwrap().text);
    if let Some((_, call)) = header.split_once("Largest gap: ") {
        let address = call.split("lines=\"").nth(1).unwrap().split('"').next().unwrap();
        let largest = fetch(address);
        assert!(!largest.is_empty() && whole.contains(&largest), "{header}");
        return true;
    }
    assert_eq!((&counts[3], number(2)), ("line", text::lines(&whole)), "{header}");
    let kept: u64 = report.kept.iter().map(|(first, last)| last - first + 1).sum();
    assert_eq!(number(1), kept, "{header}");

    let mut missing = 0;
    let mut in_bytes = false;
    let mut fill = |gap: &Captures<'_>, before: &str| {
        let (first, last) = gap[1].trim_start_matches('b').split_once('-').unwrap();
        let (first, last): (u64, u64) = (first.parse().unwrap(), last.parse().unwrap());
        if gap[1].starts_with('b') {
            in_bytes = true;
        } else {
            assert!(1 <= first && first <= last && last <= text::lines(&whole), "{}", &gap[0]);
            assert!(report.kept.iter().all(|kept| kept.1 < first || last < kept.0), "{}: {:?}", &gap[0], report.kept);
            missing += last - first + 1;
        }
        format!("{before}{}", fetch(&gap[1]))
    };
    // A gap inside of a line, at the end of one, and on a line of its own.
    let inside = Regex::new(&format!(r" \[{handle} (b\d+-\d+)\] ")).unwrap();
    let filled = inside.replace_all(&body, |gap: &Captures<'_>| fill(gap, "")).into_owned();
    let behind = Regex::new(&format!(r"(?m) \[{handle} (\d+-\d+)\](\r?\n)")).unwrap();
    let filled = behind.replace_all(&filled, |gap: &Captures<'_>| fill(gap, &gap[2])).into_owned();
    let own = Regex::new(&format!(r"(?m)^\[{handle} (b?\d+-\d+)(?:: [^\n]*)?\]\n")).unwrap();
    let filled = own.replace_all(&filled, |gap: &Captures<'_>| fill(gap, "")).into_owned();
    assert!(!filled.contains(&format!("[{handle} ")), "a gap that is no address: {filled}");
    if header.contains("; each line without ") {
        // A line that lost its beginning still ends as it did.
        let pairs = || filled.lines().zip(whole.lines());
        assert!(in_bytes || filled.lines().count() == whole.lines().count(), "{}", reply.text);
        assert!(in_bytes || pairs().all(|(shown, line)| line.ends_with(shown)), "{}", reply.text);
        assert!(pairs().any(|(shown, line)| shown.len() < line.len()), "{header}");
    } else if in_bytes {
        // A gap inside of a line that stands on a line of its own ended that line.
        let joined = |text: &str| text.replace(['\n', '\r'], "");
        assert_eq!(joined(&filled), joined(&whole));
    } else {
        assert_eq!(missing, report.omitted_lines, "{}", reply.text);
        assert_eq!(filled, whole);
    }
    true
}

fn recall_whole(offcut: &Offcut, handle: &str) -> String {
    offcut.recall().whole(handle).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shown_and_what_is_missing_make_the_output(
        output in any_output(),
        limit in 400u64..6000,
        strategy in prop::sample::select(vec!["auto", "auto", "smart", "head_tail", "tail", "head", "lines"]),
    ) {
        check(&output, limit, strategy);
    }
}

/// A few hundred in an ordinary run; `LAW_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

fn log(lines: usize, end: &str) -> String {
    let line = |n: usize| match n % 997 {
        13 => format!("2026-11-15T10:00:00Z ERROR worker {n}: request failed with status 503{end}"),
        14 => format!("    at org.example.Thing.run(Thing.java:{n}){end}"),
        _ => format!("2026-11-15T10:00:00Z INFO request {n} was served in {} ms{end}", n % 7),
    };
    (1..=lines).map(line).collect()
}

#[test]
fn numbers_are_exact_on_both_sides_of_every_threshold() {
    for lines in [59_999, 60_001] {
        assert!(check(log(lines, "\n").as_bytes(), 4000, "auto"), "{lines} lines");
    }
    for size in [(1 << 20) - 100, (1 << 20) + 100, (16 << 20) + 100] {
        let mut output = log(size / 55, "\n");
        output.truncate(size);
        assert!(check(output.as_bytes(), 4000, "auto"), "{size} bytes");
    }
    for end in ["\r\n", "\r"] {
        assert!(check(log(3000, end).as_bytes(), 4000, "auto"), "{end:?}");
    }
}

#[test]
fn data_counts_its_own_elements() {
    let header = |output: &str| {
        let call = Call::new("http_request").limits(Limits::from(Limit::chars(3000)));
        let reply = offcut().process(call, output).unwrap();
        assert!(reply.report.was_truncated);
        check(output.as_bytes(), 3000, "auto");
        let header = reply.text.lines().next().unwrap().to_owned();
        header.split_once(": ").unwrap().1.split(['.', ';']).next().unwrap().to_owned()
    };
    let objects: Vec<String> = (0..1000).map(|n| format!("{{\"id\":{n},\"name\":\"user number {n}\"}}")).collect();
    assert!(header(&format!("[{}]", objects.join(","))).ends_with(" of 1000 items"));
    assert!(header(&(objects.join("\n") + "\n")).ends_with(" of 1000 records"));
    let rows: String = (0..5000).map(|n| format!("{n},user {n},{}\n", n * 7)).collect();
    let said = header(&format!("id,name,amount\n{rows}"));
    assert!(said.ends_with(" of 5001 lines"), "{said}");
}

//! The laws, over random outputs, profiles, strategies, limits and chunkings.

use std::io::Write;

use offcut::options::{LimitOption, Options, RedactionMode};
use offcut::profile::Profile;
use offcut::{Call, Offcut, Reply};
use offcut_core::limit::{Limit, Limits, Unit};
use offcut_core::text;
use offcut_core::tokens::{TokenCounter, Tokenizer};
use proptest::prelude::*;

use crate::outputs::{any_output, in_chunks, without_ids, without_times};

const STRATEGIES: [&str; 9] = ["none", "head", "tail", "head_tail", "lines", "element", "smart", "auto", "auto"];

/// The tokenizers that can be configured; a limit in tokens is counted by the second of each pair.
const TOKENIZERS: [(&str, Tokenizer); 3] =
    [("estimate", Tokenizer::O200k), ("o200k", Tokenizer::O200k), ("cl100k", Tokenizer::Cl100k)];

fn offcut(profile: Profile, tokenizer: &str) -> Offcut {
    let mut options = Options {
        profile: Some(profile.name().to_owned()),
        tokenizer: Some(tokenizer.to_owned()),
        ..Options::default()
    };
    options.redaction.mode = Some(RedactionMode::Off);
    if matches!(profile, Profile::Auto | Profile::Balanced) {
        options.artifact_threshold = Some(LimitOption::Number(20_000));
    }
    Offcut::builder().options(options).in_memory().memory_bound(64 * 1024).build().unwrap()
}

fn call(limit: Limits, strategy: &str, profile: Profile) -> Call {
    let call = Call::new("some_tool").limits(limit);
    // `paged`, `handle` and `bookends` have shapes of their own; a strategy would be ignored.
    if matches!(profile, Profile::Auto | Profile::Balanced) { call.strategy(strategy) } else { call }
}

fn reply(offcut: &Offcut, call: Call, output: &[u8], sizes: &[usize]) -> Reply {
    let mut intake = offcut.intake(call).unwrap();
    for chunk in in_chunks(output, sizes) {
        intake.write_all(chunk).unwrap();
    }
    intake.finish()
}

type Case = (Vec<u8>, Vec<usize>, Profile, &'static str, Limits, (&'static str, Tokenizer));

fn any_case() -> impl Strategy<Value = Case> {
    let limit = prop_oneof![
        (400u64..12_000).prop_map(|n| Limits::from(Limit::chars(n))),
        (400u64..12_000).prop_map(|n| Limits::from(Limit::bytes(n))),
        (200u64..3000).prop_map(|n| format!("{n} tokens").parse().unwrap()),
        (8u64..300, 400u64..12_000).prop_map(|(lines, bytes)| format!("{lines} lines, {bytes} bytes").parse().unwrap()),
    ];
    (
        any_output(),
        proptest::collection::vec(1usize..5000, 1..6),
        prop::sample::select(Profile::ALL.to_vec()),
        prop::sample::select(STRATEGIES.to_vec()),
        limit,
        prop::sample::select(TOKENIZERS.to_vec()),
    )
}

fn within(reply: &str, limits: &Limits, tokenizer: Tokenizer, on_top: u64) -> Result<(), TestCaseError> {
    for limit in limits.each() {
        let size = match limit.unit() {
            Unit::Chars => text::chars(reply),
            Unit::Bytes => reply.len() as u64,
            Unit::Lines if on_top > 0 => continue,
            // An output that is shorter than any notice is shown whole, however many lines it has.
            Unit::Lines if text::chars(reply) < 100 => continue,
            Unit::Lines => text::lines(reply),
            Unit::Tokens => tokenizer.count(reply),
        };
        let on_top = if limit.unit() == Unit::Tokens { on_top / 4 } else { on_top };
        prop_assert!(size <= limit.amount() + on_top, "{size} over {limit} + {on_top}:\n{reply}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_reply_keeps_the_laws((output, sizes, profile, strategy, limits, (name, tokenizer)) in any_case()) {
        let offcut = offcut(profile, name);
        let call = call(limits.clone(), strategy, profile);
        let reply = reply(&offcut, call.clone(), &output, &sizes);
        let report = &reply.report;

        // Deterministic, whatever the chunking. In a session of its own: one in 26,000 handles begins like the first
        // and would be longer there, and then a little less fits.
        let again = self::offcut(profile, name).process(call, &output).unwrap();
        prop_assert_eq!(without_times(&without_ids(&reply.text)), without_times(&without_ids(&again.text)));

        if report.kind == "binary" {
            return Ok(());
        }
        // The limit holds, and no reply outgrows its output.
        let on_top = if profile.notices_count() { 0 } else { 1200 };
        within(&reply.text, &limits, tokenizer, on_top)?;
        prop_assert!(report.truncated_size <= report.original_size.unwrap(), "{}", reply.text);
        prop_assert_eq!(report.truncated_size, text::chars(&reply.text));

        let Some(id) = &report.artifact_id else {
            // Nothing is lost: what was not stored is shown.
            prop_assert!(!report.was_truncated, "{}", reply.text);
            return Ok(());
        };
        // What was cut off is kept, and the reply names it.
        prop_assert!(report.was_truncated != report.compacted);
        let handle = report.artifact_handle.as_ref().unwrap_or(id);
        let named = reply.text.contains(handle) || report.notice.as_ref().is_some_and(|n| n.contains(handle));
        prop_assert!(named, "{}", reply.text);
        let whole = offcut.recall().whole(id).unwrap();
        prop_assert_eq!(text::chars(&whole), report.original_size.unwrap());
        prop_assert_eq!(text::lines(&whole), report.original_lines.unwrap());

        // Kept and omitted lines make the whole.
        let kept: u64 = report.kept.iter().map(|(first, last)| last - first + 1).sum();
        prop_assert_eq!(kept + report.omitted_lines, report.original_lines.unwrap(), "{:?} {}", report.kept, reply.text);
        prop_assert!(report.kept.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }
}

/// A few thousand in an ordinary run; `LAW_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1500)
}

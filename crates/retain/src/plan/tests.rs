use proptest::prelude::*;

use super::*;
use crate::CacheMarks;
use crate::prices::PriceList;

fn tariff(name: &str) -> Tariff {
    PriceList::built_in().named(name).unwrap().tariff(CacheMarks::of_agents())
}

/// A conversation with one call a turn: instructions, then an answer and a result for each, a minute apart but for a
/// pause of an hour before each of `cold`.
fn talk(results: &[u64], cold: &[u64]) -> (Vec<Piece>, Vec<RequestShape>) {
    let words = |tokens, request| Piece { raw: tokens, tokens, short: None, request, turn: 0, result: false };
    let mut pieces = vec![words(4000, 0)];
    let mut requests = vec![RequestShape { turn: 0, blocks: 1, at_ms: Some(0) }];
    let mut now = 0;
    for (request, tokens) in (1u64..).zip(results) {
        pieces.push(words(100, request));
        let short = Some(90).filter(|short| short < tokens);
        pieces.push(Piece { raw: *tokens, tokens: *tokens, short, request, turn: request, result: true });
        now += if cold.contains(&request) { 3_600_001 } else { 10_000 };
        requests.push(RequestShape { turn: request, blocks: 1 + 2 * request, at_ms: Some(now) });
    }
    (pieces, requests)
}

fn played(results: &[u64], name: &str, usage: UsagePattern, cold: &[u64]) -> Plan {
    let (pieces, requests) = talk(results, cold);
    plan(&pieces, &requests, &Rules::new(tariff(name)), usage)
}

#[test]
fn a_request_costs_what_is_read_and_what_is_written() {
    // 4,000 tokens of instructions, then 100 and 1,000, then 100 and 1,000.
    let plan = played(&[1000, 1000], "claude-sonnet", UsagePattern::Never, &[]);
    let (read, write) = (300_000, 3_750_000);
    let expected = 4000 * write + (4000 * read + 1100 * write) + (5100 * read + 1100 * write);
    assert_eq!((plan.spent, plan.alone, plan.never, plan.batches), (expected, expected, expected, 0));
    assert_eq!((plan.tokens, plan.raw_tokens), (6200, 6200));
    // After a pause everything is written again.
    let cold = played(&[1000, 1000], "claude-sonnet", UsagePattern::Never, &[2]);
    assert_eq!(cold.spent, 4000 * write + (4000 * read + 1100 * write) + 6200 * write);
}

#[test]
fn shortening_reads_everything_behind_it_anew() {
    let plan = played(&[1000, 1000, 1000], "gpt-5", UsagePattern::Window, &[]);
    assert_eq!(plan.shortened.iter().flatten().collect::<Vec<_>>(), [&3]);
    // The third request finds the instructions and the first answer, but for half a step of 128.
    let hit = 4100 - 64;
    assert_eq!(plan.last, hit * 125_000 + (4000 + 3 * 1100 - 910 - hit) * 1_250_000);
}

#[test]
fn a_large_result_goes_as_soon_as_little_stands_behind_it() {
    let mut results = vec![50; 30];
    results[5] = 20_000;
    let plan = played(&results, "claude-sonnet", UsagePattern::Pays, &[]);
    assert_eq!(plan.shortened[12], Some(8));
    assert!(plan.spent * 3 < plan.alone * 2);
}

#[test]
fn small_results_stay_where_shortening_would_cost_more_than_may_be_spent_ahead() {
    let results = vec![300; 20];
    for name in ["claude-sonnet", "gpt-5"] {
        let plan = played(&results, name, UsagePattern::Pays, &[]);
        assert_eq!((plan.batches, plan.spent), (0, plan.alone), "{name}");
        assert!(played(&results, name, UsagePattern::Window, &[]).spent > plan.alone, "{name}");
    }
}

#[test]
fn a_cold_cache_is_the_moment_for_everything() {
    let plan = played(&[300; 20], "claude-sonnet", UsagePattern::Pays, &[12]);
    let at: Vec<u64> = plan.shortened.iter().flatten().copied().collect();
    assert_eq!(at, [12; 10]);
    assert!(plan.spent < plan.alone);
}

#[test]
fn what_is_not_cached_goes_at_once() {
    let list = PriceList::built_in();
    let (pieces, requests) = talk(&[300; 20], &[]);
    // No marks at all, and marks on the instructions only.
    for marks in [CacheMarks::default(), CacheMarks { depths: 0, ..CacheMarks::of_agents() }] {
        let tariff = list.named("claude-sonnet").unwrap().tariff(marks);
        let plan = plan(&pieces, &requests, &Rules::new(tariff), UsagePattern::Pays);
        assert_eq!(plan.shortened.iter().flatten().count(), 18, "{marks:?}");
        assert_eq!(plan.shortened[2], Some(3), "{marks:?}");
    }
}

#[test]
fn a_request_with_more_blocks_than_the_provider_looks_back_is_one_with_a_cold_cache() {
    let (pieces, mut requests) = talk(&[300; 20], &[]);
    requests.iter_mut().skip(12).for_each(|request| request.blocks += 30);
    let one_mark = CacheMarks { depths: 1, ..CacheMarks::of_agents() };
    let marked_once = PriceList::built_in().named("claude-sonnet").unwrap().tariff(one_mark);
    let played = |tariff| plan(&pieces, &requests, &Rules::new(tariff), UsagePattern::Pays);
    assert_eq!(played(marked_once).shortened.into_iter().flatten().collect::<Vec<_>>(), [12; 10]);
    // A second mark, on the message before, finds it.
    assert_eq!(played(tariff("claude-sonnet")).batches, 0);
}

#[test]
fn a_full_context_forces_it() {
    let plan = played(&[2000; 90], "claude-sonnet", UsagePattern::Pays, &[]);
    let most = tariff("claude-sonnet").context * 8 / 10;
    assert!(plan.tokens < most, "{}", plan.tokens);
    assert!(plan.raw_tokens > 160_000);
}

#[test]
fn the_newest_stay_whole() {
    let plan = played(&[20_000, 20_000, 20_000, 20_000], "gpt-4o", UsagePattern::Pays, &[]);
    assert_eq!(plan.shortened[8], None);
    assert_eq!(plan.shortened[6], None);
    assert!(plan.shortened[2].is_some());
}

fn results() -> impl Strategy<Value = Vec<u64>> {
    let size = prop_oneof![8 => 10u64..800, 2 => 800u64..2000, 1 => 2000u64..40_000];
    prop::collection::vec(size, 0..120)
}

fn price_names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "claude-opus",
        "claude-haiku",
        "gpt-5.6",
        "gpt-5",
        "gpt-4.1",
        "gpt-4o",
        "gemini",
        "deepseek",
    ])
}

proptest! {
    #[test]
    fn a_longer_conversation_repeats_every_decision(results in results(), more in results(), name in price_names(), pause in 0u64..150) {
        let cold: Vec<u64> = [pause].into_iter().filter(|request| *request <= results.len() as u64).collect();
        let before = played(&results, name, UsagePattern::Pays, &cold);
        let longer: Vec<u64> = results.iter().chain(&more).copied().collect();
        let after = played(&longer, name, UsagePattern::Pays, &cold);
        for (then, now) in before.shortened.iter().zip(&after.shortened) {
            prop_assert!(then.is_none() || then == now);
        }
    }

    #[test]
    fn at_no_moment_is_it_half_a_percent_dearer_than_cutting_alone(
        results in results(), name in price_names(), pauses in prop::collection::vec(0u64..120, 0..4),
        instructions in prop_oneof![1 => 1u64..1500, 3 => 1500u64..20_000],
    ) {
        // A full context forces what must be, so it is out of the way here.
        let mut tariff = tariff(name);
        tariff.context = u64::MAX / 1000;
        let (mut pieces, requests) = talk(&results, &pauses);
        pieces[0] = Piece { raw: instructions, tokens: instructions, ..pieces[0] };
        for end in 0..=results.len() {
            let pieces: Vec<Piece> = pieces.iter().filter(|piece| piece.request <= end as u64).copied().collect();
            let plan = plan(&pieces, &requests[..=end], &Rules::new(tariff), UsagePattern::Pays);
            prop_assert!(plan.spent * 1000 <= plan.alone * 1005, "{} {} at {end}", plan.spent, plan.alone);
        }
    }

    #[test]
    fn the_window_and_the_newest_hold(results in results()) {
        let (pieces, requests) = talk(&results, &[]);
        let plan = plan(&pieces, &requests, &Rules::new(tariff("gpt-4o")), UsagePattern::Pays);
        for (piece, at) in pieces.iter().zip(&plan.shortened) {
            if let Some(at) = at {
                prop_assert!(piece.result && piece.short.is_some() && at - piece.turn >= 2);
            }
        }
    }
}

use proptest::prelude::*;

use super::*;
use crate::CacheMarks;
use crate::prices::PriceList;

fn tariff(name: &str) -> Tariff {
    PriceList::built_in().named(name).unwrap().tariff(CacheMarks { marked: true, long: false })
}

/// A conversation with one call a turn: instructions, then an answer and a result for each.
fn talk(results: &[u64]) -> (Vec<Piece>, Vec<u64>) {
    let words = |tokens, request| Piece { raw: tokens, tokens, short: None, request, turn: 0, result: false };
    let mut pieces = vec![words(4000, 0)];
    for (request, tokens) in (1u64..).zip(results) {
        pieces.push(words(100, request));
        let short = Some(90).filter(|short| short < tokens);
        pieces.push(Piece { raw: *tokens, tokens: *tokens, short, request, turn: request, result: true });
    }
    (pieces, (0..=results.len() as u64).collect())
}

fn played(results: &[u64], name: &str, usage: UsagePattern, cold: &[u64]) -> Plan {
    let (pieces, turn_at) = talk(results);
    plan(&pieces, &turn_at, &cold.iter().copied().collect(), &Rules::new(tariff(name)), usage)
}

#[test]
fn a_request_costs_what_is_read_and_what_is_written() {
    // 4,000 tokens of instructions, then 100 and 1,000, then 100 and 1,000.
    let plan = played(&[1000, 1000], "claude-sonnet", UsagePattern::Never, &[]);
    let (read, write) = (300_000, 3_750_000);
    let expected = 4000 * write + (4000 * read + 1100 * write) + (5100 * read + 1100 * write);
    assert_eq!((plan.spent, plan.never, plan.batches), (expected, expected, 0));
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
    assert_eq!(plan.deepest_debt, 0);
    assert!(plan.spent * 3 < plan.never * 2);
    assert!(plan.spent < played(&results, "claude-sonnet", UsagePattern::KeepLast(5), &[]).spent);
}

#[test]
fn small_results_stay_where_shortening_would_cost_more_than_it_saves() {
    let results = vec![300; 20];
    for name in ["claude-sonnet", "gpt-5"] {
        let plan = played(&results, name, UsagePattern::Pays, &[]);
        assert_eq!((plan.batches, plan.spent), (0, plan.never), "{name}");
        assert!(played(&results, name, UsagePattern::Window, &[]).spent > plan.never, "{name}");
    }
}

#[test]
fn a_cold_cache_is_the_moment_for_everything() {
    let plan = played(&[300; 20], "claude-sonnet", UsagePattern::Pays, &[12]);
    let at: Vec<u64> = plan.shortened.iter().flatten().copied().collect();
    assert_eq!(at, [12; 10]);
    assert!(plan.spent < plan.never);
}

#[test]
fn where_nothing_is_cached_everything_goes_at_once() {
    let list = PriceList::built_in();
    let plain = list.named("claude-sonnet").unwrap().tariff(CacheMarks::default());
    let (pieces, turn_at) = talk(&[300; 20]);
    let plan = plan(&pieces, &turn_at, &BTreeSet::new(), &Rules::new(plain), UsagePattern::Pays);
    assert_eq!(plan.shortened.iter().flatten().count(), 18);
    assert_eq!(plan.shortened[2], Some(3));
}

#[test]
fn a_full_context_forces_it() {
    let plan = played(&[2000; 90], "claude-sonnet", UsagePattern::Pays, &[]);
    let most = (tariff("claude-sonnet").context * 8 / 10) as usize;
    assert!(plan.tokens < most as u64, "{}", plan.tokens);
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

proptest! {
    #[test]
    fn a_longer_conversation_repeats_every_decision(results in results(), more in results(), name in prop::sample::select(vec!["claude-sonnet", "gpt-5", "gpt-4o"]), pause in 0u64..150) {
        let cold: Vec<u64> = [pause].into_iter().filter(|request| *request <= results.len() as u64).collect();
        let before = played(&results, name, UsagePattern::Pays, &cold);
        let longer: Vec<u64> = results.iter().chain(&more).copied().collect();
        let after = played(&longer, name, UsagePattern::Pays, &cold);
        for (then, now) in before.shortened.iter().zip(&after.shortened) {
            prop_assert!(then.is_none() || then == now);
        }
    }

    #[test]
    fn a_young_conversation_never_costs_more_than_one_that_is_left_alone(results in results(), name in prop::sample::select(vec!["claude-opus", "gpt-5.6", "gpt-5", "gpt-4.1", "gpt-4o", "deepseek"])) {
        let young: Vec<u64> = results.into_iter().take(29).collect();
        let plan = played(&young, name, UsagePattern::Pays, &[]);
        prop_assert!(plan.spent <= plan.never, "{} {}", plan.spent, plan.never);
    }

    #[test]
    fn no_conversation_ever_costs_half_a_percent_more(results in results(), name in prop::sample::select(vec!["claude-opus", "gpt-5.6", "gpt-5", "gpt-4.1", "gpt-4o", "deepseek"])) {
        // A full context forces what must be, so it is out of the way here.
        let mut tariff = tariff(name);
        tariff.context = u64::MAX / 1000;
        let (pieces, turn_at) = talk(&results);
        for end in 0..=results.len() {
            let pieces: Vec<Piece> = pieces.iter().filter(|piece| piece.request <= end as u64).copied().collect();
            let plan = plan(&pieces, &turn_at[..=end], &BTreeSet::new(), &Rules::new(tariff), UsagePattern::Pays);
            prop_assert!(plan.spent * 1000 <= plan.never * 1005, "{} {} at {end}", plan.spent, plan.never);
        }
    }

    #[test]
    fn the_window_and_the_newest_hold(results in results()) {
        let (pieces, turn_at) = talk(&results);
        let rules = Rules::new(tariff("gpt-4o"));
        let plan = plan(&pieces, &turn_at, &BTreeSet::new(), &rules, UsagePattern::Pays);
        for (piece, at) in pieces.iter().zip(&plan.shortened) {
            if let Some(at) = at {
                prop_assert!(piece.result && piece.short.is_some() && at - piece.turn >= 2);
            }
        }
    }
}

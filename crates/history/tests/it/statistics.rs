//! What is counted, in all and by group.

use std::collections::BTreeMap;

use offcut::event::{Event, Record, Requester};
use offcut_history::{CallFilter, CallOrder, GroupBy, Period};

use crate::testkit::{HOUR, Place, artifact, reply, retrieval};

#[test]
fn rates_and_reductions_are_counted_by_tool() {
    let place = Place::new();
    place.add([
        reply(1010, "a", 1000, 100, 10),
        reply(1020, "a", 50, 50, 20),
        reply(1030, "b", 10, 10, 30),
        retrieval(9000, "art_1_a", "lines 1-5", Requester::Model, "ok"),
        retrieval(9000, "art_1_a", "whole", Requester::User, "not_found"),
    ]);
    let statistics = place.history().statistics(Period::default(), Some(GroupBy::Tool)).unwrap();
    let total = &statistics.total;
    assert_eq!((total.calls, total.truncated, total.redactions, total.median_us), (3, 1, 6, 20));
    assert_eq!((total.original_tokens, total.truncated_tokens, total.saved_tokens()), (264, 39, 225));
    let groups = statistics.groups.unwrap();
    assert_eq!((groups["a"].truncation_rate, groups["b"].truncation_rate), (0.5, 0.0));
    assert_eq!(groups["a"].size_reduction, 900.0 / 1050.0);
    let retrievals = &statistics.retrievals;
    assert_eq!((retrievals.total, retrievals.failed, retrievals.by_models, retrievals.bytes), (2, 1, 1, 200));
    assert_eq!(retrievals.by_range, BTreeMap::from([("lines".to_owned(), 1), ("whole".to_owned(), 1)]));
    assert_eq!(retrievals.most_asked, [("art_1_a".to_owned(), 2)]);
    assert_eq!((statistics.from_ms, statistics.to_ms), (Some(1010), Some(9000)));
    assert_eq!(statistics.redactions_by_kind, BTreeMap::from([("JWT".to_owned(), 6)]));
}

#[test]
fn artifacts_are_counted_under_the_kind_of_their_reply_once() {
    let place = Place::new();
    place.add([artifact(1, "art_5_a", 1000), reply(5, "bash", 1000, 100, 10), artifact(6, "art_6_b", 500)]);
    let history = place.history();
    // The same output again has the same artifact.
    place.add([reply(5, "bash", 1000, 100, 10)]);
    let history = {
        drop(history);
        place.history()
    };
    let counted = |by| {
        let statistics = history.statistics(Period::default(), Some(by)).unwrap();
        (statistics.total.artifacts, statistics.groups.unwrap())
    };
    let (total, kinds) = counted(GroupBy::Kind);
    assert_eq!((total, kinds["log"].artifacts, kinds["log"].artifact_bytes), (2, 1, 1000));
    let (_, agents) = counted(GroupBy::Agent);
    assert_eq!(agents["claude"].artifacts, 1);
    let (_, tools) = counted(GroupBy::Tool);
    assert_eq!((tools["bash"].artifacts, tools["bash"].artifact_bytes), (2, 1500));
}

#[test]
fn a_period_may_begin_within_an_hour() {
    let place = Place::new();
    let start = 500_000 * HOUR;
    place.add((0..120).map(|minute| reply(start + minute * 60_000, "bash", 1000, 100, 10)));
    place.add((0..120).map(|minute| retrieval(start + minute * 60_000, "art_1_a", "whole", Requester::User, "ok")));
    let history = place.history();
    for minutes in [0, 1, 30, 59, 60, 61, 119, 120] {
        let since_ms = start + minutes * 60_000;
        let statistics = history.statistics(Period { since_ms }, Some(GroupBy::Strategy)).unwrap();
        let expected = 120 - minutes;
        assert_eq!((statistics.total.calls, statistics.retrievals.total), (expected, expected), "{minutes}");
        assert_eq!(statistics.groups.unwrap().get("smart").map_or(0, |group| group.calls), expected);
    }
}

#[test]
fn days_follow_each_other() {
    let place = Place::new();
    place.add([reply(0, "bash", 10, 10, 1), reply(25 * HOUR, "bash", 10, 10, 1), reply(26 * HOUR, "bash", 10, 10, 1)]);
    let statistics = place.history().statistics(Period::default(), Some(GroupBy::Day)).unwrap();
    let days: Vec<(&str, u64)> = statistics.days.iter().map(|day| (day.day.as_str(), day.counts.calls)).collect();
    // The first hour of 1970 stands for all that is too old to be known by the hour.
    assert_eq!(days, [("1970-01-02", 2)]);
    assert_eq!(statistics.groups.unwrap()["before"].calls, 1);
}

#[test]
fn questions_are_counted_with_their_calls_and_tokens() {
    let event = |mode: &str, outcome: &str, fallbacks| Event::Extraction {
        id: "art_1_a".to_owned(),
        session: "s".to_owned(),
        tool: "bash".to_owned(),
        by: Requester::Model,
        mode: mode.to_owned(),
        model: "m".to_owned(),
        calls: 3,
        input_tokens: 1000,
        output_tokens: 10,
        fallbacks,
        outcome: outcome.to_owned(),
        duration_us: 5,
    };
    let place = Place::new();
    let events = [event("search", "ok", 0), event("truncate", "nothing", 2), event("auto", "evicted", 0)];
    place.add(events.map(|event| Record { at_ms: 1, agent: String::new(), trace: None, event }));
    let statistics = place.history().statistics(Period::default(), None).unwrap();
    let asked = &statistics.extractions;
    assert_eq!((asked.total, asked.failed, asked.fallbacks, asked.calls), (3, 1, 2, 9));
    assert_eq!((asked.input_tokens, asked.output_tokens, asked.duration_us, statistics.total.calls), (3000, 30, 15, 0));
}

#[test]
fn calls_are_filtered_and_ordered() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 900), reply(2, "read", 5000, 100, 5), reply(3, "bash", 900, 100, 50)]);
    let history = place.history();
    let found = |filter: CallFilter, order| {
        let calls = history.calls(&filter, order, 10).unwrap();
        calls.iter().map(|call| call.at_ms).collect::<Vec<_>>()
    };
    assert_eq!(found(CallFilter::default(), CallOrder::Latest), [3, 2, 1]);
    assert_eq!(found(CallFilter::default(), CallOrder::Largest), [2, 3, 1]);
    assert_eq!(found(CallFilter::default(), CallOrder::Slowest), [1, 3, 2]);
    let bash = CallFilter { tool: Some("bash".to_owned()), ..CallFilter::default() };
    assert_eq!(found(bash, CallOrder::Latest), [3, 1]);
    let cut = CallFilter { truncated: true, before: Some(3), ..CallFilter::default() };
    assert_eq!(found(cut, CallOrder::Latest), [2]);
    assert_eq!(found(CallFilter { degraded: true, ..CallFilter::default() }, CallOrder::Latest), [0; 0]);
    assert_eq!(history.tools().unwrap(), ["bash", "read"]);
}

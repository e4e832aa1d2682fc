//! What was saved, net of what models read back.

use offcut::event::{Event, Record, Requester};
use offcut_history::{Balance, FILE, GroupBy, Period};

use crate::testkit::{HOUR, Place, reply, retrieval};

const AT: u64 = 50 * HOUR;

fn request(at_ms: u64, cost_before: f64, cost_after: f64) -> Record {
    let text = |text: &str| text.to_owned();
    Record {
        at_ms,
        agent: String::new(),
        trace: None,
        event: Event::Request {
            session: text("s"),
            conversation: text("c"),
            model: text("m"),
            format: text("anthropic"),
            request: 0,
            tokens_before: 1000,
            tokens_after: 400,
            cut: 1,
            shortened: 0,
            cost_before,
            cost_after,
            total_before: 0.0,
            total_after: 0.0,
        },
    }
}

#[test]
fn what_models_read_back_is_taken_off_and_what_people_look_at_is_not() {
    let place = Place::new();
    let (large, small) = (format!("art_{AT}_a"), format!("art_{}_a", AT + 1));
    place.add([
        reply(AT, "bash", 40_000, 4000, 5),
        reply(AT + 1, "grep", 1000, 900, 5),
        reply(AT + 2, "grep", 1000, 1000, 5),
        // Each of them returned 100 bytes.
        retrieval(AT + 3, &large, "lines 1-5", Requester::Model, "ok"),
        retrieval(AT + 4, &large, "whole", Requester::User, "ok"),
        retrieval(AT + 5, &small, "lines 1-5", Requester::Model, "ok"),
        retrieval(AT + 6, &small, "lines 6-9", Requester::Model, "ok"),
    ]);
    let savings = place.history().savings(Period::default()).unwrap();
    assert_eq!(
        savings.by_tool["bash"],
        Balance {
            calls: 1,
            truncated: 1,
            original_tokens: 10_000,
            not_sent_tokens: 9000,
            fetches: 1,
            fetched_tokens: 25,
            net_tokens: 8975,
            costlier_calls: 0
        }
    );
    assert_eq!(
        savings.by_tool["grep"],
        Balance {
            calls: 2,
            truncated: 1,
            original_tokens: 500,
            not_sent_tokens: 25,
            fetches: 2,
            fetched_tokens: 50,
            net_tokens: -25,
            costlier_calls: 1
        }
    );
    assert_eq!((savings.total.net_tokens, savings.total.costlier_calls), (8950, 1));
    assert_eq!(savings.by_agent["claude"], savings.total);
    assert_eq!((savings.from_ms, savings.to_ms), (Some(AT), Some(AT + 2)));
    let later = place.history().savings(Period { since_ms: AT + 1 }).unwrap();
    assert_eq!((later.total.calls, later.total.net_tokens), (2, -25));
}

#[test]
fn requests_are_counted_at_their_price_and_those_that_cost_more_are_told() {
    let place = Place::new();
    place.add([request(AT, 0.30, 0.10), request(AT + 1, 0.10, 0.15)]);
    let requests = place.history().savings(Period::default()).unwrap().requests;
    assert_eq!((requests.requests, requests.taken_out_tokens, requests.costlier_requests), (2, 1200, 1));
    assert!((requests.cost_before - 0.40).abs() < 1e-9 && (requests.cost_after - 0.25).abs() < 1e-9, "{requests:?}");
}

#[test]
fn a_file_of_the_first_version_gets_its_days_and_fetches() {
    let place = Place::new();
    let id = format!("art_{AT}_a");
    place.add([
        reply(AT, "bash", 40_000, 4000, 5),
        reply(AT + 30 * HOUR, "bash", 400, 400, 7),
        retrieval(AT + 3, &id, "lines 1-5", Requester::Model, "ok"),
        retrieval(AT + 4, &id, "whole", Requester::User, "ok"),
    ]);
    let told = |place: &Place| {
        let history = place.history();
        assert!(history.path().is_some());
        let statistics = history.statistics(Period::default(), Some(GroupBy::Day)).unwrap();
        (statistics, history.savings(Period::default()).unwrap())
    };
    let before = told(&place);
    assert_eq!((before.0.days.len(), before.1.total.fetches), (2, 1));
    let connection = rusqlite::Connection::open(place.path().join(FILE)).unwrap();
    let indexes = [
        "calls_fetched",
        "calls_tool_size",
        "calls_tool_duration",
        "calls_degraded_size",
        "calls_degraded_duration",
        "calls_redacted_size",
        "calls_redacted_duration",
        "events_latest",
        "events_asked",
    ];
    for index in indexes {
        connection.execute_batch(&format!("DROP INDEX {index}")).unwrap();
    }
    connection
        .execute_batch(
            "DROP TABLE days; ALTER TABLE calls DROP COLUMN fetches; ALTER TABLE calls DROP COLUMN fetched_bytes;
             PRAGMA user_version = 1",
        )
        .unwrap();
    drop(connection);
    assert_eq!(told(&place), before);
}

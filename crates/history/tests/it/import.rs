//! Every line of the log is taken in exactly once.

use std::fs;
use std::io::Write;

use offcut_history::{Bounds, CallFilter, CallOrder, FILE, History, Period};

use crate::testkit::{HOUR, Place, reply};

fn calls(history: &History) -> u64 {
    history.statistics(Period::default(), None).unwrap().total.calls
}

#[test]
fn what_is_logged_is_taken_in_once_however_often_it_is_opened() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    assert_eq!(calls(&place.history()), 1);
    place.add([reply(2, "bash", 100, 100, 5)]);
    let mut history = place.history();
    history.refresh().unwrap();
    assert_eq!((calls(&history), calls(&place.history())), (2, 2));
}

#[test]
fn a_call_comes_back_as_it_was() {
    let place = Place::new();
    place.add([reply(7, "bash", 1000, 100, 5)]);
    let history = place.history();
    let found = history.calls(&CallFilter::default(), CallOrder::Latest, 10).unwrap();
    let [call] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((call.at_ms, call.agent.as_str(), call.tool.as_str()), (7, "claude", "bash"));
    assert_eq!((call.kept.as_slice(), call.redactions["JWT"]), ([(1, 5), (90, 95)].as_slice(), 2));
    assert_eq!(history.call(call.id).unwrap().as_ref(), Some(call));
    assert_eq!(history.call_of_artifact("art_7_a").unwrap().as_ref(), Some(call));
    assert_eq!(history.call(call.id + 1).unwrap(), None);
}

#[test]
fn a_line_that_is_still_being_written_waits_and_broken_ones_are_passed_over() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    let mut file = fs::OpenOptions::new().append(true).open(place.log.path()).unwrap();
    let whole = serde_json::to_string(&reply(2, "bash", 100, 100, 5)).unwrap();
    let (first, rest) = whole.split_at(40);
    file.write_all(first.as_bytes()).unwrap();
    let mut history = place.history();
    assert_eq!(calls(&history), 1);
    writeln!(file, "{rest}\nnot an event\n{{\"at_ms\":{}}}", u64::MAX).unwrap();
    let huge = serde_json::to_string(&reply(3, "bash", u64::MAX, 1, 5)).unwrap();
    writeln!(file, "{huge}").unwrap();
    history.refresh().unwrap();
    assert_eq!(calls(&history), 2);
}

#[test]
fn a_log_that_was_put_aside_is_finished_and_the_new_one_begun() {
    let place = Place::new();
    place.add([reply(1, "bash", 100, 100, 5)]);
    let mut history = place.history();
    place.add([reply(2, "bash", 100, 100, 5)]);
    fs::rename(place.log.path(), place.path().join("events.1.jsonl")).unwrap();
    place.add([reply(3, "bash", 100, 100, 5)]);
    history.refresh().unwrap();
    assert_eq!(calls(&history), 3);
    // The next one that is put aside takes the place of the first.
    fs::rename(place.log.path(), place.path().join("events.1.jsonl")).unwrap();
    place.add([reply(4, "bash", 100, 100, 5)]);
    history.refresh().unwrap();
    assert_eq!(calls(&history), 4);
}

#[test]
fn readers_that_take_in_at_once_take_in_every_line_once() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || place.add((0..500).map(|number| reply(writer * 1000 + number, "bash", 10, 10, 1))));
        }
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| drop(place.history())));
        }
    });
    assert_eq!(calls(&place.history()), 2000);
}

#[test]
fn it_stays_within_its_bounds_and_sums_outlive_the_calls() {
    let place = Place::new();
    let day = 24 * HOUR;
    place.add((0..100).map(|number| reply(number * day + 1, "bash", 1000, 100, 5)));
    let mut history = place.history().bounded(Bounds { days: 10, ..Bounds::default() });
    history.sweep(100 * day).unwrap();
    let kept = |history: &History| history.calls(&CallFilter::default(), CallOrder::Latest, 1000).unwrap().len();
    assert_eq!((kept(&history), calls(&history)), (10, 100));
    let recent = history.statistics(Period { since_ms: 95 * day }, None).unwrap();
    assert_eq!(recent.total.calls, 5);
    // Sweeping twice changes nothing.
    history.sweep(100 * day).unwrap();
    assert_eq!((kept(&history), calls(&history)), (10, 100));
    assert_eq!(history.statistics(Period::default(), None).unwrap().redactions_by_kind["JWT"], 200);

    place.add((0..5000).map(|number| reply(100 * day + number, "bash", 1000, 100, 5)));
    history.refresh().unwrap();
    let bytes = 400_000;
    let mut history = history.bounded(Bounds { days: 10, bytes });
    history.sweep(100 * day).unwrap();
    assert!(kept(&history) < 5000, "{}", kept(&history));
    assert_eq!(calls(&history), 5100);
    drop(history);
    let size = fs::metadata(place.path().join(FILE)).unwrap().len();
    assert!(size <= bytes, "{size}");
}

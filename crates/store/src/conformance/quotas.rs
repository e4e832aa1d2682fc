//! What a store keeps when it is given limits.

use std::time::Duration;

use super::{Make, facts, keep, sample, session};
use crate::error::StoreError;
use crate::id::SessionId;
use crate::limits::{Limits, Rate, WhenFull};
use crate::store::Store;

fn ids(store: &dyn Store, session: &SessionId) -> Vec<String> {
    store.list(session).unwrap().iter().map(|info| info.id.to_string()).collect()
}

/// Stores contents of these sizes with a moment between them; their ids.
fn keep_all(store: &dyn Store, session: &SessionId, sizes: &[usize]) -> Vec<String> {
    let keep_one = |size: &usize| {
        std::thread::sleep(Duration::from_millis(2));
        keep(store, session, &sample(*size)).id.to_string()
    };
    sizes.iter().map(keep_one).collect()
}

fn refused(store: &dyn Store, session: &SessionId, size: usize) -> StoreError {
    let mut draft = store.draft(session).unwrap();
    draft.write(&sample(size)).unwrap();
    draft.commit(facts(&sample(size))).unwrap_err()
}

// S0 AC-107.
pub(super) fn an_artifact_of_the_largest_size_is_refused_and_one_byte_less_is_not(make: Make<'_>) {
    let (store, session) = (make(Limits { max_artifact_bytes: Some(5000), ..Limits::default() }), session("s"));
    keep(&*store, &session, &sample(4999));
    let mut draft = store.draft(&session).unwrap();
    draft.write(&sample(4000)).unwrap();
    let error = draft.write(&sample(1000)).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { size: 5000, max: 5000 }), "{error}");
    assert_eq!(draft.write(b"x").unwrap_err().code(), "misuse");
    assert_eq!(draft.commit(facts(&sample(4000))).unwrap_err().code(), "misuse");
    let mut read = vec![0; 4000];
    assert_eq!(draft.read_at(0, &mut read).unwrap(), 4000, "what came before it can still be read");
    drop(draft);
    assert_eq!(store.list(&session).unwrap().len(), 1);
}

pub(super) fn the_oldest_artifacts_make_room_and_are_remembered_as_evicted(make: Make<'_>) {
    let (store, session) = (make(Limits { session_artifacts: Some(3), ..Limits::default() }), session("s"));
    let kept = keep_all(&*store, &session, &[1, 2, 3, 4, 5]);
    assert_eq!(ids(&*store, &session), kept[2..]);
    for id in &kept[..2] {
        let error = store.open(&session, &id.parse().unwrap()).unwrap_err();
        assert_eq!(error.code(), "evicted");
        assert_eq!(error.to_string(), format!("artifact `{id}` was evicted to keep the session within its quota"));
    }
    let other = "other".parse().unwrap();
    let error = store.open(&other, &kept[0].parse().unwrap()).unwrap_err();
    assert_eq!(error.code(), "not_found", "another session is told nothing");
    assert_eq!(store.open(&session, &"art_1_x".parse().unwrap()).unwrap_err().code(), "not_found");
}

pub(super) fn a_session_stays_within_its_bytes(make: Make<'_>) {
    let (store, session) = (make(Limits { session_bytes: Some(1000), ..Limits::default() }), session("s"));
    let kept = keep_all(&*store, &session, &[400, 300, 300, 350]);
    assert_eq!(ids(&*store, &session), kept[1..]);
    let last = keep_all(&*store, &session, &[1000]);
    assert_eq!(ids(&*store, &session), last);
}

pub(super) fn a_full_session_rejects_if_it_was_told_to(make: Make<'_>) {
    let limits = Limits { session_artifacts: Some(2), when_full: WhenFull::Reject, ..Limits::default() };
    let (store, session) = (make(limits), session("s"));
    let kept = keep_all(&*store, &session, &[10, 20]);
    let error = refused(&*store, &session, 30);
    assert_eq!(error.code(), "quota_exceeded");
    assert_eq!(error.to_string(), "session `s` is at its quota of 2 artifacts");
    assert_eq!(ids(&*store, &session), kept);
    store.remove(&session, &kept[0].parse().unwrap()).unwrap();
    keep(&*store, &session, b"there is room again");
}

pub(super) fn an_artifact_larger_than_the_whole_quota_evicts_nothing(make: Make<'_>) {
    let (store, session) = (make(Limits { session_bytes: Some(1000), ..Limits::default() }), session("s"));
    let kept = keep_all(&*store, &session, &[400, 300]);
    assert_eq!(refused(&*store, &session, 1001).code(), "quota_exceeded");
    assert_eq!(ids(&*store, &session), kept);
}

// S0 threat 3: a rate limit.
pub(super) fn artifacts_are_created_no_faster_than_allowed(make: Make<'_>) {
    let rate = Rate { artifacts: 2, per: Duration::from_secs(3600) };
    let limits = Limits { rate: Some(rate), session_artifacts: Some(1), ..Limits::default() };
    let (store, session) = (make(limits), session("s"));
    keep_all(&*store, &session, &[1, 2]);
    let error = refused(&*store, &session, 3);
    assert!(matches!(error, StoreError::RateLimited { max: 2, seconds: 3600, wait_ms: 1.. }), "{error}");
    assert_eq!(store.list(&session).unwrap().len(), 1);
}

pub(super) fn a_quota_is_for_each_session(make: Make<'_>) {
    let store = make(Limits { session_artifacts: Some(1), ..Limits::default() });
    keep(&*store, &session("a"), b"x");
    keep(&*store, &session("b"), b"y");
    assert_eq!((store.list(&session("a")).unwrap().len(), store.list(&session("b")).unwrap().len()), (1, 1));
}

pub(super) fn what_was_evicted_is_forgotten_with_its_session(make: Make<'_>) {
    let (store, session) = (make(Limits { session_artifacts: Some(1), ..Limits::default() }), session("s"));
    let kept = keep_all(&*store, &session, &[1, 2]);
    let first = kept[0].parse().unwrap();
    assert_eq!(store.open(&session, &first).unwrap_err().code(), "evicted");
    store.clear(&session).unwrap();
    assert_eq!(store.open(&session, &first).unwrap_err().code(), "not_found");
}

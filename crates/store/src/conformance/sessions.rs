//! What a store keeps about sessions.

use std::time::{Duration, Instant};

use super::{Make, keep, session};
use crate::id::ArtifactId;
use crate::limits::Limits;
use crate::store::{Cleared, Sweep, Swept};

// S0 AC-063.
pub(super) fn an_unknown_id_is_not_found(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let unknown: ArtifactId = "art_1_nosuch".parse().unwrap();
    for _ in 0..2 {
        assert_eq!(store.open(&session, &unknown).unwrap_err().code(), "not_found");
        assert_eq!(store.remove(&session, &unknown).unwrap_err().code(), "not_found");
        keep(&*store, &session, b"something else");
    }
}

// S0 AC-051.
pub(super) fn another_sessions_artifact_cannot_be_told_from_an_unknown_one(make: Make<'_>) {
    let (store, mine, other) = (make(Limits::default()), session("mine"), session("other"));
    keep(&*store, &other, b"x");
    let theirs = keep(&*store, &mine, b"secret").id;
    let unknown: ArtifactId = "art_1_nosuch".parse().unwrap();
    let says = |id: &ArtifactId| {
        let opened = store.open(&other, id).unwrap_err();
        let removed = store.remove(&other, id).unwrap_err();
        format!("{opened} {opened:?} {removed} {removed:?}").replace(id.as_str(), "ID")
    };
    assert_eq!(says(&theirs), says(&unknown));
    assert_eq!(store.open(&mine, &theirs).unwrap().read(0..6).unwrap(), b"secret");
}

pub(super) fn a_listing_is_oldest_first_and_of_one_session(make: Make<'_>) {
    let (store, session_a, session_b) = (make(Limits::default()), session("a"), session("b"));
    let mut expected = Vec::new();
    for content in [b"1".as_slice(), b"22", b"333"] {
        expected.push(keep(&*store, &session_a, content));
        keep(&*store, &session_b, b"other");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(store.list(&session_a).unwrap(), expected);
}

pub(super) fn a_removed_artifact_is_gone_and_the_others_stay(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let (gone, stays) = (keep(&*store, &session, b"gone"), keep(&*store, &session, b"stays"));
    store.remove(&session, &gone.id).unwrap();
    assert_eq!(store.open(&session, &gone.id).unwrap_err().code(), "not_found");
    assert_eq!(store.remove(&session, &gone.id).unwrap_err().code(), "not_found");
    assert_eq!(store.list(&session).unwrap(), [stays]);
}

// S0 AC-053, AC-105.
pub(super) fn a_cleared_session_is_empty_and_the_others_stay(make: Make<'_>) {
    let (store, cleared, stays) = (make(Limits::default()), session("cleared"), session("stays"));
    let gone = [keep(&*store, &cleared, b"one"), keep(&*store, &cleared, b"four")];
    let kept = keep(&*store, &stays, b"kept");
    assert_eq!(store.clear(&cleared).unwrap(), Cleared { artifacts: 2, bytes: 7 });
    assert_eq!(store.clear(&cleared).unwrap(), Cleared::default());
    assert_eq!(store.list(&cleared).unwrap(), []);
    for info in gone {
        assert_eq!(store.open(&cleared, &info.id).unwrap_err().code(), "not_found");
    }
    assert_eq!(store.list(&stays).unwrap(), [kept]);
    let names: Vec<String> = store.sessions().unwrap().iter().map(|info| info.session.to_string()).collect();
    assert_eq!(names, ["stays"]);
    keep(&*store, &cleared, b"again");
    assert_eq!(store.list(&cleared).unwrap().len(), 1);
}

pub(super) fn sessions_are_listed_by_name_with_their_sizes(make: Make<'_>) {
    let store = make(Limits::default());
    keep(&*store, &session("b"), b"12345");
    let latest = keep(&*store, &session("a"), b"123");
    let last = keep(&*store, &session("a"), b"4567").created_ms.max(latest.created_ms);
    let lease = store.attach(&session("c")).unwrap();
    let infos = store.sessions().unwrap();
    let seen: Vec<_> =
        infos.iter().map(|info| (info.session.as_str(), info.artifacts, info.stored_bytes, info.in_use)).collect();
    assert_eq!(seen, [("a", 2, 7, false), ("b", 1, 5, false), ("c", 0, 0, true)]);
    assert_eq!((infos[0].latest_ms, infos[2].latest_ms), (last, 0));
    drop(lease);
}

pub(super) fn an_abandoned_session_is_swept_and_one_in_use_is_not(make: Make<'_>) {
    let (store, left, used) = (make(Limits::default()), session("left"), session("used"));
    drop(store.attach(&left).unwrap());
    let lease = store.attach(&used).unwrap();
    keep(&*store, &left, b"left behind");
    keep(&*store, &used, b"in use");
    assert_eq!(store.sweep(&Sweep::default()).unwrap(), Swept::default());
    let swept = store.sweep(&Sweep { abandoned: true, ..Sweep::default() }).unwrap();
    assert_eq!(swept, Swept { leftovers: 0, artifacts: 1, sessions: 1, bytes: 11 });
    assert_eq!(store.list(&left).unwrap(), []);
    assert_eq!(store.list(&used).unwrap().len(), 1);
    drop(lease);
    assert_eq!(store.sweep(&Sweep { abandoned: true, ..Sweep::default() }).unwrap().sessions, 1);
    assert_eq!(store.sessions().unwrap(), []);
}

pub(super) fn a_session_that_was_never_attached_is_not_abandoned(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    keep(&*store, &session, b"x");
    assert_eq!(store.sweep(&Sweep { abandoned: true, ..Sweep::default() }).unwrap(), Swept::default());
    assert_eq!(store.list(&session).unwrap().len(), 1);
}

// S0 AC-053, AC-105.
pub(super) fn the_last_lease_to_end_clears_the_session(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let (first, second) = (store.attach(&session).unwrap(), store.attach(&session).unwrap());
    assert_eq!(first.session(), &session);
    keep(&*store, &session, b"four");
    assert_eq!(first.end().unwrap(), None);
    assert_eq!(store.list(&session).unwrap().len(), 1);
    assert_eq!(second.end().unwrap(), Some(Cleared { artifacts: 1, bytes: 4 }));
    assert_eq!(store.sessions().unwrap(), []);
}

pub(super) fn old_artifacts_are_swept_by_age(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let old = keep(&*store, &session, b"old");
    std::thread::sleep(Duration::from_secs(2));
    let between = Instant::now();
    let young = keep(&*store, &session, b"young");
    let hour = Sweep { older_than: Some(Duration::from_secs(3600)), ..Sweep::default() };
    assert_eq!(store.sweep(&hour).unwrap(), Swept::default());
    // However slow the store: the one is a second older than this, the other a second younger.
    let age = between.elapsed() + Duration::from_secs(1);
    let swept = store.sweep(&Sweep { older_than: Some(age), ..Sweep::default() }).unwrap();
    assert_eq!((swept.artifacts, swept.bytes), (1, 3));
    assert_eq!(store.list(&session).unwrap(), [young]);
    assert_eq!(store.open(&session, &old.id).unwrap_err().code(), "not_found");
}

pub(super) fn an_empty_store_has_nothing_and_says_so(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    assert_eq!(store.list(&session).unwrap(), []);
    assert_eq!(store.sessions().unwrap(), []);
    assert_eq!(store.clear(&session).unwrap(), Cleared::default());
    let all = Sweep { older_than: Some(Duration::ZERO), abandoned: true, ..Sweep::default() };
    assert_eq!(store.sweep(&all).unwrap(), Swept::default());
    assert!(!store.location().is_empty());
}

pub(super) fn what_was_put_aside_comes_back_and_goes_with_its_artifact(make: Make<'_>) {
    let store = make(Limits::default());
    let session = session("a");
    let info = keep(store.as_ref(), &session, b"content");
    let artifact = store.open(&session, &info.id).unwrap();
    assert_eq!(artifact.aside().unwrap(), None);
    artifact.put_aside(b"first").unwrap();
    artifact.put_aside(b"second").unwrap();
    // A store may decline to keep it.
    let again = store.open(&session, &info.id).unwrap();
    assert!(matches!(again.aside().unwrap().as_deref(), Some(b"second") | None));
    assert_eq!(again.read(0..7).unwrap(), b"content");
    assert_eq!(store.list(&session).unwrap().len(), 1);
    store.remove(&session, &info.id).unwrap();
    store.sweep(&Sweep::default()).unwrap();
    assert_eq!(store.list(&session).unwrap().len(), 0);
}

pub(super) fn an_abandoned_session_with_a_young_artifact_is_left_where_that_is_asked(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    drop(store.attach(&session).unwrap());
    keep(store.as_ref(), &session, b"x");
    let hour = Sweep { abandoned: true, idle: Duration::from_secs(3600), ..Sweep::default() };
    assert_eq!(store.sweep(&hour).unwrap().sessions, 0);
    assert_eq!(store.list(&session).unwrap().len(), 1);
    assert_eq!(store.sweep(&Sweep { idle: Duration::ZERO, ..hour }).unwrap().sessions, 1);
}

pub(super) fn a_note_is_left_once_and_read_by_everybody(make: Make<'_>) {
    let store = make(Limits::default());
    assert_eq!(store.note("a-1").unwrap(), None);
    // A store that is not shared may decline to keep it.
    if store.add_note("a-1", b"first").unwrap() {
        assert!(!store.add_note("a-1", b"second").unwrap());
        assert_eq!(store.note("a-1").unwrap().as_deref(), Some(&b"first"[..]));
        store.sweep(&Sweep::default()).unwrap();
        assert!(store.note("a-1").unwrap().is_some());
        store.remove_note("a-1").unwrap();
    } else {
        assert!(!store.is_shared());
    }
    store.remove_note("a-1").unwrap();
    assert_eq!(store.note("a-1").unwrap(), None);
    assert_eq!(store.sessions().unwrap(), []);
}

//! Finding artifacts by their terms.

use std::collections::BTreeSet;

use super::{Make, facts, keep, session};
use crate::artifact::Facts;
use crate::id::{ArtifactId, SessionId};
use crate::limits::Limits;
use crate::store::Store;

fn keep_with(store: &dyn Store, session: &SessionId, terms: &[u32]) -> ArtifactId {
    let mut draft = store.draft(session).unwrap();
    draft.write(b"content").unwrap();
    draft.commit(Facts { terms: Some(terms.to_vec()), ..facts(b"content") }).unwrap().id
}

/// The artifacts that hold a term, and those that may; none where the store keeps no terms.
fn found(store: &dyn Store, session: &SessionId, term: u32) -> Option<(BTreeSet<ArtifactId>, BTreeSet<ArtifactId>)> {
    let matches = store.find(session, &[0, term]).unwrap()?;
    assert_eq!(matches.holding.len(), 2);
    assert_eq!(matches.artifacts, store.list(session).unwrap().into_iter().map(|info| info.id).collect::<Vec<_>>());
    let ids = |places: &[u32]| places.iter().map(|place| matches.artifacts[*place as usize].clone()).collect();
    Some((ids(&matches.holding[1]), ids(&matches.unknown)))
}

pub(super) fn what_was_committed_is_found_by_its_terms(make: Make<'_>) {
    let (store, mine, other) = (make(Limits::default()), session("s"), session("other"));
    let mut expected = BTreeSet::new();
    // Enough of them that a store which merges what it is told does so, twice over.
    for n in 1..=150u32 {
        let id = keep_with(store.as_ref(), &mine, &[n, 1000 + n % 3, u32::MAX]);
        if n % 3 == 2 {
            expected.insert(id);
        }
        if n % 50 == 0 {
            let Some((holding, unknown)) = found(store.as_ref(), &mine, 1002) else {
                return assert!(!store.keeps_terms());
            };
            assert_eq!((holding, unknown.len()), (expected.clone(), 0), "{n}");
        }
    }
    keep_with(store.as_ref(), &other, &[1002]);
    assert_eq!(found(store.as_ref(), &mine, 1002).unwrap(), (expected, BTreeSet::new()));
    assert_eq!(found(store.as_ref(), &mine, u32::MAX).unwrap().0.len(), 150);
    assert_eq!(found(store.as_ref(), &mine, 77).unwrap().0.len(), 1);
    assert_eq!(found(store.as_ref(), &mine, 999).unwrap().0.len(), 0);
}

pub(super) fn what_is_gone_is_not_found_and_what_has_no_terms_is_unknown(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let stays = keep_with(store.as_ref(), &session, &[5]);
    let goes = keep_with(store.as_ref(), &session, &[5]);
    let untold = keep(store.as_ref(), &session, b"x").id;
    let Some(before) = found(store.as_ref(), &session, 5) else { return assert!(!store.keeps_terms()) };
    assert_eq!(before, ([stays.clone(), goes.clone()].into(), [untold.clone()].into()));
    store.remove(&session, &goes).unwrap();
    assert_eq!(found(store.as_ref(), &session, 5).unwrap(), ([stays].into(), [untold].into()));
    store.clear(&session).unwrap();
    assert_eq!(found(store.as_ref(), &session, 5).unwrap(), Default::default());
}

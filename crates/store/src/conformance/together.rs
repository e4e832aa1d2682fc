//! What a store keeps while several use it at once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{Make, facts, keep, sample, session};
use crate::blocks::BLOCK;
use crate::limits::Limits;
use crate::store::{Sweep, Swept};

// S0 AC-054, AC-078.
pub(super) fn ten_parallel_writers_do_not_collide(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let contents: Vec<Vec<u8>> = (0..10).map(|writer| sample(writer * BLOCK + writer)).collect();
    let infos: Vec<_> = thread::scope(|scope| {
        let writers: Vec<_> = contents.iter().map(|content| scope.spawn(|| keep(&*store, &session, content))).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    for (info, content) in infos.iter().zip(&contents) {
        assert!(store.open(&session, &info.id).unwrap().read(0..u64::MAX).unwrap() == *content);
    }
    assert_eq!(store.list(&session).unwrap().len(), 10);
}

// S0 AC-046, AC-100.
pub(super) fn a_thousand_artifacts_from_many_threads_are_all_there(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let write =
        |writer: usize| (0..125).map(|at| keep(&*store, &session, &sample(writer * 125 + at)).id).collect::<Vec<_>>();
    let ids: BTreeSet<_> = thread::scope(|scope| {
        let writers: Vec<_> = (0..8).map(|writer| scope.spawn(move || write(writer))).collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let listed = store.list(&session).unwrap();
    assert_eq!(listed.iter().map(|info| info.id.clone()).collect::<BTreeSet<_>>(), ids);
    assert_eq!(listed.iter().map(|info| info.extent.bytes).collect::<BTreeSet<_>>(), (0..1000).collect());
}

/// Says that a thread has done its work, also when it has failed: what goes on beside it must not go on for ever.
struct Done<'f>(&'f AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) fn a_reader_sees_a_whole_artifact_or_none(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content = sample(5 * BLOCK);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _done = Done(&done);
            for round in 0..20 {
                let info = keep(&*store, &session, &content);
                if round % 2 == 0 {
                    store.remove(&session, &info.id).unwrap();
                }
            }
        });
        while !done.load(Ordering::Relaxed) {
            for info in store.list(&session).unwrap() {
                match store.open(&session, &info.id) {
                    Ok(artifact) => match artifact.read(0..u64::MAX) {
                        Ok(read) => assert!(read == content),
                        Err(error) => assert_eq!(error.code(), "not_found"),
                    },
                    Err(error) => assert_eq!(error.code(), "not_found"),
                }
            }
        }
    });
    assert_eq!(store.list(&session).unwrap().len(), 10);
}

pub(super) fn a_sweep_leaves_writers_alone(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let swept = store.sweep(&Sweep { abandoned: true, ..Sweep::default() }).unwrap();
                // A file that is not yet locked may be taken for a leftover; its writer then makes it again.
                assert_eq!(Swept { leftovers: 0, ..swept }, Swept::default());
            }
        });
        let _done = Done(&done);
        let small = sample(100);
        let large = sample(5 * BLOCK);
        for _ in 0..50 {
            keep(&*store, &session, &small);
            let mut draft = store.draft(&session).unwrap();
            draft.write(&large).unwrap();
            thread::yield_now();
            draft.commit(facts(&large)).unwrap();
        }
    });
    assert_eq!(store.list(&session).unwrap().len(), 100);
}

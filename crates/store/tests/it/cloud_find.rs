//! What finding artifacts on object storage costs.

use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use offcut_store::conformance::{facts, session};
use offcut_store::{CloudOptions, CloudStore, Facts, Store};

use crate::counting::{Asked, Counting};

fn store(objects: &Arc<Counting>) -> CloudStore {
    CloudStore::new(objects.clone(), Path::from("p"), "objects".to_owned(), CloudOptions::default()).unwrap()
}

/// Keeps `count` artifacts of 100 terms each, every one by a process of its own if `alone`.
fn fill(objects: &Arc<Counting>, count: u32, alone: bool) {
    let mut writer = store(objects);
    for n in 0..count {
        let mut terms: Vec<u32> = (0..100).map(|k| (n % 50 + k).wrapping_mul(2_654_435_761)).collect();
        terms.extend([n, u32::MAX]);
        terms.sort_unstable();
        terms.dedup();
        if alone {
            writer = store(objects);
            writer.probe().unwrap();
        }
        let mut draft = writer.draft(&session("s")).unwrap();
        draft.write(b"content").unwrap();
        draft.commit(Facts { terms: Some(terms), ..facts(b"content") }).unwrap();
    }
    // What is merged behind the writer's back comes to an end.
    objects.requests.take();
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let Asked { put, delete, .. } = objects.requests.take();
        if put + delete == 0 {
            break;
        }
    }
}

/// What a process that was just started asks the server to find one artifact by its term.
fn asked(objects: &Arc<Counting>, term: u32) -> Asked {
    let store = store(objects);
    objects.requests.take();
    let found = store.find(&session("s"), &[term, 5_000_000]).unwrap().unwrap();
    assert_eq!((found.holding[0].len(), found.unknown.len()), (1, 0));
    objects.requests.take()
}

#[test]
fn what_one_process_wrote_is_found_with_few_requests() {
    let objects = Arc::new(Counting::default());
    fill(&objects, 2000, false);
    let first = asked(&objects, 777);
    // Two listings (the metadata's of two pages), 31 segments of 64 artifacts, and 16 artifacts that were not merged.
    assert!(first.get <= 32 + 16 && first.list <= 4, "{first:?}");
}

#[test]
fn what_many_processes_wrote_is_merged_by_the_first_search() {
    let objects = Arc::new(Counting::default());
    fill(&objects, 300, true);
    let first = asked(&objects, 7);
    assert!(first.get >= 300, "{first:?}");
    let second = asked(&objects, 7);
    assert_eq!((second.get, second.list, second.put, second.delete), (1, 2, 0, 0));
}

#[test]
fn large_segments_are_read_by_ranges() {
    let objects = Arc::new(Counting::default());
    fill(&objects, 4000, false);
    asked(&objects, 777);
    let merged = asked(&objects, 777);
    assert!(merged.get <= 40 && merged.read < 300_000, "{merged:?}");
}

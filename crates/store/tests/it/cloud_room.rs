//! Quotas on object storage: what they cost, and that several writers keep them.

use std::sync::Arc;

use object_store::path::Path;
use offcut_store::conformance::{facts, session};
use offcut_store::{CloudOptions, CloudStore, Limits, Store};

use crate::counting::Counting;

fn store(objects: &Arc<Counting>, limits: Limits) -> CloudStore {
    let options = CloudOptions { limits, ..CloudOptions::default() };
    CloudStore::new(objects.clone(), Path::from("p"), "objects".to_owned(), options).unwrap()
}

fn keep(store: &CloudStore, content: &[u8]) {
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(content).unwrap();
    draft.commit(facts(content)).unwrap();
}

#[test]
fn a_session_is_not_listed_for_every_artifact() {
    let objects = Arc::new(Counting::default());
    let limits = Limits { session_bytes: Some(1 << 32), session_artifacts: Some(10_000), ..Limits::default() };
    let writer = store(&objects, limits);
    keep(&writer, b"the first");
    objects.requests.take();
    (0..1000).for_each(|_| keep(&writer, b"another"));
    let asked = objects.requests.take();
    // Two listings for each 156 artifacts, and nothing is read.
    assert!(asked.list <= 2 * 7 && asked.get == 0, "{asked:?}");
}

#[test]
fn what_was_kept_last_is_known_without_asking() {
    let objects = Arc::new(Counting::default());
    let writer = store(&objects, Limits::default());
    for content in [&b"one"[..], b"three", b"eightfold"] {
        keep(&writer, content);
    }
    objects.requests.take();
    let newest = |store: &CloudStore, last, most| {
        let found = store.newest(&session("s"), last, &|info| info.extent.bytes <= most).unwrap();
        found.map(|info| info.extent.bytes)
    };
    assert_eq!([newest(&writer, 3, 99), newest(&writer, 3, 5), newest(&writer, 3, 3)], [Some(9), Some(5), Some(3)]);
    assert_eq!([newest(&writer, 1, 5), newest(&writer, 2, 3)], [None, None]);
    let asked = objects.requests.take();
    assert_eq!((asked.get, asked.list), (0, 0));
    assert_eq!(newest(&store(&objects, Limits::default()), 3, 99), None, "another process made them");
}

#[test]
fn writers_that_fill_a_session_together_keep_its_quota() {
    for limits in [
        Limits { session_artifacts: Some(640), ..Limits::default() },
        Limits { session_bytes: Some(640 * 100), ..Limits::default() },
        Limits { session_artifacts: Some(3), ..Limits::default() },
    ] {
        let objects = Arc::new(Counting::default());
        let writers: Vec<CloudStore> = (0..8).map(|_| store(&objects, limits)).collect();
        let quota = limits.session_artifacts.unwrap_or(640);
        for number in 0..quota as usize + 100 {
            keep(&writers[number % 8], &[b'x'; 100]);
            if number as u64 >= quota.saturating_sub(10) {
                let kept = writers[0].ids(&session("s")).unwrap().len() as u64;
                assert_eq!(kept, quota.min(number as u64 + 1), "{limits:?}");
            }
        }
    }
}

#[test]
fn a_large_artifact_is_weighed_against_what_is_there() {
    let objects = Arc::new(Counting::default());
    let writer = store(&objects, Limits { session_bytes: Some(100_000), ..Limits::default() });
    (0..9).for_each(|_| keep(&writer, &[b'x'; 1000]));
    keep(&writer, &[b'y'; 95_000]);
    assert_eq!(writer.ids(&session("s")).unwrap().len(), 6, "five of the small ones and the large one");
}

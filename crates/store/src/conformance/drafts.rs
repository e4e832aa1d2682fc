//! What a store keeps about one artifact.

use super::{Make, facts, keep, sample, session};
use crate::artifact::Facts;
use crate::blocks::BLOCK;
use crate::error::StoreError;
use crate::limits::Limits;
use crate::store::Draft;

/// Sizes around everything that could be a border inside a store.
const SIZES: [usize; 11] =
    [0, 1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 4 * BLOCK - 1, 4 * BLOCK, 4 * BLOCK + 1, 9 * BLOCK, 13 * BLOCK + 77];

// S0 AC-048, AC-061, AC-062.
pub(super) fn a_committed_draft_reads_back_whole(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    for size in SIZES {
        let content = sample(size);
        let info = keep(&*store, &session, &content);
        let artifact = store.open(&session, &info.id).unwrap();
        assert_eq!(artifact.info(), &info);
        assert_eq!(info.extent.bytes, size as u64);
        assert!(artifact.read(0..u64::MAX).unwrap() == content, "{size} bytes");
    }
}

// S0 AC-064.
pub(super) fn any_range_reads_exactly_its_bytes(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content = sample(6 * BLOCK + 123);
    let info = keep(&*store, &session, &content);
    let artifact = store.open(&session, &info.id).unwrap();
    let size = content.len();
    let edges = [0, 1, 17, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 4 * BLOCK - 5, size - 1, size];
    for start in edges {
        for end in edges {
            let expected = content.get(start..end).unwrap_or_default();
            assert!(artifact.read(start as u64..end as u64).unwrap() == expected, "{start}..{end}");
        }
        assert!(artifact.read(start as u64..u64::MAX).unwrap() == content[start..], "{start}..");
    }
    assert_eq!(artifact.read(u64::MAX - 1..u64::MAX).unwrap(), b"");
}

fn check_read_back(draft: &dyn Draft, content: &[u8]) {
    assert_eq!(draft.written(), content.len() as u64);
    for start in [0, 1, content.len() / 3, content.len().saturating_sub(10), content.len()] {
        let (mut read, mut buffer) = (Vec::new(), vec![0u8; 300_001]);
        loop {
            match draft.read_at((start + read.len()) as u64, &mut buffer).unwrap() {
                0 => break,
                count => read.extend_from_slice(&buffer[..count]),
            }
        }
        assert!(read == content[start.min(content.len())..], "from {start} of {}", content.len());
    }
    assert_eq!(draft.read_at(u64::MAX, &mut [0; 8]).unwrap(), 0);
    assert_eq!(draft.read_at(0, &mut []).unwrap(), 0);
}

pub(super) fn what_was_written_can_be_read_before_and_after_the_commit(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    for size in SIZES {
        let content = sample(size);
        let mut draft = store.draft(&session).unwrap();
        check_read_back(&*draft, b"");
        let (first, second) = content.split_at(size / 2);
        draft.write(first).unwrap();
        check_read_back(&*draft, first);
        draft.write(second).unwrap();
        check_read_back(&*draft, &content);
        draft.commit(facts(&content)).unwrap();
        check_read_back(&*draft, &content);
    }
}

pub(super) fn a_content_that_comes_as_a_whole_is_kept_as_one_that_comes_in_parts(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    for size in SIZES {
        let content = sample(size);
        let mut draft = store.draft(&session).unwrap();
        draft.write_whole(&content).unwrap();
        check_read_back(&*draft, &content);
        let info = draft.commit(facts(&content)).unwrap();
        check_read_back(&*draft, &content);
        assert_eq!(info.blake3, blake3::hash(&content).to_hex().to_string(), "{size} bytes");
        assert!(store.open(&session, &info.id).unwrap().read(0..u64::MAX).unwrap() == content, "{size} bytes");
    }
    let mut dropped = store.draft(&session).unwrap();
    dropped.write_whole(&sample(BLOCK)).unwrap();
    drop(dropped);
    assert_eq!(store.list(&session).unwrap().len(), SIZES.len());
}

pub(super) fn a_draft_can_be_read_after_its_commit_failed(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    for size in [100, 5 * BLOCK + 1] {
        let content = sample(size);
        let mut draft = store.draft(&session).unwrap();
        draft.write(&content).unwrap();
        assert!(draft.commit(Facts::default()).is_err());
        check_read_back(&*draft, &content);
    }
    assert_eq!(store.list(&session).unwrap(), []);
}

pub(super) fn the_hash_is_that_of_the_content_for_any_chunking(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content = sample(5 * BLOCK + 4321);
    let expected = blake3::hash(&content).to_hex().to_string();
    for step in [4096, BLOCK, BLOCK + 1, 3 * BLOCK, content.len()] {
        let mut draft = store.draft(&session).unwrap();
        for part in content.chunks(step) {
            draft.write(part).unwrap();
            draft.write(b"").unwrap();
        }
        assert_eq!(draft.commit(facts(&content)).unwrap().blake3, expected, "in steps of {step}");
    }
}

// S0 AC-049.
pub(super) fn the_facts_come_back_as_they_were_given(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content = sample(1000);
    let facts = facts(&content);
    let mut draft = store.draft(&session).unwrap();
    draft.write(&content).unwrap();
    let info = draft.commit(facts.clone()).unwrap();
    assert_eq!((&info.id, &info.session), (draft.id(), &session));
    assert_eq!(info.created_ms, info.id.unix_millis());
    assert_eq!((&info.source, &info.summary), (&facts.source, &facts.summary));
    assert_eq!((&info.media_type, &info.kind), (&facts.media_type, &facts.kind));
    assert_eq!((info.extent, info.tokens, info.binary), (facts.extent, facts.tokens, false));
    assert_eq!(store.list(&session).unwrap(), std::slice::from_ref(&info));
    assert_eq!(store.open(&session, &info.id).unwrap().info(), &info);
}

pub(super) fn the_line_index_comes_back_with_one_checkpoint_a_block(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content = sample(3 * BLOCK);
    let info = keep(&*store, &session, &content);
    let index = facts(&content).index.thinned(BLOCK as u64);
    assert!(index.checkpoints().len() >= 2);
    assert_eq!(store.open(&session, &info.id).unwrap().index(), &index);
}

pub(super) fn binary_content_comes_back_as_it_came(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content: Vec<u8> = (0..2 * BLOCK).map(|at| ((at * at) >> 3) as u8).collect();
    let info = keep(&*store, &session, &content);
    assert!(info.binary);
    assert!(store.open(&session, &info.id).unwrap().read(0..u64::MAX).unwrap() == content);
}

pub(super) fn a_draft_is_invisible_until_it_is_committed(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let content = sample(6 * BLOCK);
    let mut draft = store.draft(&session).unwrap();
    draft.write(&content).unwrap();
    let id = draft.id().clone();
    assert_eq!(store.list(&session).unwrap(), []);
    assert_eq!(store.open(&session, &id).unwrap_err().code(), "not_found");
    draft.commit(facts(&content)).unwrap();
    assert_eq!(store.list(&session).unwrap().len(), 1);
    assert_eq!(store.open(&session, &id).unwrap().info().id, id);
}

pub(super) fn a_dropped_draft_leaves_nothing(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    for size in [10, 6 * BLOCK] {
        let mut draft = store.draft(&session).unwrap();
        draft.write(&sample(size)).unwrap();
        drop(draft);
    }
    assert_eq!(store.list(&session).unwrap(), []);
    assert_eq!(store.sweep(&Default::default()).unwrap(), Default::default());
}

pub(super) fn a_draft_is_committed_once(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let mut draft = store.draft(&session).unwrap();
    draft.write(b"x").unwrap();
    draft.commit(facts(b"x")).unwrap();
    assert_eq!(draft.commit(facts(b"x")).unwrap_err().code(), "misuse");
    assert_eq!(draft.write(b"y").unwrap_err().code(), "misuse");
    assert_eq!(store.list(&session).unwrap().len(), 1);
}

pub(super) fn a_commit_with_the_wrong_size_is_refused_and_leaves_nothing(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    let mut draft = store.draft(&session).unwrap();
    draft.write(b"four").unwrap();
    assert_eq!(draft.commit(facts(b"five!")).unwrap_err().code(), "misuse");
    drop(draft);
    assert_eq!(store.list(&session).unwrap(), []);
}

// S0 AC-055, AC-102.
pub(super) fn a_harmful_file_name_is_refused(make: Make<'_>) {
    let (store, session) = (make(Limits::default()), session("s"));
    for name in
        ["", ".", "..", "../x", "/etc/passwd", "a/b", ".hidden", "x.meta", "art_1_a.txt", "a\0b", &"x".repeat(151)]
    {
        let mut draft = store.draft(&session).unwrap();
        draft.write(b"x").unwrap();
        let refused = draft.commit(Facts { file_name: Some(name.to_owned()), ..facts(b"x") });
        assert!(matches!(refused, Err(StoreError::InvalidId { .. })), "{name:?}");
    }
    let mut draft = store.draft(&session).unwrap();
    draft.write(b"x").unwrap();
    draft.commit(Facts { file_name: Some("bash-call_1-20240101.txt".to_owned()), ..facts(b"x") }).unwrap();
    assert_eq!(store.list(&session).unwrap().len(), 1);
}

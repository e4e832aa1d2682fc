//! Finding artifacts by their terms: an object for each new artifact, merged into segments of many.
//!
//! A commit writes the terms of its artifact beside it. Whoever has written [`MERGED`] of them makes a segment of them,
//! and a search that meets many small ones makes a larger one. The metadata decides what is there: an artifact that no
//! segment tells of is unknown, and one that was removed is passed over. So nothing depends on a merge: two at once, or
//! one that is broken off, leave the same artifacts told of twice.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt, PutPayload};
use parking_lot::Mutex;

use crate::cloud::CloudState;
use crate::cloud::objects;
use crate::cloud::segment::{self, SegmentEntry, SegmentTail};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::store::TermMatches;

/// How many artifacts a writer merges into a segment.
const MERGED: usize = 64;

/// The most terms that wait for a merge in memory.
const MOST_WAITING: usize = 4 * 1024 * 1024;

/// A search that meets so many small objects merges them.
const MANY: usize = 32;

/// A segment of fewer artifacts is a small one.
const SMALL: usize = 2048;

/// The most bytes that are merged at a time.
const MOST_MERGED: u64 = 64 * 1024 * 1024;

/// An object of at most so many bytes is read whole, and remembered.
const WHOLE: u64 = 256 * 1024;

/// The most bytes that are remembered.
const MOST_REMEMBERED: usize = 16 * 1024 * 1024;

/// What this process knows of terms.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// What it wrote, and has not merged.
    waiting: Mutex<Waiting>,
    /// What it read: segments never change.
    known: Mutex<SegmentCache>,
}

#[derive(Debug, Default)]
struct Waiting {
    sessions: BTreeMap<SessionId, Vec<SegmentEntry>>,
    terms: usize,
}

#[derive(Debug, Default)]
struct SegmentCache {
    segments: BTreeMap<Path, Arc<Segment>>,
    bytes: usize,
}

/// A segment as far as it was read.
#[derive(Debug)]
struct Segment {
    tail: SegmentTail,
    /// All of it, where it is small.
    whole: Option<Bytes>,
}

/// An object that lies among the terms of a session.
#[derive(Debug, Clone)]
struct TermsObject {
    key: Path,
    size: u64,
    /// The length of its tail; all of it for the object of one artifact.
    tail: u64,
    artifacts: usize,
}

impl TermsObject {
    /// `art_…` is the object of one artifact, `art_….{artifacts}.{bytes of its tail}` a segment.
    fn of(meta: &ObjectMeta) -> Option<TermsObject> {
        let mut parts = meta.location.filename()?.split('.');
        let (key, size) = (meta.location.clone(), meta.size);
        parts.next()?.parse::<ArtifactId>().ok()?;
        let (artifacts, tail) = match (parts.next(), parts.next()) {
            (None, _) => (1, size),
            (Some(artifacts), tail) => (artifacts.parse().ok()?, tail?.parse().ok()?),
        };
        (tail <= size).then_some(TermsObject { key, size, tail, artifacts })
    }

    fn first_read(&self) -> Range<u64> {
        if self.size <= WHOLE { 0..self.size } else { self.size - self.tail..self.size }
    }
}

impl CloudState {
    /// The object that tells of one artifact.
    pub(super) fn terms_object(&self, session: &SessionId, id: &ArtifactId, terms: &[u32]) -> (Path, Vec<u8>) {
        let (bytes, _) = segment::encode(&[(id.clone(), terms.to_vec())]);
        (self.keys.terms_of(session, id), bytes)
    }

    /// Takes note that the terms of an artifact lie beside it; merges them with others, behind the caller's back, when
    /// there are enough.
    pub(super) fn note_terms(&self, session: &SessionId, id: &ArtifactId, terms: Vec<u32>) {
        let mut waiting = self.terms.waiting.lock();
        waiting.terms += terms.len();
        if waiting.terms > MOST_WAITING {
            // A search merges what is forgotten here.
            *waiting = Waiting::default();
            return;
        }
        let entries = waiting.sessions.entry(session.clone()).or_default();
        entries.push((id.clone(), terms));
        if entries.len() < MERGED {
            return;
        }
        let entries = std::mem::take(entries);
        waiting.sessions.remove(session);
        waiting.terms -= entries.iter().map(|(_, terms)| terms.len()).sum::<usize>();
        drop(waiting);
        let singles = entries.iter().map(|(id, _)| self.keys.terms_of(session, id)).collect();
        let Ok((key, bytes)) = self.segment(session, &entries) else { return };
        let store = self.objects.store().clone();
        self.objects.spawn(async move {
            let merged = match store.put(&key, PutPayload::from(bytes)).await {
                Ok(_) => objects::delete_all(store, singles).await,
                Err(error) => Err(error),
            };
            if let Err(error) = merged {
                tracing::debug!(%error, "terms could not be merged");
            }
        });
    }

    /// A new segment: its key and its bytes.
    fn segment(&self, session: &SessionId, entries: &[SegmentEntry]) -> Result<(Path, Vec<u8>), StoreError> {
        let (bytes, tail) = segment::encode(entries);
        let name = format!("{}.{}.{tail}", ArtifactId::generate()?, entries.len());
        Ok((self.keys.terms(session).join(name), bytes))
    }

    /// Which of a session's artifacts hold which of `terms`.
    pub(super) fn find(&self, session: &SessionId, terms: &[u32]) -> Result<TermMatches, StoreError> {
        // The terms are listed first: an artifact that is committed in between is unknown, and not missed.
        let mut listed = self.listed_terms(session)?;
        let artifacts = self.ids(session)?;
        let mut segments = self.segments(&listed)?;
        if segments.iter().any(Option::is_none) {
            // Somebody has merged some of them meanwhile.
            listed = self.listed_terms(session)?;
            segments = self.segments(&listed)?;
        }
        let places: BTreeMap<&ArtifactId, u32> = artifacts.iter().zip(0..).collect();
        let mut holding: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); terms.len()];
        let mut told: BTreeSet<u32> = BTreeSet::new();
        let present: Vec<(&TermsObject, Arc<Segment>)> =
            listed.iter().zip(segments).filter_map(|(listed, segment)| Some((listed, segment?))).collect();
        for ((_, segment), found) in present.iter().zip(self.holders(&present, terms)?) {
            // Of a damaged segment nothing is known.
            let Some(found) = found else { continue };
            let place = |number: &u32| places.get(segment.tail.artifacts.get(*number as usize)?).copied();
            told.extend(segment.tail.artifacts.iter().filter_map(|id| places.get(id).copied()));
            for (holding, found) in holding.iter_mut().zip(&found) {
                holding.extend(found.iter().filter_map(place));
            }
        }
        let unknown = (0..artifacts.len() as u32).filter(|place| !told.contains(place)).collect();
        if let Err(error) = self.merge(session, &present, &artifacts) {
            tracing::debug!(%error, "terms could not be merged");
        }
        let holding = holding.into_iter().map(|places| places.into_iter().collect()).collect();
        Ok(TermMatches { artifacts, holding, unknown })
    }

    fn listed_terms(&self, session: &SessionId) -> Result<Vec<TermsObject>, StoreError> {
        Ok(self.objects.list(&self.keys.terms(session))?.iter().filter_map(TermsObject::of).collect())
    }

    /// The segments as far as they are read at first; none for what is gone or damaged.
    fn segments(&self, listed: &[TermsObject]) -> Result<Vec<Option<Arc<Segment>>>, StoreError> {
        let mut known: Vec<Option<Arc<Segment>>> = {
            let cache = self.terms.known.lock();
            listed.iter().map(|listed| cache.segments.get(&listed.key).cloned()).collect()
        };
        let missing: Vec<&TermsObject> =
            listed.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(listed, _)| listed).collect();
        let wanted = missing.iter().map(|listed| (listed.key.clone(), listed.first_read())).collect();
        let mut read = missing.iter().zip(self.objects.get_ranges(wanted)?);
        let mut cache = self.terms.known.lock();
        for slot in known.iter_mut().filter(|slot| slot.is_none()) {
            let Some((listed, bytes)) = read.next() else { break };
            let tail = bytes.as_ref().and_then(|bytes| SegmentTail::decode(bytes, listed.size));
            let (Some(bytes), Some(tail)) = (bytes, tail) else { continue };
            if cache.bytes > MOST_REMEMBERED {
                *cache = SegmentCache::default();
            }
            cache.bytes += bytes.len();
            let segment = Arc::new(Segment { tail, whole: (listed.size <= WHOLE).then_some(bytes) });
            cache.segments.insert(listed.key.clone(), segment.clone());
            *slot = Some(segment);
        }
        Ok(known)
    }

    /// For each segment and each term, the numbers of the artifacts that hold it; none for a damaged segment.
    fn holders(
        &self,
        segments: &[(&TermsObject, Arc<Segment>)],
        terms: &[u32],
    ) -> Result<Vec<Option<Vec<Vec<u32>>>>, StoreError> {
        // What is not in memory is read in one go, each block once.
        let mut wanted: BTreeMap<(Path, u64), Range<u64>> = BTreeMap::new();
        for (listed, segment) in segments.iter().filter(|(_, segment)| segment.whole.is_none()) {
            for range in terms.iter().filter_map(|term| segment.tail.range(*term)) {
                wanted.insert((listed.key.clone(), range.start), range);
            }
        }
        let ranges = wanted.iter().map(|((key, _), range)| (key.clone(), range.clone())).collect();
        let read: BTreeMap<(Path, u64), Option<Bytes>> =
            wanted.keys().cloned().zip(self.objects.get_ranges(ranges)?).collect();
        let block = |listed: &TermsObject, segment: &Segment, range: &Range<u64>| match &segment.whole {
            Some(whole) => {
                let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
                (range.end <= whole.len()).then(|| whole.slice(range))
            }
            None => read.get(&(listed.key.clone(), range.start)).cloned().flatten(),
        };
        let holders = |(listed, segment): &(&TermsObject, Arc<Segment>)| {
            let found = terms.iter().map(|term| {
                let Some(range) = segment.tail.range(*term) else { return Some(Vec::new()) };
                segment.tail.holders(*term, range.start, &block(listed, segment, &range)?)
            });
            found.collect::<Option<Vec<Vec<u32>>>>()
        };
        Ok(segments.iter().map(holders).collect())
    }

    /// Makes one segment of many small objects.
    fn merge(
        &self,
        session: &SessionId,
        segments: &[(&TermsObject, Arc<Segment>)],
        artifacts: &[ArtifactId],
    ) -> Result<(), StoreError> {
        let small: Vec<&(&TermsObject, Arc<Segment>)> =
            segments.iter().filter(|(listed, _)| listed.artifacts < SMALL).collect();
        if small.len() < MANY {
            return Ok(());
        }
        let mut room = MOST_MERGED;
        let fits = |(listed, _): &&&(&TermsObject, Arc<Segment>)| {
            room = room.saturating_sub(listed.size);
            room > 0
        };
        let small: Vec<&(&TermsObject, Arc<Segment>)> = small.iter().take_while(fits).copied().collect();
        // What was read whole is not read again.
        let unread = small.iter().filter(|(_, segment)| segment.whole.is_none());
        let ranges = unread.map(|(listed, _)| (listed.key.clone(), 0..listed.size)).collect();
        let mut read = self.objects.get_ranges(ranges)?.into_iter();
        let there: BTreeSet<&ArtifactId> = artifacts.iter().collect();
        let now = self.options.clock.now_ms();
        let stays = |id: &ArtifactId| {
            let age = u128::from(now.saturating_sub(id.unix_millis()));
            there.contains(id) || age < self.options.leftover_age.as_millis()
        };
        let mut entries: BTreeMap<ArtifactId, Vec<u32>> = BTreeMap::new();
        for (_, segment) in &small {
            let bytes = segment.whole.clone().or_else(|| read.next().flatten());
            let told = bytes.and_then(|bytes| segment.tail.entries(&bytes));
            entries.extend(told.unwrap_or_default().into_iter().filter(|(id, _)| stays(id)));
        }
        let entries: Vec<SegmentEntry> = entries.into_iter().collect();
        if !entries.is_empty() {
            let (key, bytes) = self.segment(session, &entries)?;
            self.objects.create(&key, bytes)?;
        }
        self.objects.delete_all(small.into_iter().map(|(listed, _)| listed.key.clone()).collect())
    }
}

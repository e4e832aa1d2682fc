//! Room for a new artifact. What a session holds is listed now and then; between two listings a process counts what it
//! adds itself, so that an output does not cost a listing of all those before it.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::CloudState;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::limits::{ArtifactSize, Limits};

/// Between two listings a process adds at most this part of a quota: one of so many.
const UNLISTED: u64 = 64;

/// This part of a quota is never filled without looking, since others may be filling it too: one of so many.
const WATCHED: u64 = 8;

/// Of how many sessions a process knows what they hold.
const MOST_SESSIONS: usize = 4096;

/// What sessions hold, as far as this process knows.
#[derive(Debug, Default)]
pub(super) struct Counts {
    known: Mutex<BTreeMap<SessionId, Count>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    listed: SessionSize,
    /// By this process, since then.
    added: SessionSize,
}

#[derive(Debug, Clone, Copy, Default)]
struct SessionSize {
    artifacts: u64,
    bytes: u64,
}

impl Counts {
    /// Counts `new`, if it surely fits.
    fn take(&self, session: &SessionId, limits: &Limits, new: &ArtifactSize) -> bool {
        let mut known = self.known.lock();
        let Some(count) = known.get_mut(session) else { return false };
        let (artifacts, bytes) = (count.added.artifacts + 1, count.added.bytes.saturating_add(new.stored_bytes));
        let fits = limits.rate.is_none()
            && surely_fits(limits.session_artifacts, count.listed.artifacts, artifacts)
            && surely_fits(limits.session_bytes, count.listed.bytes, bytes);
        if fits {
            count.added = SessionSize { artifacts, bytes };
        }
        fits
    }

    fn listed(&self, session: &SessionId, listed: SessionSize) {
        let mut known = self.known.lock();
        if known.len() >= MOST_SESSIONS {
            known.clear();
        }
        known.insert(session.clone(), Count { listed, added: SessionSize::default() });
    }
}

fn surely_fits(quota: Option<u64>, listed: u64, added: u64) -> bool {
    quota.is_none_or(|quota| added <= quota / UNLISTED && listed.saturating_add(added) <= quota - quota / WATCHED)
}

impl CloudState {
    /// Makes room for a new artifact.
    pub(super) fn make_room(&self, session: &SessionId, new: &ArtifactSize) -> Result<(), StoreError> {
        let limits = &self.options.limits;
        if !limits.need_a_count() || self.counts.take(session, limits, new) {
            return Ok(());
        }
        let sizes = self.sizes(session)?;
        let entry = |id: ArtifactId| ArtifactSize {
            stored_bytes: sizes.get(&id).copied().unwrap_or_default(),
            created_ms: id.unix_millis(),
            id,
        };
        let kept: Vec<ArtifactSize> = self.ids(session)?.into_iter().map(entry).collect();
        let mut times: Vec<u64> = kept.iter().map(|entry| entry.created_ms).collect();
        if limits.rate.is_some() {
            let evicted = self.objects.list(&self.keys.evictions(session))?;
            let evicted = evicted.iter().filter_map(|meta| meta.location.filename()?.parse::<ArtifactId>().ok());
            times.extend(evicted.map(|id| id.unix_millis()));
        }
        let evicted = limits.make_room(session, kept.iter(), &times, new)?;
        for id in &evicted {
            self.objects.create(&self.keys.eviction(session, id), Vec::new())?;
            self.remove(session, id)?;
            tracing::info!(artifact = %id, session = %session, "evicted an artifact to make room");
        }
        let bytes: u64 = kept.iter().filter(|entry| !evicted.contains(&entry.id)).map(|entry| entry.stored_bytes).sum();
        let artifacts = (kept.len() - evicted.len() + 1) as u64;
        self.counts.listed(session, SessionSize { artifacts, bytes: bytes + new.stored_bytes });
        Ok(())
    }
}

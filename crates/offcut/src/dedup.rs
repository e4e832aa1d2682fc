//! One artifact for equal outputs: a conversation that is sent again names the same ids.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use offcut_store::{ArtifactId, ArtifactInfo, SessionId, Store};

/// The artifacts of sessions by their content. A session is listed when it is first asked about, and from then on
/// followed; what another process keeps meanwhile is not seen.
#[derive(Debug, Default)]
pub(crate) struct ArtifactDedup {
    sessions: Mutex<BTreeMap<SessionId, Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// By the hash of the content and the caller's own trace id.
    artifacts: BTreeMap<(String, Option<String>), ArtifactId>,
}

impl Known {
    fn add(&mut self, info: &ArtifactInfo) {
        self.artifacts.insert((info.blake3.clone(), info.trace_id.clone()), info.id.clone());
    }
}

impl ArtifactDedup {
    /// The artifact whose content has this hash, under this trace id.
    pub(crate) fn find(
        &self,
        store: &dyn Store,
        session: &SessionId,
        hash: blake3::Hash,
        trace_id: Option<&str>,
    ) -> Option<ArtifactInfo> {
        let key = (hash.to_hex().to_string(), trace_id.map(str::to_owned));
        let id = self.with(store, session, |known| known.artifacts.get(&key).cloned())?;
        // It may have been evicted or removed since.
        store.open(session, &id).ok().map(|artifact| artifact.info().clone())
    }

    /// Takes note of a new artifact.
    pub(crate) fn remember(&self, store: &dyn Store, session: &SessionId, info: &ArtifactInfo) {
        self.with(store, session, |known| known.add(info));
    }

    fn with<T>(&self, store: &dyn Store, session: &SessionId, use_it: impl FnOnce(&mut Known) -> T) -> T {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sessions.entry(session.clone()).or_insert_with(|| {
            let mut known = Known::default();
            // Of equal ones the oldest holds. A session that cannot be listed has nothing that could be shared.
            store.list(session).unwrap_or_default().iter().rev().for_each(|info| known.add(info));
            known
        });
        use_it(known)
    }
}

//! One artifact for equal outputs: a conversation that is sent again names the same ids.

use std::collections::{BTreeMap, HashSet};

use offcut_store::{ArtifactId, ArtifactInfo, SessionId, Store};
use parking_lot::Mutex;

/// The artifacts of sessions by their content. A session is listed when it is first asked about, and from then on
/// followed. On a shared store the first process that keeps a content leaves a note with its artifact, which holds for all
/// of them; elsewhere what another process keeps meanwhile is not seen.
#[derive(Debug, Default)]
pub(crate) struct ArtifactDedup {
    sessions: Mutex<BTreeMap<SessionId, KeptContents>>,
}

#[derive(Debug, Default)]
struct KeptContents {
    artifacts: BTreeMap<Key, ArtifactId>,
    /// With so many it is time to forget those that are gone.
    bound: usize,
}

/// So many more than are there are remembered of a session before it is looked through for what is gone.
const GONE: usize = 10_000;

/// The hash of a content's hash and the caller's own trace id: a server remembers one for every artifact of a session.
type Key = [u8; 32];

fn key(blake3: &str, trace_id: Option<&str>) -> Key {
    *blake3::hash(format!("{blake3} {}", trace_id.unwrap_or_default()).as_bytes()).as_bytes()
}

impl KeptContents {
    fn add(&mut self, info: &ArtifactInfo) {
        self.artifacts.insert(key(&info.blake3, info.trace_id.as_deref()), info.id.clone());
    }

    /// Forgets what is gone, where there may be much of it.
    fn tidy(&mut self, store: &dyn Store, session: &SessionId) {
        if self.artifacts.len() > self.bound
            && let Ok(there) = store.ids(session)
        {
            let there: HashSet<ArtifactId> = there.into_iter().collect();
            self.artifacts.retain(|_, id| there.contains(id));
            self.bound = self.artifacts.len() * 2 + GONE;
        }
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
        let hash = hash.to_hex();
        let key = key(&hash, trace_id);
        let known = self.with(store, session, |known| known.artifacts.get(&key).cloned());
        // It may have been evicted or removed since.
        if let Some(info) = known.and_then(|id| opened(store, session, &id)) {
            return Some(info);
        }
        let info = noted(store, session, &note_name(session, &hash, trace_id))?;
        self.with(store, session, |known| known.add(&info));
        Some(info)
    }

    /// Takes note of a new artifact; returns the one that holds, which is another where another process was quicker.
    pub(crate) fn settle(&self, store: &dyn Store, session: &SessionId, info: ArtifactInfo) -> ArtifactInfo {
        let info = agreed(store, session, info);
        self.with(store, session, |known| {
            known.add(&info);
            known.tidy(store, session);
        });
        info
    }

    fn with<T>(&self, store: &dyn Store, session: &SessionId, use_it: impl FnOnce(&mut KeptContents) -> T) -> T {
        let mut sessions = self.sessions.lock();
        let known = sessions.entry(session.clone()).or_insert_with(|| {
            let mut known = KeptContents::default();
            // Of equal ones the oldest holds. A session that cannot be listed has nothing that could be shared.
            store.list(session).unwrap_or_default().iter().rev().for_each(|info| known.add(info));
            known.bound = known.artifacts.len() * 2 + GONE;
            known
        });
        use_it(known)
    }
}

/// The artifact that all processes name for a content. Where they cannot agree, this one's.
fn agreed(store: &dyn Store, session: &SessionId, info: ArtifactInfo) -> ArtifactInfo {
    let note = note_name(session, &info.blake3, info.trace_id.as_deref());
    let leave = || store.add_note(&note, info.id.as_str().as_bytes());
    if leave().unwrap_or(true) {
        return info;
    }
    if let Some(first) = noted(store, session, &note) {
        // Nobody was told of ours.
        if first.id != info.id
            && let Err(error) = store.remove(session, &info.id)
        {
            tracing::debug!(%error, "an artifact that was kept twice could not be removed");
        }
        return first;
    }
    // The one that held is gone.
    if let Err(error) = store.remove_note(&note).and_then(|()| leave()) {
        tracing::debug!(%error, "an artifact could not be noted for other processes");
    }
    info
}

fn noted(store: &dyn Store, session: &SessionId, note: &str) -> Option<ArtifactInfo> {
    let id = String::from_utf8(store.note(note).ok()??).ok()?.parse().ok()?;
    opened(store, session, &id)
}

fn opened(store: &dyn Store, session: &SessionId, id: &ArtifactId) -> Option<ArtifactInfo> {
    store.open(session, id).ok().map(|artifact| artifact.info().clone())
}

fn note_name(session: &SessionId, blake3: &str, trace_id: Option<&str>) -> String {
    let content = format!("{session} {blake3} {}", trace_id.unwrap_or_default());
    format!("same-{}", blake3::hash(content.as_bytes()).to_hex())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use offcut_store::{ArtifactId, MemoryStore, SessionId, Store};

    use super::{GONE, KeptContents};
    use crate::{Call, Offcut};

    #[test]
    fn what_is_gone_is_forgotten_when_there_is_much_of_it() {
        let store = MemoryStore::new();
        let offcut = Offcut::builder().store_in(Arc::new(store.clone())).build().unwrap().keeping_once();
        let session: SessionId = offcut.store().unwrap().1.clone();
        let reply = offcut.process(Call::new("bash"), "line\n".repeat(5000)).unwrap();
        let there: ArtifactId = reply.report.artifact_id.unwrap().parse().unwrap();
        let gone = |number: u64| ([number as u8; 32], ArtifactId::from_parts(number, &[1; 8]));
        let mut known = KeptContents { artifacts: (1..9).map(gone).collect(), bound: 9 };
        known.artifacts.insert([0; 32], there.clone());
        known.tidy(&store, &session);
        assert_eq!(known.artifacts.len(), 9);
        known.bound = 8;
        known.tidy(&store, &session);
        assert_eq!(known.artifacts, [([0; 32], there)].into());
        assert_eq!(known.bound, GONE + 2);
    }

    #[test]
    fn two_processes_on_one_store_name_the_same_artifact_for_the_same_output() {
        let store = MemoryStore::new();
        let process = || Offcut::builder().store_in(Arc::new(store.clone())).build().unwrap().keeping_once();
        let (one, two) = (process(), process());
        let session: SessionId = one.store().unwrap().1.clone();
        let reply = |offcut: &Offcut, n: u32| {
            let reply = offcut.process(Call::new("bash"), format!("line {n}\n").repeat(5000)).unwrap();
            (reply.text, reply.report.artifact_id.unwrap())
        };
        // Each has listed the session before the other keeps anything.
        let (a, b) = (reply(&one, 1), reply(&two, 2));
        assert_eq!((reply(&two, 1), reply(&one, 2)), (a.clone(), b));
        assert_eq!(store.list(&session).unwrap().len(), 2);
        // Once it is gone, both agree on a new one.
        store.remove(&session, &a.1.parse::<ArtifactId>().unwrap()).unwrap();
        let new = reply(&one, 1);
        assert_ne!(new.1, a.1);
        assert_eq!(reply(&two, 1), new);
    }
}

//! A store in memory: for tests, and for runs that keep nothing.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use offcut_core::extent::Index;
use parking_lot::{Mutex, MutexGuard};

use crate::artifact::{ArtifactInfo, CommitFacts, Facts};
use crate::clock::Clock;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::limits::{ArtifactSize, Limits};
use crate::store::{Artifact, Cleared, Draft, Lease, SessionInfo, Store, Sweep, Swept};

/// A store that lives as long as this value and its clones.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    sessions: Arc<Mutex<BTreeMap<SessionId, Session>>>,
    notes: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    limits: Limits,
    clock: Clock,
}

#[derive(Debug, Default)]
struct Session {
    artifacts: BTreeMap<ArtifactId, Arc<StoredArtifact>>,
    /// What is kept, in the order in which it came.
    entries: Vec<ArtifactSize>,
    /// What made room, in order.
    evicted: Vec<ArtifactId>,
    /// When anything was created, kept or not.
    times: Vec<u64>,
    /// How many are attached, once somebody was.
    leases: Option<u64>,
}

#[derive(Debug)]
struct StoredArtifact {
    info: ArtifactInfo,
    index: Index,
    content: Arc<Vec<u8>>,
    aside: Mutex<Option<Arc<[u8]>>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// An empty store with these limits.
    pub fn with_limits(limits: Limits, clock: Clock) -> MemoryStore {
        MemoryStore { limits, clock, ..MemoryStore::default() }
    }

    fn notes(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.notes.lock()
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, Session>> {
        self.sessions.lock()
    }
}

impl Store for MemoryStore {
    fn draft(&self, session: &SessionId) -> Result<Box<dyn Draft>, StoreError> {
        let content = Arc::new(Vec::new());
        let id = ArtifactId::generate_at(self.clock.now_ms())?;
        let (store, session) = (self.clone(), session.clone());
        let hasher = blake3::Hasher::new();
        Ok(Box::new(MemoryDraft { store, session, id, content, hasher, too_large: false, committed: false }))
    }

    fn open(&self, session: &SessionId, id: &ArtifactId) -> Result<Box<dyn Artifact>, StoreError> {
        let sessions = self.sessions();
        let found = sessions.get(session);
        match found.and_then(|session| session.artifacts.get(id)) {
            Some(kept) => Ok(Box::new(MemoryArtifact { kept: kept.clone() })),
            None if found.is_some_and(|session| session.evicted.contains(id)) => {
                Err(StoreError::Evicted { id: id.clone() })
            }
            None => Err(StoreError::NotFound { id: id.clone() }),
        }
    }

    fn list(&self, session: &SessionId) -> Result<Vec<ArtifactInfo>, StoreError> {
        let sessions = self.sessions();
        let artifacts = sessions.get(session).into_iter().flat_map(|session| session.artifacts.values());
        let mut infos: Vec<ArtifactInfo> = artifacts.map(|kept| kept.info.clone()).collect();
        infos.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        Ok(infos)
    }

    fn ids(&self, session: &SessionId) -> Result<Vec<ArtifactId>, StoreError> {
        let sessions = self.sessions();
        let session = sessions.get(session);
        let mut ids: Vec<ArtifactId> =
            session.into_iter().flat_map(|session| session.artifacts.keys().chain(&session.evicted)).cloned().collect();
        ids.sort_by_cached_key(|id| (id.unix_millis(), id.clone()));
        Ok(ids)
    }

    fn add_note(&self, name: &str, note: &[u8]) -> Result<bool, StoreError> {
        let mut notes = self.notes();
        let is_new = !notes.contains_key(name);
        notes.entry(name.to_owned()).or_insert_with(|| note.to_vec());
        Ok(is_new)
    }

    fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.notes().get(name).cloned())
    }

    fn remove_note(&self, name: &str) -> Result<(), StoreError> {
        self.notes().remove(name);
        Ok(())
    }

    fn remove(&self, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
        let removed = self.sessions().get_mut(session).and_then(|session| {
            session.entries.retain(|entry| entry.id != *id);
            session.artifacts.remove(id)
        });
        removed.map(|_| ()).ok_or_else(|| StoreError::NotFound { id: id.clone() })
    }

    fn clear(&self, session: &SessionId) -> Result<Cleared, StoreError> {
        let mut sessions = self.sessions();
        let Some(found) = sessions.get_mut(session) else { return Ok(Cleared::default()) };
        let cleared = cleared(&found.artifacts);
        if found.leases.is_some_and(|leases| leases > 0) {
            *found = Session { leases: found.leases, ..Session::default() };
        } else {
            sessions.remove(session);
        }
        Ok(cleared)
    }

    fn sessions(&self) -> Result<Vec<SessionInfo>, StoreError> {
        let sessions = self.sessions();
        let infos = sessions.iter().map(|(name, session)| SessionInfo {
            session: name.clone(),
            artifacts: session.artifacts.len() as u64,
            stored_bytes: cleared(&session.artifacts).bytes,
            latest_ms: session.artifacts.values().map(|kept| kept.info.created_ms).max().unwrap_or(0),
            in_use: session.leases.is_some_and(|leases| leases > 0),
        });
        Ok(infos.collect())
    }

    fn attach(&self, session: &SessionId) -> Result<Box<dyn Lease>, StoreError> {
        *self.sessions().entry(session.clone()).or_default().leases.get_or_insert(0) += 1;
        Ok(Box::new(MemoryLease { store: self.clone(), session: session.clone() }))
    }

    fn sweep(&self, sweep: &Sweep) -> Result<Swept, StoreError> {
        let now = self.clock.now_ms();
        let oldest = sweep.older_than.map(|age| now.saturating_sub(age.as_millis() as u64));
        let mut swept = Swept::default();
        self.sessions().retain(|_, session| {
            let newest = session.artifacts.keys().map(ArtifactId::unix_millis).max().unwrap_or(0);
            let idle = u128::from(now.saturating_sub(newest)) >= sweep.idle.as_millis();
            let abandoned = sweep.abandoned && idle && session.leases == Some(0);
            session.artifacts.retain(|_, kept| {
                let stays = !abandoned && oldest.is_none_or(|oldest| kept.info.created_ms >= oldest);
                if !stays {
                    swept.artifacts += 1;
                    swept.bytes += kept.info.stored_bytes;
                }
                stays
            });
            session.entries.retain(|entry| session.artifacts.contains_key(&entry.id));
            swept.sessions += u64::from(abandoned);
            !abandoned
        });
        Ok(swept)
    }

    fn location(&self) -> String {
        "memory".to_owned()
    }
}

fn cleared(artifacts: &BTreeMap<ArtifactId, Arc<StoredArtifact>>) -> Cleared {
    let bytes = artifacts.values().map(|kept| kept.info.stored_bytes).sum();
    Cleared { artifacts: artifacts.len() as u64, bytes }
}

#[derive(Debug)]
struct MemoryDraft {
    store: MemoryStore,
    session: SessionId,
    id: ArtifactId,
    content: Arc<Vec<u8>>,
    hasher: blake3::Hasher,
    too_large: bool,
    committed: bool,
}

impl Draft for MemoryDraft {
    fn id(&self) -> &ArtifactId {
        &self.id
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if self.too_large {
            return Err(StoreError::Misuse { why: "it has grown too large".to_owned() });
        }
        let size = self.written().saturating_add(bytes.len() as u64);
        self.store.limits.check_size(size).inspect_err(|_| self.too_large = true)?;
        match Arc::get_mut(&mut self.content) {
            Some(content) if !self.committed => content.extend_from_slice(bytes),
            _ => return Err(StoreError::Misuse { why: "it is already committed".to_owned() }),
        }
        self.hasher.update(bytes);
        Ok(())
    }

    fn written(&self) -> u64 {
        self.content.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.content.get(at..)).unwrap_or_default();
        Ok(copy(rest, buffer))
    }

    fn commit(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        if self.committed || self.too_large {
            let why = if self.committed { "it is already committed" } else { "it has grown too large" };
            return Err(StoreError::Misuse { why: why.to_owned() });
        }
        facts.checked_file_name()?;
        let bytes = self.written();
        let hash = self.hasher.finalize();
        let known = CommitFacts {
            id: &self.id,
            session: &self.session,
            bytes,
            stored_bytes: bytes,
            hash: &hash,
            compressed: false,
            unfinished: false,
        };
        let (info, index) = facts.into_info(known)?;
        let kept = StoredArtifact { info: info.clone(), index, content: self.content.clone(), aside: Mutex::default() };
        let mut sessions = self.store.sessions();
        let session = sessions.entry(self.session.clone()).or_default();
        let entry = ArtifactSize { id: self.id.clone(), stored_bytes: bytes, created_ms: self.store.clock.now_ms() };
        for evicted in self.store.limits.make_room(&self.session, session.entries.iter(), &session.times, &entry)? {
            session.artifacts.remove(&evicted);
            session.entries.retain(|entry| entry.id != evicted);
            session.evicted.push(evicted);
        }
        if self.store.limits.rate.is_some() {
            session.times.push(entry.created_ms);
        }
        session.entries.push(entry);
        session.artifacts.insert(self.id.clone(), Arc::new(kept));
        drop(sessions);
        self.committed = true;
        Ok(info)
    }
}

/// Copies as much as fits from `from` to the beginning of `to`, and says how much.
pub(crate) fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let count = from.len().min(to.len());
    for (to, from) in to.chunks_mut(count.max(1)).zip(from.chunks(count.max(1))).take(1) {
        to.copy_from_slice(from);
    }
    count
}

#[derive(Debug)]
struct MemoryArtifact {
    kept: Arc<StoredArtifact>,
}

impl Artifact for MemoryArtifact {
    fn info(&self) -> &ArtifactInfo {
        &self.kept.info
    }

    fn index(&self) -> &Index {
        &self.kept.index
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let size = self.kept.content.len() as u64;
        let (start, end) = (range.start.min(size) as usize, range.end.min(size) as usize);
        Ok(self.kept.content.get(start..end).unwrap_or_default().to_vec())
    }

    fn aside(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let aside = self.kept.aside.lock();
        Ok(aside.as_ref().map(|bytes| bytes.to_vec()))
    }

    fn put_aside(&self, bytes: &[u8]) -> Result<(), StoreError> {
        *self.kept.aside.lock() = Some(bytes.into());
        Ok(())
    }
}

#[derive(Debug)]
struct MemoryLease {
    store: MemoryStore,
    session: SessionId,
}

impl Lease for MemoryLease {
    fn session(&self) -> &SessionId {
        &self.session
    }

    fn end(self: Box<Self>) -> Result<Option<Cleared>, StoreError> {
        let (store, session) = (self.store.clone(), self.session.clone());
        drop(self);
        let last = store.sessions().get(&session).is_none_or(|session| session.leases == Some(0));
        if last { store.clear(&session).map(Some) } else { Ok(None) }
    }
}

impl Drop for MemoryLease {
    fn drop(&mut self) {
        if let Some(session) = self.store.sessions().get_mut(&self.session) {
            session.leases = session.leases.map(|leases| leases.saturating_sub(1));
        }
    }
}

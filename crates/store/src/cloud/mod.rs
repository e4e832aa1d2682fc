//! Artifacts on object storage, shared by any number of machines. `docs/store.md` describes the layout.
//!
//! Everything rests on one thing that such servers do alike: creating an object only if it is not there. Keys are
//! unique, objects never change, and nothing is compared and swapped.

mod artifact;
mod draft;
mod find;
mod keys;
mod lease;
mod newest;
mod objects;
mod room;
mod segment;
mod sweep;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use object_store::ObjectStore;
use object_store::path::Path;
use parking_lot::Mutex;

use crate::artifact::ArtifactInfo;
use crate::clock::Clock;
use crate::error::StoreError;
use crate::faults::Faults;
use crate::id::{ArtifactId, SessionId};
use crate::limits::Limits;
use crate::record::{self, RecordHead};
use crate::store::{Artifact, Cleared, Draft, Lease, SessionInfo, Store, Sweep, Swept, TermMatches};

use artifact::CloudArtifact;
use draft::CloudDraft;
use find::Terms;
use keys::Keys;
use lease::CloudLease;
use newest::Newest;
use objects::Objects;
use room::Counts;

/// How a store on object storage works.
#[derive(Debug, Clone)]
pub struct CloudOptions {
    /// How much may be kept. A session is listed before a process adds a 64th of a quota to what it last saw there, and
    /// for each artifact once seven eighths are full. So writers on several machines may exceed a quota together only by
    /// what they commit in the same moment, or where more than eight of them fill a session at once.
    pub limits: Limits,
    /// After what time content without metadata counts as left by a writer that died.
    pub leftover_age: Duration,
    /// How long a session counts as in use after its user was last heard of.
    pub lease: Duration,
    /// Where the time comes from.
    pub clock: Clock,
    /// Calls that fail on purpose, for tests: each counts twice, once before and once after it was made.
    pub faults: Option<Arc<Faults>>,
}

impl Default for CloudOptions {
    fn default() -> CloudOptions {
        CloudOptions {
            limits: Limits::default(),
            leftover_age: Duration::from_secs(24 * 3600),
            lease: Duration::from_secs(60),
            clock: Clock::system(),
            faults: None,
        }
    }
}

/// A store on object storage.
///
/// Nothing is asked of the server before the first call.
#[derive(Debug, Clone)]
pub struct CloudStore {
    inner: Arc<CloudState>,
}

#[derive(Debug)]
struct CloudState {
    objects: Objects,
    keys: Keys,
    options: CloudOptions,
    probed: OnceLock<()>,
    /// What listings have read: metadata never changes.
    heads: Mutex<BTreeMap<(SessionId, ArtifactId), RecordHead>>,
    terms: Terms,
    counts: Counts,
    newest: Newest,
}

impl CloudStore {
    /// A store below `prefix` of any object store; `location` is its name for people.
    pub fn new(
        objects: Arc<dyn ObjectStore>,
        prefix: Path,
        location: String,
        options: CloudOptions,
    ) -> Result<CloudStore, StoreError> {
        let objects = Objects::new(objects, location, options.faults.clone())?;
        let inner = CloudState {
            objects,
            keys: Keys::below(prefix),
            options,
            probed: OnceLock::new(),
            heads: Mutex::default(),
            terms: Terms::default(),
            counts: Counts::default(),
            newest: Newest::default(),
        };
        Ok(CloudStore { inner: Arc::new(inner) })
    }

    /// Makes sure that the server creates an object only if it is not there. One that overwrites instead could lose
    /// artifacts, and is refused. Done by itself before the first draft.
    pub fn probe(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        if inner.probed.get().is_some() {
            return Ok(());
        }
        let key = inner.keys.probe(ArtifactId::generate()?.as_str());
        let first = inner.objects.create(&key, b"1".to_vec())?;
        let second = inner.objects.create(&key, b"2".to_vec())?;
        let kept = inner.objects.get(&key)?;
        inner.objects.delete(&key)?;
        if first && !second && kept.as_deref() == Some(b"1".as_slice()) {
            // Somebody else may have been quicker with the same result.
            let _ = inner.probed.set(());
            return Ok(());
        }
        let why = "the server ignores the condition to create an object only if it is absent".to_owned();
        Err(StoreError::Unavailable { what: inner.objects.location().to_owned(), why })
    }
}

/// The characters of a short handle that is not compared with others: 40 bits.
const UNASKED_HANDLE: usize = 8;

impl CloudState {
    /// The ids of the visible artifacts of a session, oldest first.
    fn ids(&self, session: &SessionId) -> Result<Vec<ArtifactId>, StoreError> {
        let metas = self.objects.list(&self.keys.metas(session))?;
        let mut ids: Vec<ArtifactId> = metas.iter().filter_map(|meta| meta.location.filename()?.parse().ok()).collect();
        ids.sort_by_cached_key(|id| (id.unix_millis(), id.clone()));
        Ok(ids)
    }

    /// The heads of the visible artifacts of a session, oldest first; damaged ones are left out and logged.
    fn heads(&self, session: &SessionId) -> Result<Vec<RecordHead>, StoreError> {
        let ids = self.ids(session)?;
        let mut known = BTreeMap::new();
        {
            let cache = self.heads.lock();
            for id in &ids {
                if let Some(head) = cache.get(&(session.clone(), id.clone())) {
                    known.insert(id.clone(), head.clone());
                }
            }
        }
        let missing: Vec<ArtifactId> = ids.iter().filter(|id| !known.contains_key(id)).cloned().collect();
        let read =
            self.objects.get_starts(missing.iter().map(|id| self.keys.meta(session, id)).collect(), record::HEAD)?;
        for (id, bytes) in missing.iter().zip(read) {
            let Some(bytes) = bytes else { continue };
            match self.head(session, id, &bytes) {
                Ok(head) => {
                    known.insert(id.clone(), head);
                }
                Err(StoreError::Corrupt { .. } | StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let mut cache = self.heads.lock();
        cache.retain(|(of, id), _| of != session || known.contains_key(id));
        cache.extend(known.iter().map(|(id, head)| ((session.clone(), id.clone()), head.clone())));
        drop(cache);
        Ok(ids.iter().filter_map(|id| known.remove(id)).collect())
    }

    /// The head at the beginning of a record; the rest of a long one is fetched.
    fn head(&self, session: &SessionId, id: &ArtifactId, start: &[u8]) -> Result<RecordHead, StoreError> {
        let corrupt = |what: String| artifact::corrupt(id, None, what);
        let head = match record::decode_head(start).map_err(corrupt)? {
            Some((head, _)) => head,
            None => {
                let whole = self.objects.get(&self.keys.meta(session, id))?;
                let whole = whole.ok_or_else(|| StoreError::NotFound { id: id.clone() })?;
                let head = record::decode_head(&whole).map_err(corrupt)?;
                head.ok_or_else(|| corrupt("its metadata is cut short".to_owned()))?.0
            }
        };
        artifact::check_head(&head, session, id)?;
        Ok(head)
    }

    /// Removes an artifact, first its metadata, so that no reader meets half of it.
    fn remove(&self, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
        self.objects.delete(&self.keys.meta(session, id))?;
        self.objects.delete_all(self.beside(session, id))?;
        self.heads.lock().remove(&(session.clone(), id.clone()));
        Ok(())
    }

    /// What lies beside an artifact's metadata.
    fn beside(&self, session: &SessionId, id: &ArtifactId) -> Vec<Path> {
        let keys = &self.keys;
        vec![keys.data(session, id), keys.terms_of(session, id), keys.aside(session, id)]
    }

    /// What the contents of a session take, those on their way included. Costs a listing.
    fn sizes(&self, session: &SessionId) -> Result<BTreeMap<ArtifactId, u64>, StoreError> {
        let contents = self.objects.list(&self.keys.datas(session))?;
        Ok(contents
            .iter()
            .filter_map(|content| Some((content.location.filename()?.parse().ok()?, content.size)))
            .collect())
    }

    /// Removes many artifacts, all their metadata first.
    fn remove_all(&self, session: &SessionId, ids: &[ArtifactId]) -> Result<(), StoreError> {
        self.objects.delete_all(ids.iter().map(|id| self.keys.meta(session, id)).collect())?;
        self.objects.delete_all(ids.iter().flat_map(|id| self.beside(session, id)).collect())?;
        let mut heads = self.heads.lock();
        for id in ids {
            heads.remove(&(session.clone(), id.clone()));
        }
        Ok(())
    }

    /// Removes a session's artifacts and what it remembers; content that is still on its way stays.
    fn clear(&self, session: &SessionId) -> Result<Cleared, StoreError> {
        let (ids, sizes) = (self.ids(session)?, self.sizes(session)?);
        let bytes = ids.iter().filter_map(|id| sizes.get(id)).sum();
        self.remove_all(session, &ids)?;
        for below in [self.keys.evictions(session), self.keys.terms(session), self.keys.asides(session)] {
            let left = self.objects.list(&below)?;
            self.objects.delete_all(left.into_iter().map(|meta| meta.location).collect())?;
        }
        Ok(Cleared { artifacts: ids.len() as u64, bytes })
    }

    /// What a missing artifact is: evicted, or never there.
    fn missing(&self, session: &SessionId, id: &ArtifactId) -> StoreError {
        match self.objects.exists(&self.keys.eviction(session, id)) {
            Ok(true) => StoreError::Evicted { id: id.clone() },
            Ok(false) => StoreError::NotFound { id: id.clone() },
            Err(error) => error,
        }
    }
}

impl Store for CloudStore {
    fn draft(&self, session: &SessionId) -> Result<Box<dyn Draft>, StoreError> {
        let id = ArtifactId::generate_at(self.inner.options.clock.now_ms())?;
        Ok(Box::new(CloudDraft::new(self.clone(), session.clone(), id)))
    }

    fn open(&self, session: &SessionId, id: &ArtifactId) -> Result<Box<dyn Artifact>, StoreError> {
        match self.inner.objects.get(&self.inner.keys.meta(session, id))? {
            Some(bytes) => Ok(Box::new(CloudArtifact::open(self.inner.clone(), session, id, &bytes)?)),
            None => Err(self.inner.missing(session, id)),
        }
    }

    fn list(&self, session: &SessionId) -> Result<Vec<ArtifactInfo>, StoreError> {
        Ok(self.inner.heads(session)?.into_iter().map(|head| head.info).collect())
    }

    fn ids(&self, session: &SessionId) -> Result<Vec<ArtifactId>, StoreError> {
        self.inner.ids(session)
    }

    /// Those of this process: asking for all of them would cost a listing and as many reads for every output.
    fn newest(
        &self,
        session: &SessionId,
        last: usize,
        wanted: &dyn Fn(&ArtifactInfo) -> bool,
    ) -> Result<Option<ArtifactInfo>, StoreError> {
        Ok(self.inner.newest.find(session, last, wanted))
    }

    /// Long enough to be the only one: asking for all of the others would cost a listing for every output.
    fn handle(&self, _session: &SessionId, id: &ArtifactId) -> Result<String, StoreError> {
        Ok(id.handle(UNASKED_HANDLE).to_owned())
    }

    fn keeps_terms(&self) -> bool {
        true
    }

    fn find(&self, session: &SessionId, terms: &[u32]) -> Result<Option<TermMatches>, StoreError> {
        self.inner.find(session, terms).map(Some)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn add_note(&self, name: &str, note: &[u8]) -> Result<bool, StoreError> {
        self.probe()?;
        self.inner.objects.create(&self.inner.keys.note(name), note.to_vec())
    }

    fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.inner.objects.get(&self.inner.keys.note(name))?.map(Vec::from))
    }

    fn remove_note(&self, name: &str) -> Result<(), StoreError> {
        self.inner.objects.delete(&self.inner.keys.note(name))
    }

    fn remove(&self, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
        if !self.inner.objects.exists(&self.inner.keys.meta(session, id))? {
            return Err(StoreError::NotFound { id: id.clone() });
        }
        self.inner.remove(session, id)
    }

    fn clear(&self, session: &SessionId) -> Result<Cleared, StoreError> {
        let cleared = self.inner.clear(session)?;
        if !lease::in_use(&self.inner, session)? {
            lease::forget(&self.inner, session)?;
        }
        Ok(cleared)
    }

    fn sessions(&self) -> Result<Vec<SessionInfo>, StoreError> {
        let mut infos = Vec::new();
        for session in self.inner.objects.folders(self.inner.keys.root())? {
            let Ok(session) = session.parse::<SessionId>() else { continue };
            let heads = self.inner.heads(&session)?;
            infos.push(SessionInfo {
                artifacts: heads.len() as u64,
                stored_bytes: heads.iter().map(|head| head.info.stored_bytes).sum(),
                latest_ms: heads.iter().map(|head| head.info.created_ms).max().unwrap_or(0),
                in_use: lease::in_use(&self.inner, &session)?,
                session,
            });
        }
        Ok(infos)
    }

    fn attach(&self, session: &SessionId) -> Result<Box<dyn Lease>, StoreError> {
        Ok(Box::new(CloudLease::attach(self.clone(), session)?))
    }

    fn sweep(&self, sweep: &Sweep) -> Result<Swept, StoreError> {
        sweep::sweep(&self.inner, sweep)
    }

    fn location(&self) -> String {
        self.inner.objects.location().to_owned()
    }
}

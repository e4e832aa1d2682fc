//! Artifacts in a directory of this machine. `docs/store.md` describes the layout.

mod account;
mod artifact;
mod commit;
mod draft;
mod folder;
mod lease;
mod ledger;
mod names;
mod place;
mod recent;
mod recover;
mod spool;
mod staging;
mod sweep;
mod whole;

use std::path::Path;
use std::sync::Arc;

use crate::artifact::ArtifactInfo;
use crate::clock::Clock;
use crate::error::StoreError;
use crate::faults::Faults;
use crate::id::{ArtifactId, SessionId};
use crate::limits::Limits;
use crate::store::{Artifact, Cleared, Damaged, Draft, Lease, SessionInfo, Store, Sweep, Swept};

use artifact::LocalArtifact;
use draft::LocalDraft;
use folder::Folder;
use lease::LocalLease;
use ledger::Ledger;
use names::Named;
use place::{StoreRoot, present};

/// How a local store works.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Whether a committed artifact outlives a loss of power. Without it a commit is quicker, still whole or not there
    /// at all for every reader while the machine runs; right for a store that goes with the run.
    pub durable: bool,
    /// How much may be kept.
    pub limits: Limits,
    /// Whether contents above 1 MiB are compressed, block by block.
    #[cfg(feature = "zstd")]
    pub compress_large: bool,
    /// Where the time comes from.
    pub clock: Clock,
    /// Calls to the system that fail on purpose, for tests.
    pub faults: Option<Arc<Faults>>,
}

impl Default for LocalOptions {
    fn default() -> LocalOptions {
        LocalOptions {
            durable: true,
            limits: Limits::default(),
            #[cfg(feature = "zstd")]
            compress_large: false,
            clock: Clock::system(),
            faults: None,
        }
    }
}

/// A store in a local directory, shared safely by any number of processes of one user.
///
/// Nothing is made on disk before the first artifact is written.
#[derive(Debug, Clone)]
pub struct LocalStore {
    place: Arc<StoreRoot>,
}

impl LocalStore {
    /// A store in `root`, a folder that the user chose: links on the way to it are followed, links in it never.
    pub fn open(root: impl AsRef<Path>, options: LocalOptions) -> Result<LocalStore, StoreError> {
        LocalStore::below(root, "", options)
    }

    /// A store in the folder `below` of `base`. Only `base` is trusted: a link anywhere on the way down from it is
    /// refused, so a project cannot lead its artifacts elsewhere.
    pub fn below(
        base: impl AsRef<Path>,
        below: impl AsRef<Path>,
        options: LocalOptions,
    ) -> Result<LocalStore, StoreError> {
        Ok(LocalStore { place: Arc::new(StoreRoot::new(base.as_ref(), below.as_ref(), options)?) })
    }

    /// The folder, which need not exist yet.
    pub fn root(&self) -> &Path {
        self.place.root_path()
    }
}

impl Store for LocalStore {
    fn draft(&self, session: &SessionId) -> Result<Box<dyn Draft>, StoreError> {
        let id = ArtifactId::generate_at(self.place.options().clock.now_ms())?;
        Ok(Box::new(LocalDraft::new(self.place.clone(), session.clone(), id)))
    }

    fn open(&self, session: &SessionId, id: &ArtifactId) -> Result<Box<dyn Artifact>, StoreError> {
        let folder = self.place.session(session)?.ok_or_else(|| StoreError::NotFound { id: id.clone() })?;
        let folder = Arc::new(folder);
        match LocalArtifact::open(&folder, session, id, self.place.recent()) {
            Ok(artifact) => Ok(Box::new(artifact)),
            Err(StoreError::NotFound { .. }) if ledger::was_evicted(&folder, id)? => {
                Err(StoreError::Evicted { id: id.clone() })
            }
            Err(error) => Err(error),
        }
    }

    fn list(&self, session: &SessionId) -> Result<Vec<ArtifactInfo>, StoreError> {
        let Some(folder) = self.place.session(session)?.map(Arc::new) else { return Ok(Vec::new()) };
        recover::recover(&self.place, &folder, session)?;
        list(&folder, session)
    }

    fn ids(&self, session: &SessionId) -> Result<Vec<ArtifactId>, StoreError> {
        let Some(folder) = self.place.session(session)? else { return Ok(Vec::new()) };
        let mut ids = ids(&folder)?;
        ids.extend(ledger::evicted(&folder)?);
        ids.sort_by_cached_key(|id| (id.unix_millis(), id.clone()));
        Ok(ids)
    }

    fn handle(&self, session: &SessionId, id: &ArtifactId) -> Result<String, StoreError> {
        let folder = self.place.session(session)?;
        // Whoever asks often need not read all of the ledger each time.
        if let Some(folder) = &folder
            && let Some(mut tally) = self.place.tallies().take(session)
        {
            let alone = ledger::has_none_alike(folder, &mut tally, id);
            self.place.tallies().put(session, tally);
            if alone? {
                return Ok(id.handle_among(&[]).to_owned());
            }
        }
        let alike = match folder {
            Some(folder) => ledger::alike(&folder, id)?,
            None => None,
        };
        Ok(match alike {
            Some(alike) => id.handle_among(&alike).to_owned(),
            None => id.handle_among(&self.ids(session)?).to_owned(),
        })
    }

    fn damaged(&self, session: &SessionId) -> Result<Vec<Damaged>, StoreError> {
        let Some(folder) = self.place.session(session)? else { return Ok(Vec::new()) };
        let mut damaged = Vec::new();
        for id in ids(&folder)? {
            match artifact::head(&folder, session, &id) {
                Ok(_) | Err(StoreError::NotFound { .. }) => {}
                Err(StoreError::Corrupt { what, .. }) => damaged.push(Damaged { id, damaged: what }),
                Err(error @ StoreError::Refused { .. }) => damaged.push(Damaged { id, damaged: error.to_string() }),
                Err(error) => return Err(error),
            }
        }
        Ok(damaged)
    }

    fn remove(&self, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
        let not_found = || StoreError::NotFound { id: id.clone() };
        let folder = Arc::new(self.place.session(session)?.ok_or_else(not_found)?);
        let name = names::metadata(id);
        if !folder.has(&name).map_err(|error| folder.error("look for", &name, error))? {
            return Err(not_found());
        }
        let ledger = Ledger::lock(&folder)?;
        ledger.removed(id)?;
        remove(&folder, session, id)?;
        drop(ledger);
        if self.place.options().durable {
            folder.sync().map_err(|error| folder.error("sync the folder", "", error))?;
        }
        Ok(())
    }

    fn clear(&self, session: &SessionId) -> Result<Cleared, StoreError> {
        let Some(root) = self.place.root()? else { return Ok(Cleared::default()) };
        let Some(folder) = present(root.folder(session.as_str()))?.map(Arc::new) else { return Ok(Cleared::default()) };
        let cleared = clear(&folder, session)?;
        match lease::lock_abandoned(&folder)? {
            // The lock on the removed file lasts until the folder is gone, so that nobody attaches in between.
            lease::Use::Abandoned(_lock) => {
                folder.remove(names::OWNER).map_err(|error| folder.error("remove", names::OWNER, error))?;
                sweep::remove_folder(&root, session)?;
            }
            lease::Use::Never => {
                sweep::remove_folder(&root, session)?;
            }
            lease::Use::Attached => {}
        }
        Ok(cleared)
    }

    fn sessions(&self) -> Result<Vec<SessionInfo>, StoreError> {
        let Some(root) = self.place.root()? else { return Ok(Vec::new()) };
        let mut infos = Vec::new();
        for (session, folder) in sessions(&root)? {
            let artifacts = list(&folder, &session)?;
            infos.push(SessionInfo {
                artifacts: artifacts.len() as u64,
                stored_bytes: artifacts.iter().map(|info| info.stored_bytes).sum(),
                latest_ms: artifacts.iter().map(|info| info.created_ms).max().unwrap_or(0),
                in_use: matches!(lease::lock_abandoned(&folder)?, lease::Use::Attached),
                session,
            });
        }
        Ok(infos)
    }

    fn attach(&self, session: &SessionId) -> Result<Box<dyn Lease>, StoreError> {
        Ok(Box::new(LocalLease::attach(self.clone(), session)?))
    }

    fn sweep(&self, sweep: &Sweep) -> Result<Swept, StoreError> {
        self.place.root()?.map_or(Ok(Swept::default()), |root| sweep::sweep(&self.place, &root, sweep))
    }

    fn location(&self) -> String {
        self.place.root_path().display().to_string()
    }
}

/// The sessions in the root, by name; what is not a session's folder is passed over.
fn sessions(root: &Folder) -> Result<Vec<(SessionId, Folder)>, StoreError> {
    let names = root.names().map_err(|error| root.error("list", "", error))?;
    let mut sessions = Vec::new();
    for session in names.iter().filter_map(|name| name.parse::<SessionId>().ok()) {
        match present(root.folder(session.as_str())) {
            Ok(Some(folder)) => sessions.push((session, folder)),
            Ok(None) | Err(StoreError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sessions)
}

/// The ids of the visible artifacts in a session's folder, oldest first.
fn ids(folder: &Folder) -> Result<Vec<ArtifactId>, StoreError> {
    let names = folder.names().map_err(|error| folder.error("list", "", error))?;
    let metadata = names.iter().filter_map(|name| match names::classify(name) {
        Named::Metadata(id) => Some(id),
        Named::Content(_)
        | Named::ContentStaging(_)
        | Named::Progress(_)
        | Named::MetadataStaging(_)
        | Named::Aside(_)
        | Named::AsideStaging
        | Named::Other => None,
    });
    let mut ids: Vec<ArtifactId> = metadata.collect();
    ids.sort_by_cached_key(|id| (id.unix_millis(), id.clone()));
    Ok(ids)
}

fn list(folder: &Folder, session: &SessionId) -> Result<Vec<ArtifactInfo>, StoreError> {
    let mut infos = Vec::new();
    for id in ids(folder)? {
        match artifact::head(folder, session, &id) {
            Ok(head) => infos.push(head.info),
            // Removed meanwhile; or damaged, which was logged and is said when it is opened.
            Err(StoreError::NotFound { .. } | StoreError::Corrupt { .. } | StoreError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(infos)
}

/// Removes an artifact, damaged or not, first its metadata, so that no reader meets half of it; says what it took.
fn remove(folder: &Folder, session: &SessionId, id: &ArtifactId) -> Result<u64, StoreError> {
    let head = artifact::head(folder, session, id).ok();
    let own = head.as_ref().map(|head| head.file.clone());
    let bytes = head.map_or(0, |head| head.info.stored_bytes);
    for name in [names::metadata(id)].into_iter().chain(own).chain(names::contents(id)).chain([names::aside(id)]) {
        folder.remove(&name).map_err(|error| folder.error("remove", &name, error))?;
    }
    Ok(bytes)
}

fn clear(folder: &Arc<Folder>, session: &SessionId) -> Result<Cleared, StoreError> {
    let mut cleared = Cleared::default();
    let _ledger = Ledger::lock(folder)?;
    for id in ids(folder)? {
        cleared.bytes += remove(folder, session, &id)?;
        cleared.artifacts += 1;
    }
    recover::discard(folder)?;
    sweep::leftovers(folder)?;
    folder.remove(names::LEDGER).map_err(|error| folder.error("remove", names::LEDGER, error))?;
    Ok(cleared)
}

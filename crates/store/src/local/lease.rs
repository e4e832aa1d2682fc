//! Who uses a session: a shared lock on a file in its folder, which goes with the process that holds it.

use std::fs::{File, TryLockError};

use offcut_platform::link_count;

use crate::error::StoreError;
use crate::id::SessionId;
use crate::local::LocalStore;
use crate::local::folder::Folder;
use crate::local::names::OWNER;
use crate::local::place::present;
use crate::store::{Cleared, Lease, Store};

/// How often attaching starts anew because the session was swept away under it.
const ATTEMPTS: usize = 16;

/// A session in use by this process.
#[derive(Debug)]
pub(super) struct LocalLease {
    store: LocalStore,
    session: SessionId,
    _lock: File,
}

impl LocalLease {
    pub(super) fn attach(store: LocalStore, session: &SessionId) -> Result<LocalLease, StoreError> {
        for _ in 0..ATTEMPTS {
            let folder = store.place.session_or_new(session)?;
            let error = |error| folder.error("lock the session", OWNER, error);
            let Some(file) = present(folder.append(OWNER))? else { continue };
            folder.check("lock").and_then(|()| file.lock_shared()).map_err(error)?;
            if link_count(&file).map_err(error)? > 0 {
                return Ok(LocalLease { store, session: session.clone(), _lock: file });
            }
        }
        Err(StoreError::Unavailable { what: format!("session `{session}`"), why: "it is being cleared".to_owned() })
    }
}

impl Lease for LocalLease {
    fn session(&self) -> &SessionId {
        &self.session
    }

    fn end(self: Box<Self>) -> Result<Option<Cleared>, StoreError> {
        let LocalLease { store, session, _lock } = *self;
        drop(_lock);
        let Some(folder) = store.place.session(&session)? else { return Ok(None) };
        let abandoned = matches!(lock_abandoned(&folder)?, Use::Abandoned(_));
        if abandoned { store.clear(&session).map(Some) } else { Ok(None) }
    }
}

/// Whether somebody uses a session.
#[derive(Debug)]
pub(super) enum Use {
    /// Nobody ever attached to it.
    Never,
    /// Somebody is attached.
    Attached,
    /// Everybody who was attached is gone; while this lock is held, nobody attaches.
    Abandoned(File),
}

/// Finds out whether somebody uses the session of this folder.
pub(super) fn lock_abandoned(folder: &Folder) -> Result<Use, StoreError> {
    let Some(file) = present(folder.read(OWNER))? else { return Ok(Use::Never) };
    match file.try_lock() {
        Ok(()) => Ok(Use::Abandoned(file)),
        Err(TryLockError::WouldBlock) => Ok(Use::Attached),
        Err(TryLockError::Error(error)) => Err(folder.error("lock the session", OWNER, error)),
    }
}

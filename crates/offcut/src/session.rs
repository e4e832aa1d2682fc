//! The use of a session, which ends with the one who uses it.

use offcut_store::{Cleared, Lease, SessionId, Store, StoreError, Sweep};
use parking_lot::Mutex;

/// A session that is in use; with the last of those who use it its artifacts go.
///
/// Dropping it ends the use. A process that is killed drops nothing: its sessions are swept away by the next one that
/// begins to use any.
#[derive(Debug)]
pub(crate) struct SessionUse {
    lease: Mutex<Option<Box<dyn Lease>>>,
}

impl SessionUse {
    /// Begins to use a session, and clears away those whose users died.
    ///
    /// Where that is not possible (a disk that cannot be written to) nothing is kept either: it is logged, and no
    /// reason not to work.
    pub(crate) fn begin(store: &dyn Store, session: &SessionId) -> SessionUse {
        if let Err(error) = store.sweep(&Sweep::abandoned_in(store)) {
            tracing::warn!(%error, "could not sweep abandoned sessions");
        }
        let lease = store.attach(session).inspect_err(|error| {
            tracing::warn!(%error, %session, "could not attach to the session: it will not be cleaned up at its end");
        });
        SessionUse { lease: Mutex::new(lease.ok()) }
    }

    /// Ends the use; says what was cleared, if nobody else uses the session.
    pub(crate) fn end(&self) -> Result<Option<Cleared>, StoreError> {
        let lease = self.lease.lock().take();
        lease.map_or(Ok(None), Lease::end)
    }
}

impl Drop for SessionUse {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::warn!(%error, "could not clean up the session at its end");
        }
    }
}

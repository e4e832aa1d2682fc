//! Who uses a session: an object each, with its expiry in its name, renewed while its process lives.

use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::cloud::{CloudState, CloudStore};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::store::{Cleared, Lease, Store};

/// A session in use by this process.
#[derive(Debug)]
pub(super) struct CloudLease {
    store: CloudStore,
    session: SessionId,
    current: Arc<Mutex<Path>>,
    renewal: Option<JoinHandle<()>>,
}

impl CloudLease {
    pub(super) fn attach(store: CloudStore, session: &SessionId) -> Result<CloudLease, StoreError> {
        store.probe()?;
        let inner = &store.inner;
        inner.objects.create(&inner.keys.owner(session), Vec::new())?;
        let (name, leases) = (ArtifactId::generate()?, inner.keys.leases(session));
        let (clock, length) = (inner.options.clock.clone(), inner.options.lease);
        let key = move || {
            let expiry = clock.now_ms().saturating_add(u64::try_from(length.as_millis()).unwrap_or(u64::MAX));
            leases.clone().join(format!("{name}-{expiry}"))
        };
        let first = key();
        inner.objects.create(&first, Vec::new())?;
        let current = Arc::new(Mutex::new(first));
        let (objects, renewed) = (inner.objects.store().clone(), current.clone());
        let renewal = inner.objects.spawn(async move {
            loop {
                tokio::time::sleep((length / 3).max(Duration::from_millis(10))).await;
                let next = key();
                // A renewal that fails is tried again well before the lease ends.
                if objects.put(&next, PutPayload::new()).await.is_ok() {
                    let last = std::mem::replace(&mut *renewed.lock(), next);
                    let _ = objects.delete(&last).await;
                }
            }
        });
        Ok(CloudLease { store, session: session.clone(), current, renewal })
    }
}

impl Lease for CloudLease {
    fn session(&self) -> &SessionId {
        &self.session
    }

    fn end(self: Box<Self>) -> Result<Option<Cleared>, StoreError> {
        let (store, session) = (self.store.clone(), self.session.clone());
        drop(self);
        if in_use(&store.inner, &session)? { Ok(None) } else { store.clear(&session).map(Some) }
    }
}

impl Drop for CloudLease {
    fn drop(&mut self) {
        if let Some(renewal) = &self.renewal {
            renewal.abort();
        }
        let current = self.current.lock().clone();
        // A lease that cannot be deleted runs out.
        let _ = self.store.inner.objects.delete(&current);
    }
}

/// Whether somebody uses a session.
pub(super) fn in_use(inner: &CloudState, session: &SessionId) -> Result<bool, StoreError> {
    let now = inner.options.clock.now_ms();
    let expiry = |key: &Path| key.filename()?.rsplit_once('-')?.1.parse::<u64>().ok();
    let leases = inner.objects.list(&inner.keys.leases(session))?;
    Ok(leases.iter().filter_map(|meta| expiry(&meta.location)).any(|expiry| expiry > now))
}

/// Whether everybody who attached to a session is gone.
pub(super) fn is_abandoned(inner: &CloudState, session: &SessionId) -> Result<bool, StoreError> {
    Ok(inner.objects.exists(&inner.keys.owner(session))? && !in_use(inner, session)?)
}

/// Removes what says that somebody attached to a session that is not in use.
pub(super) fn forget(inner: &CloudState, session: &SessionId) -> Result<(), StoreError> {
    for lease in inner.objects.list(&inner.keys.leases(session))? {
        inner.objects.delete(&lease.location)?;
    }
    inner.objects.delete(&inner.keys.owner(session))
}

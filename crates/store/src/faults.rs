//! Failing on purpose: the N-th operation, for every N.
//!
//! [`Faults`] counts operations and fails one of them. The local store counts each call to the system
//! (`LocalOptions::faults`); [`FaultyStore`] counts each call to any store.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use offcut_core::extent::Index;

use crate::artifact::{ArtifactInfo, Facts};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::store::{Artifact, Cleared, Damaged, Draft, Lease, Progress, SessionInfo, Store, Sweep, Swept};

/// Which operations fail, and how.
#[derive(Debug)]
pub struct Faults {
    seen: AtomicU64,
    first: u64,
    last: u64,
    kind: io::ErrorKind,
}

impl Faults {
    /// Fails nothing, and counts.
    pub fn none() -> Arc<Faults> {
        Faults::between(u64::MAX, u64::MAX, io::ErrorKind::Other)
    }

    /// Fails the operation number `at` (from 0), and only that one.
    pub fn once(at: u64, kind: io::ErrorKind) -> Arc<Faults> {
        Faults::between(at, at, kind)
    }

    /// Fails every operation from number `at` (from 0) on.
    pub fn from(at: u64, kind: io::ErrorKind) -> Arc<Faults> {
        Faults::between(at, u64::MAX, kind)
    }

    fn between(first: u64, last: u64, kind: io::ErrorKind) -> Arc<Faults> {
        Arc::new(Faults { seen: AtomicU64::new(0), first, last, kind })
    }

    /// How many operations there were.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// Counts an operation, and fails it if it is its turn.
    pub fn check(&self, operation: &str) -> io::Result<()> {
        let at = self.seen.fetch_add(1, Ordering::Relaxed);
        if (self.first..=self.last).contains(&at) && self.first != u64::MAX {
            return Err(io::Error::new(self.kind, format!("fault {at} injected into `{operation}`")));
        }
        Ok(())
    }
}

/// A store whose N-th operation fails.
#[derive(Debug)]
pub struct FaultyStore<S> {
    inner: S,
    faults: Arc<Faults>,
}

impl<S: Store> FaultyStore<S> {
    /// `inner`, failing as `faults` says.
    pub fn new(inner: S, faults: Arc<Faults>) -> FaultyStore<S> {
        FaultyStore { inner, faults }
    }
}

fn check(faults: &Faults, operation: &str) -> Result<(), StoreError> {
    faults.check(operation).map_err(|source| match source.kind() {
        io::ErrorKind::StorageFull => StoreError::Full { place: "a faulty store".to_owned(), source },
        io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { place: "a faulty store".to_owned(), source },
        _ => StoreError::Io { doing: operation.to_owned(), path: None, source },
    })
}

impl<S: Store> Store for FaultyStore<S> {
    fn draft(&self, session: &SessionId) -> Result<Box<dyn Draft>, StoreError> {
        check(&self.faults, "begin a draft")?;
        Ok(Box::new(FaultyDraft { inner: self.inner.draft(session)?, faults: self.faults.clone(), failed: false }))
    }

    fn open(&self, session: &SessionId, id: &ArtifactId) -> Result<Box<dyn Artifact>, StoreError> {
        check(&self.faults, "open an artifact")?;
        Ok(Box::new(FaultyArtifact { inner: self.inner.open(session, id)?, faults: self.faults.clone() }))
    }

    fn list(&self, session: &SessionId) -> Result<Vec<ArtifactInfo>, StoreError> {
        check(&self.faults, "list artifacts")?;
        self.inner.list(session)
    }

    fn ids(&self, session: &SessionId) -> Result<Vec<ArtifactId>, StoreError> {
        check(&self.faults, "ids")?;
        self.inner.ids(session)
    }

    fn damaged(&self, session: &SessionId) -> Result<Vec<Damaged>, StoreError> {
        self.inner.damaged(session)
    }

    fn remove(&self, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
        check(&self.faults, "remove an artifact")?;
        self.inner.remove(session, id)
    }

    fn clear(&self, session: &SessionId) -> Result<Cleared, StoreError> {
        check(&self.faults, "clear a session")?;
        self.inner.clear(session)
    }

    fn sessions(&self) -> Result<Vec<SessionInfo>, StoreError> {
        check(&self.faults, "list sessions")?;
        self.inner.sessions()
    }

    fn attach(&self, session: &SessionId) -> Result<Box<dyn Lease>, StoreError> {
        check(&self.faults, "attach to a session")?;
        self.inner.attach(session)
    }

    fn sweep(&self, sweep: &Sweep) -> Result<Swept, StoreError> {
        check(&self.faults, "sweep")?;
        self.inner.sweep(sweep)
    }

    fn location(&self) -> String {
        self.inner.location()
    }
}

struct FaultyDraft {
    inner: Box<dyn Draft>,
    faults: Arc<Faults>,
    /// Whether a write failed: what came after it would leave a hole.
    failed: bool,
}

impl FaultyDraft {
    fn check(&mut self, operation: &str) -> Result<(), StoreError> {
        if self.failed {
            return Err(StoreError::Misuse { why: "a write to it has failed".to_owned() });
        }
        check(&self.faults, operation).inspect_err(|_| self.failed = true)
    }
}

impl Draft for FaultyDraft {
    fn id(&self) -> &ArtifactId {
        self.inner.id()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.check("write to a draft")?;
        self.inner.write(bytes)
    }

    fn write_whole(&mut self, content: &[u8]) -> Result<(), StoreError> {
        self.check("write to a draft")?;
        self.inner.write_whole(content)
    }

    fn written(&self) -> u64 {
        self.inner.written()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.faults.check("read back a draft")?;
        self.inner.read_at(offset, buffer)
    }

    fn save_progress(&mut self, progress: &Progress) -> Result<(), StoreError> {
        self.check("save the progress of a draft")?;
        self.inner.save_progress(progress)
    }

    fn commit(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        self.check("commit a draft")?;
        self.inner.commit(facts)
    }
}

#[derive(Debug)]
struct FaultyArtifact {
    inner: Box<dyn Artifact>,
    faults: Arc<Faults>,
}

impl Artifact for FaultyArtifact {
    fn info(&self) -> &ArtifactInfo {
        self.inner.info()
    }

    fn index(&self) -> &Index {
        self.inner.index()
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        check(&self.faults, "read an artifact")?;
        self.inner.read(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operation_whose_turn_it_is_fails_and_no_other() {
        let outcomes = |faults: Arc<Faults>| (0..4).map(|_| faults.check("x").is_ok()).collect::<Vec<_>>();
        assert_eq!(outcomes(Faults::none()), [true; 4]);
        assert_eq!(outcomes(Faults::once(2, io::ErrorKind::Other)), [true, true, false, true]);
        assert_eq!(outcomes(Faults::from(2, io::ErrorKind::Other)), [true, true, false, false]);
    }
}

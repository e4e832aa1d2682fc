//! Writing an artifact to the local directory.
//!
//! A small draft stays in memory until it is committed. A larger one goes to its staging file as it comes.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::artifact::{ArtifactInfo, Facts};
use crate::blocks::Tree;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::commit::{self, Staged};
use crate::local::folder::Folder;
use crate::local::names;
use crate::local::place::Place;
use crate::local::spool::{CHUNK, Spool, Spooled};
use crate::local::staging::Staging;
use crate::local::sweep;
use crate::memory::copy;
use crate::store::Draft;

/// How often a session's folder is made again because it was cleared away under the draft.
const FOLDERS: u32 = 8;

/// A draft of the local store.
#[derive(Debug)]
pub(super) struct LocalDraft {
    place: Arc<Place>,
    session: SessionId,
    id: ArtifactId,
    written: u64,
    /// The chunk that is being filled; for a small draft, all of it.
    chunk: Vec<u8>,
    /// Where the chunks before it went.
    spool: Option<Spool>,
    staging: Option<Staging>,
    folder: Option<Arc<Folder>>,
    /// Why nothing more is taken in.
    closed: Option<&'static str>,
}

impl LocalDraft {
    pub(super) fn new(place: Arc<Place>, session: SessionId, id: ArtifactId) -> LocalDraft {
        LocalDraft {
            place,
            session,
            id,
            written: 0,
            chunk: Vec::new(),
            spool: None,
            staging: None,
            folder: None,
            closed: None,
        }
    }

    /// Hands the full chunk over to the spool, which starts with the first one.
    fn hand_over(&mut self) -> Result<(), StoreError> {
        if self.spool.is_none() {
            let file = self.stage()?;
            self.sweep_once();
            let durable = self.place.options().durable;
            let started = Spool::start(file, self.place.packing(), durable, self.place.faults().cloned());
            self.spool = Some(started.map_err(|error| self.error("start to write", error))?);
        }
        let chunk = std::mem::take(&mut self.chunk);
        let sent = self.spool.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |spool| spool.send(chunk));
        self.chunk = sent.map_err(|error| self.error("write the content", error))?;
        Ok(())
    }

    /// Removes what writers of this session that died left behind, when a store writes its first large draft: large
    /// drafts are what leaves something worth the look, and beside one the look costs nothing.
    fn sweep_once(&self) {
        if let Some(folder) = self.folder.as_ref().filter(|_| self.place.first_large_draft())
            && let Err(error) = sweep::leftovers(folder)
        {
            tracing::warn!(%error, session = %self.session, "could not look for leftovers");
        }
    }

    /// The staging file of the content.
    fn stage(&mut self) -> Result<Arc<std::fs::File>, StoreError> {
        let mut attempt = 0;
        let staging = loop {
            attempt += 1;
            let folder = Arc::new(self.place.session_or_new(&self.session)?);
            let staging = Staging::create(&folder, names::content_staging(&self.id));
            self.folder = Some(folder);
            match staging {
                // The session was cleared, folder and all, between the two calls: so it is made again.
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < FOLDERS => {}
                other => break other.map_err(|error| self.error("make the staging file", error))?,
            }
        };
        let file = staging.file().clone();
        self.staging = Some(staging);
        Ok(file)
    }

    /// Brings everything to the staging file, and to the disk.
    fn finish(&mut self) -> Result<Staged, StoreError> {
        let (spooled, compressed) = match &mut self.spool {
            Some(spool) => {
                let last = std::mem::take(&mut self.chunk);
                let sent = if last.is_empty() { Ok(()) } else { spool.send(last).map(|_| ()) };
                let finished = sent.and_then(|()| spool.finish());
                let compressed = spool.compresses();
                (finished.map_err(|error| self.error("write the content", error))?, compressed)
            }
            None => {
                let file = self.stage()?;
                let written = self.check("write").and_then(|()| file.write_all_at(&self.chunk, 0));
                written.map_err(|error| self.error("write the content", error))?;
                let mut tree = Tree::default();
                tree.push(&self.chunk);
                (Spooled { tree, stored_bytes: self.written, lengths: Vec::new() }, false)
            }
        };
        let closed = || StoreError::Misuse { why: "it has no file".to_owned() };
        let (staging, folder) = (self.staging.take().ok_or_else(closed)?, self.folder.clone().ok_or_else(closed)?);
        if self.place.options().durable {
            let synced = self.check("sync").and_then(|()| staging.file().sync_all());
            synced.map_err(|error| self.error("sync the content", error))?;
        }
        Ok(Staged { folder, content: staging, spooled, compressed })
    }

    fn check(&self, operation: &str) -> io::Result<()> {
        self.place.faults().map_or(Ok(()), |faults| faults.check(operation))
    }

    fn error(&self, doing: &str, error: io::Error) -> StoreError {
        StoreError::io(doing, &self.place.path(&self.session).join(names::content_staging(&self.id)), error)
    }

    fn open_or(&self) -> Result<(), StoreError> {
        self.closed.map_or(Ok(()), |why| Err(StoreError::Misuse { why: why.to_owned() }))
    }
}

impl Draft for LocalDraft {
    fn id(&self) -> &ArtifactId {
        &self.id
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.open_or()?;
        let size = self.written.saturating_add(bytes.len() as u64);
        self.place.options().limits.check_size(size).inspect_err(|_| self.closed = Some("it has grown too large"))?;
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.chunk.len() == CHUNK {
                self.hand_over().inspect_err(|_| self.closed = Some("a write to it has failed"))?;
            }
            let room = CHUNK - self.chunk.len();
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.chunk.extend_from_slice(now);
            self.written += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk_start = self.written - self.chunk.len() as u64;
        match (offset.checked_sub(chunk_start), &self.spool) {
            (Some(inside), _) => {
                let rest = usize::try_from(inside).ok().and_then(|at| self.chunk.get(at..)).unwrap_or_default();
                Ok(copy(rest, buffer))
            }
            (None, Some(spool)) => {
                let room = usize::try_from(chunk_start - offset).unwrap_or(usize::MAX).min(buffer.len());
                spool.read_at(offset, buffer.get_mut(..room).unwrap_or_default())
            }
            (None, None) => Ok(0),
        }
    }

    fn commit(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        self.open_or()?;
        self.closed = Some("its commit has failed");
        let staged = self.finish()?;
        let info = commit::publish(&self.place, &self.session, &self.id, self.written, staged, facts)?;
        self.closed = Some("it is already committed");
        Ok(info)
    }
}

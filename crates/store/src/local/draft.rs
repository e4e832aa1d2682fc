//! Writing an artifact to the local directory.
//!
//! A small draft stays in memory until it is committed. A larger one goes to its staging file as it comes. The commit
//! syncs the content, then the metadata, then names the content, then the metadata: with that last name the artifact is
//! there, and everything that it needs was on disk before.

use std::io;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::artifact::{ArtifactInfo, Facts, Known};
use crate::blocks::{BLOCK, BlockHash, Tree};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::folder::Folder;
use crate::local::names;
use crate::local::place::Place;
use crate::local::spool::{CHUNK, Spool};
use crate::local::staging::Staging;
use crate::memory::copy;
use crate::record::{Head, Record};
use crate::store::Draft;

/// How many names are tried for a content file that wants its own.
const NAMES: u32 = 1000;

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

/// A content that is whole and on disk, not yet visible.
struct Staged {
    folder: Arc<Folder>,
    hashes: Vec<BlockHash>,
    hash: blake3::Hash,
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
            let started = Spool::start(file, self.place.faults().cloned());
            self.spool = Some(started.map_err(|error| self.error("start to write", error))?);
        }
        let chunk = std::mem::take(&mut self.chunk);
        let sent = self.spool.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |spool| spool.send(chunk));
        self.chunk = sent.map_err(|error| self.error("write the content", error))?;
        Ok(())
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
        let mut tree = Tree::default();
        if let Some(spool) = &mut self.spool {
            let last = std::mem::take(&mut self.chunk);
            let finished = if last.is_empty() { Ok(()) } else { spool.send(last).map(|_| ()) };
            tree = finished.and_then(|()| spool.finish()).map_err(|error| self.error("write the content", error))?;
        } else {
            let file = self.stage()?;
            let written = self.check("write").and_then(|()| file.write_all_at(&self.chunk, 0));
            written.map_err(|error| self.error("write the content", error))?;
            tree.push(&self.chunk);
        }
        let file = self.staging.as_ref().map(|staging| staging.file().clone());
        if let Some(file) = file.filter(|_| self.place.options().durable) {
            let synced = self.check("sync").and_then(|()| file.sync_all());
            synced.map_err(|error| self.error("sync the content", error))?;
        }
        let folder = self.folder.clone().ok_or_else(|| StoreError::Misuse { why: "it has no folder".to_owned() })?;
        let (hashes, hash) = tree.finish();
        Ok(Staged { folder, hashes, hash })
    }

    /// Makes what is staged visible.
    fn publish(&mut self, staged: Staged, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        let wanted = facts.checked_file_name()?.map(str::to_owned);
        let wanted = wanted.unwrap_or_else(|| names::content(&self.id, facts.binary, false));
        let (info, index) = facts.into_info(Known {
            id: &self.id,
            session: &self.session,
            bytes: self.written,
            stored_bytes: self.written,
            hash: &staged.hash,
            compressed: false,
        })?;
        let head = Head { block_bytes: BLOCK as u64, file: String::new(), info };
        let mut record = Record { head, hashes: staged.hashes, lengths: Vec::new(), index };
        let folder = &staged.folder;
        for attempt in 1..=NAMES {
            record.head.file = names::numbered(&wanted, attempt);
            let file = &record.head.file;
            if folder.has(file).map_err(|error| folder.error("look for", file, error))? {
                continue;
            }
            match self.name(folder, &record)? {
                true => {
                    let mut info = record.head.info;
                    info.path = Some(folder.path().join(&record.head.file));
                    return Ok(info);
                }
                false => continue,
            }
        }
        Err(StoreError::Misuse { why: format!("`{wanted}` and {NAMES} names like it are taken") })
    }

    /// Writes the metadata and gives both files their names; `false` if the content's name is taken. On an error
    /// nothing stays.
    fn name(&mut self, folder: &Arc<Folder>, record: &Record) -> Result<bool, StoreError> {
        let durable = self.place.options().durable;
        let bytes = record.encode().map_err(|why| StoreError::Misuse { why })?;
        let error = |error| folder.error("write the metadata", &names::metadata(&self.id), error);
        let mut metadata = Staging::create(folder, names::metadata_staging(&self.id)).map_err(error)?;
        folder.check("write").and_then(|()| metadata.file().as_ref().write_all(&bytes)).map_err(error)?;
        if durable {
            folder.check("sync").and_then(|()| metadata.file().sync_all()).map_err(error)?;
        }
        let mut staging = self.staging.take().ok_or_else(|| StoreError::Misuse { why: "it has no file".to_owned() })?;
        if let Err(failed) = staging.publish(&record.head.file) {
            self.staging = Some(staging);
            if failed.kind() == io::ErrorKind::AlreadyExists {
                return Ok(false);
            }
            return Err(folder.error("name the content", &record.head.file, failed));
        }
        // From here on, whatever fails removes both again: first the metadata, then the content.
        let named =
            metadata.publish(&names::metadata(&self.id)).and_then(|()| if durable { folder.sync() } else { Ok(()) });
        if let Err(failed) = named {
            drop(metadata);
            drop(staging);
            return Err(error(failed));
        }
        metadata.keep();
        staging.keep();
        Ok(true)
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
        let info = self.publish(staged, facts)?;
        self.closed = Some("it is already committed");
        Ok(info)
    }
}

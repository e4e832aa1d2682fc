//! Writing an artifact to the local directory.
//!
//! A small draft stays in memory until it is committed. A larger one goes to its staging file as it comes, and one that
//! comes as a whole at once.

use std::io;
use std::sync::Arc;

use offcut_platform::FileAt;

use crate::artifact::{ArtifactInfo, Facts};
use crate::blocks::{BLOCK, Tree};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::commit::{self, Staged};
use crate::local::folder::Folder;
use crate::local::names;
use crate::local::place::StoreRoot;
use crate::local::recover;
use crate::local::spool::{CHUNK, Spool, Spooled};
use crate::local::staging::Staging;
use crate::local::sweep;
use crate::local::whole::Whole;
use crate::memory::copy;
use crate::pack::Packing;
use crate::store::{Draft, Progress};

/// How often a session's folder is made again because it was cleared away under the draft.
const FOLDERS: u32 = 8;

/// A draft of the local store.
#[derive(Debug)]
pub(super) struct LocalDraft {
    place: Arc<StoreRoot>,
    session: SessionId,
    id: ArtifactId,
    written: u64,
    /// The chunk that is being filled; for a small draft, all of it.
    chunk: Vec<u8>,
    /// Where the chunks before it went.
    spool: Option<Spool>,
    /// The content, if it came as a whole.
    whole: Option<Whole>,
    staging: Option<Staging>,
    /// Says that what is staged is worth keeping, and up to where the file has it.
    progress: Option<(Staging, u64)>,
    folder: Option<Arc<Folder>>,
    /// Why nothing more is taken in.
    closed: Option<&'static str>,
    /// Whether it is a copy of what another writer, who died, had written.
    unfinished: bool,
}

impl LocalDraft {
    pub(super) fn new(place: Arc<StoreRoot>, session: SessionId, id: ArtifactId) -> LocalDraft {
        LocalDraft {
            place,
            session,
            id,
            written: 0,
            chunk: Vec::new(),
            spool: None,
            whole: None,
            staging: None,
            progress: None,
            folder: None,
            closed: None,
            unfinished: false,
        }
    }

    /// A draft for what another writer, who died, had written.
    pub(super) fn unfinished(place: Arc<StoreRoot>, session: SessionId, id: ArtifactId) -> LocalDraft {
        LocalDraft { unfinished: true, ..LocalDraft::new(place, session, id) }
    }

    /// Makes the spool where there is none yet.
    fn start_spool(&mut self) -> Result<(), StoreError> {
        if self.spool.is_none() {
            let file = self.stage()?;
            self.sweep_once();
            let durable = self.place.options().durable;
            let started = Spool::start(file, self.place.packing(), durable, self.place.faults().cloned());
            self.spool = Some(started.map_err(|error| self.error("start to write", error))?);
        }
        Ok(())
    }

    /// Hands the chunk over to the spool.
    fn hand_over(&mut self) -> Result<(), StoreError> {
        self.start_spool()?;
        let chunk = &mut self.chunk;
        let sent = self.spool.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |spool| spool.send(chunk));
        sent.map_err(|error| self.error("write the content", error))
    }

    /// Hands a block over to the spool, behind the chunk.
    fn hand_over_shared(&mut self, block: &Arc<Vec<u8>>) -> Result<(), StoreError> {
        if !self.chunk.is_empty() {
            self.hand_over()?;
        }
        self.start_spool()?;
        let block = block.clone();
        let sent = self.spool.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |spool| spool.send_shared(block));
        sent.map_err(|error| self.error("write the content", error))
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

    /// The staging file of the content, which is made the first time.
    fn stage(&mut self) -> Result<Arc<std::fs::File>, StoreError> {
        if let Some(staging) = &self.staging {
            return Ok(staging.file().clone());
        }
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
        let (spooled, compressed) = match (&mut self.spool, &mut self.whole) {
            (_, Some(whole)) => (whole.take_spooled(), false),
            (Some(spool), None) => {
                let sent = if self.chunk.is_empty() { Ok(()) } else { spool.send(&mut self.chunk) };
                let finished = sent.and_then(|()| spool.finish());
                let compressed = spool.compresses();
                (finished.map_err(|error| self.error("write the content", error))?, compressed)
            }
            (None, None) => {
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
        if self.progress.is_some() {
            // What was saved before it was compressed may reach beyond the compressed blocks.
            let cut = staging.file().set_len(spooled.stored_bytes);
            cut.map_err(|error| self.error("write the content", error))?;
        }
        if self.place.options().durable {
            let synced = self.check("sync").and_then(|()| staging.file().sync_all());
            synced.map_err(|error| self.error("sync the content", error))?;
        }
        Ok(Staged { folder, content: staging, spooled, compressed, unfinished: self.unfinished })
    }

    /// Brings what is in memory to the staging file, behind the first `saved` bytes.
    fn save(&mut self, saved: u64) -> io::Result<()> {
        let chunk_start = self.written - self.chunk.len() as u64;
        if let Some(spool) = &self.spool {
            spool.wait(chunk_start)?;
            if spool.compresses() {
                // Behind compressed blocks there is no place for what is not.
                return Ok(());
            }
        }
        let from = saved.max(chunk_start);
        let new = usize::try_from(from - chunk_start).ok().and_then(|from| self.chunk.get(from..)).unwrap_or_default();
        self.check("write")?;
        self.staging.as_ref().map_or(Ok(()), |staging| staging.file().write_all_at(new, from))
    }

    /// The note that says that what is staged is worth keeping, and up to where it was saved.
    fn note(&mut self) -> Result<(Staging, u64), StoreError> {
        if let Some(noted) = self.progress.take() {
            return Ok(noted);
        }
        self.stage()?;
        let folder = self.folder.as_ref().ok_or_else(|| StoreError::Misuse { why: "it has no file".to_owned() })?;
        let note = Staging::create(folder, names::progress(&self.id));
        Ok((note.map_err(|error| self.error("note the progress of", error))?, 0))
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

    /// The size that the content has with so many bytes more, if it may have them.
    fn grown_by(&mut self, more: usize) -> Result<u64, StoreError> {
        self.open_or()?;
        if self.whole.is_some() && more > 0 {
            return Err(StoreError::Misuse { why: "its content is whole".to_owned() });
        }
        let size = self.written.saturating_add(more as u64);
        self.place.options().limits.check_size(size).inspect_err(|_| self.closed = Some("it has grown too large"))?;
        Ok(size)
    }

    /// Writes a whole content to the staging file.
    fn stage_whole(&mut self, content: &[u8]) -> Result<Whole, StoreError> {
        let file = self.stage()?;
        if content.len() > CHUNK {
            self.sweep_once();
        }
        let written = self.check("write").and_then(|()| Whole::write(content, file));
        written.map_err(|error| self.error("write the content", error))
    }
}

impl Draft for LocalDraft {
    fn id(&self) -> &ArtifactId {
        &self.id
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.grown_by(bytes.len())?;
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

    fn write_shared(&mut self, block: &Arc<Vec<u8>>) -> Result<(), StoreError> {
        // Blocks are compressed in chunks of one size; and what is small is not worth a file before its end.
        if self.place.packing() != Packing::Plain || block.len() < CHUNK / 2 {
            return self.write(block);
        }
        let size = self.grown_by(block.len())?;
        self.hand_over_shared(block).inspect_err(|_| self.closed = Some("a write to it has failed"))?;
        self.written = size;
        Ok(())
    }

    fn write_whole(&mut self, content: &[u8]) -> Result<(), StoreError> {
        if self.place.packing() != Packing::Plain || self.written > 0 || content.len() < BLOCK {
            return self.write(content);
        }
        let size = self.grown_by(content.len())?;
        let staged = self.stage_whole(content).inspect_err(|_| self.closed = Some("a write to it has failed"))?;
        self.whole = Some(staged);
        self.written = size;
        Ok(())
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(whole) = &self.whole {
            return whole.read_at(offset, buffer);
        }
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

    fn save_progress(&mut self, progress: &Progress) -> Result<(), StoreError> {
        self.open_or()?;
        if progress.binary && self.place.packing() != Packing::Plain {
            // Nothing would tell compressed blocks from such a content.
            return Ok(());
        }
        let (note, saved) = self.note()?;
        let told = recover::Note { at: self.written, progress: progress.clone() };
        let written = self.save(saved).and_then(|()| {
            let json = serde_json::to_vec(&told)?;
            note.file().write_all_at(&json, 0)?;
            note.file().set_len(json.len() as u64)
        });
        self.progress = Some((note, self.written));
        written.map_err(|error| self.error("save the progress of", error))
    }

    fn commit(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        self.open_or()?;
        self.closed = Some("its commit has failed");
        let staged = self.finish()?;
        let info = commit::publish(&self.place, &self.session, &self.id, self.written, staged, facts)?;
        self.progress = None;
        self.closed = Some("it is already committed");
        Ok(info)
    }
}

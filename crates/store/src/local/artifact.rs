//! Reading an artifact of the local directory.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;

use offcut_core::extent::Index;
use offcut_platform::FileAt;

use crate::artifact::ArtifactInfo;
use crate::blocks::{self, BLOCK};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::folder::Folder;
use crate::local::names;
use crate::local::place::present;
use crate::local::recent::Recent;
use crate::local::staging::Staging;
use crate::pack;
use crate::record::{self, Record, RecordHead};
use crate::store::Artifact;

/// An artifact whose metadata was read and whose content is open.
#[derive(Debug)]
pub(super) struct LocalArtifact {
    folder: Arc<Folder>,
    record: Arc<Record>,
    file: File,
    /// Where each compressed block starts, and after them the end.
    starts: Vec<u64>,
}

impl LocalArtifact {
    /// Opens an artifact of the session whose folder this is.
    pub(super) fn open(
        folder: &Arc<Folder>,
        session: &SessionId,
        id: &ArtifactId,
        recent: &Recent,
    ) -> Result<LocalArtifact, StoreError> {
        let name = names::metadata(id);
        let metadata = present(folder.read(&name))?.ok_or_else(|| StoreError::NotFound { id: id.clone() })?;
        let error = |error| folder.error("read the metadata", &name, error);
        let stamp = folder.stamp(&metadata).map_err(error)?;
        let record = match recent.get(session, id, &stamp) {
            Some(record) => record,
            None => {
                // With room for all of it and the look at its end it is one read.
                let size = metadata.metadata().map_err(error)?.len();
                let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(64));
                folder.check("read").and_then(|()| (&metadata).read_to_end(&mut bytes)).map_err(error)?;
                let mut record = Record::decode(&bytes).map_err(|what| corrupt(id, None, what))?;
                check_head(&record.head, session, id)?;
                record.head.info.path = path(folder, &record.head);
                let record = Arc::new(record);
                recent.put(session, stamp, &record);
                record
            }
        };
        let Some(file) = present(folder.read(&record.head.file))? else {
            let there = folder.has(&name).map_err(|error| folder.error("look for", &name, error))?;
            // An artifact that is being removed loses its metadata first.
            return Err(if there {
                corrupt(id, None, "its content is missing".to_owned())
            } else {
                StoreError::NotFound { id: id.clone() }
            });
        };
        let size = file.metadata().map_err(|error| folder.error("inspect", &record.head.file, error))?.len();
        if size != record.head.info.stored_bytes {
            let what = format!("its content has {size} bytes instead of {}", record.head.info.stored_bytes);
            return Err(corrupt(id, Some(size / BLOCK as u64), what));
        }
        let starts = starts(&record.lengths);
        if record.head.info.compressed && starts.last().copied().unwrap_or(0) != size {
            return Err(corrupt(id, None, "its block lengths do not add up".to_owned()));
        }
        Ok(LocalArtifact { folder: folder.clone(), record, file, starts })
    }

    /// The content from `start` to `end`, which are borders of blocks; every block is verified.
    fn blocks(&self, start: u64, end: u64) -> Result<Vec<u8>, StoreError> {
        let first = start / BLOCK as u64;
        let content = if self.record.head.info.compressed {
            self.unpacked(first, blocks::count(end))?
        } else {
            self.stored(start, end)?
        };
        for (at, block) in content.chunks(BLOCK).enumerate() {
            let number = first + at as u64;
            let hash = usize::try_from(number).ok().and_then(|at| self.record.hashes.get(at));
            if !hash.is_some_and(|hash| blocks::matches(number, block, hash)) {
                return Err(self.damaged(number));
            }
        }
        if content.len() as u64 != end - start {
            return Err(self.damaged(first));
        }
        Ok(content)
    }

    /// Bytes as they are stored.
    fn stored(&self, start: u64, end: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0u8; usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX)];
        let read = self.folder.check("read").and_then(|()| self.file.read_exact_at(&mut bytes, start));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                corrupt(&self.record.head.info.id, None, "its content was cut short".to_owned())
            }
            _ => self.folder.error("read the content", &self.record.head.file, error),
        })?;
        Ok(bytes)
    }

    /// The blocks from `first` to the one before `end`, unpacked. Each but the last of all is a full one, so that those
    /// behind a damaged one stay in their places.
    fn unpacked(&self, first: u64, end: u64) -> Result<Vec<u8>, StoreError> {
        let start = |block: u64| usize::try_from(block).ok().and_then(|at| self.starts.get(at)).copied().unwrap_or(0);
        let stored = self.stored(start(first), start(end))?;
        let mut rest = stored.as_slice();
        let mut content = Vec::with_capacity(usize::try_from(end - first).unwrap_or(0) * BLOCK);
        for number in first..end {
            let length = usize::try_from(start(number + 1) - start(number)).unwrap_or(usize::MAX);
            let (frame, later) = rest.split_at_checked(length).ok_or_else(|| self.damaged(number))?;
            let block = pack::unpack(frame).map_err(|error| match error.kind() {
                io::ErrorKind::Unsupported => self.folder.error("unpack", &self.record.head.file, error),
                _ => self.damaged(number),
            })?;
            if block.len() != BLOCK && number + 1 != self.record.hashes.len() as u64 {
                return Err(self.damaged(number));
            }
            content.extend_from_slice(&block);
            rest = later;
        }
        Ok(content)
    }

    fn damaged(&self, block: u64) -> StoreError {
        corrupt(&self.record.head.info.id, Some(block), format!("block {block} does not match its hash"))
    }
}

impl Artifact for LocalArtifact {
    fn info(&self) -> &ArtifactInfo {
        &self.record.head.info
    }

    fn index(&self) -> &Index {
        &self.record.index
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let size = self.info().extent.bytes;
        let (start, end) = (range.start.min(size), range.end.min(size));
        if start >= end {
            return Ok(Vec::new());
        }
        let block = BLOCK as u64;
        let first = start / block * block;
        let mut content = self.blocks(first, end.div_ceil(block).saturating_mul(block).min(size))?;
        content.truncate(usize::try_from(end - first).unwrap_or(usize::MAX));
        content.drain(..usize::try_from(start - first).unwrap_or(0));
        Ok(content)
    }

    fn aside(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let name = names::aside(&self.info().id);
        let Some(mut file) = present(self.folder.read(&name))? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = self.folder.check("read").and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(|error| self.folder.error("read", &name, error))?;
        Ok(Some(bytes))
    }

    fn put_aside(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let id = &self.info().id;
        let name = names::aside(id);
        let error = |error| self.folder.error("write", &name, error);
        let staging = match Staging::create(&self.folder, names::aside_staging(id)) {
            // Somebody else is at it.
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            other => other.map_err(error)?,
        };
        self.folder.check("write").and_then(|()| staging.file().as_ref().write_all(bytes)).map_err(error)?;
        self.folder.replace(&names::aside_staging(id), &name).map_err(error)?;
        staging.keep();
        // An artifact that was removed meanwhile leaves nothing behind.
        if !self.folder.has(&names::metadata(id)).map_err(error)? {
            self.folder.remove(&name).map_err(error)?;
        }
        Ok(())
    }
}

/// Where blocks of these lengths start, and after them the end.
fn starts(lengths: &[u32]) -> Vec<u64> {
    let ends = lengths.iter().scan(0u64, |end, &length| {
        *end += u64::from(length);
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Reads just enough of an artifact's metadata to list it.
pub(super) fn head(folder: &Folder, session: &SessionId, id: &ArtifactId) -> Result<RecordHead, StoreError> {
    let name = names::metadata(id);
    let file = present(folder.read(&name))?.ok_or_else(|| StoreError::NotFound { id: id.clone() })?;
    let mut bytes = Vec::with_capacity(record::HEAD);
    let mut wanted = record::HEAD as u64;
    loop {
        let before = bytes.len();
        let read = folder.check("read").and_then(|()| (&file).take(wanted).read_to_end(&mut bytes));
        read.map_err(|error| folder.error("read the metadata", &name, error))?;
        match record::decode_head(&bytes).map_err(|what| corrupt(id, None, what))? {
            Some((mut head, _)) => {
                check_head(&head, session, id)?;
                head.info.path = path(folder, &head);
                return Ok(head);
            }
            None if bytes.len() == before => {
                return Err(corrupt(id, None, "its metadata is cut short".to_owned()));
            }
            None => wanted = wanted.saturating_mul(16),
        }
    }
}

/// Metadata must speak of this artifact, and of a content beside it.
fn check_head(head: &RecordHead, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
    if head.info.id != *id || head.info.session != *session {
        return Err(corrupt(id, None, "its metadata belongs to another artifact".to_owned()));
    }
    if !names::is_content_name(&head.file) {
        return Err(corrupt(id, None, "its metadata names a content outside the session".to_owned()));
    }
    Ok(())
}

fn path(folder: &Folder, head: &RecordHead) -> Option<std::path::PathBuf> {
    (!head.info.compressed).then(|| folder.path().join(&head.file))
}

/// Says aloud that an artifact is not what was written.
fn corrupt(id: &ArtifactId, block: Option<u64>, what: String) -> StoreError {
    tracing::error!(artifact = %id, block, what, "refused a damaged artifact");
    StoreError::Corrupt { id: id.clone(), block, what }
}

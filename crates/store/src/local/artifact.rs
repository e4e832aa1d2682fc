//! Reading an artifact of the local directory.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use offcut_core::extent::Index;

use crate::artifact::ArtifactInfo;
use crate::blocks::{self, BLOCK};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::folder::Folder;
use crate::local::names;
use crate::local::place::present;
use crate::record::{self, Head, Record};
use crate::store::Artifact;

/// An artifact whose metadata was read and whose content is open.
#[derive(Debug)]
pub(super) struct LocalArtifact {
    folder: Folder,
    record: Record,
    file: File,
}

impl LocalArtifact {
    /// Opens an artifact of the session whose folder this is.
    pub(super) fn open(folder: Folder, session: &SessionId, id: &ArtifactId) -> Result<LocalArtifact, StoreError> {
        let name = names::metadata(id);
        let mut bytes = Vec::new();
        let mut metadata = present(folder.read(&name))?.ok_or_else(|| StoreError::NotFound { id: id.clone() })?;
        let read = folder.check("read").and_then(|()| metadata.read_to_end(&mut bytes));
        read.map_err(|error| folder.error("read the metadata", &name, error))?;
        let mut record = Record::decode(&bytes).map_err(|what| corrupt(id, None, what))?;
        check_head(&record.head, session, id)?;
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
        record.head.info.path = path(&folder, &record.head);
        Ok(LocalArtifact { folder, record, file })
    }

    /// The blocks from the one that `start` lies in to the one before `end`, verified.
    fn blocks(&self, start: u64, end: u64) -> Result<Vec<u8>, StoreError> {
        let id = &self.record.head.info.id;
        let mut content = vec![0u8; usize::try_from(end - start).unwrap_or(usize::MAX)];
        let read = self.folder.check("read").and_then(|()| self.file.read_exact_at(&mut content, start));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => corrupt(id, None, "its content was cut short".to_owned()),
            _ => self.folder.error("read the content", &self.record.head.file, error),
        })?;
        let first = start / BLOCK as u64;
        for (at, block) in content.chunks(BLOCK).enumerate() {
            let number = first + at as u64;
            let hash = usize::try_from(number).ok().and_then(|at| self.record.hashes.get(at));
            if !hash.is_some_and(|hash| blocks::matches(number, block, hash)) {
                return Err(corrupt(id, Some(number), format!("block {number} does not match its hash")));
            }
        }
        Ok(content)
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
}

/// Reads just enough of an artifact's metadata to list it.
pub(super) fn head(folder: &Folder, session: &SessionId, id: &ArtifactId) -> Result<Head, StoreError> {
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
fn check_head(head: &Head, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
    if head.info.id != *id || head.info.session != *session {
        return Err(corrupt(id, None, "its metadata belongs to another artifact".to_owned()));
    }
    if !names::is_content_name(&head.file) {
        return Err(corrupt(id, None, "its metadata names a content outside the session".to_owned()));
    }
    Ok(())
}

fn path(folder: &Folder, head: &Head) -> Option<std::path::PathBuf> {
    (!head.info.compressed).then(|| folder.path().join(&head.file))
}

/// Says aloud that an artifact is not what was written.
fn corrupt(id: &ArtifactId, block: Option<u64>, what: String) -> StoreError {
    tracing::error!(artifact = %id, block, what, "refused a damaged artifact");
    StoreError::Corrupt { id: id.clone(), block, what }
}

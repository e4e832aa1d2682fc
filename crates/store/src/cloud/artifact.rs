//! Reading an artifact from object storage: range requests, verified block by block.

use std::ops::Range;
use std::sync::Arc;

use offcut_core::extent::Index;

use crate::artifact::ArtifactInfo;
use crate::blocks::{self, BLOCK};
use crate::cloud::CloudState;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::record::{Record, RecordHead};
use crate::store::Artifact;

#[derive(Debug)]
pub(super) struct CloudArtifact {
    inner: Arc<CloudState>,
    record: Record,
}

impl CloudArtifact {
    pub(super) fn open(
        inner: Arc<CloudState>,
        session: &SessionId,
        id: &ArtifactId,
        metadata: &[u8],
    ) -> Result<CloudArtifact, StoreError> {
        let record = Record::decode(metadata).map_err(|what| corrupt(id, None, what))?;
        check_head(&record.head, session, id)?;
        Ok(CloudArtifact { inner, record })
    }
}

impl Artifact for CloudArtifact {
    fn info(&self) -> &ArtifactInfo {
        &self.record.head.info
    }

    fn index(&self) -> &Index {
        &self.record.index
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let ArtifactInfo { id, session, .. } = self.info();
        let size = self.info().extent.bytes;
        let (start, end) = (range.start.min(size), range.end.min(size));
        if start >= end {
            return Ok(Vec::new());
        }
        let block = BLOCK as u64;
        let first = start / block;
        let aligned = first * block..end.div_ceil(block).saturating_mul(block).min(size);
        let length = aligned.end - aligned.start;
        let content = match self.inner.objects.get_range(&self.inner.keys.data(session, id), aligned)? {
            Some(content) => content,
            // An artifact that is being removed loses its metadata first.
            None if self.inner.objects.exists(&self.inner.keys.meta(session, id))? => {
                return Err(corrupt(id, None, "its content is missing".to_owned()));
            }
            None => return Err(self.inner.missing(session, id)),
        };
        for (at, bytes) in content.chunks(BLOCK).enumerate() {
            let number = first + at as u64;
            let hash = usize::try_from(number).ok().and_then(|at| self.record.hashes.get(at));
            if !hash.is_some_and(|hash| blocks::matches(number, bytes, hash)) {
                return Err(corrupt(id, Some(number), format!("block {number} does not match its hash")));
            }
        }
        if content.len() as u64 != length {
            return Err(corrupt(id, Some(first), "its content was cut short".to_owned()));
        }
        let inside = |at: u64| usize::try_from(at - first * block).unwrap_or(usize::MAX);
        Ok(content.get(inside(start)..inside(end)).unwrap_or_default().to_vec())
    }

    fn aside(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let ArtifactInfo { id, session, .. } = self.info();
        Ok(self.inner.objects.get(&self.inner.keys.aside(session, id))?.map(Vec::from))
    }

    fn put_aside(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let ArtifactInfo { id, session, .. } = self.info();
        let key = self.inner.keys.aside(session, id);
        self.inner.objects.replace(&key, bytes.to_vec())?;
        // An artifact that was removed meanwhile leaves nothing behind.
        if !self.inner.objects.exists(&self.inner.keys.meta(session, id))? {
            self.inner.objects.delete(&key)?;
        }
        Ok(())
    }
}

/// Metadata must speak of this artifact.
pub(super) fn check_head(head: &RecordHead, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError> {
    if head.info.id != *id || head.info.session != *session || head.file != id.as_str() {
        return Err(corrupt(id, None, "its metadata belongs to another artifact".to_owned()));
    }
    if head.info.compressed || head.info.stored_bytes != head.info.extent.bytes {
        return Err(corrupt(id, None, "its metadata speaks of a content that cannot be here".to_owned()));
    }
    Ok(())
}

/// Says aloud that an artifact is not what was written.
pub(super) fn corrupt(id: &ArtifactId, block: Option<u64>, what: String) -> StoreError {
    tracing::error!(artifact = %id, block, what, "refused a damaged artifact");
    StoreError::Corrupt { id: id.clone(), block, what }
}

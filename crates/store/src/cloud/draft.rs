//! Writing an artifact to object storage: in parts while it comes, beside a temporary file from which it can be read
//! back.

use std::collections::VecDeque;
use std::fs::File;
use std::io;

use bytes::Bytes;
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload};
use offcut_platform::FileAt;
use tokio::task::JoinHandle;

use crate::artifact::{ArtifactInfo, CommitFacts, Facts};
use crate::blocks::{BLOCK, Tree};
use crate::cloud::CloudStore;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::limits::ArtifactSize;
use crate::memory::copy;
use crate::record::{Record, RecordHead};
use crate::store::Draft;

/// The size of a part: a multiple of the block, and more than the 5 MiB that servers ask for at least.
const PART: usize = 8 * 1024 * 1024;

/// How many parts may be under way; with the one being filled this bounds the memory of a draft.
const UNDER_WAY: usize = 2;

#[derive(Debug)]
pub(super) struct CloudDraft {
    store: CloudStore,
    session: SessionId,
    id: ArtifactId,
    written: u64,
    /// The part that is being filled; for a small draft, all of it.
    part: Vec<u8>,
    /// Where the parts before it went.
    upload: Option<Upload>,
    tree: Tree,
    /// Whether the content is on the server, so that a draft that is dropped has to delete it.
    uploaded: bool,
    closed: Option<&'static str>,
}

/// An upload in parts.
#[derive(Debug)]
struct Upload {
    /// Gone once the upload is complete.
    server: Option<Box<dyn MultipartUpload>>,
    under_way: VecDeque<JoinHandle<object_store::Result<()>>>,
    copy: File,
}

impl CloudDraft {
    pub(super) fn new(store: CloudStore, session: SessionId, id: ArtifactId) -> CloudDraft {
        CloudDraft {
            store,
            session,
            id,
            written: 0,
            part: Vec::new(),
            upload: None,
            tree: Tree::default(),
            uploaded: false,
            closed: None,
        }
    }

    /// Begins the upload, once there is more than one part.
    fn begin(&mut self) -> Result<&mut Upload, StoreError> {
        if self.upload.is_none() {
            self.store.probe()?;
            let inner = &self.store.inner;
            let (objects, key) = (inner.objects.store().clone(), inner.keys.data(&self.session, &self.id));
            let begun = inner.objects.wait("begin an upload", async move { objects.put_multipart(&key).await });
            let server = Some(begun.map_err(|error| inner.objects.error(error))?);
            let copy = tempfile::tempfile().map_err(|error| local("make a temporary file", error))?;
            self.upload = Some(Upload { server, under_way: VecDeque::new(), copy });
        }
        self.upload.as_mut().ok_or_else(|| StoreError::Misuse { why: "it has no upload".to_owned() })
    }

    /// Sends the part that was filled on its way.
    fn send(&mut self) -> Result<(), StoreError> {
        let offset = self.written - self.part.len() as u64;
        self.begin()?;
        let part = Bytes::from(std::mem::take(&mut self.part));
        let Some(upload) = &mut self.upload else { return Ok(()) };
        upload.copy.write_all_at(&part, offset).map_err(|error| local("write the temporary file", error))?;
        self.tree.push(&part);
        while upload.under_way.len() >= UNDER_WAY {
            wait_for_one(&self.store, upload)?;
        }
        if let Some(server) = &mut upload.server {
            let sending = server.put_part(PutPayload::from(part));
            upload.under_way.extend(self.store.inner.objects.spawn(sending));
        }
        Ok(())
    }

    /// Brings all of the content to the server.
    fn finish(&mut self) -> Result<(), StoreError> {
        self.store.probe()?;
        if self.upload.is_some() {
            return self.complete();
        }
        self.tree.push(&self.part);
        self.uploaded = true;
        let key = self.store.inner.keys.data(&self.session, &self.id);
        if !self.store.inner.objects.create(&key, self.part.clone())? {
            self.check_ours(&key, &self.part)?;
        }
        Ok(())
    }

    /// Sends the last part and completes the upload.
    fn complete(&mut self) -> Result<(), StoreError> {
        if !self.part.is_empty() {
            self.send()?;
        }
        let Some(upload) = &mut self.upload else { return Ok(()) };
        while !upload.under_way.is_empty() {
            wait_for_one(&self.store, upload)?;
        }
        let Some(mut server) = upload.server.take() else { return Ok(()) };
        // From here on the content may be there, whatever the answer says.
        self.uploaded = true;
        let objects = &self.store.inner.objects;
        let completed = objects.wait("complete an upload", async move {
            let completed = server.complete().await;
            if completed.is_err() {
                let _ = server.abort().await;
            }
            completed
        });
        completed.map(|_| ()).map_err(|error| objects.error(error))
    }

    /// An object that was there already is fine if it is the one that was just sent: an answer may have been lost.
    fn check_ours(&self, key: &object_store::path::Path, content: &[u8]) -> Result<(), StoreError> {
        if self.store.inner.objects.get(key)?.as_deref() == Some(content) {
            return Ok(());
        }
        let why = format!("an object `{key}` of another content is in the way");
        Err(StoreError::Unavailable { what: self.store.inner.objects.location().to_owned(), why })
    }

    /// Sends the terms that the artifact is found by, while its content is on its way.
    fn send_terms(&self, terms: &[u32]) -> Option<JoinHandle<object_store::Result<()>>> {
        let (key, bytes) = self.store.inner.terms_object(&self.session, &self.id, terms);
        let objects = self.store.inner.objects.store().clone();
        let sending = async move { objects.put(&key, PutPayload::from(bytes)).await.map(|_| ()) };
        self.store.inner.objects.spawn(sending)
    }

    /// Waits until the terms are there. Where they are not, the artifact is read for every question, and as well found.
    fn note_terms(&self, sent: JoinHandle<object_store::Result<()>>, terms: Vec<u32>) {
        let inner = &self.store.inner;
        match inner.objects.wait("send terms", async move { sent.await? }) {
            Ok(()) => inner.note_terms(&self.session, &self.id, terms),
            Err(error) => tracing::debug!(artifact = %self.id, %error, "the terms of an artifact could not be kept"),
        }
    }

    /// Makes the artifact visible.
    fn publish(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        let inner = self.store.inner.clone();
        facts.checked_file_name()?;
        let (hashes, hash) = std::mem::take(&mut self.tree).finish();
        let (info, index) = facts.into_info(CommitFacts {
            id: &self.id,
            session: &self.session,
            bytes: self.written,
            stored_bytes: self.written,
            hash: &hash,
            compressed: false,
            unfinished: false,
        })?;
        let created_ms = inner.options.clock.now_ms();
        let entry = ArtifactSize { id: self.id.clone(), stored_bytes: self.written, created_ms };
        inner.make_room(&self.session, &entry)?;
        let head = RecordHead { block_bytes: BLOCK as u64, file: self.id.to_string(), info: info.clone() };
        let record = Record { head, hashes, lengths: Vec::new(), index };
        let bytes = record.encode().map_err(|why| StoreError::Misuse { why })?;
        let key = inner.keys.meta(&self.session, &self.id);
        let created = inner.objects.create(&key, bytes.clone());
        let visible = match created {
            Ok(true) => Ok(()),
            // It may be there although no answer came, so what is there decides.
            Ok(false) | Err(_) => self.check_ours(&key, &bytes).map_err(|error| created.err().unwrap_or(error)),
        };
        if visible.is_err() {
            // Best effort: were it there, it would be whole, but nobody was told of it.
            let _ = inner.objects.delete(&key);
        }
        visible?;
        inner.newest.add(&self.session, &info);
        Ok(info)
    }

    fn open_or(&self) -> Result<(), StoreError> {
        self.closed.map_or(Ok(()), |why| Err(StoreError::Misuse { why: why.to_owned() }))
    }
}

/// Waits for the part that has been under way longest.
fn wait_for_one(store: &CloudStore, upload: &mut Upload) -> Result<(), StoreError> {
    let Some(part) = upload.under_way.pop_front() else { return Ok(()) };
    let objects = &store.inner.objects;
    objects.wait("send a part", async move { part.await? }).map_err(|error| objects.error(error))
}

impl Draft for CloudDraft {
    fn id(&self) -> &ArtifactId {
        &self.id
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.open_or()?;
        let size = self.written.saturating_add(bytes.len() as u64);
        self.store
            .inner
            .options
            .limits
            .check_size(size)
            .inspect_err(|_| self.closed = Some("it has grown too large"))?;
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.part.len() == PART {
                self.send().inspect_err(|_| self.closed = Some("a write to it has failed"))?;
            }
            let (now, later) = rest.split_at((PART - self.part.len()).min(rest.len()));
            self.part.extend_from_slice(now);
            self.written += now.len() as u64;
            rest = later;
        }
        Ok(())
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let part_start = self.written - self.part.len() as u64;
        match (offset.checked_sub(part_start), &self.upload) {
            (Some(inside), _) => {
                let rest = usize::try_from(inside).ok().and_then(|at| self.part.get(at..)).unwrap_or_default();
                Ok(copy(rest, buffer))
            }
            (None, Some(upload)) => {
                let room = usize::try_from(part_start - offset).unwrap_or(usize::MAX).min(buffer.len());
                upload.copy.read_at(buffer.get_mut(..room).unwrap_or_default(), offset)
            }
            (None, None) => Ok(0),
        }
    }

    fn commit(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError> {
        self.open_or()?;
        self.closed = Some("its commit has failed");
        let mut facts = facts;
        let terms = facts.terms.take();
        let sent = terms.as_deref().and_then(|terms| self.send_terms(terms));
        self.finish()?;
        let info = self.publish(facts)?;
        self.uploaded = false;
        self.closed = Some("it is already committed");
        if let (Some(sent), Some(terms)) = (sent, terms) {
            self.note_terms(sent, terms);
        }
        Ok(info)
    }
}

impl Drop for CloudDraft {
    fn drop(&mut self) {
        let inner = self.store.inner.clone();
        if self.closed == Some("it is already committed") {
            return;
        }
        // What cannot be taken back now is a leftover for a later sweep.
        if let Some(Upload { server: Some(mut server), under_way, .. }) = self.upload.take() {
            under_way.iter().for_each(JoinHandle::abort);
            let _ = inner.objects.wait("abort an upload", async move { server.abort().await });
        }
        if self.uploaded {
            let _ = inner.objects.delete_all(inner.beside(&self.session, &self.id));
        }
    }
}

fn local(doing: &str, source: io::Error) -> StoreError {
    StoreError::io(doing, &std::env::temp_dir(), source)
}

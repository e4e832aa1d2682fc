//! Reading back what was kept.

use std::fmt;

use offcut_store::{Artifact, ArtifactId, ArtifactInfo, StoreError};

use crate::Offcut;
use crate::event::Event;

/// Reads a session's artifacts. What it returns is paged, never offloaded again.
#[derive(Debug, Clone, Copy)]
pub struct Recall<'o> {
    offcut: &'o Offcut,
}

/// Why nothing could be read back.
#[derive(Debug)]
pub enum RecallError {
    /// There is no store to read from.
    NoStore,
    /// The store has no such artifact, or could not read it.
    Store(StoreError),
}

impl fmt::Display for RecallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecallError::NoStore => f.write_str("no store is configured, so nothing was kept"),
            RecallError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecallError {}

impl From<StoreError> for RecallError {
    fn from(error: StoreError) -> RecallError {
        RecallError::Store(error)
    }
}

impl<'o> Recall<'o> {
    pub(crate) fn new(offcut: &'o Offcut) -> Recall<'o> {
        Recall { offcut }
    }

    /// Opens an artifact by its id, or by a handle (`session-<session>/<id>`) of this session.
    pub fn open(&self, handle: &str) -> Result<Box<dyn Artifact>, RecallError> {
        let (store, session) = self.offcut.store().ok_or(RecallError::NoStore)?;
        let own = format!("session-{session}/");
        let id: ArtifactId = handle.strip_prefix(&own).unwrap_or(handle).parse()?;
        Ok(store.open(session, &id)?)
    }

    /// The session's artifacts, oldest first.
    pub fn list(&self) -> Result<Vec<ArtifactInfo>, RecallError> {
        let (store, session) = self.offcut.store().ok_or(RecallError::NoStore)?;
        Ok(store.list(session)?)
    }

    /// The whole content.
    pub fn whole(&self, handle: &str) -> Result<String, RecallError> {
        let read = self.open(handle).and_then(|artifact| {
            let bytes = artifact.read(0..artifact.info().extent.bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        });
        let outcome = read.as_ref().err().map_or("ok".to_owned(), ToString::to_string);
        let session = self.offcut.session().to_string();
        self.offcut.emit(Event::Retrieval { id: handle.to_owned(), session, range: "whole".to_owned(), outcome });
        read
    }
}

//! The metadata that was read last: paging through an artifact reads it once.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use offcut_platform::Stamp;

use crate::id::{ArtifactId, SessionId};
use crate::record::Record;

/// How many records are kept; the record of a content of 1 GiB takes half a megabyte.
const KEPT: usize = 8;

/// Records of a few artifacts, each for the metadata file that it was read from.
#[derive(Debug, Default)]
pub(super) struct Recent {
    records: Mutex<VecDeque<(SessionId, Stamp, Arc<Record>)>>,
}

impl Recent {
    /// The record of an artifact, if its metadata file is still the one that was read.
    pub(super) fn get(&self, session: &SessionId, id: &ArtifactId, stamp: &Stamp) -> Option<Arc<Record>> {
        let records = self.records.lock();
        let found = records.iter().find(|(of, at, record)| of == session && at == stamp && record.head.info.id == *id);
        found.map(|(_, _, record)| record.clone())
    }

    /// Keeps a record, and lets go of the oldest.
    pub(super) fn put(&self, session: &SessionId, stamp: Stamp, record: &Arc<Record>) {
        let mut records = self.records.lock();
        records.retain(|(of, _, kept)| of != session || kept.head.info.id != record.head.info.id);
        records.push_front((session.clone(), stamp, record.clone()));
        records.truncate(KEPT);
    }
}

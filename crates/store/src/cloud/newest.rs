//! What this process kept last, so that looking for an earlier output of the same command asks the server nothing.

use std::collections::{BTreeMap, VecDeque};

use parking_lot::Mutex;

use crate::artifact::ArtifactInfo;
use crate::id::SessionId;

/// How many artifacts of a session are remembered.
const ARTIFACTS: usize = 16;

/// Of how many sessions.
const SESSIONS: usize = 256;

/// The newest artifacts that this process made, by session, newest first.
#[derive(Debug, Default)]
pub(super) struct Newest {
    made: Mutex<BTreeMap<SessionId, VecDeque<ArtifactInfo>>>,
}

impl Newest {
    pub(super) fn add(&self, session: &SessionId, info: &ArtifactInfo) {
        let mut made = self.made.lock();
        if made.len() >= SESSIONS && !made.contains_key(session) {
            made.clear();
        }
        let newest = made.entry(session.clone()).or_default();
        newest.push_front(info.clone());
        newest.truncate(ARTIFACTS);
    }

    /// The newest of the `last` ones that is `wanted`.
    pub(super) fn find(
        &self,
        session: &SessionId,
        last: usize,
        wanted: &dyn Fn(&ArtifactInfo) -> bool,
    ) -> Option<ArtifactInfo> {
        self.made.lock().get(session)?.iter().take(last).find(|info| wanted(info)).cloned()
    }
}

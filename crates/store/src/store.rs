//! The seam: what every place for artifacts can do.

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use offcut_core::extent::Index;
use serde::{Deserialize, Serialize};

use crate::artifact::{ArtifactInfo, Facts, Source};
use crate::error::StoreError;
#[cfg(doc)]
use crate::id::SHORTEST_HANDLE;
use crate::id::{ArtifactId, SessionId};

/// A place for artifacts.
///
/// Writing is drafting: an artifact appears, whole, when its draft is committed. Artifacts belong to sessions, and
/// whatever id is asked for, only this session's answer.
pub trait Store: Send + Sync + Debug {
    /// Begins an artifact.
    fn draft(&self, session: &SessionId) -> Result<Box<dyn Draft>, StoreError>;

    /// Opens an artifact for reading; costs its metadata, not its content.
    fn open(&self, session: &SessionId, id: &ArtifactId) -> Result<Box<dyn Artifact>, StoreError>;

    /// The session's artifacts, oldest first; damaged ones are left out (and logged). What a writer that died had saved
    /// of its progress becomes an artifact first, marked as unfinished.
    fn list(&self, session: &SessionId) -> Result<Vec<ArtifactInfo>, StoreError>;

    /// The ids of the session's artifacts, and of those it evicted as far as it remembers them, oldest first. Costs
    /// names, not metadata.
    fn ids(&self, session: &SessionId) -> Result<Vec<ArtifactId>, StoreError> {
        Ok(self.list(session)?.into_iter().map(|info| info.id).collect())
    }

    /// The newest of the session's `last` artifacts that is `wanted`. A store that would have to ask a server looks only
    /// at those that it made itself.
    fn newest(
        &self,
        session: &SessionId,
        last: usize,
        wanted: &dyn Fn(&ArtifactInfo) -> bool,
    ) -> Result<Option<ArtifactInfo>, StoreError> {
        let ids = self.ids(session)?;
        let last = ids.iter().rev().take(last).filter_map(|id| self.open(session, id).ok());
        Ok(last.map(|artifact| artifact.info().clone()).find(|info| wanted(info)))
    }

    /// The short handle of one of the session's artifacts, there already or about to be: as much of the id's random
    /// part as no other of them begins with, and at least [`SHORTEST_HANDLE`] characters.
    fn handle(&self, session: &SessionId, id: &ArtifactId) -> Result<String, StoreError> {
        Ok(id.handle_among(&self.ids(session)?).to_owned())
    }

    /// The session's artifacts that [`Store::list`] leaves out because what is known about them cannot be read.
    fn damaged(&self, _session: &SessionId) -> Result<Vec<Damaged>, StoreError> {
        Ok(Vec::new())
    }

    /// Whether artifacts are found by the terms that they are committed with. Where not, nobody need work them out.
    fn keeps_terms(&self) -> bool {
        false
    }

    /// Which of the session's artifacts hold which of `terms`, as they were committed with ([`Facts::terms`]); none where
    /// the store keeps no terms, so that every artifact has to be read. Costs the listing and a few ranges of an index,
    /// not a request an artifact.
    fn find(&self, _session: &SessionId, _terms: &[u32]) -> Result<Option<TermMatches>, StoreError> {
        Ok(None)
    }

    /// Whether processes on several machines may share it, so that one that ends says nothing of the others.
    fn is_shared(&self) -> bool {
        false
    }

    /// Leaves a note for every process that shares the store, unless there is one of this name; says whether it was left.
    /// A name is 1 to 80 of `a-z 0-9 -`. A note is forgotten after a week, unless its name starts with `secret`. A store
    /// that is not shared may decline without saying so.
    fn add_note(&self, _name: &str, _note: &[u8]) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// The note of this name.
    fn note(&self, _name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    /// Removes a note; one that is not there is fine.
    fn remove_note(&self, _name: &str) -> Result<(), StoreError> {
        Ok(())
    }

    /// Removes an artifact for good, damaged or not.
    fn remove(&self, session: &SessionId, id: &ArtifactId) -> Result<(), StoreError>;

    /// Removes all of a session's artifacts, and what it remembers.
    fn clear(&self, session: &SessionId) -> Result<Cleared, StoreError>;

    /// The sessions that there are, by name.
    fn sessions(&self) -> Result<Vec<SessionInfo>, StoreError>;

    /// Says that this process uses the session, until the lease is dropped.
    ///
    /// A session that was ever attached counts as abandoned once nobody is, and [`Sweep::abandoned`] then removes it;
    /// one that never was is kept until it is cleared or too old.
    fn attach(&self, session: &SessionId) -> Result<Box<dyn Lease>, StoreError>;

    /// Clears away what nobody will come back for: always the leftovers of writers that died, and what `sweep` names.
    fn sweep(&self, sweep: &Sweep) -> Result<Swept, StoreError>;

    /// Where the artifacts are, for people.
    fn location(&self) -> String;
}

/// An artifact that is being written. Dropped without a commit it leaves nothing.
pub trait Draft: Send {
    /// The id that the artifact will have.
    fn id(&self) -> &ArtifactId;

    /// Takes the next bytes in. After an error the draft takes nothing more, but can still be read as far as it came.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;

    /// The same with a block that others read too. A store that keeps it for a while need not copy it.
    fn write_shared(&mut self, block: &Arc<Vec<u8>>) -> Result<(), StoreError> {
        self.write(block)
    }

    /// Takes the whole content in at once; nothing comes before it or behind it. A store that can write it where it lies
    /// need not keep a copy until the commit.
    fn write_whole(&mut self, content: &[u8]) -> Result<(), StoreError> {
        self.write(content)
    }

    /// How many bytes were taken in.
    fn written(&self) -> u64;

    /// Reads back what was written so far; returns how many bytes there were, 0 only at the end or for an empty
    /// buffer. Works after the commit too, and after a commit that failed.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Brings what was taken in so far to where it outlives this process. If that dies before the commit,
    /// [`Store::list`] shows an unfinished artifact instead of nothing. Costs a write of what is new since the last time;
    /// a store may decline without saying so.
    fn save_progress(&mut self, _progress: &Progress) -> Result<(), StoreError> {
        Ok(())
    }

    /// Makes the artifact visible, whole. On an error nothing is visible.
    fn commit(&mut self, facts: Facts) -> Result<ArtifactInfo, StoreError>;
}

/// What is known of an output that is still coming.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Where it comes from.
    pub source: Source,
    /// Whether it is not text.
    pub binary: bool,
    /// What comes behind the bytes that were written, as far as it can be told by now.
    pub tail: String,
}

/// An artifact that is open for reading.
pub trait Artifact: Send + Sync + Debug {
    /// What is known about it.
    fn info(&self) -> &ArtifactInfo;

    /// Where its lines are.
    fn index(&self) -> &Index;

    /// The bytes in `range`, cut off at the end of the content; verifies every block that it touches.
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError>;

    /// What a reader worked out about the content and put aside; none where nobody did, or the store keeps no such thing.
    /// It can be worked out again, so whoever reads it checks it, and takes what is damaged for missing.
    fn aside(&self) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    /// Puts something aside that was worked out about the content: it lies beside the artifact and goes with it. A store
    /// may decline without saying so.
    fn put_aside(&self, _bytes: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The artifacts of a session by the terms that were looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermMatches {
    /// All the session's artifacts, oldest first.
    pub artifacts: Vec<ArtifactId>,
    /// For each term that was looked for, in that order: which of the artifacts hold it, in order.
    pub holding: Vec<Vec<u32>>,
    /// The artifacts whose terms are not known: they may hold any of them.
    pub unknown: Vec<u32>,
}

/// The use of a session by a process; dropping it ends that use.
pub trait Lease: Send + Sync + Debug {
    /// The session that is used.
    fn session(&self) -> &SessionId;

    /// Ends the use, and clears the session if nobody else uses it; says what was cleared, if so.
    fn end(self: Box<Self>) -> Result<Option<Cleared>, StoreError>;
}

/// An artifact whose metadata cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// Its id.
    pub id: ArtifactId,
    /// What is wrong with it.
    pub damaged: String,
}

/// What clearing took away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleared {
    /// How many artifacts.
    pub artifacts: u64,
    /// What their content took.
    pub bytes: u64,
}

/// What is known about a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// Its name.
    pub session: SessionId,
    /// How many artifacts it has.
    pub artifacts: u64,
    /// What their content takes.
    pub stored_bytes: u64,
    /// When its newest artifact was created, in milliseconds since 1970; 0 without any.
    pub latest_ms: u64,
    /// Whether a process is attached to it.
    pub in_use: bool,
}

/// What a sweep takes away besides leftovers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sweep {
    /// Artifacts that are older than this.
    pub older_than: Option<Duration>,
    /// Sessions that were attached and are not any more.
    pub abandoned: bool,
    /// Of those, only sessions without an artifact that is younger than this.
    pub idle: Duration,
}

/// How long a session on a shared store is kept whose process ended: its client may come back to another one.
const SHARED_IDLE: Duration = Duration::from_secs(8 * 60 * 60);

impl Sweep {
    /// Takes away the sessions that nobody comes back to, by what kind of store it is.
    pub fn abandoned_in(store: &dyn Store) -> Sweep {
        let idle = if store.is_shared() { SHARED_IDLE } else { Duration::ZERO };
        Sweep { abandoned: true, idle, ..Sweep::default() }
    }
}

/// What a sweep took away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swept {
    /// Files of writers that died.
    pub leftovers: u64,
    /// Artifacts that were too old, or whose session was abandoned.
    pub artifacts: u64,
    /// Sessions that are gone.
    pub sessions: u64,
    /// What all of that took.
    pub bytes: u64,
}

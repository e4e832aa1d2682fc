//! What the objects of a store are called.

use object_store::path::Path;

use crate::id::{ArtifactId, SessionId};

/// The keys below a prefix. A session's name and an artifact's id are harmless path components by their types.
#[derive(Debug)]
pub(super) struct Keys {
    /// Where the sessions are.
    root: Path,
    /// Where the probes are, which are no session's.
    probes: Path,
    /// Where the notes are.
    notes: Path,
}

impl Keys {
    pub(super) fn below(prefix: Path) -> Keys {
        let [root, probes, notes] = ["sessions", "probes", "notes"].map(|part| prefix.clone().join(part));
        Keys { root, probes, notes }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn probe(&self, name: &str) -> Path {
        self.probes.clone().join(name)
    }

    /// What processes tell each other.
    pub(super) fn notes(&self) -> &Path {
        &self.notes
    }

    pub(super) fn note(&self, name: &str) -> Path {
        self.notes.clone().join(name)
    }

    fn of(&self, session: &SessionId, part: &str) -> Path {
        self.root.clone().join(session.as_str()).join(part)
    }

    /// The metadata: what is here is visible.
    pub(super) fn metas(&self, session: &SessionId) -> Path {
        self.of(session, "meta")
    }

    pub(super) fn meta(&self, session: &SessionId, id: &ArtifactId) -> Path {
        self.metas(session).join(id.as_str())
    }

    /// The contents.
    pub(super) fn datas(&self, session: &SessionId) -> Path {
        self.of(session, "data")
    }

    pub(super) fn data(&self, session: &SessionId, id: &ArtifactId) -> Path {
        self.datas(session).join(id.as_str())
    }

    /// What the artifacts are found by: an object for each artifact, and segments of many.
    pub(super) fn terms(&self, session: &SessionId) -> Path {
        self.of(session, "terms")
    }

    pub(super) fn terms_of(&self, session: &SessionId, id: &ArtifactId) -> Path {
        self.terms(session).join(id.as_str())
    }

    /// What readers worked out about contents.
    pub(super) fn asides(&self, session: &SessionId) -> Path {
        self.of(session, "aside")
    }

    pub(super) fn aside(&self, session: &SessionId, id: &ArtifactId) -> Path {
        self.asides(session).join(id.as_str())
    }

    /// What was evicted: an empty object each.
    pub(super) fn evictions(&self, session: &SessionId) -> Path {
        self.of(session, "evicted")
    }

    pub(super) fn eviction(&self, session: &SessionId, id: &ArtifactId) -> Path {
        self.evictions(session).join(id.as_str())
    }

    /// That somebody attached to the session, ever.
    pub(super) fn owner(&self, session: &SessionId) -> Path {
        self.of(session, "owner").join("attached")
    }

    /// Who uses the session: `{random}-{milliseconds of expiry}`.
    pub(super) fn leases(&self, session: &SessionId) -> Path {
        self.of(session, "lease")
    }
}

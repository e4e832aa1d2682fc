//! What can go wrong with a store, as outcomes that a caller can act on.

use std::io;
use std::path::{Path, PathBuf};

use crate::id::{ArtifactId, SessionId};

/// Why a store could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The name is none that a store would ever give; nothing was looked up.
    #[error("`{id}` is not a valid {what} id")]
    InvalidId {
        /// `artifact`, `session` or `file`.
        what: &'static str,
        /// The name, shortened and escaped.
        id: String,
    },
    /// This session has no such artifact; another session's is not told apart from one that never was.
    #[error("no artifact `{id}` in this session")]
    NotFound {
        /// The artifact that was asked for.
        id: ArtifactId,
    },
    /// The session had this artifact and dropped it to stay within its quota.
    #[error("artifact `{id}` was evicted to keep the session within its quota")]
    Evicted {
        /// The artifact that was asked for.
        id: ArtifactId,
    },
    /// One artifact is larger than the store takes.
    #[error("an artifact of {size} bytes exceeds the maximum of {max} bytes")]
    TooLarge {
        /// How much there was when it was refused.
        size: u64,
        /// The smallest size that is refused.
        max: u64,
    },
    /// The session is full, and it was configured to reject rather than to evict.
    #[error("session `{session}` is at its quota of {max} {unit}")]
    QuotaExceeded {
        /// The session that is full.
        session: SessionId,
        /// `bytes` or `artifacts`.
        unit: &'static str,
        /// The quota.
        max: u64,
    },
    /// Artifacts are being created faster than was configured.
    #[error("more than {max} artifacts in {seconds} s; try again in {wait_ms} ms")]
    RateLimited {
        /// How many are allowed in the window.
        max: u64,
        /// The window.
        seconds: u64,
        /// When the next one will be taken.
        wait_ms: u64,
    },
    /// What is stored is not what was written.
    #[error("artifact `{id}` is damaged: {what}")]
    Corrupt {
        /// The damaged artifact.
        id: ArtifactId,
        /// The damaged block, counted from 0; absent where the metadata is damaged.
        block: Option<u64>,
        /// Which part, and what is wrong with it.
        what: String,
    },
    /// A link or another foreign thing stands where the store's own file or folder should be.
    #[error("refused to use `{}`: {why}", path.display())]
    Refused {
        /// The foreign thing.
        path: PathBuf,
        /// What it is.
        why: &'static str,
    },
    /// There is no room left.
    #[error("no space left for artifacts in `{place}`")]
    Full {
        /// The store's location.
        place: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The store can be read but not written.
    #[error("`{place}` cannot be written")]
    ReadOnly {
        /// The store's location.
        place: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The store, or something that it needs, cannot be reached.
    #[error("{what} is not available: {why}")]
    Unavailable {
        /// What cannot be reached.
        what: String,
        /// Why.
        why: String,
    },
    /// The store was asked for something that makes no sense, such as to commit a draft twice.
    #[error("the draft cannot be used so: {why}")]
    Misuse {
        /// What makes no sense.
        why: String,
    },
    /// Anything else that the system said.
    #[error("could not {doing}{}", at(path.as_deref()))]
    Io {
        /// What was being done, as an infinitive: `read block 3`.
        doing: String,
        /// Where.
        path: Option<PathBuf>,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl StoreError {
    /// The outcome as one stable word, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            StoreError::InvalidId { .. } => "invalid_id",
            StoreError::NotFound { .. } => "not_found",
            StoreError::Evicted { .. } => "evicted",
            StoreError::TooLarge { .. } => "too_large",
            StoreError::QuotaExceeded { .. } => "quota_exceeded",
            StoreError::RateLimited { .. } => "rate_limited",
            StoreError::Corrupt { .. } => "corrupt",
            StoreError::Refused { .. } => "refused",
            StoreError::Full { .. } => "full",
            StoreError::ReadOnly { .. } => "read_only",
            StoreError::Unavailable { .. } => "unavailable",
            StoreError::Misuse { .. } => "misuse",
            StoreError::Io { .. } => "io",
        }
    }

    /// Sorts what the system said into the outcomes that a caller can act on.
    pub(crate) fn io(doing: impl Into<String>, path: &Path, source: io::Error) -> StoreError {
        use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let place = || path.display().to_string();
        match source.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => StoreError::Full { place: place(), source },
            ReadOnlyFilesystem | PermissionDenied => StoreError::ReadOnly { place: place(), source },
            _ => StoreError::Io { doing: doing.into(), path: Some(path.to_owned()), source },
        }
    }
}

fn at(path: Option<&Path>) -> String {
    path.map(|path| format!(" at `{}`", path.display())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_said_becomes_an_outcome() {
        let of = |kind: io::ErrorKind| StoreError::io("write", Path::new("x"), kind.into()).code();
        assert_eq!(of(io::ErrorKind::StorageFull), "full");
        assert_eq!(of(io::ErrorKind::QuotaExceeded), "full");
        assert_eq!(of(io::ErrorKind::ReadOnlyFilesystem), "read_only");
        assert_eq!(of(io::ErrorKind::PermissionDenied), "read_only");
        assert_eq!(of(io::ErrorKind::Other), "io");
        let error = StoreError::io("sync the content", Path::new("a/b"), io::ErrorKind::Other.into());
        assert_eq!(error.to_string(), "could not sync the content at `a/b`");
    }
}

//! Which artifact a handle means: a whole id, the beginning of its random part, the newest one, or a path.

use offcut_store::{ArtifactId, SHORTEST_HANDLE, SessionId, Store, StoreError};

use super::RecallError;

/// The handle of the session's newest artifact.
const LAST: &str = "last";

/// The longest short handle that is looked up, in bytes.
const LONGEST: usize = 64;

/// The id that `handle` means in the session `own`.
pub(super) fn resolve(handle: &str, store: &dyn Store, own: &SessionId) -> Result<ArtifactId, RecallError> {
    let handle = handle.trim();
    if handle == LAST {
        return store.list(own)?.pop().map(|info| info.id).ok_or(RecallError::NoArtifacts);
    }
    if let Some((session, id)) = handle.strip_prefix("session-").and_then(|rest| rest.rsplit_once('/')) {
        let session: SessionId = session.parse().map_err(|_| invalid(handle))?;
        let id: ArtifactId = id.parse().map_err(|_| invalid(handle))?;
        return if session == *own { Ok(id) } else { Err(RecallError::Foreign { id }) };
    }
    if !is_short(handle) {
        return Ok(handle.parse()?);
    }
    let mut ids = store.ids(own)?;
    ids.retain(|id| id.has_handle(handle));
    ids.dedup();
    match ids.len() {
        0 => Err(RecallError::UnknownHandle { handle: handle.to_owned(), foreign: is_foreign(handle, store) }),
        1 => ids.pop().ok_or(RecallError::NoArtifacts),
        _ => Err(RecallError::Ambiguous { handle: handle.to_owned(), ids }),
    }
}

/// Whether an artifact of any session has this handle.
fn is_foreign(handle: &str, store: &dyn Store) -> bool {
    let sessions = store.sessions().unwrap_or_default();
    sessions.iter().any(|other| store.ids(&other.session).is_ok_and(|ids| ids.iter().any(|id| id.has_handle(handle))))
}

/// Whether `handle` has a form that can mean an artifact; nothing is looked up.
pub(super) fn is_one(handle: &str) -> bool {
    let id = handle.strip_prefix("session-").and_then(|rest| rest.rsplit_once('/')).map_or(handle, |(_, id)| id);
    is_short(handle.trim()) || id.parse::<ArtifactId>().is_ok()
}

fn is_short(handle: &str) -> bool {
    (SHORTEST_HANDLE..=LONGEST).contains(&handle.len()) && handle.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A handle that is none, as the store shows one.
fn invalid(handle: &str) -> RecallError {
    match handle.parse::<ArtifactId>() {
        Err(StoreError::InvalidId { id, .. }) => RecallError::InvalidId { id },
        _ => RecallError::InvalidId { id: String::new() },
    }
}

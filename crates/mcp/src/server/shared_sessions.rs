//! Handshakes that every process on a shared store knows, so that any of them answers any session.
//!
//! A process that is asked in a session that another one began replays its handshake from the note that was left in the
//! store. Notes are named by a hash of the `Mcp-Session-Id`, so that whoever reads the store cannot take a session over.
//! A store that keeps no notes knows no sessions of other processes, and the client shakes hands anew.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use offcut::Offcut;
use offcut_store::{Store, StoreError};
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};

use super::http::session_named;

/// The header by which the protocol names a session.
pub(super) const MCP_SESSION: &str = "mcp-session-id";

/// What the processes on one store tell each other about sessions.
#[derive(Debug, Clone)]
pub(super) struct SharedSessions {
    offcut: Offcut,
}

impl SharedSessions {
    pub(super) fn new(offcut: Offcut) -> SharedSessions {
        SharedSessions { offcut }
    }

    /// The session that a client named when it shook hands, perhaps with another process.
    pub(super) async fn named(&self, id: &str) -> Option<String> {
        let note = note_name("named", id);
        let found = self.ask(move |store| store.note(&note)).await.ok().flatten()?;
        String::from_utf8(found).ok()
    }

    async fn name(&self, id: &str, name: String) -> Result<bool, SessionStoreError> {
        let note = note_name("named", id);
        self.ask(move |store| store.add_note(&note, name.as_bytes())).await
    }

    /// Asks the store, which may have to wait for a server.
    async fn ask<T: Default + Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, SessionStoreError> {
        let offcut = self.offcut.clone();
        let asked = move || offcut.store().map_or_else(|| Ok(T::default()), |(store, _)| question(store));
        Ok(tokio::task::spawn_blocking(asked).await??)
    }
}

/// Leaves the name that a client gives its session for the other processes, before the client learns its id.
pub(super) async fn remember_name(State(shared): State<SharedSessions>, request: Request, next: Next) -> Response {
    let name = session_named(request.headers()).map(str::to_owned);
    let known = request.headers().contains_key(MCP_SESSION);
    let response = next.run(request).await;
    let id = response.headers().get(MCP_SESSION).and_then(|id| id.to_str().ok());
    if let (Some(name), Some(id), false) = (name, id, known)
        && let Err(error) = shared.name(id, name).await
    {
        tracing::warn!(%error, "the name of a session could not be left for other processes");
    }
    response
}

#[async_trait::async_trait]
impl SessionStore for SharedSessions {
    async fn load(&self, session_id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let note = note_name("handshake", session_id);
        let found = self.ask(move |store| store.note(&note)).await?;
        Ok(found.and_then(|note| serde_json::from_slice(&note).ok()))
    }

    async fn store(&self, session_id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let (note, state) = (note_name("handshake", session_id), serde_json::to_vec(state)?);
        self.ask(move |store| store.add_note(&note, &state)).await.map(|_| ())
    }

    async fn delete(&self, session_id: &str) -> Result<(), SessionStoreError> {
        let notes = ["handshake", "named"].map(|what| note_name(what, session_id));
        self.ask(move |store| notes.iter().try_for_each(|note| store.remove_note(note))).await
    }
}

/// The name of a note about a session.
fn note_name(what: &str, id: &str) -> String {
    format!("mcp-{what}-{}", short_hash(&format!("offcut mcp {what} {id}")))
}

/// 128 bits of the hash of a text, in hexadecimal.
pub(super) fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
}

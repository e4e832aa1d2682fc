//! Whose artifacts are whose.
//!
//! A client that keeps its connection has a session of its own, under a name that nobody can guess, until the connection
//! ends; over HTTP it follows from the `Mcp-Session-Id`, so that every process on a shared store gives it the same. One
//! that gives a name of its own (a header, or `--session`) finds its artifacts again whenever it comes back.
//! Requests that stand for themselves carry no connection: those of clients with the same name share a session, where an
//! artifact is found by its id, which cannot be guessed, and none is listed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use offcut::Offcut;
use offcut_store::{ArtifactInfo, Lease, StoreError};
use parking_lot::Mutex;

use super::shared_sessions::short_hash;
use crate::clients::Client;

/// How many sessions of clients without a connection are remembered at most.
const MOST_SHARED: usize = 1024;

/// The note that holds the secret that names are made with.
const SECRET: &str = "secret-mcp";

/// How many characters of a name that a client gives itself are left beside what is put before it.
const LONGEST_NAME: usize = 56;

/// The sessions of all clients.
#[derive(Debug, Clone)]
pub(super) struct ClientSessions {
    offcut: Offcut,
    /// The one session for everybody, where there is one.
    only: Option<Arc<ClientSession>>,
    /// Makes names that only this process can make.
    secret: [u8; 32],
    /// The one that all processes on the store have, once it was asked for.
    common_secret: Arc<OnceLock<[u8; 32]>>,
    shared: Arc<Mutex<BTreeMap<String, Arc<ClientSession>>>>,
}

/// Who a request without a connection comes from, as far as it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caller<'r> {
    /// The session that it names.
    pub(super) session: Option<&'r str>,
    /// The client's name for itself.
    pub(super) client: &'r str,
}

/// One client's session.
#[derive(Debug)]
pub(super) struct ClientSession {
    offcut: Offcut,
    kind: Kind,
    /// Whether it is known to have artifacts.
    has_artifacts: AtomicBool,
    lease: Mutex<Option<Box<dyn Lease>>>,
    /// The library for the client that was seen last, and what that one takes whole.
    narrowed: Mutex<Option<(u64, Offcut)>>,
}

/// Whose a session is, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One client, until its connection ends.
    Own,
    /// Whoever knows its name, for ever.
    Named,
    /// Clients that cannot be told apart, until the process ends; nothing is listed.
    Shared,
}

impl Kind {
    /// Whether nobody comes back to it once the connection or the process has ended.
    fn is_passing(self) -> bool {
        match self {
            Kind::Own | Kind::Shared => true,
            Kind::Named => false,
        }
    }
}

impl ClientSessions {
    pub(super) fn new(offcut: Offcut) -> ClientSessions {
        let mut secret = [0; 32];
        // Without randomness names repeat from one process to the next, but never within this one.
        if getrandom::fill(&mut secret).is_err() {
            tracing::warn!("the system's random source failed; sessions are named by the process alone");
            secret = *blake3::hash(&std::process::id().to_le_bytes()).as_bytes();
        }
        ClientSessions { offcut, only: None, secret, common_secret: Arc::default(), shared: Arc::default() }
    }

    pub(super) fn in_session(mut self, session: &str) -> Result<ClientSessions, StoreError> {
        self.only = Some(Arc::new(ClientSession::new(self.offcut.in_session(session)?, Kind::Named)));
        Ok(self)
    }

    pub(super) fn offcut(&self) -> &Offcut {
        &self.offcut
    }

    /// A session for a connection. A name that the client gives is taken; otherwise it gets one that is its own, by the
    /// id that the protocol gave it.
    pub(super) fn of_connection(
        &self,
        named: Option<&str>,
        id: Option<&str>,
    ) -> Result<Arc<ClientSession>, StoreError> {
        if let Some(client_session) = &self.only {
            return Ok(client_session.clone());
        }
        let (name, kind) = match (named, id) {
            (Some(name), _) => (given(name)?, Kind::Named),
            (None, Some(id)) => (format!("mcp-{}", short_hash(&format!("offcut session {id}"))), Kind::Own),
            (None, None) => (random()?, Kind::Own),
        };
        Ok(Arc::new(ClientSession::new(self.offcut.in_session(&name)?, kind)))
    }

    /// The session of a request without a connection.
    pub(super) fn of_request(&self, caller: Caller<'_>) -> Result<Arc<ClientSession>, StoreError> {
        if let Some(client_session) = &self.only {
            return Ok(client_session.clone());
        }
        let (name, kind) = match caller.session {
            Some(name) => (given(name)?, Kind::Named),
            None => (self.common(caller.client), Kind::Shared),
        };
        let mut shared = self.shared.lock();
        if let Some(client_session) = shared.get(&name) {
            return Ok(client_session.clone());
        }
        if shared.len() >= MOST_SHARED {
            shared.clear();
        }
        let client_session = Arc::new(ClientSession::new(self.offcut.in_session(&name)?, kind));
        shared.insert(name, client_session.clone());
        Ok(client_session)
    }

    /// The session of all clients of one name, for as long as this process, or one that shares the store, lives.
    fn common(&self, client: &str) -> String {
        let secret = self.common_secret.get_or_init(|| self.shared_secret().unwrap_or(self.secret));
        let name = blake3::keyed_hash(secret, client.as_bytes()).to_hex();
        format!("mcp-{}", name.chars().take(32).collect::<String>())
    }
}

impl ClientSessions {
    /// The secret of all processes on the store: that of the first one. None where the store keeps no notes.
    fn shared_secret(&self) -> Option<[u8; 32]> {
        let (store, _) = self.offcut.store()?;
        let note = store.add_note(SECRET, &self.secret).and_then(|_| store.note(SECRET));
        note.inspect_err(|error| tracing::warn!(%error, "the secret of the store could not be read"))
            .ok()??
            .try_into()
            .ok()
    }
}

/// A session that a client names: apart from every session of ours and of the command line.
fn given(name: &str) -> Result<String, StoreError> {
    if name.len() > LONGEST_NAME {
        let id = name.chars().take(LONGEST_NAME).flat_map(char::escape_debug).collect();
        return Err(StoreError::InvalidId { what: "session", id });
    }
    Ok(format!("client-{name}"))
}

/// A name of 128 random bits.
fn random() -> Result<String, StoreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Unavailable {
        what: "the system's random source".to_owned(),
        why: error.to_string(),
    })?;
    Ok(format!("mcp-{:032x}", u128::from_be_bytes(bytes)))
}

impl ClientSession {
    fn new(offcut: Offcut, kind: Kind) -> ClientSession {
        ClientSession {
            offcut,
            kind,
            has_artifacts: AtomicBool::new(false),
            lease: Mutex::new(None),
            narrowed: Mutex::new(None),
        }
    }

    /// The session's name.
    pub(super) fn session(&self) -> &str {
        self.offcut.session().as_str()
    }

    /// The library for a client: nothing that leaves is larger than what that client shows its model whole.
    pub(super) fn offcut(&self, client: &str) -> Offcut {
        let Some(known) = Client::known(client) else { return self.offcut.for_agent(client) };
        let bytes = known.unescaped_bytes();
        let mut narrowed = self.narrowed.lock();
        match &*narrowed {
            Some((before, offcut)) if *before == bytes => offcut.clone(),
            _ => narrowed.insert((bytes, self.offcut.within(bytes).for_agent(known.name))).1.clone(),
        }
    }

    /// The artifacts that may be listed, oldest first.
    pub(super) fn listed(&self) -> Vec<ArtifactInfo> {
        match self.kind {
            Kind::Shared => Vec::new(),
            Kind::Own | Kind::Named => self.offcut.recall().list().unwrap_or_default(),
        }
    }

    /// Marks the session as in use, once it has an artifact: nobody clears it away while the client is there.
    pub(super) fn hold(&self) {
        if self.has_artifacts.swap(true, Ordering::Relaxed) || !self.kind.is_passing() {
            return;
        }
        let Some((store, session)) = self.offcut.store() else { return };
        let mut lease = self.lease.lock();
        match store.attach(session) {
            Ok(new) => *lease = Some(new),
            Err(error) => tracing::warn!(session = %session, %error, "the session could not be marked as in use"),
        }
    }
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        let wanted = self.offcut.policy().options().artifacts.cleanup_on_exit.unwrap_or(false);
        // On a shared store the client may go on with another process.
        let clear = wanted && !self.offcut.store().is_some_and(|(store, _)| store.is_shared());
        let lease = self.lease.lock().take();
        if clear
            && let Some(lease) = lease
            && let Err(error) = lease.end()
        {
            tracing::warn!(%error, "the session's artifacts could not be cleared");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> ClientSessions {
        ClientSessions::new(Offcut::builder().in_memory().build().unwrap())
    }

    fn caller(session: Option<&'static str>, client: &'static str) -> Caller<'static> {
        Caller { session, client }
    }

    #[test]
    fn two_connections_never_have_one_session() {
        let sessions = sessions();
        let (first, second) =
            (sessions.of_connection(None, None).unwrap(), sessions.of_connection(None, None).unwrap());
        assert_ne!(first.session(), second.session());
        assert_eq!(first.session().len(), "mcp-".len() + 32);
    }

    #[test]
    fn a_name_that_the_client_gives_is_found_again_and_is_no_name_of_ours() {
        let sessions = sessions();
        let first = sessions.of_connection(Some("alpha"), None).unwrap();
        assert_eq!(first.session(), "client-alpha");
        assert_eq!(sessions.of_request(caller(Some("alpha"), "x")).unwrap().session(), "client-alpha");
        for bad in ["../x", "a b", &"x".repeat(57)] {
            assert!(sessions.of_connection(Some(bad), None).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn requests_without_a_connection_share_a_session_only_by_client() {
        let sessions = sessions();
        let session = |caller: Caller<'_>| sessions.of_request(caller).unwrap().session().to_owned();
        let one = session(caller(None, "one"));
        assert_eq!(session(caller(None, "one")), one);
        assert_ne!(session(caller(None, "two")), one);
        assert!(sessions.of_request(caller(None, "one")).unwrap().listed().is_empty());
    }

    #[test]
    fn one_session_for_everybody_is_one() {
        let sessions = sessions().in_session("mine").unwrap();
        assert_eq!(sessions.of_connection(None, None).unwrap().session(), "mine");
        assert_eq!(sessions.of_request(caller(Some("other"), "x")).unwrap().session(), "mine");
        assert!(ClientSessions::new(Offcut::builder().in_memory().build().unwrap()).in_session("no/name").is_err());
    }
}

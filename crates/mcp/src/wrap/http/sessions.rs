//! The sessions of many clients, each found again by what its requests carry.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use parking_lot::Mutex;

use crate::wrap::Wrap;
use crate::wrap::session::Session;

/// The header in which a client may name its session itself, and so find it again.
pub(crate) const OFFCUT_SESSION: &str = "offcut-session";

/// The header of the revisions that have sessions.
pub(crate) const MCP_SESSION: &str = "mcp-session-id";

/// How many sessions are held; of more, the one that was used longest ago is forgotten (its artifacts are not).
const MOST: usize = 4096;

/// The sessions that there are.
pub(crate) struct ClientSessions {
    wrap: Wrap,
    held: Mutex<SessionTable>,
}

#[derive(Debug, Default)]
struct SessionTable {
    by_key: BTreeMap<String, (u64, Arc<Session>)>,
    count: u64,
}

impl ClientSessions {
    /// No session is held yet.
    pub(crate) fn new(wrap: Wrap) -> ClientSessions {
        ClientSessions { wrap, held: Mutex::default() }
    }

    /// The session of a request with these headers, from a client of this name: the one that it names, that of its MCP
    /// session, or else that of its credentials and its name.
    pub(crate) fn of(&self, headers: &HeaderMap, client: Option<&str>) -> Arc<Session> {
        self.find(&key(headers, client))
    }

    /// Files the session of a handshake under the MCP session that the server made of it. One that the client has
    /// `named` keeps its artifacts where that name leads.
    pub(crate) fn file_under(&self, mcp_session: &str, session: &Arc<Session>, named: bool) {
        let key = format!("mcp:{mcp_session}");
        let mut held = self.held.lock();
        if !named {
            // Its artifacts belong where the requests that follow will look for them.
            session.move_to(&self.wrap.offcut, &name(&key));
        }
        held.put(key, session.clone());
    }

    /// A session that has no place yet.
    pub(crate) fn fresh(&self) -> Arc<Session> {
        Arc::new(self.wrap.session())
    }

    fn find(&self, key: &str) -> Arc<Session> {
        let mut held = self.held.lock();
        if let Some((_, session)) = held.by_key.get(key) {
            let session = session.clone();
            held.put(key.to_owned(), session.clone());
            return session;
        }
        let session = self.fresh();
        session.move_to(&self.wrap.offcut, &name(key));
        held.put(key.to_owned(), session.clone());
        session
    }

    /// Forgets an MCP session that has ended.
    pub(crate) fn leave(&self, headers: &HeaderMap) {
        let mut held = self.held.lock();
        held.by_key.remove(&key(headers, None));
    }
}

impl SessionTable {
    fn put(&mut self, key: String, session: Arc<Session>) {
        self.count += 1;
        self.by_key.insert(key, (self.count, session));
        if self.by_key.len() > MOST {
            let oldest = self.by_key.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.by_key.remove(&key));
        }
    }
}

/// What a request's session is found by.
pub(crate) fn key(headers: &HeaderMap, client: Option<&str>) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(named) = text(OFFCUT_SESSION) {
        return format!("own:{}:{named}", text(AUTHORIZATION.as_str()).unwrap_or_default());
    }
    match text(MCP_SESSION) {
        Some(session) => format!("mcp:{session}"),
        None => format!("client:{}:{}", text(AUTHORIZATION.as_str()).unwrap_or_default(), client.unwrap_or_default()),
    }
}

/// The name of a session in the store: what tells clients apart may be a secret, so only its hash is written.
pub(crate) fn name(key: &str) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, key).hash(&mut hasher);
        hasher.finish()
    };
    format!("http-{:016x}{:016x}", half(1), half(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::Rules;
    use offcut::Offcut;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn clients_are_told_apart_and_found_again() {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let sessions = ClientSessions::new(Wrap::new(offcut, Rules::new(), Arc::new(|_| {})));
        let store = |session: &Arc<Session>| session.offcut().session().to_string();
        let first = sessions.of(&headers(&[(MCP_SESSION, "a")]), None);
        let same = sessions.of(&headers(&[(MCP_SESSION, "a")]), Some("x"));
        let other = sessions.of(&headers(&[(MCP_SESSION, "b")]), None);
        assert!(Arc::ptr_eq(&first, &same));
        assert_ne!(store(&first), store(&other));
        let named = sessions.of(&headers(&[(MCP_SESSION, "c"), (OFFCUT_SESSION, "mine")]), None);
        let again = sessions.of(&headers(&[(MCP_SESSION, "d"), (OFFCUT_SESSION, "mine")]), None);
        assert!(Arc::ptr_eq(&named, &again));
        let (one, two) = (sessions.of(&headers(&[]), Some("x")), sessions.of(&headers(&[]), Some("y")));
        assert_ne!(store(&one), store(&two));
        assert!(!store(&first).contains('a') || store(&first).len() == 37);
        sessions.leave(&headers(&[(MCP_SESSION, "a")]));
        let back = sessions.of(&headers(&[(MCP_SESSION, "a")]), None);
        assert!(!Arc::ptr_eq(&first, &back));
        assert_eq!(store(&first), store(&back));
    }
}

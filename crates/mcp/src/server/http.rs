//! Many clients over streamable HTTP, and who may ask at all.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::handler::{Handler, House};
use super::lines::LONGEST_LINE;

/// Where clients find the server.
pub const PATH: &str = "/mcp";

/// The header by which a client names its session, to find its artifacts again.
pub const SESSION_HEADER: &str = "offcut-session";

/// The names of this machine that a page's origin may have.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// How long a connection that nobody uses is kept: its client would lose its artifacts.
const KEEP: Duration = Duration::from_secs(8 * 60 * 60);

/// Who gets as far as the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Requests for this machine by one of its own names, of no page from elsewhere: no web page can ask, whatever
    /// name it gave itself.
    ThisMachine,
    /// Every request. Who may ask is for the caller to decide, who puts a door before it.
    Everyone,
}

/// The session that a request names.
pub(super) fn session_named(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(str::trim).filter(|name| !name.is_empty())
}

/// The server for any number of clients.
pub(super) fn router(house: &Arc<House>, reach: Reach) -> axum::Router {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(KEEP);
    let config = StreamableHttpServerConfig::default().with_max_request_body_bytes(LONGEST_LINE);
    let config = match reach {
        // Hosts are those of this machine unless somebody says otherwise.
        Reach::ThisMachine => config.with_allowed_origins(
            LOCAL.iter().flat_map(|host| ["http", "https"].map(|scheme| format!("{scheme}://{host}:*"))),
        ),
        Reach::Everyone => config.disable_allowed_hosts(),
    };
    let house = house.clone();
    let service = StreamableHttpService::new(move || Ok(Handler::new(house.clone())), Arc::new(sessions), config);
    axum::Router::new().route_service(PATH, service)
}

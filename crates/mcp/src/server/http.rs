//! Many clients over streamable HTTP, and who may ask at all.

use std::sync::Arc;
use std::time::Duration;

use axum::middleware::from_fn_with_state;
use http::HeaderMap;
use offcut_http::{AccessPolicy, Arrival, guarded};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::handler::{Handler, ServerState};
use super::lines::LONGEST_LINE;
use super::shared_sessions::remember_name;

/// Where clients find the server.
pub const PATH: &str = "/mcp";

/// The header by which a client names its session, to find its artifacts again.
pub const SESSION_HEADER: &str = "offcut-session";

/// How long a connection that nobody uses is kept: its client would lose its artifacts.
const KEEP: Duration = Duration::from_secs(8 * 60 * 60);

/// The session that a request names.
pub(super) fn session_named(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(str::trim).filter(|name| !name.is_empty())
}

/// The server for any number of clients.
pub(super) fn router(state: &Arc<ServerState>, access: AccessPolicy) -> axum::Router {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(KEEP);
    // Who may ask is decided before: the policy knows of hosts and origins what the SDK would check again.
    let mut config =
        StreamableHttpServerConfig::default().with_max_request_body_bytes(LONGEST_LINE).disable_allowed_hosts();
    let shared = state.shared_sessions();
    config.session_store = Some(Arc::new(shared.clone()));
    let state = state.clone();
    let service = StreamableHttpService::new(move || Ok(Handler::new(state.clone())), Arc::new(sessions), config);
    let router = axum::Router::new().route_service(PATH, service);
    guarded(router.layer(from_fn_with_state(shared, remember_name)), access, Arrival::default())
}

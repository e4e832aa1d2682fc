//! Offcut as an MCP server: the five tools of a coding agent, and the way back to what was cut off.
//!
//! A [`Server`] is rules, a store and a root directory. It speaks to one client over a pipe ([`Server::serve`]) or to
//! many over streamable HTTP ([`Server::router`]), in every revision of the protocol that the SDK knows. Each client
//! has a session of its own: nobody reads what another one's tools printed.

mod answer;
mod calls;
mod client_session;
mod definitions;
mod handler;
mod http;
mod lines;
mod resources;
mod sampling;
mod shared_sessions;
mod wait;

use std::path::PathBuf;
use std::sync::Arc;

use offcut::Offcut;
use offcut_core::notice::Recall;
use offcut_extract::Model;
use offcut_http::AccessPolicy;
use offcut_store::StoreError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use http::{PATH, SESSION_HEADER};

use handler::{Handler, ServerState};
use lines::ClientStream;

/// The tool that reads an artifact back, as models know it.
pub(crate) const GET_ARTIFACT: &str = "get_artifact";

/// An MCP server. Cheap to clone; clones are one and the same.
#[derive(Debug, Clone)]
pub struct Server {
    state: Arc<ServerState>,
}

/// Why a connection could not be served to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client broke off, or broke the protocol, before there was a session.
    #[error("the client did not get as far as a first request: {0}")]
    Handshake(String),
    /// The task that served the connection failed.
    #[error("the connection was not served to its end: {0}")]
    Broken(String),
}

impl Server {
    /// A server whose tools start at `root`, and whose outputs leave through `offcut`. Each client has a session of
    /// its own, with a name that nobody can guess.
    pub fn new(offcut: &Offcut, root: impl Into<PathBuf>) -> Server {
        let offcut = offcut.worded(Recall::Tool(GET_ARTIFACT.to_owned()));
        Server { state: Arc::new(ServerState::new(offcut, root.into())) }
    }

    /// With one session for everybody who connects: for a client on a pipe that wants to find its artifacts again.
    ///
    /// Fails where the name is none.
    pub fn in_session(self, session: &str) -> Result<Server, StoreError> {
        let state = ServerState::clone(&self.state).in_session(session)?;
        Ok(Server { state: Arc::new(state) })
    }

    /// With a model for questions about what was kept, where a client offers none of its own.
    #[must_use]
    pub fn with_model(self, model: Arc<dyn Model>) -> Server {
        Server { state: Arc::new(ServerState::clone(&self.state).with_model(model)) }
    }

    /// Serves one client over a pair of streams, one message a line, until it goes.
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let transport = ClientStream::new(reader, writer);
        let handler = Handler::new(self.state.clone());
        let running = match rmcp::serve_server(handler, transport).await {
            Ok(running) => running,
            // A client that goes before it said anything is none of our troubles.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        running.waiting().await.map_err(|error| ServeError::Broken(error.to_string()))?;
        Ok(())
    }

    /// Serves one client over this process's standard input and output until it goes.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        let (reader, writer) = rmcp::transport::stdio_pipes();
        self.serve(reader, writer).await
    }

    /// Serves any number of clients over streamable HTTP, at [`PATH`], to those whom `access` admits.
    pub fn router(&self, access: AccessPolicy) -> axum::Router {
        http::router(&self.state, access)
    }
}

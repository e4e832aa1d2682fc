//! A wrapper around any other MCP server: everything passes as it came, save that oversized results are cut and kept.
//!
//! Messages are not parsed into types: they are looked into where a proxy has to (`crate::wire`), changed in
//! places, and otherwise forwarded byte for byte, in both directions, unknown methods and fields included. What is
//! touched: results of `tools/call` (and, if [`Rules::resources`] says so, of `resources/read`) that are too large;
//! `tools/list`, which gets our own tool and loses the output schemas that a cut result could not keep; and calls of
//! that tool, which the server never sees.

mod blob;
mod client;
mod clients;
mod cut;
mod listing;
mod names;
mod own;
mod requests;
mod rules;
mod sameness;
mod sampling;
mod session;
mod share;
mod view;

mod child;
mod http;
mod hub;
mod servers;
mod stdio;

use std::io;
use std::sync::Arc;

use offcut::Offcut;
use offcut_extract::Model;
use offcut_http::{AccessPolicy, Arrival, guarded};

use crate::wire::raw_message::RawMessage;

pub use child::ServerCommand;
pub use http::{Calling, serve};
pub use hub::Hub;
pub use rules::{RESTARTS, Rules};
pub use servers::{BadServers, Reach, Server, servers};
pub use stdio::{Piped, Stop};

/// Takes what a person should hear of: a sentence, without content.
pub type Teller = Arc<dyn Fn(&str) + Send + Sync>;

/// Why a wrap could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// The server's command could not be started.
    #[error("could not start `{program}`")]
    Start {
        /// The command.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The server's address is none.
    #[error("`{url}` is not the URL of a server: expected http://… or https://…")]
    Url {
        /// What was given.
        url: String,
    },
    /// The address cannot be listened at.
    #[error("could not listen at {address}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The threads that serve could not be started.
    #[error("could not start to serve")]
    Runtime(#[source] io::Error),
    /// HTTP cannot be spoken here.
    #[error("no HTTP client could be made")]
    Client(#[from] reqwest::Error),
}

/// Where a server is that speaks HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remote {
    /// Its URL.
    pub url: String,
    /// The bearer token that it wants.
    pub token: Option<String>,
}

impl Remote {
    fn parsed(&self) -> Result<reqwest::Url, WrapError> {
        let url = reqwest::Url::parse(&self.url).ok().filter(|url| url.has_host() && url.scheme().starts_with("http"));
        url.ok_or_else(|| WrapError::Url { url: self.url.clone() })
    }

    /// A client for it. What is on this machine is never asked through a proxy.
    fn client(&self) -> Result<reqwest::Client, WrapError> {
        // It may be installed already; one is as good as the other.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = self.parsed()?;
        let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        Ok(if local { builder.no_proxy() } else { builder }.build()?)
    }
}

/// A wrapper that is ready to stand between a client and a server.
#[derive(Clone)]
pub struct Wrap {
    offcut: Offcut,
    rules: Arc<Rules>,
    tell: Teller,
    model: Option<Arc<dyn Model>>,
    /// Whether another offers our tools, and this one only cuts.
    guest: bool,
}

impl Wrap {
    /// Results are cut by `offcut`, in its session, within `rules`; `tell` hears what a person should know.
    pub fn new(offcut: Offcut, rules: Rules, tell: Teller) -> Wrap {
        Wrap { offcut, rules: Arc::new(rules), tell, model: None, guest: false }
    }

    /// With a model that answers `tool_output` where the client offers none of its own.
    #[must_use]
    pub fn with_model(mut self, model: Arc<dyn Model>) -> Wrap {
        self.model = Some(model);
        self
    }

    fn session(&self) -> session::Session {
        session::Session::new(self.offcut.clone(), self.rules.clone()).with_model(self.model.clone()).hosted(self.guest)
    }

    /// What a client that asked `asked` gets where its server says `said`: both are messages, or batches of them.
    ///
    /// Looks at these two alone, without a client or a server; a wrap that runs does the same with each message.
    pub fn relayed(&self, asked: &[u8], said: &[u8]) -> Vec<u8> {
        let (session, mut exchange) = (self.session(), session::Exchange::default());
        session.client_said(RawMessage::new(asked.to_vec()), &mut exchange);
        let message = session.server_said(RawMessage::new(said.to_vec()), &mut exchange);
        let mut bytes = Vec::new();
        // What is in memory can be read.
        let _ = message.chunks(|chunk| {
            bytes.extend_from_slice(chunk);
            Ok(())
        });
        bytes
    }

    /// A wrap between a client on pipes and the server that `command` starts.
    pub fn piped(&self, command: ServerCommand) -> Piped {
        Piped::new(self.session(), command, self.rules.restarts, self.tell.clone())
    }

    /// A wrap between a client on pipes and several servers, which look like one.
    pub fn hub(&self, servers: Vec<Server>) -> Hub {
        Hub::new(self.clone(), servers)
    }

    /// A wrap between a client on pipes and a server that speaks HTTP.
    pub fn calling(&self, remote: &Remote) -> Result<Calling, WrapError> {
        let (url, client) = (remote.parsed()?, remote.client()?);
        Ok(Calling::new(url, client, remote.token.clone(), self.session(), self.tell.clone()))
    }

    /// A wrap between clients that speak HTTP and servers that `command` starts, one for each client's session: the
    /// routes to serve.
    pub fn bridge(&self, command: ServerCommand, access: AccessPolicy) -> axum::Router {
        guarded(http::Bridge::new(self.clone(), command).router(), access, Arrival::default())
    }

    /// A wrap between clients that speak HTTP and a server that does: the routes to serve, on which every path is
    /// passed on. Each client has a session of its own.
    pub fn proxy(&self, remote: &Remote, access: AccessPolicy) -> Result<axum::Router, WrapError> {
        let router = http::router(http::Proxy {
            upstream: remote.parsed()?,
            client: remote.client()?,
            token: remote.token.clone(),
            sessions: http::ClientSessions::new(self.clone()),
            tell: self.tell.clone(),
        });
        Ok(guarded(router, access, Arrival::default()))
    }
}

//! What every HTTP interface of Offcut shares: who may ask, how long a request may take to arrive, and serving.
//!
//! [`AccessPolicy`] is the one rule for the proxy, the MCP server and the MCP wrap; [`guarded`] puts it, and the time
//! limits of [`Arrival`], before any router; [`serve`] serves that router until it is asked to stop.
//!
//! ```
//! use axum::Router;
//! use offcut_http::{AccessPolicy, Arrival, guarded};
//!
//! let policy = AccessPolicy::from_token(Some("correct horse battery"))?;
//! let router: Router = guarded(Router::new(), policy, Arrival::default());
//! # Ok::<(), offcut_http::WeakToken>(())
//! ```

mod access;
mod arrival;
mod server;

pub use access::{AccessPolicy, Refusal, SHORTEST_TOKEN, TOKEN_HEADER, WeakToken, guarded};
pub use arrival::Arrival;
pub use server::serve;

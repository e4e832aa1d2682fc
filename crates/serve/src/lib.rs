//! Offcut over HTTP: the proxy in front of a language model.
//!
//! A client that talks to [`router`] instead of its provider notices nothing but smaller bills: requests to
//! `/v1/messages`, `/v1/chat/completions` and `/v1/responses` go on with their oversized tool results cut and their old
//! ones shortened, the same way every turn; everything else passes as it is, streams as streams.
//!
//! ```no_run
//! use axum::serve::ListenerExt;
//! use offcut::Offcut;
//! use offcut_serve::{Proxy, ProxyOptions, router};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let offcut = Offcut::builder().store(".offcut/artifacts").build()?;
//! let proxy = Proxy::new(offcut, ProxyOptions::default())?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8484").await?;
//! // Without this the events of a stream wait for each other.
//! let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
//! axum::serve(listener, router(proxy)).await?;
//! # Ok(())
//! # }
//! ```

mod proxy;

mod encoding;
mod headers;
mod outcome;
mod secrets;
mod upstream;

pub use proxy::{Proxy, ProxyError, ProxyOptions, router};
pub use upstream::{UpstreamError, Upstreams};

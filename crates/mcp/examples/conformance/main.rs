//! A server with everything that the official conformance suite asks for by name.
//!
//! It holds no part of Offcut: it is the measuring stick. What the suite says about it alone it must also say about it
//! behind `offcut wrap`.
//!
//! ```sh
//! cargo run -p offcut-mcp --example conformance -- 127.0.0.1:3920   # http://127.0.0.1:3920/mcp
//! cargo run -p offcut-mcp --example conformance -- stdio
//! ```
// Sampling, roots and logging are on their way out of the protocol; the suite still asks for them.
#![allow(deprecated)]

mod catalogue;
mod input;
mod prompts;
mod resources;
mod server;
mod tools;

use std::error::Error;
use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use server::{Fixture, World};

/// Where it listens unless it is told otherwise.
const ADDRESS: &str = "127.0.0.1:3920";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| ADDRESS.to_owned());
    let world = Arc::new(World::default());
    if address == "stdio" {
        let running = Fixture::new(world).serve(rmcp::transport::stdio()).await?;
        running.waiting().await?;
        return Ok(());
    }

    let config = StreamableHttpServerConfig::default().with_allowed_origins(["localhost", "127.0.0.1", "[::1]"].map(
        // A page of this machine may ask, whatever its port; one from elsewhere may not.
        |host| format!("http://{host}:*"),
    ));
    let service = StreamableHttpService::new(
        move || Ok(Fixture::new(world.clone())),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let router = axum::Router::new().route_service("/mcp", service);
    // An answer is written in parts; without this each part would wait for the one before to be acknowledged.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    axum::serve(listener, router).await?;
    Ok(())
}

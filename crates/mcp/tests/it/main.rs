//! The MCP faces over real pipes and sockets, with the bytes that a peer would send.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod server;
mod server_http;
mod server_peer;
mod within;
mod wrap;

//! Offcut as an MCP server, and as a wrapper around any other MCP server.

pub mod clients;
pub mod server;
pub mod wrap;

mod wire;

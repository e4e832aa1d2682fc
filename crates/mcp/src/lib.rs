//! Offcut as an MCP server, and as a wrapper around any other MCP server.

pub mod clients;
pub mod wrap;

mod wire;

//! The MCP faces, over real pipes and sockets.

mod wrap;

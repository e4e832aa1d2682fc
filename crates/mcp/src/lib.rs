//! Offcut as an MCP server, and as a wrapper around any other MCP server.
//!
//! Both are interfaces: what is read, run, cut, kept and read back is decided below. The [`server`] offers tools of our own;
//! the [`wrap`] passes on what another server offers, and looks only at results that are too large. How much a client
//! takes is known to both ([`clients`]).
//!
//! ```
//! use offcut::Offcut;
//! use offcut_mcp::server::Server;
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let server = Server::new(&Offcut::builder().in_memory().build()?, ".");
//! let (mut client, ours) = tokio::io::duplex(4096);
//! let (reader, writer) = tokio::io::split(ours);
//! tokio::spawn(async move { server.serve(reader, writer).await });
//!
//! client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
//! let mut answer = String::new();
//! BufReader::new(client).read_line(&mut answer).await?;
//! assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod clients;
pub mod server;
pub mod wrap;

mod sampling;
mod wire;

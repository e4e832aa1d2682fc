//! `offcut mcp`: the tools for an agent that speaks MCP.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use offcut_mcp::server::Server;

use crate::extract;
use crate::failure::{Failure, while_doing};
use crate::flags::PlaceFlags;
use crate::place;
use crate::serve::{self, interrupted};
use crate::setup::Setup;

const EXAMPLES: &str = "\
Examples:
  claude mcp add offcut -- offcut mcp
  offcut mcp --root ~/project --profile paged
  offcut mcp --listen 127.0.0.1:3920     http://127.0.0.1:3920/mcp, for many clients

Serves read, bash, grep, find, ls and get_artifact. Each connection has its own
session; `--session`, or the header `Offcut-Session` over HTTP, names one to come
back to. Only the protocol is written to stdout.";

/// How long work that was asked to stop may take to do so.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) at: ServerFlags,
    /// Serve over streamable HTTP at this address instead of stdin and stdout
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
}

/// What the tools work on, and by which rules.
#[derive(Debug, Args)]
pub(crate) struct ServerFlags {
    /// Resolve paths and run commands in this directory [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Use this set of limits and wordings; `offcut profiles` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

impl ServerFlags {
    /// The server that they describe, and how the library was set up for it.
    pub(crate) fn server(&self, is_for_many: bool) -> Result<(Server, Setup), Failure> {
        if let Some(root) = &self.root {
            std::env::set_current_dir(root).map_err(while_doing(format!("work in `{}`", root.display())))?;
        }
        let here = std::env::current_dir().map_err(while_doing("find the working directory"))?;
        let setup = Setup::new(&self.place, self.profile.as_deref())?;
        sweep(&setup);
        let mut server = Server::new(&setup.offcut, here);
        if let Some(model) = extract::model(&setup)? {
            server = server.with_model(Arc::new(model));
        }
        match place::named_session(&self.place).filter(|_| !is_for_many) {
            Some(session) => Ok((server.in_session(&session)?, setup)),
            None => Ok((server, setup)),
        }
    }
}

/// Clears away the sessions of servers that are no more: nobody can come back to them.
fn sweep(setup: &Setup) {
    let Some((store, _)) = setup.offcut.store() else { return };
    let sweep = offcut::store::Sweep { abandoned: true, ..offcut::store::Sweep::default() };
    // What cannot be cleared away now can be later.
    if let Err(error) = store.sweep(&sweep) {
        tracing::warn!(%error, "sessions that ended could not be cleared away");
    }
}

/// Serves until the client goes, or somebody interrupts.
pub(crate) fn mcp(args: &McpArgs) -> Result<ExitCode, Failure> {
    if args.listen.is_some() && args.at.place.session.is_some() {
        return Err(Failure::usage("`--session` cannot be the session of every client")
            .hint("each connection has its own; a client names one by the header `Offcut-Session`"));
    }
    let (server, _) = args.at.server(args.listen.is_some())?;
    if let Some(address) = &args.listen {
        return serve::listen(address, |token| Ok(serve::mcp(&server, token)));
    }
    let runtime = serve::runtime()?;
    let served = runtime.block_on(async {
        tokio::select! {
            served = server.serve_stdio() => served,
            () = interrupted() => Ok(()),
        }
    });
    // What still runs is asked to stop by this, and must not keep us.
    runtime.shutdown_timeout(PATIENCE);
    served.map(|()| ExitCode::SUCCESS).map_err(|error| Failure::other(error.to_string()))
}

//! `offcut mcp`: the tools for an agent that speaks MCP.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use offcut_mcp::server::Server;
use offcut_models::HttpModel;
use offcut_store::Sweep;

use crate::extract;
use crate::failure::{Failure, while_doing};
use crate::flags::PlaceFlags;
use crate::listen::{self, interrupted};
use crate::setup::Setup;

const EXAMPLES: &str = "\
Examples:
  claude mcp add offcut -- offcut mcp
  offcut mcp --root ~/project --profile paged
  offcut mcp --listen 127.0.0.1:3920     http://127.0.0.1:3920/mcp, for many clients

Serves read, bash, grep, find, ls and get_artifact. On a pipe it uses the project's
session, so that it opens what `run`, hooks, `wrap` and `serve` kept, also after a
restart. Over HTTP each client has its own; the header `Offcut-Session` names one
to come back to. Only the protocol is written to stdout.";

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
    /// Goes to the directory that the tools work in, and returns it.
    pub(crate) fn enter(&self) -> Result<PathBuf, Failure> {
        if let Some(root) = &self.root {
            std::env::set_current_dir(root).map_err(while_doing(format!("work in `{}`", root.display())))?;
        }
        std::env::current_dir().map_err(while_doing("find the working directory"))
    }
}

/// A server of the tools in the directory `here`, with a model where there is one.
pub(crate) fn server(setup: &Setup, here: PathBuf, model: Option<HttpModel>) -> Server {
    sweep(setup);
    let server = Server::new(&setup.offcut, here);
    match model {
        Some(model) => server.with_model(Arc::new(model)),
        None => server,
    }
}

/// Clears away the sessions of servers that are no more: nobody can come back to them.
fn sweep(setup: &Setup) {
    let Some((store, _)) = setup.offcut.store() else { return };
    let sweep = Sweep::abandoned_in(store);
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
    let here = args.at.enter()?;
    let setup = Setup::tolerant(&args.at.place, args.at.profile.as_deref())?;
    let server = server(&setup, here, extract::model_if_any(&setup));
    if let Some(address) = &args.listen {
        return listen::listen(address, |access| Ok(server.router(access)));
    }
    // A client on a pipe is one of the project's own interfaces: what any of them kept opens here, and after a restart.
    let server = server.in_session(&setup.place.session)?;
    let runtime = listen::runtime()?;
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

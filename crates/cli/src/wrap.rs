//! `offcut wrap -- CMD…`: stands between an MCP client and any MCP server.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use offcut::Offcut;
use offcut_core::causes::with_causes;
use offcut_core::limit::Limits;
use offcut_http::AccessPolicy;
use offcut_mcp::wrap::{RESTARTS, Remote, Rules, Server, ServerCommand, Stop, Teller, Wrap, WrapError, serve, servers};
use offcut_platform::{Signal, Signals};
use offcut_store::{ArtifactId, Lease};

use crate::config;
use crate::extract;
use crate::failure::{Failure, USAGE, while_doing};
use crate::flags::PlaceFlags;
use crate::listen::weak;
use crate::setup::Setup;

const EXAMPLES: &str = "\
Examples:
  offcut wrap -- npx -y @modelcontextprotocol/server-filesystem .
  offcut wrap --limit 20000 --exempt 'list_*' -- my-server --flag
  offcut wrap --url https://mcp.example.com/mcp --token-env EXAMPLE_TOKEN
  offcut wrap --servers mcp.json
  offcut wrap --listen 127.0.0.1:8931 --url https://mcp.example.com/mcp

Put it before the server's command in the agent's configuration. Everything
passes through unchanged, but a tool result over the limit is cut and kept whole;
the added tool `get_artifact` reads it back.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WrapArgs {
    /// Show at most this much of a result: `8000` (characters), `"2000 tokens"`, `30KB`
    #[arg(long, short, value_name = "LIMIT")]
    limit: Option<Limits>,
    /// Set the limit of one tool; `*` matches anything
    #[arg(long, value_name = "TOOL=LIMIT", value_parser = tool_limit)]
    tool_limit: Vec<(String, Limits)>,
    /// Do not cut the results of this tool; `*` matches anything
    #[arg(long, value_name = "TOOL")]
    exempt: Vec<String>,
    /// Also cut what `resources/read` returns
    #[arg(long)]
    resources: bool,
    /// Forward everything unchanged
    #[arg(long)]
    off: bool,
    /// Restart a server that crashes at most N times
    #[arg(long, value_name = "N", default_value_t = RESTARTS)]
    restarts: u32,
    /// Use this set of limits and wordings; `offcut profiles` lists them
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Wrap the servers listed in this file (TOML, YAML or JSON, also an agent's `mcpServers`), with a prefix for each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "url", "listen"])]
    servers: Option<PathBuf>,
    /// Wrap the streamable HTTP server at this URL
    #[arg(long, value_name = "URL", conflicts_with = "command", help_heading = "HTTP")]
    url: Option<String>,
    /// Environment variable with the bearer token for that server
    #[arg(long, value_name = "VAR", requires = "url", help_heading = "HTTP")]
    token_env: Option<String>,
    /// Serve clients over streamable HTTP at this address instead of stdin and stdout
    #[arg(long, value_name = "ADDR", help_heading = "HTTP")]
    listen: Option<SocketAddr>,
    /// Environment variable with the bearer token that clients must send; required unless ADDR is loopback
    #[arg(long, value_name = "VAR", requires = "listen", help_heading = "HTTP")]
    listen_token_env: Option<String>,
    #[command(flatten)]
    place: PlaceFlags,
    /// The server's command and its arguments
    #[arg(last = true, required_unless_present_any = ["url", "servers"], value_name = "CMD")]
    command: Vec<OsString>,
}

/// Wraps a server until the client or the server has ended.
pub(crate) fn wrap(args: &WrapArgs) -> Result<ExitCode, Failure> {
    let setup = Setup::tolerant(&args.place, args.profile.as_deref())?;
    let (offcut, lease) = session(&setup, args.listen.is_some())?;
    let mut wrap = Wrap::new(offcut, rules(args), teller());
    if let Some(model) = extract::model_if_any(&setup) {
        wrap = wrap.with_model(Arc::new(model));
    }
    let ended = match args.listen {
        Some(address) => listen(&wrap, address, args),
        None => pipe(&wrap, args),
    };
    if let Some(lease) = lease {
        lease.end()?;
    }
    ended
}

/// Serves a client on our own pipes.
fn pipe(wrap: &Wrap, args: &WrapArgs) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.servers {
        let hub = wrap.hub(listed(file, &rules(args))?);
        listen_to_signals(hub.stopper())?;
        return hub.run(io::stdin(), io::stdout()).map(ExitCode::from).map_err(failed);
    }
    if args.url.is_some() {
        let calling = wrap.calling(&remote(args)?).map_err(failed)?;
        return calling.run(io::stdin(), io::stdout()).map(ExitCode::from).map_err(failed);
    }
    let piped = wrap.piped(command(args)?);
    listen_to_signals(piped.stopper())?;
    piped.run(io::stdin(), io::stdout()).map(ExitCode::from).map_err(failed)
}

/// Serves clients over HTTP.
fn listen(wrap: &Wrap, address: SocketAddr, args: &WrapArgs) -> Result<ExitCode, Failure> {
    let token = args.listen_token_env.as_deref().map(token).transpose()?;
    let variable = args.listen_token_env.as_deref().unwrap_or_default();
    let access = AccessPolicy::from_token(token.as_deref()).map_err(|error| weak(variable, &error))?;
    if !address.ip().is_loopback() && !access.requires_token() {
        return Err(Failure::usage(format!("{address} is reachable from other machines, and no token is required"))
            .hint("name a variable with a token: --listen-token-env VAR"));
    }
    let router = match &args.url {
        Some(_) => wrap.proxy(&remote(args)?, access).map_err(failed)?,
        None => wrap.bridge(command(args)?, access),
    };
    serve(router, address, |bound| (teller())(&format!("listening at http://{bound}/mcp"))).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// The servers in a file.
fn listed(file: &Path, general: &Rules) -> Result<Vec<Server>, Failure> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("could not read the servers in `{shown}`: {error}")))?;
    let value = config::value(file, &text)?;
    servers(&value, general, |name| std::env::var(name).ok())
        .map_err(|error| Failure::usage(format!("{shown}: {error}")))
}

fn command(args: &WrapArgs) -> Result<ServerCommand, Failure> {
    ServerCommand::new(&args.command)
        .ok_or_else(|| Failure::usage("no server was given").hint("offcut wrap -- CMD ARG…"))
}

fn remote(args: &WrapArgs) -> Result<Remote, Failure> {
    let token = args.token_env.as_deref().map(token).transpose()?;
    Ok(Remote { url: args.url.clone().unwrap_or_default(), token })
}

/// The token in a variable.
fn token(variable: &str) -> Result<String, Failure> {
    let found = std::env::var(variable).ok().filter(|token| !token.is_empty());
    found.ok_or_else(|| Failure::usage(format!("${variable} is not set: it should hold a bearer token")))
}

fn rules(args: &WrapArgs) -> Rules {
    Rules {
        off: args.off,
        limit: args.limit.clone(),
        tools: args.tool_limit.iter().cloned().collect(),
        exempt: args.exempt.clone(),
        resources: args.resources,
        clients: BTreeMap::new(),
        restarts: args.restarts,
    }
}

/// The library in the session of this connection: the project's, or one of its own for clients over HTTP.
fn session(setup: &Setup, listens: bool) -> Result<(Offcut, Option<Box<dyn Lease>>), Failure> {
    if setup.place.is_named || !listens {
        return Ok((setup.offcut.clone(), None));
    }
    let name = ArtifactId::generate()?.as_str().replace("art_", "wrap-");
    let offcut = setup.offcut.in_session(&name)?;
    let cleans = setup.config.options.artifacts.cleanup_on_exit == Some(true);
    let lease = match offcut.store().filter(|_| cleans) {
        Some((store, session)) => Some(store.attach(session)?),
        None => None,
    };
    Ok((offcut, lease))
}

/// Says on stderr, which clients show as the server's log, what a person should know.
fn teller() -> Teller {
    Arc::new(|message| {
        tracing::warn!("{message}");
        // Nothing can be done about a stderr that cannot be written.
        let _ = writeln!(io::stderr().lock(), "offcut: {message}");
    })
}

/// Ends the servers, and then us, where we are asked to end.
fn listen_to_signals(stop: Stop) -> Result<(), Failure> {
    let signals = Signals::take(&[Signal::INTERRUPT, Signal::TERMINATE, Signal::HANG_UP]);
    signals.map_err(while_doing("listen to signals"))?.tell(move |heard| stop.stop(heard.signal.number()));
    Ok(())
}

fn failed(error: WrapError) -> Failure {
    let failure = Failure::other(with_causes(&error));
    match &error {
        WrapError::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => failure.code(127),
        WrapError::Start { .. } => failure.code(126),
        WrapError::Url { .. } => failure.code(USAGE),
        WrapError::Listen { .. } | WrapError::Runtime(_) | WrapError::Client(_) => failure,
    }
}

fn tool_limit(written: &str) -> Result<(String, Limits), String> {
    let (tool, limit) = written.split_once('=').ok_or_else(|| format!("expected TOOL=LIMIT, not `{written}`"))?;
    Ok((tool.to_owned(), limit.parse().map_err(|error: offcut_core::limit::BadLimit| error.to_string())?))
}

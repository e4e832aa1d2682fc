//! `offcut serve`: everything that is served over HTTP, behind one door.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::task::Poll;
use std::time::Duration;

use clap::Args;
use offcut_http::{AccessPolicy, WeakToken};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::extract;
use crate::failure::{Failure, while_doing};
use crate::mcp::{self, ServerFlags};
use crate::proxy::ProxyFlags;
use crate::setup::Setup;
use crate::signals;
use crate::ui;

const EXAMPLES: &str = "\
Examples:
  offcut serve
  ANTHROPIC_BASE_URL=http://127.0.0.1:3920 claude
  OPENAI_BASE_URL=http://127.0.0.1:3920/v1 qwen
  GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:3920 gemini
  OFFCUT_TOKEN=$(openssl rand -hex 24) offcut serve --listen 0.0.0.0:3920

The tools of `offcut mcp` are at /mcp, for many clients, each with its own session.
The dashboard is at /, and /metrics, /healthz and /readyz are for those who watch.

Requests to /v1/messages, /v1/chat/completions, /v1/responses and the Gemini API
(:generateContent, :streamGenerateContent) go on to their provider with oversized
tool results cut and old ones shortened, the same way every turn; everything else
passes through. The header `x-offcut` of a response says what was done.

Without a token only this machine has access. With one, every request must send it
as `x-offcut-token: …` or `Proxy-Authorization: Bearer …`, or as `Authorization:
Bearer …` where that is not the provider's.";

/// Where it listens unless somebody says otherwise.
const ADDRESS: &str = "127.0.0.1:3920";

/// The variable that holds the token: the environment is no place that others read, as a command line is.
const TOKEN: &str = "OFFCUT_TOKEN";

/// How long open connections may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) at: ServerFlags,
    /// Listen on this address
    #[arg(long, value_name = "ADDRESS", default_value = ADDRESS)]
    pub(crate) listen: String,
    #[command(flatten)]
    pub(crate) proxy: ProxyFlags,
}

/// Serves until somebody interrupts.
pub(crate) fn serve(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let here = args.at.enter()?;
    let setup = Setup::new(&args.at.place, args.at.profile.as_deref())?;
    let server = mcp::server(&setup, here, extract::model(&setup)?);
    listen(&args.listen, |access| {
        let router = server.router(access.clone()).merge(ui::router(&setup, access.clone())?);
        Ok(router.merge(args.proxy.router(&setup, access)?))
    })
}

/// Listens at `address` and serves what `router` makes for those who may ask, until somebody interrupts.
pub(crate) fn listen(
    address: &str,
    router: impl FnOnce(AccessPolicy) -> Result<axum::Router, Failure>,
) -> Result<ExitCode, Failure> {
    listen_and(address, router, tell)
}

/// The same, with what is to be done as soon as somebody can connect.
pub(crate) fn listen_and(
    address: &str,
    router: impl FnOnce(AccessPolicy) -> Result<axum::Router, Failure>,
    listening: impl FnOnce(SocketAddr),
) -> Result<ExitCode, Failure> {
    let token = std::env::var(TOKEN).ok().filter(|token| !token.trim().is_empty());
    let access = AccessPolicy::from_token(token.as_deref()).map_err(|error| weak(TOKEN, &error))?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let at = resolved(address).await?;
        if !at.ip().is_loopback() && !access.requires_token() {
            return Err(Failure::usage(format!("`{address}` is reachable from other machines"))
                .hint(format!("set ${TOKEN} to a token that every request must send, or listen on 127.0.0.1")));
        }
        let router = router(access)?;
        let listener =
            tokio::net::TcpListener::bind(at).await.map_err(while_doing(format!("listen on `{address}`")))?;
        listening(listener.local_addr().map_err(while_doing("find the address"))?);
        offcut_http::serve(listener, router, interrupted(), PATIENCE).await;
        Ok(())
    });
    runtime.shutdown_timeout(PATIENCE);
    served.map(|()| ExitCode::SUCCESS)
}

/// A token that is too short, with a way to get a better one.
pub(crate) fn weak(variable: &str, error: &WeakToken) -> Failure {
    Failure::usage(format!("${variable}: {error}")).hint("`openssl rand -hex 24` prints one that will do")
}

/// The address that is meant; a name may stand for several, of which the first is taken.
async fn resolved(address: &str) -> Result<SocketAddr, Failure> {
    let wrong = || {
        Failure::usage(format!("invalid listen address `{address}`"))
            .hint("use an address and a port, such as `127.0.0.1:3920`; port 0 picks a free one")
    };
    tokio::net::lookup_host(address).await.map_err(|_| wrong())?.next().ok_or_else(wrong)
}

/// Says where we are, to people: stdout stays free.
pub(crate) fn tell(at: SocketAddr) {
    use std::io::Write;
    // Nothing can be done about a stderr that cannot be written.
    let _ = writeln!(anstream::stderr().lock(), "listening at http://{at}");
}

/// Where connections are served.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(while_doing("start serving"))
}

/// Waits until somebody asks us to end.
pub(crate) async fn interrupted() {
    let hang_up = SignalKind::hangup();
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), hang_up];
    let kinds = kinds.into_iter().filter(|kind| *kind != hang_up || !signals::is_ignored(kind.as_raw_value()));
    // Where this fails, Ctrl-C ends us at once: no worse than without it.
    let Ok(mut heard) = kinds.map(signal).collect::<io::Result<Vec<_>>>() else {
        return std::future::pending().await;
    };
    std::future::poll_fn(|context| match heard.iter_mut().any(|signal| signal.poll_recv(context).is_ready()) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}

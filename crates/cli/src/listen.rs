//! Listening on an address: who may ask, where it is told, and until when.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use offcut_http::{AccessPolicy, WeakToken};
use offcut_platform::{Signal, asked_to_end, without_ignored};
use tokio::runtime::Runtime;

use crate::failure::{Failure, while_doing};

/// The variable that holds the token: the environment is no place that others read, as a command line is.
const TOKEN: &str = "OFFCUT_TOKEN";

/// How long open connections may take to end.
const PATIENCE: Duration = Duration::from_secs(2);
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
    let mut signals = vec![Signal::INTERRUPT, Signal::TERMINATE];
    signals.extend(without_ignored(&[Signal::HANG_UP]));
    asked_to_end(&signals).await;
}

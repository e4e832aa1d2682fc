//! Wraps that speak HTTP: in front of a server's URL, or towards one.

mod exchange;
mod sessions;

mod bridge;
mod proxy;
mod remote;

use std::net::SocketAddr;

use axum::Router;
use offcut_platform::Signal;

use super::WrapError;
use super::stdio::GRACE;

pub(crate) use bridge::Bridge;
pub(crate) use proxy::{Proxy, router};
pub use remote::Calling;
pub(crate) use sessions::ClientSessions;

/// Serves `router` at `address` until the process is asked to end (Ctrl-C, SIGTERM); `bound` is told where that is.
pub fn serve(router: Router, address: SocketAddr, bound: impl FnOnce(SocketAddr)) -> Result<(), WrapError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(WrapError::Runtime)?;
    let served = runtime.block_on(async {
        let listen = |source| WrapError::Listen { address, source };
        let listener = tokio::net::TcpListener::bind(address).await.map_err(listen)?;
        bound(listener.local_addr().unwrap_or(address));
        offcut_http::serve(listener, router, async { _ = asked_to_end().await }, GRACE).await;
        Ok(())
    });
    // Who waits for a client or a server is waited for no longer than servers take to end.
    runtime.shutdown_timeout(4 * GRACE);
    served
}

/// Waits until the process is asked to end; the signal that asked.
pub(crate) async fn asked_to_end() -> i32 {
    offcut_platform::asked_to_end(&[Signal::TERMINATE, Signal::INTERRUPT, Signal::HANG_UP]).await.number()
}

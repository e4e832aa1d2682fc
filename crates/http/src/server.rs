//! Serving a router over HTTP/1.1, with a limit on how long a request's head may take to arrive.

use std::io;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

/// How long a request's head may take to arrive, and how long a connection may stay open without a request.
const HEAD: Duration = Duration::from_secs(30);

/// How long to wait after an error of the system (too many open files) before the next connection is accepted.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` to whoever connects to `listener` until `stop` is ready. Requests under way are finished, but for no
/// longer than `patience`: streams that a client holds open would go on for ever.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>, patience: Duration) {
    serve_within(listener, router, stop, patience, HEAD).await;
}

async fn serve_within(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
    patience: Duration,
    head: Duration,
) {
    let connections = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                if !is_of_one_connection(&error) {
                    tracing::warn!(%error, "could not accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
                continue;
            }
        };
        // An answer is written in parts; without this each part would wait for the one before to be acknowledged.
        let _ = stream.set_nodelay(true);
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(head);
        let service = TowerToHyperService::new(router.clone());
        let connection = connections.watch(builder.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended with an error");
            }
        });
    }
    drop(listener);
    // What is not finished by then is not waited for.
    let _ = tokio::time::timeout(patience, connections.shutdown()).await;
}

/// Whether an error concerns only the connection that was about to be accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn a_head_that_never_ends_is_given_up_and_whole_requests_are_served() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(|| async { "served" });
        let (stop, stopped) = oneshot::channel::<()>();
        let head = Duration::from_millis(200);
        let server = tokio::spawn(serve_within(listener, router, async { drop(stopped.await) }, LONG, head));

        let mut half = TcpStream::connect(address).await.unwrap();
        half.write_all(b"GET / HTTP/1.1\r\nHost: lo").await.unwrap();
        let mut whole = TcpStream::connect(address).await.unwrap();
        whole.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        timeout(LONG, whole.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("served"), "{answer}");
        let mut rest = Vec::new();
        let ended = timeout(LONG, half.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "the connection is still open");

        stop.send(()).unwrap();
        timeout(LONG, server).await.unwrap().unwrap();
    }
}

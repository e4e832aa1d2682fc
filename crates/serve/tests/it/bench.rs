//! An upstream that remembers what it got, and a proxy in front of it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use offcut::Offcut;
use offcut_serve::{Proxy, ProxyOptions, Upstreams, router};
use tokio::net::TcpListener;

/// One request as the upstream got it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// An upstream that answers every request alike.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: (u16, &'static str),
}

impl Upstream {
    pub(crate) async fn start() -> Upstream {
        Upstream::answering(200, r#"{"ok": true}"#).await
    }

    pub(crate) async fn answering(status: u16, body: &'static str) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let upstream = Upstream { url, seen: Arc::default(), answer: (status, body) };
        let app = Router::new().fallback(remember).with_state(upstream.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        upstream
    }

    /// What it got, oldest first.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The last body that it got.
    pub(crate) fn last(&self) -> Bytes {
        self.seen().pop().unwrap().body
    }
}

async fn remember(State(upstream): State<Upstream>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    upstream.seen.lock().unwrap().push(Seen { path: parts.uri.to_string(), headers: parts.headers, body });
    let (status, body) = upstream.answer;
    Response::builder()
        .status(StatusCode::from_u16(status).unwrap())
        .header("content-type", "application/json")
        .header("retry-after", "7")
        .header("connection", "keep-alive")
        .body(Body::from(body))
        .unwrap()
}

/// A proxy in front of `upstream` that keeps what it cuts off in `store`; its address.
pub(crate) async fn proxy(upstream: &str, store: &Path) -> String {
    proxy_with(upstream, store, |_| {}).await
}

/// The same, with other options.
pub(crate) async fn proxy_with(upstream: &str, store: &Path, change: impl FnOnce(&mut ProxyOptions)) -> String {
    let offcut = Offcut::builder().store(store).build().unwrap();
    let upstreams = Upstreams::new(upstream, upstream).and_then(|upstreams| upstreams.with_gemini(upstream)).unwrap();
    let mut options = ProxyOptions { upstreams, ..ProxyOptions::default() };
    change(&mut options);
    let proxy = Proxy::new(offcut, options).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router(proxy)).await });
    url
}

/// Sends a body and returns the answer.
pub(crate) async fn post(url: &str, path: &str, body: impl Into<reqwest::Body>) -> reqwest::Response {
    client().post(format!("{url}{path}")).header("x-api-key", "sk-secret").body(body).send().await.unwrap()
}

/// What was done, as the answer's header says it.
pub(crate) fn told(answer: &reqwest::Response) -> String {
    answer.headers().get("x-offcut").map(|told| told.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// A client without anything of its own.
pub(crate) fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

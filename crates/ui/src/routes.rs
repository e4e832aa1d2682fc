//! Which address shows what, and what a browser may do with it.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::dashboard::Dashboard;
use crate::{
    artifacts, call, calls, conversations, metrics, overview, playground, problems, retrievals, savings, search,
};

/// The most bytes of an output that is pasted into the playground.
const LARGEST_PASTE: usize = 64 * 1024 * 1024;

/// Only our own script and style, nothing inline, nothing from elsewhere, and no frame around us.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The dashboard at `/` and below `/ui`, and the metrics at `/metrics`, for whoever gets here.
pub fn router(dashboard: Dashboard) -> Router {
    Router::new()
        .route("/", get(overview::page))
        .route("/ui", get(overview::page))
        .route("/ui/overview/figures", get(overview::figures))
        .route("/ui/calls", get(calls::page))
        .route("/ui/calls/new", get(calls::new))
        .route("/ui/calls/{id}", get(call::page))
        .route("/ui/artifacts", get(artifacts::page))
        .route("/ui/artifacts/{session}/{id}", get(call::artifact_page))
        .route("/ui/artifacts/{session}/{id}/lines", get(call::lines))
        .route("/ui/search", get(search::page))
        .route("/ui/retrievals", get(retrievals::page))
        .route("/ui/savings", get(savings::page))
        .route("/ui/conversations", get(conversations::page))
        .route("/ui/conversations/{name}", get(conversations::one))
        .route("/ui/problems", get(problems::page))
        .route("/ui/playground", get(playground::page))
        .route("/ui/playground/cut", post(playground::cut))
        .route("/metrics", get(metrics::page))
        .layer(DefaultBodyLimit::max(LARGEST_PASTE))
        .with_state(dashboard)
        .route("/ui/style.css", get(|| asset("text/css; charset=utf-8", include_str!("../assets/style.css"))))
        .route("/ui/script.js", get(|| asset("text/javascript; charset=utf-8", include_str!("../assets/script.js"))))
        .route("/ui/icon.svg", get(|| asset("image/svg+xml", include_str!("../assets/icon.svg"))))
        .layer(middleware::from_fn(browser_rules))
}

/// `/healthz` and `/readyz`: for those who only want to know whether anybody is there. They tell nothing else, and need
/// no token.
pub fn health() -> Router {
    Router::new().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(|| async { "ready\n" }))
}

async fn asset(media_type: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache")], text).into_response()
}

/// Refuses what another site's page asks for behind its reader's back, and tells the browser what it may do.
async fn browser_rules(request: Request, next: Next) -> Response {
    let mut response = match is_foreign(request.headers()) {
        true => (StatusCode::FORBIDDEN, "requests from other sites' pages are not served\n").into_response(),
        false => next.run(request).await,
    };
    let rules = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in rules {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether another site's page asks. To follow a link from there is harmless: that page cannot read what opens.
fn is_foreign(headers: &HeaderMap) -> bool {
    let told = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    matches!(told("sec-fetch-site"), "cross-site" | "same-site") && told("sec-fetch-mode") != "navigate"
}

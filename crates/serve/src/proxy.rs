//! The proxy: what comes from a client goes on to its provider, and the answer back, as it comes.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::header::{self, HeaderName};
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use offcut::Offcut;
use offcut_retain::{Format, Gaps, Mode, RecallChannel, RequestFacts, RetainOptions, Retainer};

use offcut_http::TOKEN_HEADER;

use crate::encoding::{Encoding, UnreadableBody};
use crate::headers::{TOLD, passed_on};
use crate::outcome::{Outcome, request_event};
use crate::secrets::{BodyRedactor, everywhere, redacted};
use crate::upstream::{BodyShape, Upstreams};

/// How the proxy works.
#[derive(Debug, Clone)]
pub struct ProxyOptions {
    /// Where requests go on to.
    pub upstreams: Upstreams,
    /// How conversations are treated: cut and shortened when that pays, by default.
    pub retain: RetainOptions,
    /// Bodies with more bytes go on as they come, redacted (64 MiB).
    pub largest_body: u64,
    /// A body that takes longer to treat goes on uncut, redacted (20 s).
    pub patience: Duration,
    /// Whether each provider key has a session of its own, so that its holders see no one else's artifacts.
    pub session_per_key: bool,
    /// The directory in which the pauses between requests are recorded; only in memory without one.
    pub record: Option<std::path::PathBuf>,
}

impl Default for ProxyOptions {
    fn default() -> ProxyOptions {
        ProxyOptions {
            upstreams: Upstreams::default(),
            retain: RetainOptions {
                cut: true,
                mode: Mode::Pays,
                channel: RecallChannel::Declared(" --session {session}".to_owned()),
                ..RetainOptions::default()
            },
            largest_body: 64 * 1024 * 1024,
            patience: Duration::from_secs(20),
            session_per_key: false,
            record: None,
        }
    }
}

/// Why there is no proxy.
#[derive(Debug, thiserror::Error)]
#[error("no connections can be made: {0}")]
pub struct ProxyError(#[from] reqwest::Error);

/// The proxy's state; cheap to share.
#[derive(Debug, Clone)]
pub struct Proxy {
    inner: Arc<ProxyState>,
}

#[derive(Debug)]
struct ProxyState {
    offcut: Offcut,
    retainer: Retainer,
    options: ProxyOptions,
    client: reqwest::Client,
}

impl Proxy {
    /// A proxy that keeps what it cuts off by `offcut`.
    pub fn new(offcut: Offcut, options: ProxyOptions) -> Result<Proxy, ProxyError> {
        // Somebody else may have chosen already: then that one holds.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(30))
            .build()?;
        let gaps = options.record.as_ref().map(Gaps::in_store).unwrap_or_default();
        let retainer = Retainer::new(options.retain.clone()).gaps(gaps);
        let proxy = Proxy { inner: Arc::new(ProxyState { offcut: offcut.keeping_once(), retainer, options, client }) };
        let prepared = proxy.inner.clone();
        std::thread::spawn(move || prepared.retainer.prepare());
        Ok(proxy)
    }
}

impl Proxy {
    /// The body that is passed on where `body` is posted to `path`; the same one where nothing in it has to change.
    ///
    /// Takes as long as it takes: the limits on size and time are those of the service.
    pub fn rewritten(&self, path: &str, body: &[u8]) -> Bytes {
        let Ok(uri) = path.parse() else { return Bytes::copy_from_slice(body) };
        let shape = BodyShape::of(&http::Method::POST, &uri, &HeaderMap::new());
        let redactor = self.inner.offcut.redactor("");
        let changed = match shape {
            BodyShape::Opaque => None,
            BodyShape::Conversation(format) => {
                let facts = RequestFacts { format: Some(format), turn: None, now_ms: None };
                match self.rewrite(body, &facts, format, &self.inner.offcut) {
                    Ok((rewritten, _)) => rewritten,
                    Err(_) => redactor.map(|redactor| everywhere(body, &redactor).0),
                }
            }
            BodyShape::Batch | BodyShape::Json => {
                redactor.and_then(|redactor| redacted(body, shape, &redactor)).map(|(redacted, _)| redacted)
            }
        };
        changed.unwrap_or_else(|| Bytes::copy_from_slice(body))
    }
}

/// The proxy as a service for every path that nobody else serves.
pub fn router(proxy: Proxy) -> Router {
    Router::new().fallback(pass).with_state(proxy)
}

async fn pass(State(proxy): State<Proxy>, request: Request) -> Response {
    let started = Instant::now();
    let (parts, body) = request.into_parts();
    let url = match proxy.inner.options.upstreams.of(&parts.uri, &parts.headers) {
        Ok(url) => url,
        Err(refused) => return refusal(refused.status(), &refused.to_string()),
    };
    let (body, outcome) = match BodyShape::of(&parts.method, &parts.uri, &parts.headers) {
        BodyShape::Opaque => (Outgoing::of(body, &parts.headers), None),
        _ if body.is_end_stream() => (Outgoing::of(body, &parts.headers), None),
        shape => match proxy.treated(body, &parts, shape).await {
            Ok((body, outcome)) => (body, Some(outcome)),
            Err(unsent) => return refusal(unsent.status(), &unsent.to_string()),
        },
    };
    let mut headers = passed_on(&parts.headers, &[header::HOST, header::CONTENT_LENGTH, TOKEN_HEADER]);
    if outcome.is_some() {
        // What was looked into is passed on plain.
        headers.remove(header::CONTENT_ENCODING);
    }
    if let Some(length) = body.length {
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    let mut sent = proxy.inner.client.request(parts.method, url).headers(headers);
    if let Some(body) = body.body {
        sent = sent.body(body);
    }
    let answer = sent.send().await;
    let status = answer.as_ref().map_or(StatusCode::BAD_GATEWAY, |answer| answer.status());
    tracing::info!(
        path = parts.uri.path(),
        status = status.as_u16(),
        outcome = ?outcome,
        micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        "request passed on"
    );
    let mut response = match answer {
        Ok(answer) => passed_back(answer),
        Err(error) => unreachable_upstream(&error.without_url()),
    };
    if let Some(outcome) = outcome {
        response.headers_mut().insert(TOLD, outcome.header());
    }
    response
}

/// Why a conversation is not sent at all.
#[derive(Debug, thiserror::Error)]
enum Unsent {
    #[error("the request's body ended before all of it had arrived")]
    BrokeOff,
    #[error(transparent)]
    UnreadableBody(#[from] UnreadableBody),
}

impl Unsent {
    fn status(&self) -> StatusCode {
        match self {
            Unsent::BrokeOff | Unsent::UnreadableBody(UnreadableBody::Broken(_)) => StatusCode::BAD_REQUEST,
            Unsent::UnreadableBody(UnreadableBody::Unknown(_)) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Unsent::UnreadableBody(UnreadableBody::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
        }
    }
}

/// A body on its way out.
struct Outgoing {
    body: Option<reqwest::Body>,
    length: Option<u64>,
}

impl Outgoing {
    /// A body as it comes, of which nothing is held.
    fn of(body: Body, headers: &HeaderMap) -> Outgoing {
        if body.is_end_stream() {
            let length = headers.contains_key(header::CONTENT_LENGTH).then_some(0);
            return Outgoing { body: None, length };
        }
        let length = length_of(headers);
        Outgoing { body: Some(reqwest::Body::wrap_stream(body.into_data_stream())), length }
    }

    fn whole(body: Bytes) -> Outgoing {
        Outgoing { length: Some(body.len() as u64), body: Some(body.into()) }
    }
}

fn now_ms() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|since| since.as_millis().try_into().ok())
}

fn length_of(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl Proxy {
    /// A body with its results treated, or its secrets taken out. Whatever fails on the way, it goes on without them.
    async fn treated(&self, body: Body, parts: &Parts, shape: BodyShape) -> Result<(Outgoing, Outcome), Unsent> {
        let (options, headers) = (&self.inner.options, &parts.headers);
        let encoding = Encoding::of(headers)?;
        let whole = match collected(body, options.largest_body).await {
            Ok(Collected::Whole(whole)) if encoding == Encoding::Plain => whole,
            Ok(Collected::Whole(whole)) => {
                let most = options.largest_body;
                tokio::task::spawn_blocking(move || encoding.decoded(whole, most))
                    .await
                    .map_err(|_| Unsent::BrokeOff)??
            }
            Ok(Collected::TooLarge(..)) if encoding != Encoding::Plain => {
                return Err(UnreadableBody::TooLarge(options.largest_body).into());
            }
            Ok(Collected::TooLarge(begun, rest)) => {
                let why = format!("the body has more than {} bytes", options.largest_body);
                return Ok((self.streamed(begun, rest, headers), Outcome::Failed(why)));
            }
            // The provider must not take what there is of it for all that was said.
            Err(_) => return Err(Unsent::BrokeOff),
        };
        let BodyShape::Conversation(format) = shape else { return self.redacted(whole, shape).await };
        let (proxy, offcut, kept) = (self.clone(), self.offcut(headers), whole.clone());
        // Counting tokens does not touch the provider's cache.
        let counts_only = ["/count_tokens", ":countTokens"].iter().any(|ending| parts.uri.path().ends_with(ending));
        let now_ms = if counts_only { None } else { now_ms() };
        let asked = RequestFacts { format: Some(format), turn: None, now_ms };
        let treated = tokio::task::spawn_blocking(move || proxy.rewrite(&kept, &asked, format, &offcut?));
        let why = match tokio::time::timeout(options.patience, treated).await {
            Ok(Ok(Ok((body, outcome)))) => {
                return Ok((Outgoing::whole(body.unwrap_or(whole)), outcome));
            }
            Ok(Ok(Err(why))) => why,
            Ok(Err(_)) => "an error inside of offcut".to_owned(),
            Err(_) => "it took too long".to_owned(),
        };
        Ok((Outgoing::whole(self.without_secrets(whole).await?), Outcome::Failed(why)))
    }

    /// The body with its results cut, shortened and redacted; none where nothing changes. An error says why it could
    /// not be read.
    fn rewrite(
        &self,
        body: &[u8],
        asked: &RequestFacts,
        format: Format,
        offcut: &Offcut,
    ) -> Result<(Option<Bytes>, Outcome), String> {
        let rewritten = self.inner.retainer.rewrite(offcut, body, asked).map_err(|unread| unread.to_string())?;
        if asked.now_ms.is_some() {
            offcut.emit(request_event(offcut.session().as_str(), &rewritten.report));
        }
        let outcome = match (&rewritten.body, rewritten.report.skipped.first()) {
            (Some(_), _) => Outcome::of(&rewritten.report),
            (None, Some(skipped)) => Outcome::Failed(skipped.why.clone()),
            (None, None) => Outcome::Unchanged,
        };
        let rewritten = rewritten.body.map(Bytes::from);
        let Some(redactor) = offcut.redactor("") else { return Ok((rewritten, outcome)) };
        let shape = BodyShape::Conversation(format);
        match redacted(rewritten.as_deref().unwrap_or(body), shape, &redactor) {
            None => Ok((rewritten, outcome)),
            Some((redacted, found)) => Ok((Some(redacted), outcome.redacted(found))),
        }
    }

    /// A body of which nothing is cut, without the secrets in it.
    async fn redacted(&self, body: Bytes, shape: BodyShape) -> Result<(Outgoing, Outcome), Unsent> {
        let Some(redactor) = self.inner.offcut.redactor("") else {
            return Ok((Outgoing::whole(body), Outcome::Unchanged));
        };
        let kept = body.clone();
        let found = tokio::task::spawn_blocking(move || redacted(&kept, shape, &redactor)).await;
        // Rather nothing than a secret.
        Ok(match found.map_err(|_| Unsent::BrokeOff)? {
            None => (Outgoing::whole(body), Outcome::Unchanged),
            Some((body, found)) => (Outgoing::whole(body), Outcome::Unchanged.redacted(found)),
        })
    }

    /// A body that could not be treated, without the secrets in it.
    async fn without_secrets(&self, body: Bytes) -> Result<Bytes, Unsent> {
        let Some(redactor) = self.inner.offcut.redactor("") else { return Ok(body) };
        let redacted = tokio::task::spawn_blocking(move || everywhere(&body, &redactor).0).await;
        // Rather nothing than a secret.
        redacted.map_err(|_| Unsent::BrokeOff)
    }

    /// A body that is too large to be held, without the secrets in it, while it passes.
    fn streamed(&self, begun: Bytes, rest: Body, headers: &HeaderMap) -> Outgoing {
        let all = stream::iter([Ok(begun)]).chain(rest.into_data_stream());
        let Some(redactor) = self.inner.offcut.redactor("") else {
            return Outgoing { body: Some(reqwest::Body::wrap_stream(all)), length: length_of(headers) };
        };
        let state = (all, Some(BodyRedactor::new(redactor)));
        let redacted = stream::unfold(state, |(mut all, redactor)| async move {
            let mut redactor = redactor?;
            match all.next().await {
                Some(Ok(chunk)) => Some((Ok(redactor.push(&chunk)), (all, Some(redactor)))),
                Some(Err(error)) => Some((Err(error), (all, None))),
                None => Some((Ok(redactor.finish()), (all, None))),
            }
        });
        // An empty chunk would be taken for the end.
        let redacted =
            redacted.filter(|chunk| std::future::ready(chunk.as_ref().map_or(true, |chunk| !chunk.is_empty())));
        Outgoing { body: Some(reqwest::Body::wrap_stream(redacted)), length: None }
    }

    /// The library for whoever asks: in their session, and in the trace that their request belongs to.
    fn offcut(&self, headers: &HeaderMap) -> Result<Offcut, String> {
        let offcut = match self.session(headers) {
            None => self.inner.offcut.clone(),
            Some(session) => self.inner.offcut.in_session(&session).map_err(|error| error.to_string())?,
        };
        let trace = headers.get("traceparent").and_then(|value| value.to_str().ok()).and_then(|text| text.parse().ok());
        Ok(offcut.in_trace(trace))
    }

    /// The session of whoever holds the provider's key, where each has one. Its name says nothing about the key.
    fn session(&self, headers: &HeaderMap) -> Option<String> {
        if !self.inner.options.session_per_key {
            return None;
        }
        let own = ["x-api-key", "api-key", "x-goog-api-key"].map(HeaderName::from_static);
        let names = [header::AUTHORIZATION].into_iter().chain(own);
        let mut hasher = blake3::Hasher::new_derive_key("offcut 2026-11-15 session of a provider key");
        for value in names.filter_map(|name| headers.get(name)) {
            hasher.update(&(value.len() as u64).to_le_bytes());
            hasher.update(value.as_bytes());
        }
        let name: String = hasher.finalize().to_hex().chars().take(20).collect();
        Some(format!("key-{name}"))
    }
}

/// A body that was read as far as it may be.
enum Collected {
    Whole(Bytes),
    /// What was read, and the rest.
    TooLarge(Bytes, Body),
}

/// Reads a body whole, if it is not too large; an error holds what came before it broke.
async fn collected(mut body: Body, largest: u64) -> Result<Collected, Bytes> {
    use http_body_util::BodyExt;
    let mut read: Vec<u8> = Vec::new();
    loop {
        match body.frame().await {
            None => return Ok(Collected::Whole(read.into())),
            Some(Err(_)) => return Err(read.into()),
            Some(Ok(frame)) => {
                let Ok(data) = frame.into_data() else { continue };
                if read.is_empty() {
                    // Most come in one piece.
                    if body.is_end_stream() && data.len() as u64 <= largest {
                        return Ok(Collected::Whole(data));
                    }
                    let rest = body.size_hint().exact().unwrap_or(0).min(largest) as usize;
                    read.reserve_exact(data.len() + rest);
                }
                read.extend_from_slice(&data);
                if read.len() as u64 > largest {
                    return Ok(Collected::TooLarge(read.into(), body));
                }
            }
        }
    }
}

/// The provider's answer, handed on as it comes: when it breaks off, so does ours.
fn passed_back(answer: reqwest::Response) -> Response {
    let (status, headers) = (answer.status(), passed_on(answer.headers(), &[]));
    let mut response = Response::new(Body::from_stream(answer.bytes_stream()));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The answer where there is no provider to give one.
fn unreachable_upstream(error: &reqwest::Error) -> Response {
    let mut why = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        why = format!("{why}: {error}");
        cause = error.source();
    }
    refusal(StatusCode::BAD_GATEWAY, &format!("the upstream cannot be reached: {why}"))
}

/// An answer of our own, in the shape that all providers' clients read.
fn refusal(status: StatusCode, message: &str) -> Response {
    let error = serde_json::json!({"type": "api_error", "message": format!("offcut: {message}")});
    let body = serde_json::json!({"type": "error", "error": error});
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

//! A client that speaks HTTP, a server that does too: methods, headers, status and bodies pass; results are cut.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName,
    ORIGIN, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use reqwest::Url;
use tokio::sync::mpsc;

use super::exchange::{body, received, received_from, sent, worked};
use super::sessions::{ClientSessions, MCP_SESSION, OFFCUT_SESSION};
use crate::wire::events::{Event, Events};
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;
use crate::wrap::Teller;
use crate::wrap::own::OwnCall;
use crate::wrap::session::{Exchange, Outlet, Session, Step};
use crate::wrap::view::views;

/// How many chunks of a stream may wait for the client.
const WAITING: usize = 16;

/// What every request needs.
pub(crate) struct Proxy {
    pub(crate) upstream: Url,
    pub(crate) client: reqwest::Client,
    /// The bearer token that the server wants of us; without one the client's own passes.
    pub(crate) token: Option<String>,
    pub(crate) sessions: ClientSessions,
    pub(crate) tell: Teller,
}

/// The routes of a proxy: whatever comes, on every path.
pub(crate) fn router(proxy: Proxy) -> Router {
    Router::new().fallback(pass).with_state(Arc::new(proxy))
}

async fn pass(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    match proxy.exchange(request).await {
        Ok(response) => response,
        Err(error) => {
            (proxy.tell)(&format!("the server cannot be reached: {error}"));
            refused(StatusCode::BAD_GATEWAY, "the server cannot be reached")
        }
    }
}

/// The answer where the server cannot be asked.
pub(crate) fn refused(status: StatusCode, message: &str) -> Response {
    let message = serde_json::Value::from(message);
    let mut response = Response::new(Body::from(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{{\"code\":-32000,\"message\":{message}}}}}"
    )));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// One request and its answer.
struct Turn {
    session: Arc<Session>,
    exchange: Exchange,
    /// Whether it is a handshake whose session is found again by what the answer says.
    greets: bool,
    /// Whether the client has named the session itself.
    named: bool,
}

/// What becomes of a client's request.
enum Fate {
    /// The server gets it.
    Forward(Outgoing),
    /// We answer it.
    Answer(OwnCall),
    /// It answers what we asked, or ends what we do.
    Heard,
}

impl Proxy {
    async fn exchange(self: &Arc<Self>, request: Request) -> Result<Response, Error> {
        let (parts, incoming) = request.into_parts();
        let url = self.target(&parts.uri);
        let mut headers = self.forwarded(&parts.headers);
        let mut turn =
            Turn { session: self.sessions.fresh(), exchange: Exchange::default(), greets: false, named: false };
        let mut outgoing = None;
        if parts.method == Method::POST {
            let raw_message = received(incoming.into_data_stream()).await?;
            let (client, greets) = introduced(&raw_message);
            turn.greets = greets && !parts.headers.contains_key(MCP_SESSION);
            turn.named = parts.headers.contains_key(OFFCUT_SESSION);
            if !turn.greets || turn.named {
                turn.session = self.sessions.of(&parts.headers, client.as_deref());
            }
            match heard(raw_message, &mut turn) {
                Fate::Forward(message) => outgoing = Some(message),
                Fate::Answer(call) if call.may_ask(&turn.session) && takes_events(&parts.headers) => {
                    return Ok(asking(call, turn.session));
                }
                Fate::Answer(call) => {
                    let session = turn.session.clone();
                    let answer = worked(u64::MAX, move || call.answer(&session)).await?;
                    let mut response = Response::new(body(answer));
                    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                    return Ok(response);
                }
                Fate::Heard => {
                    let mut response = Response::new(Body::empty());
                    *response.status_mut() = StatusCode::ACCEPTED;
                    return Ok(response);
                }
            }
        } else {
            turn.session = self.sessions.of(&parts.headers, None);
        }
        if let Some(token) = &self.token {
            let bearer = HeaderValue::try_from(format!("Bearer {token}")).map_err(io::Error::other)?;
            headers.insert(AUTHORIZATION, bearer);
        }
        let mut asked = self.client.request(parts.method.clone(), url).headers(headers);
        if let Some(message) = outgoing {
            asked = match message.small() {
                Some(bytes) => asked.body(bytes),
                None => asked.body(reqwest::Body::wrap_stream(sent(message))),
            };
        }
        let answer = asked.send().await?;
        if parts.method == Method::DELETE && answer.status().is_success() {
            self.sessions.leave(&parts.headers);
        }
        self.answer(answer, turn).await
    }

    async fn answer(self: &Arc<Self>, answer: reqwest::Response, turn: Turn) -> Result<Response, Error> {
        let status = answer.status();
        let mut headers = HeaderMap::new();
        for (name, value) in answer.headers() {
            if !is_hop(name) {
                headers.append(name.clone(), value.clone());
            }
        }
        if turn.greets {
            let mcp_session = headers.get(MCP_SESSION).and_then(|value| value.to_str().ok());
            mcp_session.iter().for_each(|mcp_session| self.sessions.file_under(mcp_session, &turn.session, turn.named));
        }
        let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_lowercase();
        let out = if kind.starts_with("application/json") {
            let raw_message = received(answer.bytes_stream().boxed()).await?;
            let Turn { session, mut exchange, .. } = turn;
            let message = worked(raw_message.len(), move || session.server_said(raw_message, &mut exchange)).await?;
            if !message.is_unchanged() {
                headers.remove(CONTENT_LENGTH);
            }
            body(message)
        } else if status.is_success() && kind.starts_with("text/event-stream") {
            headers.remove(CONTENT_LENGTH);
            let (sender, receiver) = mpsc::channel(WAITING);
            tokio::spawn(async move {
                if let Err(error) = relay(answer, turn, &sender).await {
                    // The client has gone where this fails.
                    let _ = sender.send(Err(error)).await;
                }
            });
            Body::from_stream(received_from(receiver))
        } else {
            Body::from_stream(answer.bytes_stream())
        };
        let mut response = Response::new(out);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }

    /// Where a request goes: our own path is the server's, and other paths stay what they are.
    fn target(&self, uri: &http::Uri) -> Url {
        let mut url = self.upstream.clone();
        if !matches!(uri.path(), "/" | "/mcp") {
            url.set_path(uri.path());
        }
        if let Some(query) = uri.query() {
            url.set_query(Some(query));
        }
        url
    }

    /// The headers that the server gets.
    fn forwarded(&self, headers: &HeaderMap) -> HeaderMap {
        let mut forwarded = HeaderMap::new();
        let own_host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        for (name, value) in headers {
            if is_hop(name) || [HOST, CONTENT_LENGTH, ACCEPT_ENCODING].contains(name) {
                continue;
            }
            // A page that we served would be one that the server served.
            let is_own =
                name == ORIGIN && value.to_str().is_ok_and(|origin| origin.ends_with(&format!("//{own_host}")));
            let value = match is_own {
                true => HeaderValue::try_from(self.upstream.origin().ascii_serialization()).unwrap_or(value.clone()),
                false => value.clone(),
            };
            forwarded.append(name.clone(), value);
        }
        forwarded
    }
}

/// What becomes of a client's message. A call of our own tool in a batch with others is left to the server.
fn heard(raw_message: RawMessage, turn: &mut Turn) -> Fate {
    let mut steps = turn.session.client_said(raw_message.clone(), &mut turn.exchange);
    match (steps.pop(), steps.is_empty()) {
        (Some(Step::Forward(message)), true) => Fate::Forward(message),
        (Some(Step::Answer(call)), true) => Fate::Answer(call),
        (Some(_), false) => Fate::Forward(Outgoing::unchanged(raw_message)),
        (None, _) => Fate::Heard,
    }
}

/// Whether a client takes a stream of events for an answer.
fn takes_events(headers: &HeaderMap) -> bool {
    let takes = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains("text/event-stream"));
    headers.get_all(ACCEPT).iter().any(takes)
}

/// Answers a call on a stream on which the client is asked first: it sends what it says as requests of their own.
fn asking(call: OwnCall, session: Arc<Session>) -> Response {
    let (sender, receiver) = mpsc::channel(WAITING);
    let (watched, cancel) = (sender.clone(), call.cancel.clone());
    // A client that reads no longer answers no longer either.
    let watch = tokio::spawn(async move {
        watched.closed().await;
        cancel.cancel();
    });
    tokio::task::spawn_blocking(move || {
        let to = sender.clone();
        // Where the client has gone, the call is cancelled.
        let outlet: Outlet = Box::new(move |message| drop(to.blocking_send(event(message))));
        let answer = call.answer_through(&session, Some(&outlet));
        let _ = sender.blocking_send(event(&answer));
        watch.abort();
    });
    let mut response = Response::new(Body::from_stream(received_from(receiver)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A message of our own as an event.
fn event(message: &Outgoing) -> io::Result<Bytes> {
    let mut event = b"event: message\ndata: ".to_vec();
    message.chunks(|chunk| {
        event.extend_from_slice(chunk);
        Ok(())
    })?;
    event.extend_from_slice(b"\n\n");
    Ok(Bytes::from(event))
}

/// Passes a stream of events on, each as it came or with what is left of its message.
async fn relay(answer: reqwest::Response, turn: Turn, client: &mpsc::Sender<io::Result<Bytes>>) -> io::Result<()> {
    let Turn { session, exchange, .. } = turn;
    let mut exchange = exchange;
    let mut stream = answer.bytes_stream();
    let mut events = Events::default();
    while let Some(chunk) = stream.next().await {
        let mut found = Vec::new();
        events.push(&chunk.map_err(io::Error::other)?, &mut found)?;
        for event in found {
            let own = session.clone();
            let (event, message, left) = worked(event.raw.len(), move || {
                let data = event.data.clone().filter(|data| data.outline().is_ok());
                let message = data.map(|data| own.server_said(data, &mut exchange));
                (event, message, exchange)
            })
            .await?;
            exchange = left;
            if !send(&event, message.filter(|message| !message.is_unchanged()), client).await? {
                return Ok(());
            }
        }
    }
    let rest = events.rest();
    if rest.len() > 0 {
        let _ = client.send(Ok(Bytes::from(rest.read(0..rest.len())?.into_owned()))).await;
    }
    Ok(())
}

/// Sends an event; says whether the client is still there.
async fn send(event: &Event, message: Option<Outgoing>, client: &mpsc::Sender<io::Result<Bytes>>) -> io::Result<bool> {
    let mut out = Vec::new();
    match message {
        // What was cut is small.
        Some(message) => event.with(&message, |chunk| {
            out.extend_from_slice(chunk);
            Ok(())
        })?,
        None => {
            let mut chunks = Box::pin(sent(Outgoing::unchanged(event.raw.clone())));
            while let Some(chunk) = chunks.next().await {
                if client.send(chunk).await.is_err() {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
    }
    Ok(client.send(Ok(Bytes::from(out))).await.is_ok())
}

/// The name that a client gives itself in a message, and whether that is a handshake.
fn introduced(raw_message: &RawMessage) -> (Option<String>, bool) {
    let mut name = None;
    let mut greets = false;
    for view in views(raw_message) {
        greets |= view.text(&["method"]).as_deref() == Some("initialize");
        name = name.or_else(|| view.client());
    }
    (name, greets)
}

/// Whether a header is about one connection only.
fn is_hop(name: &HeaderName) -> bool {
    [CONNECTION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE].contains(name)
        || ["keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"].contains(&name.as_str())
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Upstream(#[from] reqwest::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

//! Clients that speak HTTP, a server on pipes: one process for each client's session. They end with the routes.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, PipeReader, PipeWriter};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use offcut_core::causes::with_causes;
use offcut_platform::Signal;
use offcut_store::ArtifactId;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::exchange::{received, received_from};
use super::proxy::refused;
use super::sessions::{self, MCP_SESSION, OFFCUT_SESSION};
use crate::wire::id::RequestId;
use crate::wire::lines::MessageReader;
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;
use crate::wrap::stdio::{GRACE, Stop, TICK};
use crate::wrap::view::views;
use crate::wrap::{ServerCommand, Wrap};

/// How many servers may run at once. Beyond that nobody gets another one until one has ended.
const MOST: usize = 64;

/// How many messages wait for a client that has no stream open.
const WAITING: usize = 256;

/// How long servers that are asked to end are waited for: they are killed before.
const ENDING: Duration = GRACE.saturating_mul(3);

/// What every request needs.
pub(crate) struct Bridge {
    pub(crate) wrap: Wrap,
    pub(crate) command: ServerCommand,
    sessions: Mutex<BTreeMap<String, Arc<BridgedSession>>>,
    /// The wraps that run.
    running: Mutex<Vec<(Stop, JoinHandle<()>)>>,
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let running = std::mem::take(&mut *self.running.lock());
        running.iter().for_each(|(stop, _)| stop.stop(Signal::TERMINATE.number()));
        let since = Instant::now();
        while running.iter().any(|(_, thread)| !thread.is_finished()) && since.elapsed() < ENDING {
            std::thread::sleep(TICK);
        }
    }
}

/// A client's session and the way to its server.
struct BridgedSession {
    /// When it was used last.
    used: Mutex<Instant>,
    to: Mutex<Option<PipeWriter>>,
    streams: Mutex<Streams>,
}

/// The streams to the client, and what they wait for.
#[derive(Default)]
struct Streams {
    /// The streams on which requests are answered; of several under one id the first is answered first.
    asked: BTreeMap<RequestId, VecDeque<Stream>>,
    /// The stream of what the server says by itself.
    open: Option<Stream>,
    /// What nobody could be told yet.
    later: VecDeque<RawMessage>,
    over: bool,
}

type Stream = mpsc::Sender<io::Result<Bytes>>;

impl Streams {
    /// The stream on which the next answer to `id` belongs; it waits for that no longer.
    fn answering(&mut self, id: &RequestId) -> Option<Stream> {
        let streams = self.asked.get_mut(id)?;
        let stream = streams.pop_front();
        if streams.is_empty() {
            self.asked.remove(id);
        }
        stream
    }
}

impl Bridge {
    pub(crate) fn new(wrap: Wrap, command: ServerCommand) -> Bridge {
        Bridge { wrap, command, sessions: Mutex::default(), running: Mutex::default() }
    }

    pub(crate) fn router(self) -> Router {
        Router::new().fallback(pass).with_state(Arc::new(self))
    }

    /// Starts a server for the session `key`, whose artifacts are kept in that of the name `store_key`; fails with
    /// `WouldBlock` where too many run.
    fn begin(self: &Arc<Self>, key: &str, store_key: &str) -> io::Result<Arc<BridgedSession>> {
        let mut running = self.running.lock();
        running.retain(|(_, thread)| !thread.is_finished());
        if running.len() >= MOST {
            drop(running);
            self.end_idle();
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let ((its_in, to), (from, its_out)) = (io::pipe()?, io::pipe()?);
        let offcut = self.wrap.offcut.in_session(&sessions::name(store_key)).map_err(io::Error::other)?;
        let piped = Wrap { offcut, ..self.wrap.clone() }.piped(self.command.clone());
        let stop = piped.stopper();
        let session = Arc::new(BridgedSession {
            used: Mutex::new(Instant::now()),
            to: Mutex::new(Some(to)),
            streams: Mutex::default(),
        });
        self.sessions.lock().insert(key.to_owned(), session.clone());
        let (bridge, tell, own, key) = (Arc::downgrade(self), self.wrap.tell.clone(), session.clone(), key.to_owned());
        std::thread::spawn(move || own.listen(from));
        let thread = std::thread::spawn(move || {
            if let Err(error) = piped.run(its_in, its_out) {
                tell(&with_causes(&error));
            }
            bridge.upgrade().iter().for_each(|bridge| drop(bridge.sessions.lock().remove(&key)));
        });
        running.push((stop, thread));
        Ok(session)
    }

    /// Ends the session that nobody has used for the longest time, so that another can begin.
    fn end_idle(&self) {
        let mut sessions = self.sessions.lock();
        let is_idle = |session: &BridgedSession| session.streams.lock().asked.is_empty();
        let idle = sessions.iter().filter(|(_, session)| is_idle(session));
        let oldest = idle.min_by_key(|(_, session)| *session.used.lock()).map(|(key, _)| key.clone());
        if let Some(session) = oldest.and_then(|key| sessions.remove(&key)) {
            *session.to.lock() = None;
        }
    }

    fn session(&self, key: &str) -> Option<Arc<BridgedSession>> {
        let session = self.sessions.lock().get(key).cloned();
        session.iter().for_each(|session| *session.used.lock() = Instant::now());
        session
    }

    async fn post(self: &Arc<Self>, headers: &HeaderMap, body: Body) -> io::Result<Response> {
        let raw_message = received(body.into_data_stream()).await?;
        if raw_message.outline().is_err() {
            return Ok(answered(StatusCode::BAD_REQUEST, Body::empty()));
        }
        let greets = views(&raw_message).any(|view| view.text(&["method"]).as_deref() == Some("initialize"));
        let client = views(&raw_message).find_map(|view| view.client());
        let mut new = None;
        let session = match (mcp_session(headers), greets) {
            (Some(key), _) => match self.session(&key) {
                Some(session) => session,
                None => return Ok(answered(StatusCode::NOT_FOUND, Body::empty())),
            },
            (None, true) => {
                let id = ArtifactId::generate().map_err(io::Error::other)?.as_str().replace("art_", "");
                let key = format!("mcp:{id}");
                // A name that the client gives at the handshake leads to its artifacts of before.
                let named = headers.contains_key(OFFCUT_SESSION).then(|| sessions::key(headers, None));
                let session = self.begin(&key, named.as_ref().unwrap_or(&key))?;
                new = Some(id);
                session
            }
            // A client of the revisions without a handshake is told by its name and credentials.
            (None, false) => {
                let key = sessions::key(headers, client.as_deref());
                self.session(&key).map_or_else(|| self.begin(&key, &key), Ok)?
            }
        };
        let ids: Vec<RequestId> =
            views(&raw_message).filter(|view| view.is_request()).filter_map(|view| view.id()).collect();
        let (stream, events) = mpsc::channel(WAITING);
        {
            let mut streams = session.streams.lock();
            if streams.over {
                return Ok(answered(StatusCode::NOT_FOUND, Body::empty()));
            }
            ids.iter().for_each(|id| streams.asked.entry(id.clone()).or_default().push_back(stream.clone()));
        }
        drop(stream);
        let written = tokio::task::spawn_blocking(move || session.write(&Outgoing::unchanged(raw_message)));
        written.await.map_err(io::Error::other)??;
        let mut response = match ids.is_empty() {
            true => answered(StatusCode::ACCEPTED, Body::empty()),
            false => streamed(Body::from_stream(received_from(events))),
        };
        if let Some(id) = new.and_then(|id| HeaderValue::try_from(id).ok()) {
            response.headers_mut().insert(MCP_SESSION, id);
        }
        Ok(response)
    }

    fn get(&self, headers: &HeaderMap) -> Response {
        let key = mcp_session(headers).unwrap_or_else(|| sessions::key(headers, None));
        let Some(session) = self.session(&key) else {
            return answered(StatusCode::NOT_FOUND, Body::empty());
        };
        let (stream, events) = mpsc::channel(WAITING);
        let later = {
            let mut streams = session.streams.lock();
            streams.open = Some(stream.clone());
            std::mem::take(&mut streams.later)
        };
        std::thread::spawn(move || later.iter().all(|raw_message| send(&stream, raw_message)));
        streamed(Body::from_stream(received_from(events)))
    }

    fn delete(&self, headers: &HeaderMap) -> Response {
        let key = mcp_session(headers).unwrap_or_else(|| sessions::key(headers, None));
        let session = self.sessions.lock().remove(&key);
        match session {
            Some(session) => {
                *session.to.lock() = None;
                answered(StatusCode::OK, Body::empty())
            }
            None => answered(StatusCode::NOT_FOUND, Body::empty()),
        }
    }
}

async fn pass(State(bridge): State<Arc<Bridge>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match parts.method {
        Method::POST => bridge.post(&parts.headers, body).await.unwrap_or_else(|error| {
            if error.kind() == io::ErrorKind::WouldBlock {
                return refused(StatusCode::SERVICE_UNAVAILABLE, "too many servers run already; try again later");
            }
            (bridge.wrap.tell)(&format!("the server cannot be reached: {error}"));
            refused(StatusCode::BAD_GATEWAY, "the server cannot be reached")
        }),
        Method::GET => bridge.get(&parts.headers),
        Method::DELETE => bridge.delete(&parts.headers),
        _ => answered(StatusCode::METHOD_NOT_ALLOWED, Body::empty()),
    }
}

fn answered(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn streamed(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// What a request's session is found by, where the request names one that we began.
fn mcp_session(headers: &HeaderMap) -> Option<String> {
    headers.get(MCP_SESSION).map(|session| format!("mcp:{}", session.to_str().unwrap_or_default()))
}

impl BridgedSession {
    fn write(&self, message: &Outgoing) -> io::Result<()> {
        match &mut *self.to.lock() {
            Some(to) => message.write_line(to),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Hands on what the server says until it says nothing more.
    fn listen(&self, from: PipeReader) {
        let mut lines = MessageReader::new(from);
        while let Ok(Some(raw_message)) = lines.next() {
            for message in views(&raw_message).filter_map(|view| view.alone()) {
                self.hand_on(message);
            }
        }
        *self.streams.lock() = Streams { over: true, ..Streams::default() };
    }

    /// An answer goes to who asked; what the server says by itself, to a request that waits, since it is most likely
    /// about that, else to the open stream, else it waits for one.
    fn hand_on(&self, raw_message: RawMessage) {
        let answer = views(&raw_message).find(|view| view.text(&["method"]).is_none()).and_then(|view| view.id());
        let stream = {
            let mut streams = self.streams.lock();
            match &answer {
                Some(id) => streams.answering(id),
                None => {
                    let asked = streams.asked.values().next_back().and_then(VecDeque::back);
                    asked.or(streams.open.as_ref()).cloned()
                }
            }
        };
        let sent = stream.is_some_and(|stream| send(&stream, &raw_message));
        if !sent && answer.is_none() {
            let mut streams = self.streams.lock();
            streams.later.push_back(raw_message);
            if streams.later.len() > WAITING {
                streams.later.pop_front();
            }
        }
    }
}

/// Sends a message as an event; says whether somebody reads.
fn send(stream: &Stream, raw_message: &RawMessage) -> bool {
    let put =
        |bytes: Vec<u8>| stream.blocking_send(Ok(Bytes::from(bytes))).map_err(|_| io::ErrorKind::BrokenPipe.into());
    let sent = put(b"event: message\ndata: ".to_vec()).and_then(|()| {
        Outgoing::unchanged(raw_message.clone()).chunks(|chunk| put(chunk.to_vec()))?;
        put(b"\n\n".to_vec())
    });
    sent.is_ok()
}

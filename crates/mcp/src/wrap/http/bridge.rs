//! Clients that speak HTTP, a server on pipes: one process for each client's session. They end with the routes.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use offcut::store::ArtifactId;
use tokio::sync::mpsc;

use super::door::Door;
use super::exchange::{received, received_from};
use super::proxy::refused;
use super::seats::{self, MCP_SESSION};
use crate::wire::id::RequestId;
use crate::wire::lines::Lines;
use crate::wire::outgoing::Outgoing;
use crate::wire::parcel::Parcel;
use crate::wrap::seen::seen;
use crate::wrap::stdio::{GRACE, Stop, TICK};
use crate::wrap::{ServerCommand, Wrap, chained};

/// How many sessions there may be at once; of more, the one that began first is ended.
const MOST: usize = 256;

/// How many messages wait for a client that has no stream open.
const WAITING: usize = 256;

/// How long servers that are asked to end are waited for: they are killed before.
const ENDING: Duration = GRACE.saturating_mul(3);

/// The signal that asks to end.
const SIGTERM: i32 = 15;

/// What every request needs.
pub(crate) struct Bridge {
    pub(crate) wrap: Wrap,
    pub(crate) command: ServerCommand,
    pub(crate) door: Door,
    rooms: Mutex<BTreeMap<String, Arc<Room>>>,
    /// The wraps that run.
    running: Mutex<Vec<(Stop, JoinHandle<()>)>>,
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let running = std::mem::take(&mut *lock(&self.running));
        running.iter().for_each(|(stop, _)| stop.stop(SIGTERM));
        let since = Instant::now();
        while running.iter().any(|(_, thread)| !thread.is_finished()) && since.elapsed() < ENDING {
            std::thread::sleep(TICK);
        }
    }
}

/// A session with its process.
struct Room {
    began: u64,
    to: Mutex<Option<PipeWriter>>,
    desk: Mutex<Desk>,
}

/// Who waits for what.
#[derive(Default)]
struct Desk {
    /// The stream on which a request is answered.
    asked: BTreeMap<RequestId, Stream>,
    /// The stream of what the server says by itself.
    open: Option<Stream>,
    /// What nobody could be told yet.
    later: VecDeque<Parcel>,
    over: bool,
}

type Stream = mpsc::Sender<io::Result<Bytes>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bridge {
    pub(crate) fn new(wrap: Wrap, command: ServerCommand, door: Door) -> Bridge {
        Bridge { wrap, command, door, rooms: Mutex::default(), running: Mutex::default() }
    }

    pub(crate) fn router(self) -> Router {
        Router::new().fallback(pass).with_state(Arc::new(self))
    }

    /// Starts a server for a session.
    fn begin(self: &Arc<Self>, key: &str) -> io::Result<Arc<Room>> {
        let ((its_in, to), (from, its_out)) = (io::pipe()?, io::pipe()?);
        let offcut = self.wrap.offcut.in_session(&seats::name(key)).map_err(io::Error::other)?;
        let piped = Wrap { offcut, ..self.wrap.clone() }.piped(self.command.clone());
        let stop = piped.stopper();
        let mut rooms = lock(&self.rooms);
        let began = rooms.values().map(|room| room.began).max().unwrap_or(0) + 1;
        let room = Arc::new(Room { began, to: Mutex::new(Some(to)), desk: Mutex::default() });
        rooms.insert(key.to_owned(), room.clone());
        if rooms.len() > MOST {
            let first = rooms.iter().min_by_key(|(_, room)| room.began).map(|(key, _)| key.clone());
            first.and_then(|key| rooms.remove(&key)).iter().for_each(|room| *lock(&room.to) = None);
        }
        drop(rooms);
        let (bridge, tell, own, key) = (Arc::downgrade(self), self.wrap.tell.clone(), room.clone(), key.to_owned());
        std::thread::spawn(move || own.listen(from));
        let thread = std::thread::spawn(move || {
            if let Err(error) = piped.run(its_in, its_out) {
                tell(&chained(&error));
            }
            bridge.upgrade().iter().for_each(|bridge| drop(lock(&bridge.rooms).remove(&key)));
        });
        let mut running = lock(&self.running);
        running.retain(|(_, thread)| !thread.is_finished());
        running.push((stop, thread));
        drop(running);
        Ok(room)
    }

    fn room(&self, key: &str) -> Option<Arc<Room>> {
        lock(&self.rooms).get(key).cloned()
    }

    async fn post(self: &Arc<Self>, headers: &HeaderMap, body: Body) -> io::Result<Response> {
        let parcel = received(body.into_data_stream()).await?;
        if parcel.outline().is_err() {
            return Ok(answered(StatusCode::BAD_REQUEST, Body::empty()));
        }
        let greets = seen(&parcel).any(|seen| seen.text(&["method"]).as_deref() == Some("initialize"));
        let client = seen(&parcel).find_map(|seen| seen.client());
        let mut new = None;
        let room = match (headers.get(MCP_SESSION), greets) {
            (Some(_), _) => match self.room(&seats::key(headers, None)) {
                Some(room) => room,
                None => return Ok(answered(StatusCode::NOT_FOUND, Body::empty())),
            },
            (None, true) => {
                let id = ArtifactId::generate().map_err(io::Error::other)?.as_str().replace("art_", "");
                let room = self.begin(&format!("mcp:{id}"))?;
                new = Some(id);
                room
            }
            // A client of the revisions without a handshake is told by its name and credentials.
            (None, false) => {
                let key = seats::key(headers, client.as_deref());
                self.room(&key).map_or_else(|| self.begin(&key), Ok)?
            }
        };
        let ids: Vec<RequestId> = seen(&parcel).filter(|seen| seen.is_request()).filter_map(|seen| seen.id()).collect();
        let (stream, events) = mpsc::channel(WAITING);
        {
            let mut desk = lock(&room.desk);
            if desk.over {
                return Ok(answered(StatusCode::NOT_FOUND, Body::empty()));
            }
            ids.iter().for_each(|id| drop(desk.asked.insert(id.clone(), stream.clone())));
        }
        drop(stream);
        let written = tokio::task::spawn_blocking(move || room.write(&Outgoing::unchanged(parcel)));
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
        let Some(room) = self.room(&seats::key(headers, None)) else {
            return answered(StatusCode::NOT_FOUND, Body::empty());
        };
        let (stream, events) = mpsc::channel(WAITING);
        let later = {
            let mut desk = lock(&room.desk);
            desk.open = Some(stream.clone());
            std::mem::take(&mut desk.later)
        };
        std::thread::spawn(move || later.iter().all(|parcel| send(&stream, parcel)));
        streamed(Body::from_stream(received_from(events)))
    }

    fn delete(&self, headers: &HeaderMap) -> Response {
        let room = lock(&self.rooms).remove(&seats::key(headers, None));
        match room {
            Some(room) => {
                *lock(&room.to) = None;
                answered(StatusCode::OK, Body::empty())
            }
            None => answered(StatusCode::NOT_FOUND, Body::empty()),
        }
    }
}

async fn pass(State(bridge): State<Arc<Bridge>>, request: Request) -> Response {
    if let Err(status) = bridge.door.admits(request.headers()) {
        return refused(status);
    }
    let (parts, body) = request.into_parts();
    match parts.method {
        Method::POST => bridge.post(&parts.headers, body).await.unwrap_or_else(|error| {
            (bridge.wrap.tell)(&format!("the server cannot be reached: {error}"));
            refused(StatusCode::BAD_GATEWAY)
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

impl Room {
    fn write(&self, message: &Outgoing) -> io::Result<()> {
        match &mut *lock(&self.to) {
            Some(to) => message.write_line(to),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Hands on what the server says until it says nothing more.
    fn listen(&self, from: PipeReader) {
        let mut lines = Lines::new(from);
        while let Ok(Some(parcel)) = lines.next() {
            for message in seen(&parcel).filter_map(|seen| seen.alone()) {
                self.hand_on(message);
            }
        }
        let mut desk = lock(&self.desk);
        *desk = Desk { over: true, ..Desk::default() };
    }

    /// An answer goes to who asked; what the server says by itself, to a request that waits, since it is most likely
    /// about that, else to the open stream, else it waits for one.
    fn hand_on(&self, parcel: Parcel) {
        let answer = seen(&parcel).find(|seen| seen.text(&["method"]).is_none()).and_then(|seen| seen.id());
        let stream = {
            let mut desk = lock(&self.desk);
            match &answer {
                Some(id) => desk.asked.remove(id),
                None => desk.asked.values().next_back().or(desk.open.as_ref()).cloned(),
            }
        };
        let sent = stream.is_some_and(|stream| send(&stream, &parcel));
        if !sent && answer.is_none() {
            let mut desk = lock(&self.desk);
            desk.later.push_back(parcel);
            if desk.later.len() > WAITING {
                desk.later.pop_front();
            }
        }
    }
}

/// Sends a message as an event; says whether somebody reads.
fn send(stream: &Stream, parcel: &Parcel) -> bool {
    let put =
        |bytes: Vec<u8>| stream.blocking_send(Ok(Bytes::from(bytes))).map_err(|_| io::ErrorKind::BrokenPipe.into());
    let sent = put(b"event: message\ndata: ".to_vec()).and_then(|()| {
        Outgoing::unchanged(parcel.clone()).chunks(|chunk| put(chunk.to_vec()))?;
        put(b"\n\n".to_vec())
    });
    sent.is_ok()
}

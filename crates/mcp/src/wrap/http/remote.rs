//! A client on our own pipes, a server that speaks streamable HTTP.
//!
//! Each message of the client is a POST; what comes back, as JSON or as a stream of events, becomes lines. Beside them
//! one GET stream brings what the server has to say by itself. A stream that breaks is taken up again where it ended.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use offcut_core::causes::with_causes;
use parking_lot::Mutex;
use reqwest::{Response, Url};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::asked_to_end;
use super::exchange::{received, sent};
use super::sessions::MCP_SESSION;
use crate::wire::events::Events;
use crate::wire::id::RequestId;
use crate::wire::lines::MessageReader;
use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::RawMessage;
use crate::wrap::session::{Exchange, Session, Step};
use crate::wrap::stdio::{by_signal, failure};
use crate::wrap::view::views;
use crate::wrap::{Teller, WrapError};

/// How long answers that are owed are waited for once the client has left.
const OWED: Duration = Duration::from_secs(30);

/// How often a stream that broke is taken up again without a new event.
const TRIES: u32 = 5;

/// The first revision whose requests carry their method and name as headers.
const STANDARD_HEADERS: &str = "2026-07-28";

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// A wrap between our own pipes and a server's URL.
pub struct Calling {
    pub(crate) caller: Arc<Caller>,
}

/// What the exchanges with the server share.
pub(crate) struct Caller {
    url: Url,
    client: reqwest::Client,
    token: Option<String>,
    session: Session,
    out: Mutex<Box<dyn Write + Send>>,
    known: Mutex<Handshake>,
    tell: Teller,
}

/// What the server said of itself, and the client's handshake.
#[derive(Default)]
struct Handshake {
    mcp_session: Option<String>,
    version: Option<String>,
    initialize: Option<RawMessage>,
    initialized: Option<RawMessage>,
    listens: bool,
}

/// A message on its way to the server.
struct Letter {
    message: Outgoing,
    headers: Vec<(HeaderName, String)>,
    /// The request in it, if there is one.
    id: Option<RequestId>,
    greets: bool,
}

impl Calling {
    pub(crate) fn new(
        url: Url,
        client: reqwest::Client,
        token: Option<String>,
        session: Session,
        tell: Teller,
    ) -> Calling {
        let caller = Caller {
            url,
            client,
            token,
            session,
            out: Mutex::new(Box::new(io::sink())),
            known: Mutex::default(),
            tell,
        };
        Calling { caller: Arc::new(caller) }
    }

    /// Passes messages on until the client has left, or the process is asked to end; 0, or 128 and the signal.
    pub fn run(
        self,
        client_in: impl Read + Send + 'static,
        client_out: impl Write + Send + 'static,
    ) -> Result<u8, WrapError> {
        *self.caller.out.lock() = Box::new(client_out);
        let caller = Arc::downgrade(&self.caller);
        self.caller.session.connect(Box::new(move |message| {
            caller.upgrade().iter().for_each(|caller| caller.say(message));
        }));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(WrapError::Runtime)?;
        let (sender, receiver) = mpsc::channel(16);
        std::thread::spawn(move || {
            let mut lines = MessageReader::new(client_in);
            while let Ok(Some(raw_message)) = lines.next() {
                if sender.blocking_send(raw_message).is_err() {
                    return;
                }
            }
        });
        let caller = self.caller.clone();
        let code = runtime.block_on(async {
            let mut work = JoinSet::new();
            let code = tokio::select! {
                () = caller.clone().serve(receiver, &mut work) => {
                    caller.session.client_left(false);
                    // What is still under way after that has nobody to wait for it.
                    let _ = tokio::time::timeout(OWED, async { while work.join_next().await.is_some() {} }).await;
                    0
                }
                signal = asked_to_end() => by_signal(signal),
            };
            caller.leave().await;
            code
        });
        *self.caller.out.lock() = Box::new(io::sink());
        // A thread may still wait for a store or a pipe.
        runtime.shutdown_background();
        Ok(code)
    }
}

impl Caller {
    async fn serve(self: Arc<Self>, mut client: mpsc::Receiver<RawMessage>, work: &mut JoinSet<()>) {
        while let Some(raw_message) = client.recv().await {
            while work.try_join_next().is_some() {}
            for step in self.session.client_said(raw_message.clone(), &mut Exchange::default()) {
                let caller = self.clone();
                match step {
                    Step::Answer(call) => {
                        work.spawn_blocking(move || caller.say(&call.answer(&caller.session)));
                    }
                    Step::Forward(message) => {
                        let letter = self.letter(&raw_message, message);
                        // The order of what is no request, and of the handshake, matters; requests run side by side.
                        if letter.id.is_some() && !letter.greets {
                            work.spawn(async move { caller.deliver(letter).await });
                        } else {
                            caller.deliver(letter).await;
                        }
                    }
                }
            }
            self.clone().listen_once(&raw_message);
        }
    }

    /// Opens the stream of what the server says by itself, once the handshake is over.
    fn listen_once(self: Arc<Self>, raw_message: &RawMessage) {
        let done =
            views(raw_message).any(|view| view.text(&["method"]).as_deref() == Some("notifications/initialized"));
        if done && !std::mem::replace(&mut self.known.lock().listens, true) {
            self.known.lock().initialized = Some(raw_message.clone());
            tokio::spawn(async move { self.listen(None, None).await });
        }
    }

    /// A client's message with the headers that belong to it.
    fn letter(&self, raw_message: &RawMessage, message: Outgoing) -> Letter {
        let mut letter = Letter { message, headers: Vec::new(), id: None, greets: false };
        for view in views(raw_message) {
            let method = view.text(&["method"]).unwrap_or_default();
            letter.greets |= method == "initialize";
            if view.is_request() {
                letter.id = letter.id.or(view.id());
            }
            let version = view.text(&["params", "_meta", "io.modelcontextprotocol/protocolVersion"]);
            if let Some(version) = version.filter(|version| version.as_str() >= STANDARD_HEADERS) {
                letter.headers =
                    vec![(PROTOCOL_VERSION, version), (HeaderName::from_static("mcp-method"), method.clone())];
                let name = match method.as_str() {
                    "tools/call" | "prompts/get" => view.text(&["params", "name"]),
                    "resources/read" | "resources/subscribe" | "resources/unsubscribe" => view.text(&["params", "uri"]),
                    "tasks/get" | "tasks/update" | "tasks/cancel" => view.text(&["params", "taskId"]),
                    _ => None,
                };
                letter.headers.extend(name.map(|name| (HeaderName::from_static("mcp-name"), header_text(&name))));
            }
        }
        if letter.greets {
            self.known.lock().initialize = Some(raw_message.clone());
        }
        letter
    }

    /// Delivers a message and passes on what comes back; who waits for an answer gets one.
    async fn deliver(self: Arc<Self>, letter: Letter) {
        let mut outcome = self.post(&letter).await;
        if matches!(outcome, Err(Refused::Session)) && !letter.greets && self.greet_again().await {
            outcome = self.post(&letter).await;
        }
        let why = match outcome {
            Ok(()) => return,
            Err(Refused::Session) => "the server knows the session no longer".to_owned(),
            Err(Refused::Status(status)) => format!("the server answered {status}"),
            Err(Refused::Other(why)) => why,
        };
        match &letter.id {
            Some(id) if self.session.is_waiting(id) => {
                self.session.forget_one(id);
                self.say(&failure(id, &why));
            }
            Some(_) => {}
            None => (self.tell)(&why),
        }
    }

    async fn post(&self, letter: &Letter) -> Result<(), Refused> {
        let mut headers = self.headers(letter.greets);
        for (name, value) in &letter.headers {
            headers.insert(name.clone(), HeaderValue::try_from(value.as_str()).map_err(other)?);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let asked = self.client.post(self.url.clone()).headers(headers);
        let body = match letter.message.small() {
            Some(bytes) => reqwest::Body::from(bytes),
            None => reqwest::Body::wrap_stream(sent(letter.message.clone())),
        };
        let answer = asked.body(body).send().await.map_err(other)?;
        if letter.greets && answer.status().is_success() {
            let mcp_session = answer.headers().get(MCP_SESSION).and_then(|value| value.to_str().ok());
            self.known.lock().mcp_session = mcp_session.map(str::to_owned);
        }
        self.hear(answer, letter.id.as_ref(), letter.greets).await
    }

    /// Passes on what an answer holds; one that breaks off before it answers `id` is taken up again.
    async fn hear(&self, answer: Response, id: Option<&RequestId>, greets: bool) -> Result<(), Refused> {
        let status = answer.status();
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (json, events) = (kind.starts_with("application/json"), kind.starts_with("text/event-stream"));
        if status == StatusCode::NOT_FOUND && self.known.lock().mcp_session.is_some() {
            return Err(Refused::Session);
        }
        if json {
            let raw_message = received(answer.bytes_stream().boxed()).await.map_err(other)?;
            // A refusal may be an answer too.
            let answers = id.is_none_or(|id| views(&raw_message).any(|view| view.answers(id)));
            if status.is_success() || answers && id.is_some() {
                return self.pass(raw_message, greets).await;
            }
            return Err(Refused::Status(status));
        }
        if !status.is_success() {
            return Err(Refused::Status(status));
        }
        if events {
            let last = self.relay(answer, greets).await;
            if let Some(id) = id.filter(|id| self.session.is_waiting(id)) {
                match last {
                    Some(last) => Box::pin(self.listen(Some(last), Some(id))).await,
                    None => return Err(Refused::Other("the server's stream broke off before it answered".to_owned())),
                }
            }
        }
        Ok(())
    }

    /// Passes on the events of a stream; the id of the last one.
    async fn relay(&self, answer: Response, greets: bool) -> Option<String> {
        let mut stream = answer.bytes_stream();
        let mut events = Events::default();
        let mut last = None;
        while let Some(Ok(chunk)) = stream.next().await {
            let mut found = Vec::new();
            if let Err(error) = events.push(&chunk, &mut found) {
                (self.tell)(&format!("an event could not be kept: {error}"));
                return last;
            }
            for event in found {
                last = event.id.or(last);
                let data = event.data.filter(|data| data.len() > 0);
                if let Some(data) = data
                    && self.pass(data, greets).await.is_err()
                {
                    return last;
                }
            }
        }
        last
    }

    /// Reads the GET stream: for ever, or until it has answered `id`.
    async fn listen(&self, mut last: Option<String>, id: Option<&RequestId>) {
        let mut tries = 0;
        while tries < TRIES && id.is_none_or(|id| self.session.is_waiting(id)) {
            let mut headers = self.headers(false);
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            if let Some(value) = last.as_ref().and_then(|last| HeaderValue::try_from(last.as_str()).ok()) {
                headers.insert(LAST_EVENT, value);
            }
            tries += 1;
            match self.client.get(self.url.clone()).headers(headers).send().await {
                Ok(answer) if answer.status().is_success() => {
                    let heard = self.relay(answer, false).await;
                    if heard.is_some() {
                        (tries, last) = (0, heard);
                    }
                }
                // A server that has no such stream says so.
                Ok(_) => return,
                Err(_) => {}
            }
            tokio::time::sleep(Duration::from_millis(500) * tries.max(1)).await;
        }
    }

    async fn pass(&self, raw_message: RawMessage, greets: bool) -> Result<(), Refused> {
        if let Err(malformed) = raw_message.outline() {
            (self.tell)(&format!(
                "skipped {} bytes of the server's that are no message: {malformed}",
                raw_message.len()
            ));
            return Ok(());
        }
        if greets && let Some(version) = views(&raw_message).find_map(|view| view.text(&["result", "protocolVersion"]))
        {
            self.known.lock().version = Some(version);
        }
        tokio::task::block_in_place(|| {
            self.say(&self.session.server_said(raw_message, &mut Exchange::default()));
        });
        Ok(())
    }

    fn say(&self, message: &Outgoing) {
        // A client that reads no longer has closed its other end too, or will.
        let _ = message.write_line(&mut *self.out.lock());
    }

    /// Begins a new session where the server has forgotten ours.
    async fn greet_again(&self) -> bool {
        let (initialize, initialized) = {
            let mut known = self.known.lock();
            known.mcp_session = None;
            (known.initialize.clone(), known.initialized.clone())
        };
        let id = "\"offcut-greets-again\"";
        let Some(message) = initialize.and_then(|raw_message| views(&raw_message).find_map(|view| view.with_id(id)))
        else {
            return false;
        };
        let mut headers = self.headers(true);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let body = message.small().unwrap_or_default();
        let Ok(answer) = self.client.post(self.url.clone()).headers(headers).body(body).send().await else {
            return false;
        };
        if !answer.status().is_success() {
            return false;
        }
        let mcp_session = answer.headers().get(MCP_SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        self.known.lock().mcp_session = mcp_session;
        // Its content is what the client was told before.
        let _ = received(answer.bytes_stream().boxed()).await;
        (self.tell)("the server had forgotten the session; a new one was begun");
        if let Some(initialized) = initialized {
            let letter =
                Letter { message: Outgoing::unchanged(initialized), headers: Vec::new(), id: None, greets: false };
            return self.post(&letter).await.is_ok();
        }
        true
    }

    fn headers(&self, greets: bool) -> HeaderMap {
        let known = self.known.lock();
        let mut headers = HeaderMap::new();
        let mut put = |name: HeaderName, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                headers.insert(name, value);
            }
        };
        put(AUTHORIZATION, self.token.as_ref().map(|token| format!("Bearer {token}")));
        if !greets {
            put(HeaderName::from_static(MCP_SESSION), known.mcp_session.clone());
            put(PROTOCOL_VERSION, known.version.clone());
        }
        headers
    }

    /// Tells the server that the session is over.
    async fn leave(&self) {
        if self.known.lock().mcp_session.is_none() {
            return;
        }
        let asked = self.client.delete(self.url.clone()).headers(self.headers(false)).send();
        // A server that does not allow it, or is gone, needs no farewell.
        let _ = tokio::time::timeout(Duration::from_secs(2), asked).await;
    }
}

/// Why a message was not answered.
#[derive(Debug)]
enum Refused {
    /// The server does not know our session.
    Session,
    Status(StatusCode),
    Other(String),
}

fn other(error: impl std::error::Error) -> Refused {
    Refused::Other(format!("the server cannot be reached: {}", with_causes(&error)))
}

/// A value as a header can carry it.
fn header_text(value: &str) -> String {
    use base64::Engine;
    let plain = value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && value.trim() == value;
    if plain && !(value.starts_with("=?base64?") && value.ends_with("?=")) {
        return value.to_owned();
    }
    format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_header_can_carry_is_encoded() {
        assert_eq!(header_text("get_weather"), "get_weather");
        assert_eq!(header_text("wörter"), "=?base64?d8O2cnRlcg==?=");
        assert_eq!(header_text(" a"), "=?base64?IGE=?=");
    }
}

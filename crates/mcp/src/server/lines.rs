//! One message a line, over any pair of streams.
//!
//! Stricter to itself than the SDK's own transport: whatever a client sends that cannot be taken is answered, so that
//! no caller waits for ever. A line that is not JSON, one that is longer than any that is taken, and a request that is
//! none all get an error under the id that they have, as far as it can be found.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use offcut_core::json::{Lexeme, Lexer};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

/// The longest line that is taken, in bytes.
pub(super) const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// How much of a line that is too long is kept to find its id in.
const KEPT: usize = 64 * 1024;

/// How many messages may wait to be taken.
const WAITING: usize = 64;

/// A client at the other end of a pair of streams.
pub(super) struct ClientStream<W> {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    writer: Arc<Mutex<Option<W>>>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> ClientStream<W> {
    pub(super) fn new<R: AsyncRead + Send + Unpin + 'static>(reader: R, writer: W) -> ClientStream<W> {
        let writer = Arc::new(Mutex::new(Some(writer)));
        let (sender, incoming) = mpsc::channel(WAITING);
        // Reading is a task of its own, so that a message that is being read is never lost half way.
        tokio::spawn(read(BufReader::new(reader), sender, writer.clone()));
        ClientStream { incoming, writer }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for ClientStream<W> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let writer = self.writer.clone();
        async move { write(&writer, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.incoming.close();
        match self.writer.lock().await.take() {
            Some(mut writer) => writer.shutdown().await,
            None => Ok(()),
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: &Mutex<Option<W>>,
    message: &ServerJsonRpcMessage,
) -> Result<(), io::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    match writer.lock().await.as_mut() {
        Some(writer) => {
            writer.write_all(&line).await?;
            writer.flush().await
        }
        None => Err(io::ErrorKind::NotConnected.into()),
    }
}

/// Reads until the client has gone, or nobody listens to it any more.
async fn read<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    mut reader: BufReader<R>,
    sender: mpsc::Sender<ClientJsonRpcMessage>,
    writer: Arc<Mutex<Option<W>>>,
) {
    let mut opened = false;
    loop {
        let line = match line(&mut reader).await {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "the client could not be read any more");
                return;
            }
        };
        for message in parsed(&line) {
            let sent = match message {
                // Before there is a connection only a request can open one; the SDK takes anything else for its end.
                Ok(message) if !opened && !matches!(message, JsonRpcMessage::Request(_)) => Ok(()),
                Ok(message) => {
                    opened = true;
                    sender.send(message).await.map_err(|_| ())
                }
                Err(refusal) => write(&writer, &refusal).await.map_err(|_| ()),
            };
            if sent.is_err() {
                return;
            }
        }
    }
}

/// A line, or the start of one that is too long.
struct InputLine {
    bytes: Vec<u8>,
    /// How long it is.
    length: usize,
}

/// The next line that is not empty; none at the end.
async fn line<R: AsyncRead + Unpin>(reader: &mut BufReader<R>) -> io::Result<Option<InputLine>> {
    let mut line = InputLine { bytes: Vec::new(), length: 0 };
    loop {
        let available = reader.fill_buf().await?;
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(available.len());
        let part = available.get(..taken).unwrap_or_default();
        line.length += taken;
        if line.length <= LONGEST_LINE {
            line.bytes.extend_from_slice(part);
        } else {
            line.bytes.truncate(KEPT);
            line.bytes.shrink_to_fit();
        }
        let is_end = available.is_empty();
        reader.consume(taken + usize::from(end.is_some()));
        if is_end && line.length == 0 {
            return Ok(None);
        }
        if is_end || end.is_some() {
            if line.bytes.iter().all(u8::is_ascii_whitespace) {
                line = InputLine { bytes: Vec::new(), length: 0 };
                continue;
            }
            return Ok(Some(line));
        }
    }
}

/// What a line says: messages to take, and answers to what cannot be taken.
fn parsed(line: &InputLine) -> VecDeque<Result<ClientJsonRpcMessage, ServerJsonRpcMessage>> {
    if line.length > LONGEST_LINE {
        let why = format!("a message of {} bytes is longer than the {LONGEST_LINE} that are taken", line.length);
        return [Err(refusal(ErrorCode::INVALID_REQUEST, why, id_in(&line.bytes)))].into();
    }
    let bytes = line.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line.bytes);
    if let Ok(message) = serde_json::from_slice(bytes) {
        return [Ok(message)].into();
    }
    match serde_json::from_slice(bytes) {
        // Batches are of one revision only, and their answers may come one by one.
        Ok(Value::Array(batch)) if !batch.is_empty() => batch.into_iter().filter_map(message).collect(),
        Ok(other) => message(other).into_iter().collect(),
        Err(error) => [Err(refusal(ErrorCode::PARSE_ERROR, format!("not JSON: {error}"), None))].into(),
    }
}

/// What a value says; nothing where it is a notification of a kind that nobody knows.
fn message(value: Value) -> Option<Result<ClientJsonRpcMessage, ServerJsonRpcMessage>> {
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let is_notification = value.get("id").is_none() && value.get("method").is_some();
    match serde_json::from_value(value) {
        Ok(message) => Some(Ok(message)),
        Err(_) if is_notification => None,
        Err(_) => Some(Err(refusal(ErrorCode::INVALID_REQUEST, "not a message of JSON-RPC 2.0".to_owned(), id))),
    }
}

fn refusal(code: ErrorCode, why: String, id: Option<RequestId>) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(code, why, None), id)
}

/// The id of a message of which only the start is left, if it stands before what is long.
fn id_in(start: &[u8]) -> Option<RequestId> {
    let (mut lexer, mut depth, mut rest) = (Lexer::default(), 0usize, start);
    while let Some(piece) = lexer.next(&mut rest) {
        match piece.lexeme {
            Lexeme::Text if depth == 1 && piece.begins && piece.bytes == b"\"id\"" => {
                if let Some(value) = rest.trim_ascii_start().strip_prefix(b":") {
                    // Whatever follows the value is no part of it.
                    return serde_json::Deserializer::from_slice(value).into_iter().next()?.ok();
                }
            }
            Lexeme::Mark(b'{' | b'[') => depth += 1,
            Lexeme::Mark(b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Result<ClientJsonRpcMessage, Value> {
        let mut messages = parsed(&InputLine { bytes: line.as_bytes().to_vec(), length: line.len() });
        assert_eq!(messages.len(), 1, "{line}");
        messages.pop_front().unwrap().map_err(|refusal| serde_json::to_value(refusal).unwrap())
    }

    #[test]
    fn what_cannot_be_taken_is_answered_under_its_id() {
        let refused = |line: &str| {
            let refusal = one(line).unwrap_err();
            (refusal["error"]["code"].clone(), refusal["id"].clone())
        };
        assert_eq!(refused("{oops"), ((-32700).into(), Value::Null));
        assert_eq!(refused(r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#), ((-32600).into(), 7.into()));
        assert_eq!(refused(r#"{"id":"a"}"#), ((-32600).into(), "a".into()));
        assert_eq!(refused("[]"), ((-32600).into(), Value::Null));
        assert_eq!(refused("17"), ((-32600).into(), Value::Null));
    }

    #[test]
    fn a_batch_is_taken_one_by_one() {
        let batch =
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"id":3}]"#;
        let messages = parsed(&InputLine { bytes: batch.as_bytes().to_vec(), length: batch.len() });
        assert_eq!(messages.iter().filter(|message| message.is_ok()).count(), 2);
        assert_eq!(messages.len(), 3);
    }

    #[test]
    fn the_id_is_found_in_the_start_of_a_message() {
        let found = |start: &str| id_in(start.as_bytes()).map(|id| id.to_string());
        assert_eq!(found(r#"{"jsonrpc":"2.0","id": 12 ,"params":{"x":"aaaa"#).as_deref(), Some("12"));
        assert_eq!(found(r#"{"a":{"id":1},"b":["id"],"c":"\"id\":3","id":"x","p":"aa"#).as_deref(), Some("x"));
        assert_eq!(found(r#"{"params":{"id":1,"x":"aaaa"#), None);
        assert_eq!(found("\"id"), None);
    }

    #[test]
    fn no_start_of_a_message_is_too_strange_to_be_looked_at() {
        let message = r#"{"a\\":{"b":[1,"\"]"]},"é":"\u00e9","id":"x","method":"m","p":{"id":2}}"#;
        let id_ends = message.find(r#","method"#).unwrap();
        for end in 0..=message.len() {
            let start = message.as_bytes().get(..end).unwrap();
            let id = id_in(start).map(|id| id.to_string());
            assert_eq!(id.as_deref(), (end >= id_ends).then_some("x"), "{end}");
            assert!(!parsed(&InputLine { bytes: start.to_vec(), length: end }).is_empty());
        }
    }
}

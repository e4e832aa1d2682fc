//! Bodies: a message taken in from one, a message sent as one.

use std::io;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use tokio::sync::mpsc;

use crate::wire::outgoing::Outgoing;
use crate::wire::raw_message::{MessageSpool, RawMessage};

/// From this size on a message is worked on where it does not hold up others.
const HEAVY: u64 = 64 * 1024;

/// Takes a whole message in.
pub(crate) async fn received<E: std::error::Error + Send + Sync + 'static>(
    mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> io::Result<RawMessage> {
    let mut spool = MessageSpool::default();
    while let Some(chunk) = body.next().await {
        spool.push(&chunk.map_err(io::Error::other)?)?;
    }
    Ok(spool.finish())
}

/// Does `work` on a message of so many bytes: at once where they are few, beside the others where they are many.
pub(crate) async fn worked<T: Send + 'static>(bytes: u64, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    if bytes < HEAVY {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)
}

/// The bytes of a message, a chunk at a time.
pub(crate) fn sent(message: Outgoing) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let (sender, receiver) = mpsc::channel(4);
    if message.len() < HEAVY {
        let mut whole = Vec::new();
        let read = message.chunks(|chunk| {
            whole.extend_from_slice(chunk);
            Ok(())
        });
        // There is room for one.
        let _ = sender.try_send(read.map(|()| Bytes::from(whole)));
    } else {
        tokio::task::spawn_blocking(move || {
            let read = message.chunks(|chunk| {
                sender.blocking_send(Ok(Bytes::copy_from_slice(chunk))).map_err(|_| io::ErrorKind::BrokenPipe.into())
            });
            if let Err(error) = read {
                // Nobody reads any more where this fails.
                let _ = sender.blocking_send(Err(error));
            }
        });
    }
    received_from(receiver)
}

/// What comes through a channel, as a stream.
pub(crate) fn received_from<T: Send + 'static>(receiver: mpsc::Receiver<T>) -> impl Stream<Item = T> + Send + 'static {
    stream::unfold(receiver, |mut receiver| async move { receiver.recv().await.map(|item| (item, receiver)) })
}

/// A message as a body.
pub(crate) fn body(message: Outgoing) -> Body {
    if message.len() >= HEAVY {
        return Body::from_stream(sent(message));
    }
    let mut whole = Vec::new();
    match message.chunks(|chunk| {
        whole.extend_from_slice(chunk);
        Ok(())
    }) {
        Ok(()) => Body::from(whole),
        Err(_) => Body::empty(),
    }
}

//! A message, as far as it was looked into.

use std::ops::Range;

use offcut::TraceContext;

use crate::wire::id::RequestId;
use crate::wire::outgoing::Outgoing;
use crate::wire::outline::Value;
use crate::wire::raw_message::RawMessage;

/// A message as far as it was read.
pub(crate) struct MessageView<'a> {
    pub(crate) raw_message: &'a RawMessage,
    pub(crate) message: &'a Value,
}

impl MessageView<'_> {
    /// A string on the way `path`, decoded.
    pub(crate) fn text(&self, path: &[&str]) -> Option<String> {
        let value = path.iter().try_fold(self.message, |value, key| value.get(key))?;
        if !value.is_text() || value.len() > 64 * 1024 {
            return None;
        }
        serde_json::from_slice(&self.raw_message.read(value.range.clone()).ok()?).ok()
    }

    /// Whether it asks for an answer.
    pub(crate) fn is_request(&self) -> bool {
        self.message.get("method").is_some() && self.id().is_some()
    }

    /// Whether it is the answer to `id`.
    pub(crate) fn answers(&self, id: &RequestId) -> bool {
        self.message.get("method").is_none() && self.id().as_ref() == Some(id)
    }

    /// The same message, by itself, under another id.
    pub(crate) fn with_id(&self, id: &str) -> Option<Outgoing> {
        let old = self.message.get("id")?.range.clone();
        let range = &self.message.range;
        let before = self.raw_message.read(range.start..old.start).ok()?;
        let behind = self.raw_message.read(old.end..range.end).ok()?;
        let message = [&*before, id.as_bytes(), &*behind].concat();
        Some(Outgoing::unchanged(RawMessage::new(message)))
    }

    /// The name that the client gives itself in it.
    pub(crate) fn client(&self) -> Option<String> {
        self.text(&["params", "clientInfo", "name"])
            .or_else(|| self.text(&["params", "_meta", "io.modelcontextprotocol/clientInfo", "name"]))
    }

    /// The trace that the client says a request belongs to.
    pub(crate) fn trace(&self) -> Option<TraceContext> {
        self.text(&["params", "_meta", "traceparent"])?.parse().ok()
    }

    pub(crate) fn id(&self) -> Option<RequestId> {
        let id = self.message.get("id").filter(|id| id.len() < 64 * 1024)?;
        RequestId::read(&self.raw_message.read(id.range.clone()).ok()?)
    }

    /// Where the value on the way `path` is.
    pub(crate) fn range(&self, path: &[&str]) -> Option<Range<u64>> {
        path.iter().try_fold(self.message, |value, key| value.get(key)).map(|value| value.range.clone())
    }

    /// The message by itself, out of its batch.
    pub(crate) fn alone(&self) -> Option<RawMessage> {
        if self.message.range.end - self.message.range.start == self.raw_message.len() {
            return Some(self.raw_message.clone());
        }
        Some(RawMessage::new(self.raw_message.read(self.message.range.clone()).ok()?.into_owned()))
    }

    /// The message as a value: for those that are small.
    pub(crate) fn value(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.raw_message.read(self.message.range.clone()).ok()?).ok()
    }

    pub(crate) fn raw(&self, path: &[&str]) -> Option<String> {
        let value = path.iter().try_fold(self.message, |value, key| value.get(key))?;
        Some(String::from_utf8_lossy(&self.raw_message.read(value.range.clone()).ok()?).into_owned())
    }
}

/// The messages in a raw message; none where it is not JSON.
pub(crate) fn views(raw_message: &RawMessage) -> impl Iterator<Item = MessageView<'_>> {
    let messages = raw_message.outline().map(|outline| outline.messages()).unwrap_or_default();
    messages.iter().map(move |message| MessageView { raw_message, message })
}

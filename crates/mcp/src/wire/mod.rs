//! JSON-RPC messages as bytes: spooled while they arrive, looked into without being parsed, changed in places.
//!
//! A message is a [`RawMessage`](raw_message::RawMessage): its bytes, in memory while they are few and in a file once they
//! are not, and its [`Outline`](outline::Outline), the few places that a proxy cares for. What is passed on is an
//! [`Outgoing`](outgoing::Outgoing): the same bytes with some ranges replaced. So a message that is not touched leaves
//! byte for byte, and one of any size passes in bounded memory.

pub(crate) mod outline;
pub(crate) mod raw_message;

pub(crate) mod events;
pub(crate) mod lines;
pub(crate) mod outgoing;

pub(crate) mod id;
pub(crate) mod unescape;

//! What every part of the library works with: the rules, the store, the session, and those who watch.

use std::sync::Arc;

use offcut_core::document::{BLOCK, Document};
use offcut_core::notice::Recall as RecallWording;
use offcut_core::redact::Redactor;
use offcut_store::{ArtifactId, ArtifactInfo, SessionId, Store};

use crate::call::Call;
use crate::clock;
use crate::dedup::ArtifactDedup;
use crate::event::{self, Event, Observer, Record};
use crate::policy::Policy;
use crate::redaction::Redaction;
use crate::session::SessionUse;
use crate::trace_context::TraceContext;
use crate::words;

/// The surroundings of one session's outputs. It has no state but its store's.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) policy: Arc<Policy>,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) session: SessionId,
    /// The use of the session, where its artifacts go with it.
    pub(crate) session_use: Option<Arc<SessionUse>>,
    pub(crate) wording: RecallWording,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    /// The coding agent that the outputs are for; empty where that is not known.
    pub(crate) agent: String,
    /// The trace that the outputs belong to, where there is one.
    pub(crate) trace: Option<TraceContext>,
    /// How many bytes of an output are held in memory before they go to its draft.
    pub(crate) memory_bound: usize,
    /// Why every reply is degraded, whatever its output.
    pub(crate) degraded: Vec<String>,
    /// The artifacts that are there already, where equal outputs share one.
    pub(crate) dedup: Option<Arc<ArtifactDedup>>,
}

impl Context {
    /// The store and the session, where there is a store.
    pub(crate) fn store(&self) -> Option<(&dyn Store, &SessionId)> {
        self.store.as_deref().map(|store| (store, &self.session))
    }

    /// The short handle of one of the session's artifacts; where the store cannot tell the others, its whole random part.
    pub(crate) fn handle(&self, id: &ArtifactId) -> String {
        let short = self.store().and_then(|(store, session)| store.handle(session, id).ok());
        short.unwrap_or_else(|| id.random().to_owned())
    }

    /// The terms that a text is found by, where the store keeps them.
    pub(crate) fn terms(&self, text: &str) -> Option<Vec<u32>> {
        self.store.as_deref().filter(|store| store.keeps_terms()).and_then(|_| words::terms_of(text))
    }

    /// The redactor for one output of `tool`; none where redaction is off.
    pub(crate) fn redactor(&self, tool: &str) -> Option<Redactor> {
        self.redaction.redactor(tool)
    }

    /// A short text (arguments, a source line) of a call without its secrets.
    pub(crate) fn redacted(&self, tool: &str, text: &str) -> String {
        self.redaction.redacted(tool, text)
    }

    /// A call as everything behind this may see it: its tool's name, its arguments and its id without their secrets.
    /// Whatever is stored, shown, logged or made a file's name of a call comes through here.
    pub(crate) fn admit(&self, call: Call) -> Call {
        let clear = |text: &str| self.redacted(&call.tool, text);
        let (tool, arguments, call_id) =
            (clear(&call.tool), clear(&call.arguments), call.call_id.as_deref().map(clear));
        Call { tool, arguments, call_id, ..call }
    }

    /// Logs an event and passes it to the observers: the one way to them, and no secret passes it.
    pub(crate) fn emit(&self, mut event: Event) {
        for name in event.names_mut() {
            *name = self.redacted("", name);
        }
        event::log(&event);
        if self.observers.is_empty() {
            return;
        }
        let record = Record { at_ms: clock::now_ms(), agent: self.agent.clone(), trace: self.trace, event };
        for observer in &self.observers {
            observer.observe(&record);
        }
    }

    /// The artifact that holds this document already, where equal outputs share one. Reads a document that is not in
    /// memory once.
    pub(crate) fn kept_before(&self, document: &dyn Document) -> Option<ArtifactInfo> {
        self.dedup.as_ref()?;
        let Some(text) = document.text() else { return self.kept_content(hash_of(document).ok()?, None) };
        self.kept_text(text, None)
    }

    /// The artifact that holds this text under this trace id already, where equal outputs share one.
    pub(crate) fn kept_text(&self, text: &str, trace_id: Option<&str>) -> Option<ArtifactInfo> {
        self.dedup.as_ref()?;
        self.kept_content(blake3::hash(text.as_bytes()), trace_id)
    }

    fn kept_content(&self, hash: blake3::Hash, trace_id: Option<&str>) -> Option<ArtifactInfo> {
        let (dedup, (store, session)) = (self.dedup.as_deref()?, self.store()?);
        dedup.find(store, session, hash, trace_id)
    }

    /// Announces a new artifact; returns the one that holds where equal outputs share one.
    pub(crate) fn created(&self, info: ArtifactInfo) -> ArtifactInfo {
        self.emit(Event::Artifact {
            id: info.id.to_string(),
            session: info.session.to_string(),
            tool: info.source.tool.clone(),
            bytes: info.extent.bytes,
        });
        match (self.dedup.as_deref(), self.store()) {
            (Some(dedup), Some((store, session))) => dedup.settle(store, session, info),
            _ => info,
        }
    }
}

/// The hash of a document's bytes, read block by block.
fn hash_of(document: &dyn Document) -> std::io::Result<blake3::Hash> {
    let (mut hasher, mut at, total) = (blake3::Hasher::new(), 0, document.extent().bytes);
    while at < total {
        let block = document.read_around(at..(at + BLOCK).min(total))?;
        hasher.update(block.as_bytes());
        at += (block.len() as u64).max(1);
    }
    Ok(hasher.finalize())
}

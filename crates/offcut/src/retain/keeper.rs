//! One artifact for equal outputs: a conversation that is sent again names the same ids.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use offcut_core::classify::{Hints, classify};
use offcut_core::clean::Cleaner;
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::{Classification, Kind};
use offcut_core::tokens::TokenCounter;
use offcut_store::{ArtifactId, ArtifactInfo, Facts, SessionId, Source, Store, StoreError};

use crate::Offcut;
use crate::event::Event;

/// Which outputs of a session are kept already, by their content. A session is listed when it is first asked about, and
/// from then on followed; what another process keeps meanwhile is not seen.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    sessions: Mutex<BTreeMap<SessionId, Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// By the hash of the content and the caller's own trace id.
    artifacts: BTreeMap<(String, Option<String>), ArtifactId>,
}

impl Known {
    fn add(&mut self, info: &ArtifactInfo) {
        self.artifacts.insert((info.blake3.clone(), info.trace_id.clone()), info.id.clone());
    }
}

impl Keeper {
    fn with<T>(&self, store: &dyn Store, session: &SessionId, use_it: impl FnOnce(&mut Known) -> T) -> T {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sessions.entry(session.clone()).or_insert_with(|| {
            let mut known = Known::default();
            // Of equal ones the oldest holds. A session that cannot be listed has nothing that could be shared.
            store.list(session).unwrap_or_default().iter().rev().for_each(|info| known.add(info));
            known
        });
        use_it(known)
    }
}

/// The name of a content.
fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Offcut {
    /// The artifact that holds this document already, where equal outputs share one.
    pub(crate) fn kept_before(&self, document: &dyn Document) -> Option<ArtifactInfo> {
        self.found(document.text()?, None)
    }

    fn found(&self, text: &str, trace_id: Option<&str>) -> Option<ArtifactInfo> {
        let (keeper, (store, session)) = (self.keeper()?, self.store()?);
        let key = (hash(text), trace_id.map(str::to_owned));
        let id = keeper.with(store, session, |known| known.artifacts.get(&key).cloned())?;
        // It may have been evicted or removed since.
        store.open(session, &id).ok().map(|artifact| artifact.info().clone())
    }

    /// Takes note of a new artifact.
    pub(crate) fn remember(&self, info: &ArtifactInfo) {
        if let (Some(keeper), Some((store, session))) = (self.keeper(), self.store()) {
            keeper.with(store, session, |known| known.add(info));
        }
    }

    /// A text without what only a terminal understands, and without secrets.
    pub(crate) fn cleaned(&self, tool: &str, text: &str) -> String {
        let (mut cleaner, mut scratch) = (Cleaner::default(), String::new());
        let mut clean = cleaner.push(text.as_bytes(), &mut scratch).to_owned();
        clean.push_str(cleaner.finish(&mut scratch));
        let Some(mut redactor) = self.redactor(tool) else { return clean };
        let mut redacted = String::with_capacity(clean.len());
        redactor.push(&clean, &mut |text| redacted.push_str(text));
        redactor.finish(&mut |text| redacted.push_str(text));
        redacted
    }

    /// Keeps a text that [`cleaned`](Offcut::cleaned) has made, once; the caller's own trace id leads to it too.
    pub(crate) fn keep(
        &self,
        text: &str,
        tool: &str,
        arguments: &str,
        trace_id: Option<&str>,
    ) -> Result<ArtifactId, StoreError> {
        if let Some(info) = self.found(text, trace_id) {
            return Ok(info.id);
        }
        let (store, session) = self.store().ok_or_else(|| StoreError::Unavailable {
            what: "a store".to_owned(),
            why: "none is configured".to_owned(),
        })?;
        let document = TextDocument::new(text);
        let hints = Hints { tool, arguments, forced: None };
        let kind = classify(&document, &hints)
            .unwrap_or_else(|_| Classification::new(Kind::Text, 0.0, "could not be read"))
            .kind;
        let tokenizer = self.policy().options().tokenizer.as_deref().and_then(|name| name.parse().ok());
        let tokenizer: offcut_core::tokens::Tokenizer = tokenizer.unwrap_or_default();
        let facts = Facts {
            source: Source { tool: tool.to_owned(), arguments: self.redacted(tool, arguments) },
            media_type: kind.media_type().into_owned(),
            kind: kind.to_string(),
            summary: format!("{kind} output, {} lines", document.extent().lines),
            extent: *document.extent(),
            index: document.index().clone(),
            tokens: tokenizer.count(text),
            file_name: None,
            binary: false,
            trace_id: trace_id.map(str::to_owned),
        };
        let mut draft = store.draft(session)?;
        draft.write(text.as_bytes())?;
        let info = draft.commit(facts)?;
        self.emit(Event::Artifact {
            id: info.id.to_string(),
            session: info.session.to_string(),
            tool: tool.to_owned(),
            bytes: info.extent.bytes,
        });
        self.remember(&info);
        Ok(info.id)
    }
}

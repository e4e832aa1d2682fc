//! Where an output is on its way to becoming an artifact.

use std::sync::{Arc, Mutex};

use offcut_store::{ArtifactId, ArtifactInfo, Draft, Facts};

use crate::context::Context;

/// A draft that a document reads while it waits for its commit.
pub(crate) type SharedDraft = Arc<Mutex<Box<dyn Draft>>>;

/// The storage of one output. An artifact is announced only as [`Stored`](Storage::Stored).
pub(crate) enum Storage {
    /// The text is in memory, and nothing was begun.
    InMemory,
    /// A draft was begun for a text that is still in memory only.
    Begun(SharedDraft),
    /// The whole text is in its draft.
    Written(SharedDraft),
    /// The whole text is an artifact.
    Stored(Box<ArtifactInfo>),
    /// The whole text could not be kept, and why.
    Lost(String),
}

impl Storage {
    /// The storage of a text that is in this draft.
    pub(crate) fn written(draft: Box<dyn Draft>) -> (Storage, SharedDraft) {
        let draft: SharedDraft = Arc::new(Mutex::new(draft));
        (Storage::Written(draft.clone()), draft)
    }

    /// The artifact, where there is one.
    pub(crate) fn info(&self) -> Option<&ArtifactInfo> {
        if let Storage::Stored(info) = self { Some(info) } else { None }
    }

    /// Why the whole could not be kept, where it could not.
    pub(crate) fn lost(&self) -> Option<&str> {
        if let Storage::Lost(why) = self { Some(why) } else { None }
    }

    /// The id that the artifact has or will have, where one is begun.
    pub(crate) fn id(&self) -> Option<ArtifactId> {
        match self {
            Storage::InMemory | Storage::Lost(_) => None,
            Storage::Begun(draft) | Storage::Written(draft) => draft.lock().ok().map(|draft| draft.id().clone()),
            Storage::Stored(info) => Some(info.id.clone()),
        }
    }

    /// Begins a draft for a text that is still in memory; does nothing for any other.
    pub(crate) fn begin(&mut self, context: &Context) {
        if !matches!(self, Storage::InMemory) {
            return;
        }
        *self = match context.store().map(|(store, session)| store.draft(session)) {
            None => Storage::Lost("no store is configured".to_owned()),
            Some(Err(error)) => Storage::Lost(error.to_string()),
            Some(Ok(draft)) => Storage::Begun(Arc::new(Mutex::new(draft))),
        };
    }

    /// The draft that the text has yet to be written to.
    pub(crate) fn unwritten(&self) -> Option<&SharedDraft> {
        if let Storage::Begun(draft) = self { Some(draft) } else { None }
    }

    /// Takes note of how writing the text to its draft went.
    pub(crate) fn note_written(&mut self, written: Result<(), String>) {
        if let Storage::Begun(draft) = self {
            *self = match written {
                Ok(()) => Storage::Written(draft.clone()),
                Err(why) => Storage::Lost(why),
            };
        }
    }

    /// Makes the whole an artifact, where it is in its draft.
    pub(crate) fn commit(&mut self, context: &Context, facts: Facts) {
        let Storage::Written(draft) = self else { return };
        let committed = match draft.lock() {
            Ok(mut draft) => draft.commit(facts).map_err(|error| error.to_string()),
            Err(_) => Err("the draft was left locked".to_owned()),
        };
        *self = match committed {
            Ok(info) => Storage::Stored(Box::new(context.created(info))),
            Err(why) => Storage::Lost(why),
        };
    }
}

/// Writes the text of an output to its draft.
pub(crate) fn write(draft: &SharedDraft, text: &str) -> Result<(), String> {
    let mut draft = draft.lock().map_err(|_| "the draft was left locked".to_owned())?;
    draft.write_whole(text.as_bytes()).map_err(|error| error.to_string())
}

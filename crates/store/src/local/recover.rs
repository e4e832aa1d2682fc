//! Outputs whose writer died before they ended: what had come by then becomes an artifact, marked as unfinished.
//!
//! A draft that saves its progress has a note beside its staging file, locked while its writer lives. A note that nobody
//! locks is one of a writer that died; what it stands for is copied to an artifact of its own, and both files go.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use offcut_core::extent::Meter;
use serde::{Deserialize, Serialize};

use crate::artifact::Facts;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::draft::LocalDraft;
use crate::local::folder::Folder;
use crate::local::names::{self, Named};
use crate::local::place::{StoreRoot, present};
use crate::local::spool::CHUNK;
use crate::local::sweep;
use crate::pack;
use crate::store::{Draft, Progress};

/// The note beside a staging file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Note {
    /// How much was written when the note was: only behind that its tail has a place.
    pub(super) at: u64,
    #[serde(flatten)]
    pub(super) progress: Progress,
}

impl Note {
    /// Reads a note. One that its writer could not finish says nothing.
    fn read(file: &File) -> Note {
        let mut json = Vec::new();
        let read = { file }.read_to_end(&mut json).is_ok();
        let mut notes = serde_json::Deserializer::from_slice(&json).into_iter();
        // A shorter note was written over a longer one: the first is what counts.
        notes.next().and_then(Result::ok).filter(|_| read).unwrap_or_default()
    }
}

/// The id that the note of this name is about, if it is a note.
pub(super) fn saved(name: &str) -> Option<ArtifactId> {
    match names::classify(name) {
        Named::Progress(id) => Some(id),
        _ => None,
    }
}

/// Makes artifacts of what writers that died had saved. What cannot be recovered now is left for the next time.
pub(super) fn recover(place: &Arc<StoreRoot>, folder: &Arc<Folder>, session: &SessionId) -> Result<(), StoreError> {
    for (id, name) in notes(folder)? {
        let Some(note) = abandoned(folder, &name)? else { continue };
        if let Err(error) = recover_one(place, folder, session, &id, &note) {
            tracing::warn!(%error, artifact = %id, "could not recover an unfinished output");
            continue;
        }
        remove(folder, &id)?;
    }
    Ok(())
}

/// Gives up what writers that died had saved: their files are leftovers from here on.
pub(super) fn discard(folder: &Folder) -> Result<(), StoreError> {
    for (_, name) in notes(folder)? {
        sweep::remove_unlocked(folder, &name, None)?;
    }
    Ok(())
}

fn notes(folder: &Folder) -> Result<Vec<(ArtifactId, String)>, StoreError> {
    let names = folder.names().map_err(|error| folder.error("list", "", error))?;
    Ok(names.into_iter().filter_map(|name| Some((saved(&name)?, name))).collect())
}

/// The note of a writer that died; while it is held, nobody else recovers what it stands for.
fn abandoned(folder: &Folder, name: &str) -> Result<Option<File>, StoreError> {
    let file = match present(folder.read(name)) {
        Ok(Some(file)) => file,
        Ok(None) | Err(StoreError::Refused { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let free =
        file.try_lock().is_ok() && folder.is(name, &file).map_err(|error| folder.error("inspect", name, error))?;
    Ok(free.then_some(file))
}

fn recover_one(
    place: &Arc<StoreRoot>,
    folder: &Arc<Folder>,
    session: &SessionId,
    id: &ArtifactId,
    note: &File,
) -> Result<(), StoreError> {
    let committed = folder.has(&names::metadata(id)).map_err(|error| folder.error("look for", "", error))?;
    let Some(content) = content(folder, id)?.filter(|_| !committed) else { return Ok(()) };
    let Note { at, progress: Progress { source, binary, tail } } = Note::read(note);
    let fresh = ArtifactId::generate_at(id.unix_millis())?;
    let mut draft = LocalDraft::unfinished(place.clone(), session.clone(), fresh);
    let mut meter = Meter::default();
    let mut keep = |piece: &[u8]| {
        meter.push(std::str::from_utf8(piece).unwrap_or_default());
        draft.write(piece).map(|()| draft.written())
    };
    let mut pieces =
        Pieces::of(content, binary).map_err(|error| folder.error("read the content of", id.as_str(), error))?;
    let mut written = 0;
    while let Some(piece) = pieces.next(binary) {
        written = keep(&piece)?;
    }
    if written == at {
        keep(tail.as_bytes())?;
    }
    if draft.written() == 0 {
        return Ok(());
    }
    let (mut extent, index) = meter.finish();
    extent.bytes = draft.written();
    let summary = "unfinished: the process that wrote it ended before the output did".to_owned();
    let (media_type, kind) = if binary { ("application/octet-stream", "binary") } else { ("text/plain", "text") };
    let facts = Facts {
        source,
        media_type: media_type.to_owned(),
        kind: kind.to_owned(),
        summary,
        tokens: extent.chars.div_ceil(4),
        extent,
        index,
        binary,
        ..Facts::default()
    };
    draft.commit(facts).map(|_| ())
}

/// The content as its writer left it: on its way, or named already while its metadata was not.
fn content(folder: &Folder, id: &ArtifactId) -> Result<Option<File>, StoreError> {
    for name in files(folder, id) {
        if let Some(file) = present(folder.read(&name))? {
            return Ok(file.try_lock().is_ok().then_some(file));
        }
    }
    Ok(None)
}

/// Every name that the content may have.
fn files(folder: &Folder, id: &ArtifactId) -> Vec<String> {
    let named = sweep::content_named_by(folder, &names::metadata_staging(id));
    [names::content_staging(id)].into_iter().chain(named).chain(names::contents(id)).collect()
}

/// Removes what is left of a writer, its note last.
fn remove(folder: &Folder, id: &ArtifactId) -> Result<(), StoreError> {
    let committed = folder.has(&names::metadata(id)).map_err(|error| folder.error("look for", "", error))?;
    let content = if committed { Vec::new() } else { files(folder, id) };
    for name in content.into_iter().chain([names::metadata_staging(id), names::progress(id)]) {
        folder.remove(&name).map_err(|error| folder.error("remove", &name, error))?;
    }
    Ok(())
}

/// The content in pieces that end at the border of a character.
struct Pieces {
    content: Box<dyn Read>,
    /// The beginning of a character that the last piece has split.
    split: Vec<u8>,
}

impl Pieces {
    fn of(content: File, binary: bool) -> io::Result<Pieces> {
        let content = if binary { Box::new(content) } else { pack::unpacking(content)? };
        Ok(Pieces { content, split: Vec::new() })
    }

    /// The next piece; none at the end, or where the rest cannot be read.
    fn next(&mut self, binary: bool) -> Option<Vec<u8>> {
        let mut piece = std::mem::take(&mut self.split);
        let before = piece.len();
        // What was read before an error is as good as what ends there.
        let _ = self.content.by_ref().take(CHUNK as u64).read_to_end(&mut piece);
        if piece.len() == before {
            return None;
        }
        if !binary && let Err(error) = std::str::from_utf8(&piece) {
            self.split = piece.split_off(error.valid_up_to());
        }
        Some(piece)
    }
}

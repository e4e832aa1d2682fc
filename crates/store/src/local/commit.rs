//! The moment in which a draft becomes an artifact.
//!
//! The content is synced, then the metadata; then the content gets its name, then the metadata: with that last name the
//! artifact is there, and everything that it needs was on disk before.

use std::io::{self, Write};
use std::sync::Arc;

use crate::artifact::{ArtifactInfo, CommitFacts, Facts};
use crate::blocks::BLOCK;
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::limits::ArtifactSize;
use crate::local::folder::Folder;
use crate::local::ledger::Ledger;
use crate::local::names;
use crate::local::place::StoreRoot;
use crate::local::remove;
use crate::local::spool::Spooled;
use crate::local::staging::Staging;
use crate::record::{Record, RecordHead};

/// How many names are tried for a content file that wants its own.
const NAMES: u32 = 1000;

/// A content that is whole and on disk, not yet visible.
#[derive(Debug)]
pub(super) struct Staged {
    pub(super) folder: Arc<Folder>,
    pub(super) content: Staging,
    pub(super) spooled: Spooled,
    pub(super) compressed: bool,
    /// Whether it is what another writer, who died, had written.
    pub(super) unfinished: bool,
}

/// Makes what is staged visible. On an error nothing stays.
pub(super) fn publish(
    place: &StoreRoot,
    session: &SessionId,
    id: &ArtifactId,
    bytes: u64,
    staged: Staged,
    facts: Facts,
) -> Result<ArtifactInfo, StoreError> {
    let Staged { folder, content, spooled: Spooled { tree, stored_bytes, lengths }, compressed, unfinished } = staged;
    let wanted = match (facts.checked_file_name()?, compressed) {
        (Some(name), true) => format!("{name}.zst"),
        (Some(name), false) => name.to_owned(),
        (None, _) => names::content(id, facts.binary, compressed),
    };
    let (hashes, hash) = tree.finish();
    let known = CommitFacts { id, session, bytes, stored_bytes, hash: &hash, compressed, unfinished };
    let (info, index) = facts.into_info(known)?;
    let head = RecordHead { block_bytes: BLOCK as u64, file: String::new(), info };
    let mut naming = Naming { place, folder: &folder, content, record: Record { head, hashes, lengths, index } };
    for attempt in 1..=NAMES {
        let file = names::numbered(&wanted, attempt);
        if folder.has(&file).map_err(|error| folder.error("look for", &file, error))? {
            continue;
        }
        naming.record.head.file = file;
        if naming.name()? {
            naming.content.keep();
            let RecordHead { file, mut info, .. } = naming.record.head;
            info.path = (!compressed).then(|| folder.path().join(file));
            return Ok(info);
        }
    }
    Err(StoreError::Misuse { why: format!("`{wanted}` and {NAMES} names like it are taken") })
}

/// Two files on the way to their names.
struct Naming<'a> {
    place: &'a StoreRoot,
    folder: &'a Arc<Folder>,
    content: Staging,
    record: Record,
}

impl Naming<'_> {
    /// Writes the metadata and gives both files their names; `false` if the content's name is taken.
    fn name(&mut self) -> Result<bool, StoreError> {
        let (folder, id) = (self.folder, &self.record.head.info.id);
        let durable = self.place.options().durable;
        let bytes = self.record.encode().map_err(|why| StoreError::Misuse { why })?;
        let error = |error| folder.error("write the metadata", &names::metadata(id), error);
        let mut metadata = Staging::create(folder, names::metadata_staging(id)).map_err(error)?;
        folder.check("write").and_then(|()| metadata.file().as_ref().write_all(&bytes)).map_err(error)?;
        if durable {
            folder.check("sync").and_then(|()| metadata.file().sync_all()).map_err(error)?;
        }
        let ledger = self.enter()?;
        let named = self.content.publish(&self.record.head.file);
        if named.is_ok() {
            // From here on, whatever fails removes both again: first the metadata, then the content.
            let visible = metadata.publish(&names::metadata(id));
            let left = if visible.is_err() { ledger.removed(id) } else { Ok(()) };
            drop(ledger);
            visible.and_then(|()| if durable { folder.sync() } else { Ok(()) }).map_err(error)?;
            left?;
            metadata.keep();
            return Ok(true);
        }
        ledger.removed(id)?;
        match named {
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            other => {
                other.map(|()| true).map_err(|error| folder.error("name the content", &self.record.head.file, error))
            }
        }
    }

    /// Makes room in the session, and enters the artifact into its ledger, which stays locked.
    fn enter(&self) -> Result<Ledger, StoreError> {
        let info = &self.record.head.info;
        let options = self.place.options();
        let mut ledger = Ledger::lock(self.folder)?;
        let created_ms = options.clock.now_ms();
        let entry = ArtifactSize { id: info.id.clone(), stored_bytes: info.stored_bytes, created_ms };
        if options.limits.need_a_count() {
            let known = self.place.tallies().take(&info.session);
            let is_first = known.is_none();
            let mut tally = known.unwrap_or_default();
            if is_first && ledger.surely_has_room(&options.limits, &entry)? {
                self.place.tallies().put(&info.session, tally);
                ledger.created(&entry)?;
                return Ok(ledger);
            }
            ledger.read_on(&mut tally)?;
            if tally.is_bloated() {
                ledger = ledger.tidied()?;
                ledger.read_on(&mut tally)?;
            }
            let account = &mut tally.account;
            options.limits.forget_old(&mut account.times, created_ms);
            let evicted = options.limits.make_room(&info.session, account.kept(), &account.times, &entry);
            self.place.tallies().put(&info.session, tally);
            for evicted in evicted? {
                ledger.evicted(&evicted)?;
                remove(self.folder, &info.session, &evicted)?;
                tracing::info!(artifact = %evicted, session = %info.session, "evicted an artifact to make room");
            }
        }
        ledger.created(&entry)?;
        Ok(ledger)
    }
}

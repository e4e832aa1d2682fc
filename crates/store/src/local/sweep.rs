//! Clearing away what nobody will come back for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use offcut_platform::FolderLock;

use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::local::folder::Folder;
use crate::local::lease::{self, Use};
use crate::local::ledger::Ledger;
use crate::local::names::{self, Named};
use crate::local::place::{StoreRoot, present};
use crate::local::{artifact, ids, recover, remove, sessions};
use crate::record;
use crate::store::{Sweep, Swept};

pub(super) fn sweep(place: &Arc<StoreRoot>, root: &Folder, sweep: &Sweep) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let now = place.options().clock.now_ms();
    for (session, folder) in sessions(root)? {
        let folder = Arc::new(folder);
        recover::recover(place, &folder, &session)?;
        let (files, bytes) = leftovers(&folder)?;
        swept.leftovers += files;
        swept.bytes += bytes;
        let owner = lease::lock_abandoned(&folder)?;
        let newest = ids(&folder)?.iter().map(ArtifactId::unix_millis).max().unwrap_or(0);
        let idle = u128::from(now.saturating_sub(newest)) >= sweep.idle.as_millis();
        let abandoned = sweep.abandoned && idle && matches!(owner, Use::Abandoned(_));
        let mut left = 0u64;
        for id in ids(&folder)? {
            let age = now.saturating_sub(id.unix_millis());
            let too_old = sweep.older_than.is_some_and(|limit| u128::from(age) > limit.as_millis());
            if abandoned || too_old {
                swept.bytes += remove(&folder, &session, &id)?;
                swept.artifacts += 1;
            } else {
                left += 1;
            }
        }
        let empty = left == 0 && sweep.older_than.is_some() && !matches!(owner, Use::Attached);
        if abandoned || empty {
            let _ledger = Ledger::lock(&folder)?;
            folder.remove(names::LEDGER).map_err(|error| folder.error("remove", names::LEDGER, error))?;
            folder.remove(names::OWNER).map_err(|error| folder.error("remove", names::OWNER, error))?;
            swept.sessions += u64::from(remove_folder(root, &session)?);
        } else {
            reconcile(&folder, &session)?;
        }
    }
    Ok(swept)
}

/// Makes the ledger say what is really there.
fn reconcile(folder: &Arc<Folder>, session: &SessionId) -> Result<(), StoreError> {
    let has_ledger = folder.has(names::LEDGER).map_err(|error| folder.error("look for", names::LEDGER, error))?;
    if !has_ledger && ids(folder)?.is_empty() {
        return Ok(());
    }
    let ledger = Ledger::lock(folder)?;
    let account = ledger.account()?;
    let known: BTreeMap<&ArtifactId, u64> = account.kept().map(|entry| (&entry.id, entry.stored_bytes)).collect();
    let there = ids(folder)?;
    if there.len() == known.len() && there.iter().all(|id| known.contains_key(id)) {
        return Ok(());
    }
    let size = |id: &ArtifactId| match known.get(id) {
        Some(&bytes) => bytes,
        None => artifact::head(folder, session, id).map_or(0, |head| head.info.stored_bytes),
    };
    let there = there.into_iter().map(|id| (id.clone(), size(&id))).collect();
    ledger.rewrite(&account, there)
}

/// Removes the files of writers that died; says how many, and what they took.
pub(super) fn leftovers(folder: &Folder) -> Result<(u64, u64), StoreError> {
    // A file is made and locked under the folder's lock: while this one is held, what is not locked is a leftover.
    let _clearing = folder.lock(FolderLock::Exclusive);
    let (mut files, mut bytes) = (0, 0);
    let mut gone = |size: Option<u64>| {
        files += u64::from(size.is_some());
        bytes += size.unwrap_or(0);
    };
    let names = folder.names().map_err(|error| folder.error("list", "", error))?;
    // What is worth keeping is for the one who recovers it.
    let saved: BTreeSet<ArtifactId> = names.iter().filter_map(|name| recover::saved(name)).collect();
    for name in names {
        match names::classify(&name) {
            Named::ContentStaging(id) | Named::MetadataStaging(id) | Named::Content(id) if saved.contains(&id) => {}
            Named::ContentStaging(_) | Named::AsideStaging => gone(remove_unlocked(folder, &name, None)?),
            Named::MetadataStaging(id) => {
                if let Some(content) = content_named_by(folder, &name) {
                    gone(remove_unlocked(folder, &content, Some(&id))?);
                }
                gone(remove_unlocked(folder, &name, None)?);
            }
            Named::Content(id) | Named::Aside(id) => gone(remove_unlocked(folder, &name, Some(&id))?),
            Named::Metadata(_) | Named::Progress(_) | Named::Other => {}
        }
    }
    Ok((files, bytes))
}

/// Removes a file whose writer is gone, unless the artifact that it belongs to is visible; says what it took.
pub(super) fn remove_unlocked(
    folder: &Folder,
    name: &str,
    unless: Option<&ArtifactId>,
) -> Result<Option<u64>, StoreError> {
    let visible = |id: &ArtifactId| {
        let metadata = names::metadata(id);
        folder.has(&metadata).map_err(|error| folder.error("look for", &metadata, error))
    };
    if unless.map(visible).transpose()?.unwrap_or(false) {
        return Ok(None);
    }
    let file = match present(folder.read(name)) {
        Ok(Some(file)) => file,
        Ok(None) | Err(StoreError::Refused { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    // A writer holds its lock until the artifact is visible and its files have their last names: so the second look,
    // under the lock, is final.
    if file.try_lock().is_err() || unless.map(visible).transpose()?.unwrap_or(false) {
        return Ok(None);
    }
    if !folder.is(name, &file).map_err(|error| folder.error("inspect", name, error))? {
        return Ok(None);
    }
    let size = file.metadata().map(|metadata| metadata.len()).unwrap_or(0);
    folder.remove(name).map_err(|error| folder.error("remove", name, error))?;
    Ok(Some(size))
}

/// The content that a left metadata file was about, where it has a name of its own.
pub(super) fn content_named_by(folder: &Folder, name: &str) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    folder.read(name).ok()?.take(1 << 20).read_to_end(&mut bytes).ok()?;
    let (head, _) = record::decode_head(&bytes).ok()??;
    names::is_content_name(&head.file).then_some(head.file)
}

/// Removes a session's folder, if nothing is left in it; says whether it is gone.
pub(super) fn remove_folder(root: &Folder, session: &SessionId) -> Result<bool, StoreError> {
    root.remove_folder(session.as_str()).map_err(|error| root.error("remove", session.as_str(), error))
}

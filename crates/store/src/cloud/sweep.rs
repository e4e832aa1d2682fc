//! Clearing away what nobody will come back for, on object storage.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use object_store::ObjectMeta;

use crate::cloud::{CloudState, lease};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::store::{Sweep, Swept};

/// How long a note is kept.
const NOTE_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

pub(super) fn sweep(inner: &CloudState, sweep: &Sweep) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let now = inner.options.clock.now_ms();
    for name in inner.objects.folders(inner.keys.root())? {
        let Ok(session) = name.parse::<SessionId>() else { continue };
        let listed = leftovers(inner, &session, &mut swept)?;
        let newest = listed.visible.iter().map(ArtifactId::unix_millis).max().unwrap_or(0);
        let idle = u128::from(now.saturating_sub(newest)) >= sweep.idle.as_millis();
        if sweep.abandoned && idle && lease::is_abandoned(inner, &session)? {
            let cleared = inner.clear(&session)?;
            lease::forget(inner, &session)?;
            swept.artifacts += cleared.artifacts;
            swept.bytes += cleared.bytes;
            swept.sessions += 1;
            continue;
        }
        let Some(limit) = sweep.older_than else { continue };
        // An id tells when its artifact was created, and a listing what its content takes: nothing has to be read.
        let (old, young): (Vec<ArtifactId>, Vec<ArtifactId>) = listed
            .visible
            .into_iter()
            .partition(|id| u128::from(now.saturating_sub(id.unix_millis())) > limit.as_millis());
        inner.remove_all(&session, &old)?;
        swept.artifacts += old.len() as u64;
        swept.bytes += old.iter().filter_map(|id| listed.sizes.get(id)).sum::<u64>();
        if young.is_empty() && !lease::in_use(inner, &session)? {
            inner.clear(&session)?;
            lease::forget(inner, &session)?;
            swept.sessions += 1;
        }
    }
    forget_notes(inner, now)?;
    Ok(swept)
}

/// Removes the notes that are too old.
fn forget_notes(inner: &CloudState, now: u64) -> Result<(), StoreError> {
    let is_old = |note: &ObjectMeta| {
        let age = now.saturating_sub(note.last_modified.timestamp_millis().max(0) as u64);
        u128::from(age) > NOTE_AGE.as_millis()
            && !note.location.filename().is_some_and(|name| name.starts_with("secret"))
    };
    let notes = inner.objects.list(inner.keys.notes())?;
    inner.objects.delete_all(notes.into_iter().filter(is_old).map(|note| note.location).collect())
}

/// What a session has, by its listings.
struct ListedSession {
    visible: BTreeSet<ArtifactId>,
    sizes: BTreeMap<ArtifactId, u64>,
}

/// Removes content without metadata that is too old to be still on its way; says what there is.
fn leftovers(inner: &CloudState, session: &SessionId, swept: &mut Swept) -> Result<ListedSession, StoreError> {
    let contents = inner.objects.list(&inner.keys.datas(session))?;
    let mut sizes = BTreeMap::new();
    let mut left_over = Vec::new();
    // The metadata is listed after the content, so that what was committed in between is seen.
    let visible: BTreeSet<ArtifactId> = inner.ids(session)?.into_iter().collect();
    for content in contents {
        let id = content.location.filename().and_then(|name| name.parse::<ArtifactId>().ok());
        let age = inner.options.clock.now_ms().saturating_sub(content.last_modified.timestamp_millis().max(0) as u64);
        let left = u128::from(age) > inner.options.leftover_age.as_millis();
        let Some(id) = id else { continue };
        if left && !visible.contains(&id) {
            left_over.extend(inner.beside(session, &id));
            swept.leftovers += 1;
            swept.bytes += content.size;
        }
        sizes.insert(id, content.size);
    }
    inner.objects.delete_all(left_over)?;
    Ok(ListedSession { visible, sizes })
}

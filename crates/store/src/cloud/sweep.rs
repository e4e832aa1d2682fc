//! Clearing away what nobody will come back for, on object storage.

use std::collections::BTreeSet;

use crate::cloud::{Inner, lease};
use crate::error::StoreError;
use crate::id::{ArtifactId, SessionId};
use crate::store::{Sweep, Swept};

pub(super) fn sweep(inner: &Inner, sweep: &Sweep) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let now = inner.options.clock.now_ms();
    for name in inner.objects.folders(inner.keys.root())? {
        let Ok(session) = name.parse::<SessionId>() else { continue };
        leftovers(inner, &session, &mut swept)?;
        if sweep.abandoned && lease::is_abandoned(inner, &session)? {
            let cleared = inner.clear(&session)?;
            lease::forget(inner, &session)?;
            swept.artifacts += cleared.artifacts;
            swept.bytes += cleared.bytes;
            swept.sessions += 1;
            continue;
        }
        let Some(limit) = sweep.older_than else { continue };
        let (old, young): (Vec<_>, Vec<_>) = inner
            .heads(&session)?
            .into_iter()
            .partition(|head| u128::from(now.saturating_sub(head.info.created_ms)) > limit.as_millis());
        for head in &old {
            inner.remove(&session, &head.info.id)?;
            swept.artifacts += 1;
            swept.bytes += head.info.stored_bytes;
        }
        if young.is_empty() && !lease::in_use(inner, &session)? {
            inner.clear(&session)?;
            lease::forget(inner, &session)?;
            swept.sessions += 1;
        }
    }
    Ok(swept)
}

/// Removes content without metadata that is too old to be still on its way.
fn leftovers(inner: &Inner, session: &SessionId, swept: &mut Swept) -> Result<(), StoreError> {
    let contents = inner.objects.list(&inner.keys.datas(session))?;
    // The metadata is listed after the content, so that what was committed in between is seen.
    let visible: BTreeSet<ArtifactId> = inner.ids(session)?.into_iter().collect();
    for content in contents {
        let id = content.location.filename().and_then(|name| name.parse::<ArtifactId>().ok());
        let age = inner.options.clock.now_ms().saturating_sub(content.last_modified.timestamp_millis().max(0) as u64);
        let left = u128::from(age) > inner.options.leftover_age.as_millis();
        if left && id.is_some_and(|id| !visible.contains(&id)) {
            inner.objects.delete(&content.location)?;
            swept.leftovers += 1;
            swept.bytes += content.size;
        }
    }
    Ok(())
}

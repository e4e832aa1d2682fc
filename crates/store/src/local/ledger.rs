//! What a session has kept, in the order in which it came: one line an event, appended under a lock.
//!
//! ```text
//! + art_1699234567890_a1b2c3d4 2415919 1699234567890     created: id, stored bytes, milliseconds
//! - art_1699234567890_a1b2c3d4                           removed
//! e art_1699234567890_a1b2c3d4                           evicted
//! ```
//!
//! The metadata files decide what is there; the ledger is for counting without reading them all, and for remembering
//! what was evicted. A line is written before what it speaks of is done, so that a writer that dies in between counts
//! too much rather than too little; a sweep puts that right.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::id::ArtifactId;
use crate::limits::{ArtifactSize, Limits};
use crate::local::account::{Account, AtMost, LedgerProgress, REMEMBERED, lines};
use crate::local::folder::Folder;
use crate::local::names::LEDGER;
use crate::local::place::present;

/// How long a ledger is waited for; whoever holds it needs well under a millisecond, or a moment to evict.
const PATIENCE: Duration = Duration::from_secs(20);

/// The ledger of a session, locked.
#[derive(Debug)]
pub(super) struct Ledger {
    folder: Arc<Folder>,
    file: File,
}

impl Ledger {
    /// Waits for the ledger, and locks it until the value is dropped.
    pub(super) fn lock(folder: &Arc<Folder>) -> Result<Ledger, StoreError> {
        let error = |error| folder.error("lock the ledger", LEDGER, error);
        loop {
            let file = folder.append(LEDGER)?;
            folder.check("lock").and_then(|()| lock_in_time(&file)).map_err(error)?;
            // A ledger that was rewritten meanwhile is another file.
            if folder.is(LEDGER, &file).map_err(error)? {
                return Ok(Ledger { folder: folder.clone(), file });
            }
        }
    }

    /// What it says.
    pub(super) fn account(&self) -> Result<Account, StoreError> {
        let mut account = Account::default();
        account.read(&self.text_from(0)?);
        Ok(account)
    }

    /// Whether there is room for `new` even if nothing of what was ever kept is gone.
    pub(super) fn surely_has_room(&self, limits: &Limits, new: &ArtifactSize) -> Result<bool, StoreError> {
        let most = AtMost::of(&self.text_from(0)?);
        Ok(limits.have_room(most.artifacts, most.bytes, &most.times, new))
    }

    /// Brings a tally up to date: what was read already is not read again, unless the ledger was rewritten since.
    pub(super) fn read_on(&self, tally: &mut LedgerProgress) -> Result<(), StoreError> {
        if !tally.read_on(&self.text_from(tally.seen_from())?) {
            *tally = LedgerProgress::default();
            tally.read_on(&self.text_from(0)?);
        }
        Ok(())
    }

    fn text_from(&self, at: u64) -> Result<Vec<u8>, StoreError> {
        text_of(&self.folder, &self.file, at)
    }

    pub(super) fn created(&self, entry: &ArtifactSize) -> Result<(), StoreError> {
        self.append(&line(entry))
    }

    pub(super) fn removed(&self, id: &ArtifactId) -> Result<(), StoreError> {
        self.append(&format!("- {id}\n"))
    }

    pub(super) fn evicted(&self, id: &ArtifactId) -> Result<(), StoreError> {
        self.append(&format!("e {id}\n"))
    }

    fn append(&self, line: &str) -> Result<(), StoreError> {
        let written = self.folder.check("write").and_then(|()| (&self.file).write_all(line.as_bytes()));
        written.map_err(|error| self.folder.error("write the ledger", LEDGER, error))
    }

    /// Writes the ledger anew, without what is neither kept nor remembered, and locks what was written.
    pub(super) fn tidied(self) -> Result<Ledger, StoreError> {
        let account = self.account()?;
        let kept = account.kept().map(|entry| (entry.id.clone(), entry.stored_bytes)).collect();
        let folder = self.folder.clone();
        self.rewrite(&account, kept)?;
        Ledger::lock(&folder)
    }

    /// Writes the ledger anew, with what is really there; keeps the order and what was evicted.
    pub(super) fn rewrite(self, account: &Account, mut there: BTreeMap<ArtifactId, u64>) -> Result<(), StoreError> {
        let evicted: Vec<_> = account.evicted.iter().filter(|id| !there.contains_key(id)).collect();
        let mut text = String::new();
        for id in evicted.iter().skip(evicted.len().saturating_sub(REMEMBERED)) {
            text += &format!("e {id}\n");
        }
        for entry in account.kept() {
            if let Some(stored_bytes) = there.remove(&entry.id) {
                text += &line(&ArtifactSize { stored_bytes, ..entry.clone() });
            }
        }
        for (id, stored_bytes) in there {
            text += &line(&ArtifactSize { created_ms: id.unix_millis(), id, stored_bytes });
        }
        let staging = format!("{LEDGER}.part");
        let folder = &self.folder;
        folder
            .remove(&staging)
            .and_then(|()| folder.create(&staging))
            .and_then(|mut file| {
                file.lock()?;
                file.write_all(text.as_bytes())?;
                folder.replace(&staging, LEDGER)
            })
            .map_err(|error| folder.error("rewrite the ledger", LEDGER, error))
    }
}

/// Waits for a lock, but not for ever: a process that was stopped while it held one must not stop all others.
fn lock_in_time(file: &File) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_micros(200))
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the session of this folder had this artifact and evicted it.
pub(super) fn was_evicted(folder: &Folder, id: &ArtifactId) -> Result<bool, StoreError> {
    Ok(evicted(folder)?.contains(id))
}

/// The artifacts that the session of this folder had and evicted.
pub(super) fn evicted(folder: &Folder) -> Result<Vec<ArtifactId>, StoreError> {
    let Some(text) = text(folder)? else { return Ok(Vec::new()) };
    let evicted = lines(&text).filter(|line| line.sign == b'e');
    Ok(evicted.filter_map(|line| line.id()).collect())
}

/// The artifacts that the session of this folder has or had evicted, as far as their handles begin like that of `id`;
/// nothing where there is no ledger. What is not alike is not looked at further: a session may have thousands.
pub(super) fn alike(folder: &Folder, id: &ArtifactId) -> Result<Option<Vec<ArtifactId>>, StoreError> {
    let Some(text) = text(folder)? else { return Ok(None) };
    let mut alike: Vec<ArtifactId> = Vec::new();
    for line in lines(&text).filter(|line| line.handle().is_some_and(|handle| id.has_handle(handle))) {
        let Some(known) = line.id() else { continue };
        alike.retain(|other| *other != known);
        if line.sign != b'-' {
            alike.push(known);
        }
    }
    Ok(Some(alike))
}

/// Whether no artifact of the session of this folder can have a handle like that of `id`, by what is known of its ledger
/// and what was written to it since. False where that cannot be told.
pub(super) fn has_none_alike(folder: &Folder, tally: &mut LedgerProgress, id: &ArtifactId) -> Result<bool, StoreError> {
    let Some(file) = present(folder.read(LEDGER))? else { return Ok(false) };
    let text = text_of(folder, file, tally.seen_from())?;
    Ok(tally.read_on(&text) && !tally.may_have_alike(id))
}

/// What the ledger of this folder says, where there is one.
fn text(folder: &Folder) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(file) = present(folder.read(LEDGER))? else { return Ok(None) };
    text_of(folder, file, 0).map(Some)
}

/// What a ledger says from a byte on.
fn text_of(folder: &Folder, mut file: impl Read + Seek, at: u64) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    let read: io::Result<usize> = folder.check("read").and_then(|()| {
        file.seek(SeekFrom::Start(at))?;
        file.read_to_end(&mut text)
    });
    read.map_err(|error| folder.error("read the ledger", LEDGER, error))?;
    Ok(text)
}

fn line(entry: &ArtifactSize) -> String {
    format!("+ {} {} {}\n", entry.id, entry.stored_bytes, entry.created_ms)
}

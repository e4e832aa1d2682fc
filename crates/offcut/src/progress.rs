//! Saving an output while it comes, so that something is left of it if this process is killed.

use std::time::{Duration, Instant};

use offcut_core::text;
use offcut_store::{Draft, Progress, SessionId, Store};

/// Outputs that are whole sooner are not worth a file.
const FIRST: Duration = Duration::from_millis(200);

/// How often an output is saved at most.
const INTERVAL: Duration = Duration::from_millis(250);

/// At most one part in so many of the time is spent on saving.
const SHARE: u32 = 10;

/// Says when an output is to be saved.
pub(crate) struct Schedule {
    next: Instant,
    /// How many bytes had come the last time.
    saved: u64,
}

impl Schedule {
    pub(crate) fn new(started: Instant) -> Schedule {
        Schedule { next: started + FIRST, saved: 0 }
    }

    /// Saves by `save` if it is time to, and there is something new among the `taken` bytes.
    pub(crate) fn save(&mut self, taken: u64, save: impl FnOnce()) {
        let begun = Instant::now();
        if begun < self.next || taken == self.saved {
            return;
        }
        save();
        self.saved = taken;
        self.next = Instant::now() + INTERVAL.max(begun.elapsed() * SHARE);
    }
}

/// A copy on disk of what is kept in memory. It goes when it is dropped; what is left of it when nobody could drop it is
/// an unfinished artifact.
pub(crate) struct Journal {
    /// None once the copy could not be made.
    draft: Option<Box<dyn Draft>>,
}

impl Journal {
    pub(crate) fn begin((store, session): (&dyn Store, &SessionId)) -> Journal {
        Journal { draft: store.draft(session).ok() }
    }

    /// Adds what is new in `kept`.
    pub(crate) fn copy(&mut self, kept: &str, progress: &Progress) {
        let Some(draft) = &mut self.draft else { return };
        let copied = usize::try_from(draft.written()).unwrap_or(usize::MAX);
        let new = text::slice(kept, copied..kept.len());
        if draft.write(new.as_bytes()).and_then(|()| draft.save_progress(progress)).is_err() {
            // The reply will say what is wrong with the store.
            self.draft = None;
        }
    }
}

//! The last replies of the project, from its event log.

use std::collections::VecDeque;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use offcut::event::Event;
use offcut::event_log::EventLog;
use serde::Serialize;

use crate::place::Place;
use crate::table::thousands;

/// How many are shown.
const SHOWN: usize = 5;

/// A reply that was made.
#[derive(Debug, Serialize)]
pub(super) struct LastReply {
    /// When, in milliseconds since 1970.
    at_ms: u64,
    tool: String,
    /// Characters of the output, and of the reply.
    original_size: u64,
    truncated_size: u64,
    /// How many promises could not be kept.
    degraded: usize,
}

impl fmt::Display for LastReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let ago = match now.saturating_sub(self.at_ms / 1000) {
            seconds @ 0..120 => format!("{seconds} s ago"),
            seconds @ 120..7200 => format!("{} min ago", seconds / 60),
            seconds @ 7200..172_800 => format!("{} h ago", seconds / 3600),
            seconds => format!("{} days ago", seconds / 86_400),
        };
        let (before, after) = (thousands(self.original_size), thousands(self.truncated_size));
        write!(f, "{ago}: {}, {before} characters, {after} shown", self.tool)?;
        if self.degraded > 0 { f.write_str(" (degraded)") } else { Ok(()) }
    }
}

/// The last replies, newest first; none where nothing is logged.
pub(super) fn last(place: &Place) -> Vec<LastReply> {
    let records = place.log_directory().and_then(|directory| EventLog::in_store(directory).records().ok());
    let mut last = VecDeque::new();
    for record in records.into_iter().flatten() {
        let Event::Reply { tool, original_size, truncated_size, degraded, .. } = record.event else { continue };
        last.push_front(LastReply { at_ms: record.at_ms, tool, original_size, truncated_size, degraded });
        last.truncate(SHOWN);
    }
    last.into()
}

//! Which requests of a conversation came after the provider's cache had forgotten it.
//!
//! That is the one thing that a body does not tell. It is recorded, so that the next request, also one to another
//! process, plays the conversation through with the same gaps and comes to the same decisions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use offcut::json_lines::JsonLines;

/// How many conversations are followed at most.
const CONVERSATIONS: usize = 4096;

/// A file with so many bytes is put aside, and one such file is kept.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The requests that were seen.
#[derive(Debug, Default)]
pub struct Gaps {
    seen: Mutex<BTreeMap<String, Seen>>,
    file: Option<JsonLines>,
}

#[derive(Debug, Clone, Default)]
struct Seen {
    last_ms: u64,
    cold: BTreeSet<u64>,
}

/// One request, as it is recorded.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    conversation: String,
    request: u64,
    at_ms: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cold: bool,
}

impl Gaps {
    /// Those that are recorded beside a store, in `retention.jsonl`.
    pub fn in_store(directory: impl AsRef<Path>) -> Gaps {
        let file = JsonLines::new(directory.as_ref(), "retention", LONGEST, 1);
        let gaps = Gaps::default();
        for request in file.records::<Request>().into_iter().flatten() {
            gaps.note(request);
        }
        Gaps { file: Some(file), ..gaps }
    }

    /// A request of a conversation at this moment: which of its requests found the cache cold, this one included.
    pub(crate) fn request(&self, conversation: &str, request: u64, now_ms: u64, lifetime_ms: u64) -> BTreeSet<u64> {
        let last = self.known(conversation).last_ms;
        let cold = last > 0 && now_ms.saturating_sub(last) > lifetime_ms;
        let noted = Request { conversation: conversation.to_owned(), request, at_ms: now_ms, cold };
        if let Some(file) = &self.file {
            file.append(&noted);
        }
        self.note(noted);
        self.known(conversation).cold
    }

    /// Which of its requests found the cache cold, as far as is known.
    pub(crate) fn cold(&self, conversation: &str) -> BTreeSet<u64> {
        self.known(conversation).cold
    }

    fn known(&self, conversation: &str) -> Seen {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(conversation).cloned().unwrap_or_default()
    }

    fn note(&self, noted: Request) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.entry(noted.conversation).or_default();
        known.last_ms = known.last_ms.max(noted.at_ms);
        if noted.cold {
            known.cold.insert(noted.request);
        }
        if seen.len() > CONVERSATIONS {
            let oldest = seen.iter().min_by_key(|(_, known)| known.last_ms).map(|(name, _)| name.clone());
            oldest.and_then(|name| seen.remove(&name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pause_is_remembered_by_the_next_process_too() {
        let directory = tempfile::tempdir().unwrap();
        let gaps = Gaps::in_store(directory.path());
        let minutes = |count: u64| 1_000_000 + count * 60_000;
        let lifetime = 300_000;
        assert_eq!(gaps.request("a", 1, minutes(0), lifetime), BTreeSet::new());
        assert_eq!(gaps.request("a", 2, minutes(4), lifetime), BTreeSet::new());
        assert_eq!(gaps.request("a", 3, minutes(20), lifetime), BTreeSet::from([3]));
        assert_eq!(gaps.request("b", 3, minutes(20), lifetime), BTreeSet::new());
        let later = Gaps::in_store(directory.path());
        assert_eq!(later.request("a", 4, minutes(21), lifetime), BTreeSet::from([3]));
        assert_eq!(later.request("a", 5, minutes(40), lifetime), BTreeSet::from([3, 5]));
    }
}

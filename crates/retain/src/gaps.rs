//! When the requests of a conversation were sent, which decides what the provider's cache still holds.
//!
//! That is the one thing that a body does not tell. It is recorded, so that the next request, also one to another
//! process, plays the conversation through with the same gaps and comes to the same decisions.

use std::collections::BTreeMap;
use std::path::Path;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use offcut::json_lines::JsonLines;

/// How many conversations are followed at most.
const CONVERSATIONS: usize = 4096;

/// A file with so many bytes is put aside, and one such file is kept.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The requests that were seen.
#[derive(Debug, Default)]
pub struct Gaps {
    seen: Mutex<BTreeMap<String, SeenConversation>>,
    file: Option<JsonLines>,
}

#[derive(Debug, Clone, Default)]
struct SeenConversation {
    last_ms: u64,
    /// By the number of the request, when it was last sent.
    times: RequestTimes,
}

/// When requests were sent, in milliseconds since 1970, by their number.
pub(crate) type RequestTimes = BTreeMap<u64, u64>;

/// One request, as it is recorded.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    conversation: String,
    request: u64,
    at_ms: u64,
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

    /// A request of a conversation at this moment: when all of its requests were sent, this one included.
    pub(crate) fn request(&self, conversation: &str, request: u64, now_ms: u64) -> RequestTimes {
        let noted = Request { conversation: conversation.to_owned(), request, at_ms: now_ms };
        if let Some(file) = &self.file {
            file.append(&noted);
        }
        self.note(noted);
        self.times(conversation)
    }

    /// When its requests were sent, as far as is known.
    pub(crate) fn times(&self, conversation: &str) -> RequestTimes {
        let seen = self.seen.lock();
        seen.get(conversation).map(|known| known.times.clone()).unwrap_or_default()
    }

    fn note(&self, noted: Request) {
        let mut seen = self.seen.lock();
        let known = seen.entry(noted.conversation).or_default();
        known.last_ms = known.last_ms.max(noted.at_ms);
        known.times.insert(noted.request, noted.at_ms);
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
    fn the_times_are_remembered_by_the_next_process_too() {
        let directory = tempfile::tempdir().unwrap();
        let gaps = Gaps::in_store(directory.path());
        assert_eq!(gaps.request("a", 1, 10), BTreeMap::from([(1, 10)]));
        assert_eq!(gaps.request("a", 2, 20), BTreeMap::from([(1, 10), (2, 20)]));
        assert_eq!(gaps.request("b", 3, 20), BTreeMap::from([(3, 20)]));
        let later = Gaps::in_store(directory.path());
        // One that is sent again counts when it was last sent.
        assert_eq!(later.request("a", 2, 30), BTreeMap::from([(1, 10), (2, 30)]));
        assert_eq!(later.times("b"), BTreeMap::from([(3, 20)]));
    }
}

//! What was made of a result before: the same text every turn, without doing the work again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

/// How many bytes of texts are remembered at most: some thousand results.
const BOUND: usize = 16 * 1024 * 1024;

/// What an entry takes beside its texts, about.
const OVERHEAD: usize = 256;

/// How many results can be worked on at once.
const LANES: usize = 64;

/// The name of a result: its bytes, its call, and how it is to be shown.
pub(crate) type Key = [u8; 32];

/// What becomes of one result.
#[derive(Debug, Default)]
pub(crate) struct ShownResult {
    /// The JSON string that stands in its place from the first request on; none where it stays as it is.
    pub(crate) whole: Option<Arc<str>>,
    /// The artifact that holds all of it, where it was cut.
    pub(crate) artifact: Option<String>,
    /// Its first lines, as a shortened result keeps them.
    pub(crate) head: String,
    /// Characters of the result as it came, and as it is shown.
    pub(crate) chars: (u64, u64),
    /// Why it stays although it is too large.
    pub(crate) skipped: Option<String>,
    /// The JSON string of the shortened result and its trace, once it was made.
    pub(crate) short: OnceLock<(Arc<str>, String)>,
}

/// A bounded memory of results. The oldest go first; a result that is gone is made again, to the same text.
#[derive(Debug)]
pub(crate) struct Memo {
    entries: Mutex<Entries>,
    lanes: Vec<Mutex<()>>,
}

#[derive(Debug, Default)]
struct Entries {
    shown: HashMap<Key, Arc<ShownResult>>,
    order: VecDeque<(Key, usize)>,
    bytes: usize,
}

impl Default for Memo {
    fn default() -> Memo {
        Memo { entries: Mutex::default(), lanes: (0..LANES).map(|_| Mutex::default()).collect() }
    }
}

impl Memo {
    /// The entry of a result, made now if it is new. Two requests with the same result make it once.
    pub(crate) fn get(&self, key: &Key, make: impl FnOnce() -> ShownResult) -> Arc<ShownResult> {
        if let Some(known) = self.find(key) {
            return known;
        }
        let lane = self.lanes.get(usize::from(key[0]) % LANES).map(|lane| lane.lock());
        if let Some(known) = self.find(key) {
            return known;
        }
        let shown = Arc::new(make());
        drop(lane);
        self.add(*key, shown.clone());
        shown
    }

    fn find(&self, key: &Key) -> Option<Arc<ShownResult>> {
        self.entries.lock().shown.get(key).cloned()
    }

    fn add(&self, key: Key, shown: Arc<ShownResult>) {
        let size = OVERHEAD + shown.head.len() * 2 + shown.whole.as_ref().map_or(0, |whole| whole.len());
        let mut entries = self.entries.lock();
        if entries.shown.insert(key, shown).is_none() {
            entries.order.push_back((key, size));
            entries.bytes += size;
        }
        while entries.bytes > BOUND {
            let Some((oldest, size)) = entries.order.pop_front() else { break };
            entries.shown.remove(&oldest);
            entries.bytes -= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_made_once_and_forgotten_when_there_are_too_many() {
        let memo = Memo::default();
        let made = std::cell::Cell::new(0);
        let make = || {
            made.set(made.get() + 1);
            ShownResult { whole: Some("x".repeat(1024 * 1024).into()), ..ShownResult::default() }
        };
        for _ in 0..3 {
            memo.get(&[0; 32], make);
        }
        assert_eq!(made.get(), 1);
        for number in 1..=70u8 {
            memo.get(&[number; 32], make);
        }
        assert_eq!(made.get(), 71);
        memo.get(&[0; 32], make);
        assert_eq!(made.get(), 72);
    }
}

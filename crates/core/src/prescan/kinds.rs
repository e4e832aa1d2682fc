//! Kinds of lines, told apart by a hash of what does not vary in them, and how often and where each occurs.

use super::template_cache::TemplateCache;
use crate::interner::Interner;

/// Kinds that are told apart; later ones are not counted.
const KINDS: usize = 1 << 16;

/// What is known of a kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindSample {
    pub(super) count: u32,
    pub(super) first: [(u64, u64); 2],
    pub(super) last: (u64, u64),
}

/// Lines told apart by a hash, and what is known of each kind.
#[derive(Default)]
pub(super) struct Kinds {
    known: Vec<KindSample>,
    ids: Interner,
    cache: TemplateCache,
}

impl Kinds {
    /// Whether no more kinds can be told apart.
    pub(super) fn is_full(&self) -> bool {
        self.ids.len() >= KINDS
    }

    /// The id of a line's kind; none if it is a new one and there is no room for it. `hash` tells the kind, and
    /// how many bytes of the line it took to tell.
    pub(super) fn id(&mut self, line: &[u8], hash: impl FnOnce(&[u8]) -> (u64, usize)) -> Option<u32> {
        let beginning = self.cache.beginning(line);
        if let Some(id) = beginning.and_then(|beginning| self.cache.get(beginning)) {
            return Some(id);
        }
        let (hash, taken) = hash(line);
        let id = self.id_of(hash)?;
        self.cache.set(beginning, taken, id);
        Some(id)
    }

    /// The id of the kind with this hash; none if it is a new one and there is no room for it.
    pub(super) fn id_of(&mut self, hash: u64) -> Option<u32> {
        if self.is_full() { self.ids.get(hash) } else { Some(self.ids.of(hash)) }
    }

    /// Counts a line of a kind that lies at `place`, and says how many came before it.
    pub(super) fn count(&mut self, id: u32, place: (u64, u64)) -> u32 {
        let id = id as usize;
        if id >= self.known.len() {
            self.known.resize(id + 1, KindSample { count: 0, first: [place; 2], last: place });
        }
        let Some(known) = self.known.get_mut(id) else { return 0 };
        match &mut known.first {
            first if known.count == 0 => *first = [place; 2],
            [_, second] if known.count == 1 => *second = place,
            _ => {}
        }
        known.last = place;
        known.count += 1;
        known.count - 1
    }

    /// The kinds of which a line was counted, by id.
    pub(super) fn known(&self) -> impl Iterator<Item = (usize, &KindSample)> {
        self.known.iter().enumerate().filter(|(_, known)| known.count > 0)
    }
}

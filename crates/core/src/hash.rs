//! Hashes that are the same on every machine, and tables that are keyed by them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Counts by keys that are hashes already.
pub(crate) type Counts = HashMap<u64, u32, Plain>;

/// Builds the hasher of keys that are hashes already.
pub(crate) type Plain = BuildHasherDefault<PlainHasher>;

/// Takes a key for its own hash.
#[derive(Default)]
pub(crate) struct PlainHasher(u64);

impl Hasher for PlainHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u32(&mut self, key: u32) {
        self.0 = u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A hash that is the same on every machine.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    /// A hash that starts from `state`.
    pub(crate) fn from_state(state: u64) -> Hash {
        Hash(state)
    }

    pub(crate) fn push(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn push_all(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.push(chunk.try_into().map_or(0, u64::from_le_bytes));
        }
        let rest = chunks.remainder();
        self.push(rest.iter().fold(rest.len() as u64, |word, &byte| word << 8 | u64::from(byte)));
    }

    pub(crate) fn value(self) -> u64 {
        // The upper bits are mixed better; tables look at the lower ones too.
        self.0 ^ (self.0 >> 29)
    }

    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut hash = Hash::new();
        hash.push_all(bytes);
        hash.value()
    }
}

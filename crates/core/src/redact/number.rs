//! Numbers for secrets, so that a reader can tell two of a kind apart without seeing either.

use std::collections::BTreeMap;

/// Which number each secret has. Holds keyed hashes, never a secret.
///
/// Share one among the redactors of a session to number its secrets across outputs.
#[derive(Debug, Clone)]
pub struct Numbers {
    key: [u8; 32],
    known: BTreeMap<(String, [u8; 16]), u64>,
    next: BTreeMap<String, u64>,
}

impl Numbers {
    /// Starts to number. `key` is random and leaves the process as little as the secrets do.
    pub fn new(key: [u8; 32]) -> Numbers {
        Numbers { key, known: BTreeMap::new(), next: BTreeMap::new() }
    }

    /// The number of `secret` among those of its kind, from 1 on in the order in which they were met.
    pub(super) fn of(&mut self, kind: &str, secret: &[u8]) -> u64 {
        let hash = blake3::keyed_hash(&self.key, secret);
        let mut short = [0; 16];
        short.copy_from_slice(hash.as_bytes().first_chunk::<16>().unwrap_or(&[0; 16]));
        let next = &mut self.next;
        *self.known.entry((kind.to_owned(), short)).or_insert_with(|| {
            let number = next.entry(kind.to_owned()).or_insert(0);
            *number += 1;
            *number
        })
    }
}

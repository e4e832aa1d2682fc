//! Counting by hashes: each hash gets an id once, and what is known of it lies in a list.

use crate::hash::Counts;

/// Ids for hashes, in the order in which they come.
#[derive(Default)]
pub(crate) struct Interner {
    known: Counts,
}

impl Interner {
    /// The id of `hash`, given to it now if it had none.
    pub(crate) fn of(&mut self, hash: u64) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(hash).or_insert(next)
    }

    /// The id of a hash that has one.
    pub(crate) fn get(&self, hash: u64) -> Option<u32> {
        self.known.get(&hash).copied()
    }

    /// How many hashes have an id.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }
}

/// A value for each id.
pub(crate) struct ById<T>(Vec<T>);

impl<T: Copy + Default> ById<T> {
    /// The default for each of `count` ids.
    pub(crate) fn new(count: usize) -> ById<T> {
        ById(vec![T::default(); count])
    }

    /// How many ids have a value.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, id: u32) -> T {
        self.0.get(id as usize).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, id: u32, value: T) {
        self.0.get_mut(id as usize).into_iter().for_each(|known| *known = value);
    }
}

impl ById<u32> {
    /// Counts one more, and says how many there are now.
    pub(crate) fn add(&mut self, id: u32) -> u32 {
        let count = self.get(id) + 1;
        self.set(id, count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_keeps_its_id() {
        let mut interner = Interner::default();
        assert_eq!([7, 9, 7, 8, 9].map(|hash| interner.of(hash)), [0, 1, 0, 2, 1]);
        assert_eq!((interner.get(9), interner.get(5)), (Some(1), None));
        let mut tally: ById<u32> = ById::new(interner.len());
        assert_eq!([0, 1, 0].map(|number| tally.add(number)), [1, 1, 2]);
        tally.set(2, 5);
        assert_eq!([0, 1, 2, 3].map(|number| tally.get(number)), [2, 1, 5, 0]);
    }
}

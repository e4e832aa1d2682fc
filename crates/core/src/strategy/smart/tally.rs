//! Counting by hashes: each gets a number once, and what is known of it lies in a list.

use crate::hash::Counts;

/// Numbers for hashes, in the order in which they come.
#[derive(Default)]
pub(super) struct Numbers {
    known: Counts,
}

impl Numbers {
    pub(super) fn of(&mut self, hash: u64) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(hash).or_insert(next)
    }

    /// The number of a hash that has one.
    pub(super) fn get(&self, hash: u64) -> Option<u32> {
        self.known.get(&hash).copied()
    }

    /// How many hashes have a number.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

/// What is known of each number.
pub(super) struct Tally<T>(Vec<T>);

impl<T: Copy + Default> Tally<T> {
    /// A tally of `count` numbers.
    pub(super) fn new(count: usize) -> Tally<T> {
        Tally(vec![T::default(); count])
    }

    pub(super) fn get(&self, number: u32) -> T {
        self.0.get(number as usize).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, number: u32, value: T) {
        self.0.get_mut(number as usize).into_iter().for_each(|known| *known = value);
    }
}

impl Tally<u32> {
    /// Counts one more, and says how many there are now.
    pub(super) fn add(&mut self, number: u32) -> u32 {
        let count = self.get(number) + 1;
        self.set(number, count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_keeps_its_number() {
        let mut numbers = Numbers::default();
        assert_eq!([7, 9, 7, 8, 9].map(|hash| numbers.of(hash)), [0, 1, 0, 2, 1]);
        assert_eq!((numbers.get(9), numbers.get(5)), (Some(1), None));
        let mut tally: Tally<u32> = Tally::new(numbers.len());
        assert_eq!([0, 1, 0].map(|number| tally.add(number)), [1, 1, 2]);
        tally.set(2, 5);
        assert_eq!([0, 1, 2, 3].map(|number| tally.get(number)), [2, 1, 5, 0]);
    }
}

//! Keeping the first of many in a defined order, however they come in.

/// Sort keys of paths: with the separator below every other character a folder stands right before what is in it, and
/// plain comparison of bytes is the order of a walk that takes each folder's entries by name.
pub(crate) fn path_key(path: &[u8]) -> Vec<u8> {
    path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }).collect()
}

/// The path that a key was made from.
pub(crate) fn key_path(mut key: Vec<u8>) -> Vec<u8> {
    key.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'/');
    key
}

/// The smallest so many of the items that came, in memory for about twice as many.
#[derive(Debug)]
pub(crate) struct First<T> {
    count: usize,
    items: Vec<T>,
}

impl<T: Ord> First<T> {
    /// Keeps the first `count` items.
    pub(crate) fn new(count: u64) -> First<T> {
        First { count: usize::try_from(count).unwrap_or(usize::MAX), items: Vec::new() }
    }

    pub(crate) fn push(&mut self, item: T) {
        self.items.push(item);
        if self.items.len() / 2 > self.count.max(512) {
            self.prune();
        }
    }

    /// Takes all that another one has.
    pub(crate) fn append(&mut self, other: &mut First<T>) {
        self.items.append(&mut other.items);
        if self.items.len() / 2 > self.count.max(512) {
            self.prune();
        }
    }

    /// The first `count` items, sorted.
    pub(crate) fn into_sorted(mut self) -> Vec<T> {
        self.prune();
        self.items
    }

    fn prune(&mut self) {
        self.items.sort_unstable();
        self.items.truncate(self.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_right_before_what_is_in_it() {
        let mut paths = ["a-b/x", "a/", "a.rs", "a/z", "a/b/c", "a/b/"].map(|path| path_key(path.as_bytes()));
        paths.sort();
        let paths = paths.map(|key| String::from_utf8(key_path(key)).unwrap());
        assert_eq!(paths, ["a/", "a/b/", "a/b/c", "a/z", "a-b/x", "a.rs"]);
    }

    #[test]
    fn the_first_stay_whatever_the_order_of_arrival() {
        let mut first = First::new(3);
        for number in (0..10_000u32).map(|n| n.wrapping_mul(7919) % 10_000) {
            first.push(number);
            assert!(first.items.len() <= 1026);
        }
        assert_eq!(first.into_sorted(), [0, 1, 2]);
    }
}

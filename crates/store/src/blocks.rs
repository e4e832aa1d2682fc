//! The hashes of a content: one a block, and from them the hash of the whole.
//!
//! A block's hash is its node in the BLAKE3 tree of the content. So every byte is hashed once, a block that is moved to
//! another place no longer fits, and the block hashes lead to the very hash that `b3sum` prints for the content.

use blake3::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};

/// How much content shares one hash. A power of two times 1,024, so that every block is a node of the tree.
pub const BLOCK: usize = 256 * 1024;

/// The hash of one block.
pub(crate) type BlockHash = [u8; 32];

/// Hashes a content that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    hashes: Vec<BlockHash>,
    /// What the whole would be if the first block were all of it.
    only: Option<blake3::Hash>,
    /// The block that is not full yet, and how many bytes it has.
    open: Option<(blake3::Hasher, usize)>,
}

impl Tree {
    /// Takes in the next bytes. Pieces that end at a block's border are hashed quickest.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (mut block, filled) = self.open.take().unwrap_or_else(|| (hasher(self.hashes.len() as u64), 0));
            let (now, later) = rest.split_at(rest.len().min(BLOCK - filled));
            block.update(now);
            self.open = Some((block, filled + now.len()));
            if filled + now.len() == BLOCK {
                self.close();
            }
            rest = later;
        }
    }

    /// The block that is open is full, or the last one.
    fn close(&mut self) {
        let Some((block, _)) = self.open.take() else { return };
        if self.hashes.is_empty() {
            self.only = Some(block.finalize());
        }
        self.hashes.push(block.finalize_non_root());
    }

    /// The hashes of the blocks, and of the whole.
    pub(crate) fn finish(mut self) -> (Vec<BlockHash>, blake3::Hash) {
        self.close();
        let whole = match self.hashes.as_slice() {
            [] => blake3::hash(b""),
            [_] => self.only.unwrap_or_else(|| blake3::hash(b"")),
            hashes => {
                let (left, right) = hashes.split_at(left_of(hashes.len()));
                merge_subtrees_root(&node(left), &node(right), Mode::Hash)
            }
        };
        (self.hashes, whole)
    }
}

/// Whether `bytes` are the block number `block` that has this hash.
pub(crate) fn matches(block: u64, bytes: &[u8], hash: &BlockHash) -> bool {
    !bytes.is_empty() && hasher(block).update(bytes).finalize_non_root() == *hash
}

/// How many blocks a content of this size has.
pub(crate) fn count(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK as u64)
}

/// A hasher for the block of this number.
fn hasher(block: u64) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.set_input_offset(block.saturating_mul(BLOCK as u64));
    hasher
}

/// The node above a run of blocks; there is at least one.
fn node(hashes: &[BlockHash]) -> BlockHash {
    match hashes {
        [] => [0; 32],
        [only] => *only,
        hashes => {
            let (left, right) = hashes.split_at(left_of(hashes.len()));
            merge_subtrees_non_root(&node(left), &node(right), Mode::Hash)
        }
    }
}

/// The largest power of two below `count`, which is at least 2: a left subtree is always full.
fn left_of(count: usize) -> usize {
    count.div_ceil(2).next_power_of_two()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_the_whole_is_that_of_blake3_for_any_number_of_blocks() {
        let content: Vec<u8> = (0..BLOCK * 9 + 77).map(|at| (at % 251) as u8).collect();
        for bytes in
            [0, 1, 1024, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK, 4 * BLOCK + 5, 5 * BLOCK, content.len()]
        {
            let content = &content[..bytes];
            let mut tree = Tree::default();
            for part in content.chunks(2 * BLOCK) {
                tree.push(part);
            }
            let (hashes, whole) = tree.finish();
            assert_eq!(hashes.len() as u64, count(bytes as u64));
            assert_eq!(whole, blake3::hash(content), "{bytes} bytes");
            let mut tree = Tree::default();
            for part in content.chunks(3 * BLOCK / 2 + 7) {
                tree.push(part);
            }
            assert_eq!(tree.finish(), (hashes, whole), "{bytes} bytes in other pieces");
        }
    }

    #[test]
    fn a_block_matches_only_in_its_place_and_unchanged() {
        let content = vec![7u8; 3 * BLOCK];
        let mut tree = Tree::default();
        tree.push(&content);
        let (hashes, _) = tree.finish();
        let block = &content[..BLOCK];
        assert!(matches(0, block, &hashes[0]) && matches(1, block, &hashes[1]));
        assert!(!matches(1, block, &hashes[0]), "the same bytes in another place");
        assert!(!matches(0, &block[1..], &hashes[0]) && !matches(0, b"", &hashes[0]));
    }
}

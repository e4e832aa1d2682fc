//! Reading structured data while it is still coming, so that it need not be read again to be cut.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use offcut_core::kind::Kind;
use offcut_core::strategy::element::{Blocks, Structure};

use super::blocks::Block;
use crate::threads;

/// How many blocks may wait for the thread.
const WAITING: usize = 1;

/// A thread that reads what it is handed.
pub(super) struct Structuring {
    blocks: SyncSender<Block>,
    thread: JoinHandle<Option<Structure>>,
}

impl Structuring {
    /// Begins to read data of a kind, for a cut of at most so many characters, where there can be a thread for it.
    pub(super) fn start(kind: Kind, chars: u64) -> Option<Structuring> {
        if !threads::two_at_once() {
            return None;
        }
        let (blocks, incoming) = sync_channel(WAITING);
        let work = move || Structure::read(kind, chars, &mut Arriving(incoming));
        let thread = thread::Builder::new().name("offcut-structure".to_owned()).spawn(work).ok()?;
        Some(Structuring { blocks, thread })
    }

    /// Takes the next block in.
    pub(super) fn push(&mut self, block: &Block) {
        // A thread that has read enough, since the data is malformed, takes no more.
        let _ = self.blocks.send(block.clone());
    }

    /// What was read, if it is well-formed but for an end that comes too early.
    pub(super) fn finish(self) -> Option<Structure> {
        drop(self.blocks);
        self.thread.join().ok().flatten()
    }
}

/// Blocks as they arrive.
struct Arriving(Receiver<Block>);

impl Blocks for Arriving {
    fn append_next(&mut self, window: &mut Vec<u8>) -> bool {
        self.0.recv().inspect(|block| window.extend_from_slice(block)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_read_in_pieces_of_any_size_and_malformed_data_is_not() {
        let records: Vec<String> = (0..40_000).map(|n| format!(r#"{{"id": {n}, "name": "é {n}"}}"#)).collect();
        let whole = format!("[{}]", records.join(","));
        // What ends too early is not malformed: it can be cut by its elements.
        let torn = whole.trim_end_matches(']');
        let wrong = whole.replace("39999", "nil");
        for (text, is_read) in [(whole.as_str(), true), (torn, true), (wrong.as_str(), false), ("[1,]", false)] {
            for size in [1000, 262_144, 1_000_000] {
                // Without a second processor there is no thread for it.
                let Some(mut structuring) = Structuring::start(Kind::Json, 8000) else { return };
                text.as_bytes().chunks(size).for_each(|piece| structuring.push(&Block::new(piece.to_vec())));
                assert_eq!(structuring.finish().is_some(), is_read, "in pieces of {size}");
            }
        }
    }
}

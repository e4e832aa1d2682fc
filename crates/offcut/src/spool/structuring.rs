//! Reading structured data while it is still coming, so that it need not be read again to be cut.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use offcut_core::document::BLOCK;
use offcut_core::kind::Kind;
use offcut_core::strategy::element::{Blocks, Structure};

use crate::threads;

/// How many blocks may wait for the thread.
const WAITING: usize = 2;

/// A thread that reads what it is handed.
pub(super) struct Structuring {
    /// What has come and was not handed on.
    block: Vec<u8>,
    blocks: SyncSender<Vec<u8>>,
    spare: Receiver<Vec<u8>>,
    thread: JoinHandle<Option<Structure>>,
}

impl Structuring {
    /// Begins to read data of a kind, for a cut of at most so many characters, where there can be a thread for it.
    pub(super) fn start(kind: Kind, chars: u64) -> Option<Structuring> {
        if !threads::two_at_once() {
            return None;
        }
        let (blocks, incoming) = sync_channel(WAITING);
        let (emptied, spare) = channel();
        let work = move || Structure::read(kind, chars, &mut Arriving { incoming, emptied });
        let thread = thread::Builder::new().name("offcut-structure".to_owned()).spawn(work).ok()?;
        Some(Structuring { block: Vec::new(), blocks, spare, thread })
    }

    /// Takes the next piece in.
    pub(super) fn push(&mut self, piece: &str) {
        let mut rest = piece.as_bytes();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(BLOCK as usize - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK as usize {
                self.hand_on();
            }
            rest = later;
        }
    }

    fn hand_on(&mut self) {
        let mut next = self.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK as usize));
        next.clear();
        // A thread that has read enough, since the data is malformed, takes no more.
        let _ = self.blocks.send(std::mem::replace(&mut self.block, next));
    }

    /// What was read, if it is well-formed but for an end that comes too early.
    pub(super) fn finish(mut self) -> Option<Structure> {
        self.hand_on();
        drop(self.blocks);
        self.thread.join().ok().flatten()
    }
}

/// Blocks as they arrive.
struct Arriving {
    incoming: Receiver<Vec<u8>>,
    emptied: Sender<Vec<u8>>,
}

impl Blocks for Arriving {
    fn append_next(&mut self, window: &mut Vec<u8>) -> bool {
        let Ok(block) = self.incoming.recv() else { return false };
        window.extend_from_slice(&block);
        // Nobody may need it any more.
        let _ = self.emptied.send(block);
        true
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
                let mut rest = text;
                while !rest.is_empty() {
                    let (now, later) = rest.split_at(rest.floor_char_boundary(size));
                    structuring.push(now);
                    rest = later;
                }
                assert_eq!(structuring.finish().is_some(), is_read, "in pieces of {size}");
            }
        }
    }
}

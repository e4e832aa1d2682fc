//! Looking through a large text while it is still coming, so that it need not be read again to be cut.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use offcut_core::line::LineRules;
use offcut_core::prescan::{Candidates, Prescan};

use super::blocks::Block;
use crate::threads;

/// How many blocks may wait for the thread.
const WAITING: usize = 1;

/// A search that is fed the text in blocks. Where there can be one, a thread does it.
pub(super) struct Prescanning {
    /// Where the next block starts in the text.
    at: u64,
    by: By,
    /// The rules by which lines are told.
    rules: Arc<LineRules>,
}

enum By {
    Caller(Box<Prescan>),
    Thread(Worker),
}

struct Worker {
    blocks: SyncSender<(Block, u64)>,
    thread: JoinHandle<Prescan>,
}

impl Prescanning {
    pub(super) fn new(rules: Arc<LineRules>) -> Prescanning {
        let by = By::Caller(Box::new(Prescan::new(rules.clone())));
        Prescanning { at: 0, by, rules }
    }

    /// Takes the next block in.
    pub(super) fn push(&mut self, block: &Block) {
        if self.at == 0
            && block.len() > Prescan::BLOCK / 2
            && let Some(worker) = Worker::start(&self.rules)
        {
            self.by = By::Thread(worker);
        }
        let at = self.at;
        self.at += block.len() as u64;
        match &mut self.by {
            By::Caller(prescan) => prescan.push(block, at),
            // A thread that has died is noticed in the end.
            By::Thread(worker) => _ = worker.blocks.send((block.clone(), at)),
        }
    }

    /// What was found in the whole text; nothing if the search has failed.
    pub(super) fn finish(self) -> Option<Candidates> {
        let prescan = match self.by {
            By::Caller(prescan) => *prescan,
            By::Thread(worker) => {
                drop(worker.blocks);
                worker.thread.join().ok()?
            }
        };
        Some(prescan.finish())
    }
}

impl Worker {
    /// A thread with a prescan of its own, where there can be one.
    fn start(rules: &Arc<LineRules>) -> Option<Worker> {
        if !threads::two_at_once() {
            return None;
        }
        let (blocks, incoming) = sync_channel::<(Block, u64)>(WAITING);
        let mut prescan = Prescan::new(rules.clone());
        let work = move || {
            for (block, at) in incoming {
                prescan.push(&block, at);
            }
            prescan
        };
        let thread = thread::Builder::new().name("offcut-prescan".to_owned()).spawn(work).ok()?;
        Some(Worker { blocks, thread })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of many lengths, one of them longer than two blocks, with some that tell.
    fn log() -> String {
        let line = |n: usize| match n {
            4000 => format!("one long line {}\n", "x".repeat(2 * Prescan::BLOCK + 77)),
            n if n % 977 == 0 => format!("2026-11-15T10:00:00Z ERROR task {n} failed: é\n"),
            n if n % 1931 == 0 => format!("something else altogether, {n}\r\n"),
            n => format!("2026-11-15T10:00:00Z INFO task {n} done{}\n", ".".repeat(n % 91)),
        };
        (0..60_000).map(line).collect()
    }

    #[test]
    fn a_thread_finds_what_its_caller_would() {
        let log = log();
        let mut prescan = Prescan::default();
        let mut prescanning = Prescanning::new(Arc::default());
        let mut at = 0;
        while let Some(rest) = log.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
            let whole = rest.get(..Prescan::BLOCK).map_or(rest.len(), Prescan::whole_lines);
            prescan.push(&rest[..whole], at as u64);
            prescanning.push(&Block::new(rest[..whole].to_vec()));
            at += whole;
        }
        assert!(prescanning.finish() == Some(prescan.finish()));
    }
}

//! Looking through a large text while it is still coming, so that it need not be read again to be cut.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use offcut_core::line::LineRules;
use offcut_core::prescan::{Candidates, Prescan};

use crate::threads;

/// How many blocks may wait for the thread.
const WAITING: usize = 1;

/// A search that is fed the text in pieces. From the first whole block on a thread does it, where there can be one.
pub(super) struct Prescanning {
    /// What has come and was not looked at.
    block: Vec<u8>,
    /// Where that starts in the text.
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
    blocks: SyncSender<(Vec<u8>, u64)>,
    spare: Receiver<Vec<u8>>,
    thread: JoinHandle<Prescan>,
}

impl Prescanning {
    pub(super) fn new(rules: Arc<LineRules>) -> Prescanning {
        let by = By::Caller(Box::new(Prescan::new(rules.clone())));
        Prescanning { block: Vec::new(), at: 0, by, rules }
    }

    /// Takes the next piece in.
    pub(super) fn push(&mut self, piece: &str) {
        let mut rest = piece.as_bytes();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(Prescan::BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == Prescan::BLOCK {
                self.pass_on();
            }
            rest = later;
        }
    }

    /// Has the whole lines of a full block looked through.
    fn pass_on(&mut self) {
        if self.at == 0
            && let Some(worker) = Worker::start(&self.rules)
        {
            self.by = By::Thread(worker);
        }
        let whole = Prescan::whole_lines(&self.block);
        let at = self.at;
        self.at += whole as u64;
        match &mut self.by {
            By::Caller(prescan) => {
                prescan.push(self.block.get(..whole).unwrap_or_default(), at);
                self.block.drain(..whole);
            }
            By::Thread(worker) => {
                let mut next = worker.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(Prescan::BLOCK));
                next.clear();
                next.extend_from_slice(self.block.get(whole..).unwrap_or_default());
                let mut block = std::mem::replace(&mut self.block, next);
                block.truncate(whole);
                // A thread that has died is noticed in the end.
                let _ = worker.blocks.send((block, at));
            }
        }
    }

    /// What was found in the whole text; nothing if the search has failed.
    pub(super) fn finish(self) -> Option<Candidates> {
        let mut prescan = match self.by {
            By::Caller(prescan) => *prescan,
            By::Thread(worker) => {
                drop(worker.blocks);
                worker.thread.join().ok()?
            }
        };
        prescan.push(&self.block, self.at);
        Some(prescan.finish())
    }
}

impl Worker {
    /// A thread with a prescan of its own, where there can be one.
    fn start(rules: &Arc<LineRules>) -> Option<Worker> {
        if !threads::two_at_once() {
            return None;
        }
        let (blocks, incoming) = sync_channel::<(Vec<u8>, u64)>(WAITING);
        let (emptied, spare) = channel();
        let mut prescan = Prescan::new(rules.clone());
        let work = move || {
            for (block, at) in incoming {
                prescan.push(&block, at);
                // Nobody may need it any more.
                let _ = emptied.send(block);
            }
            prescan
        };
        let thread = thread::Builder::new().name("offcut-prescan".to_owned()).spawn(work).ok()?;
        Some(Worker { blocks, spare, thread })
    }
}

#[cfg(test)]
mod tests {
    use offcut_core::text;

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
    fn the_pieces_do_not_matter() {
        let log = log();
        let mut prescan = Prescan::default();
        let mut at = 0;
        while let Some(rest) = log.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
            let whole = rest.get(..Prescan::BLOCK).map_or(rest.len(), Prescan::whole_lines);
            prescan.push(&rest[..whole], at as u64);
            at += whole;
        }
        let wanted = Some(prescan.finish());
        for size in [999, 131_072, 3 * Prescan::BLOCK, log.len()] {
            let mut prescanning = Prescanning::new(Arc::default());
            let mut rest = log.as_str();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(text::ceil(rest, size.min(rest.len())));
                prescanning.push(now);
                rest = later;
            }
            assert!(prescanning.finish() == wanted, "in pieces of {size}");
        }
    }
}

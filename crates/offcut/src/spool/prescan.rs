//! Looking through a large text while it is still coming, so that it need not be read again to be cut.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use offcut_core::line::LineRules;
use offcut_core::prescan::{Candidates, Prescan};

use crate::threads;

/// How many blocks may wait for the thread.
const WAITING: usize = 1;

/// A search that is fed the text in blocks. A thread does it, where there can be one.
pub(super) enum Prescanning {
    Caller(Box<Lines>),
    Thread(Worker),
}

pub(super) struct Worker {
    blocks: SyncSender<Arc<Vec<u8>>>,
    thread: JoinHandle<Box<Lines>>,
}

/// The search itself, in blocks of whole lines.
pub(super) struct Lines {
    prescan: Prescan,
    /// What has come and was not looked at.
    block: Vec<u8>,
    /// Where that starts in the text.
    at: u64,
}

impl Lines {
    fn new(rules: Arc<LineRules>) -> Box<Lines> {
        Box::new(Lines { prescan: Prescan::new(rules), block: Vec::new(), at: 0 })
    }

    /// Takes the next piece in.
    fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(Prescan::BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == Prescan::BLOCK {
                let whole = Prescan::whole_lines(&self.block);
                self.prescan.push(self.block.get(..whole).unwrap_or_default(), self.at);
                self.block.drain(..whole);
                self.at += whole as u64;
            }
            rest = later;
        }
    }

    fn finish(mut self, rest: &[u8]) -> Candidates {
        self.push(rest);
        self.prescan.push(&self.block, self.at);
        self.prescan.finish()
    }
}

impl Prescanning {
    pub(super) fn new(rules: Arc<LineRules>) -> Prescanning {
        match Worker::start(rules.clone()) {
            Some(worker) => Prescanning::Thread(worker),
            None => Prescanning::Caller(Lines::new(rules)),
        }
    }

    /// Takes the next block in.
    pub(super) fn push(&mut self, block: &Arc<Vec<u8>>) {
        match self {
            Prescanning::Caller(lines) => lines.push(block),
            // A thread that has died is noticed in the end.
            Prescanning::Thread(worker) => _ = worker.blocks.send(block.clone()),
        }
    }

    /// What was found in the whole text, which ends with `rest`; nothing if the search has failed.
    pub(super) fn finish(self, rest: &[u8]) -> Option<Candidates> {
        let lines = match self {
            Prescanning::Caller(lines) => lines,
            Prescanning::Thread(worker) => {
                drop(worker.blocks);
                worker.thread.join().ok()?
            }
        };
        Some(lines.finish(rest))
    }
}

impl Worker {
    /// A thread with a prescan of its own, where there can be one.
    fn start(rules: Arc<LineRules>) -> Option<Worker> {
        if !threads::two_at_once() {
            return None;
        }
        let (blocks, incoming) = sync_channel::<Arc<Vec<u8>>>(WAITING);
        let work = move || {
            let mut lines = Lines::new(rules);
            incoming.into_iter().for_each(|block| lines.push(&block));
            lines
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
            let (blocks, rest) = log.as_bytes().split_at(log.len() / size * size);
            blocks.chunks(size).for_each(|block| prescanning.push(&Arc::new(block.to_vec())));
            assert!(prescanning.finish(rest) == wanted, "in pieces of {size}");
        }
    }
}

//! Several threads that count parts of one large NDJSON.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::JoinHandle;

use parking_lot::Mutex;

use super::Aggregation;
use super::table::Table;

/// The most threads.
const MOST: usize = 4;

/// The threads, and the way to them.
#[derive(Debug)]
pub(super) struct Pool {
    parts: SyncSender<Vec<u8>>,
    workers: Vec<JoinHandle<io::Result<Table>>>,
}

impl Pool {
    pub(super) fn new(aggregation: &Arc<Aggregation>) -> Pool {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST);
        // One part waits while each thread has one: that bounds the memory.
        let (parts, waiting) = mpsc::sync_channel(1);
        let waiting = Arc::new(Mutex::new(waiting));
        let work = || {
            let (table, waiting) = (Table::new(aggregation), waiting.clone());
            std::thread::spawn(move || work(table, &waiting))
        };
        Pool { parts, workers: (0..threads).map(|_| work()).collect() }
    }

    /// Hands whole lines to the next thread that is free.
    pub(super) fn push(&self, lines: Vec<u8>) -> io::Result<()> {
        // Nobody takes it any more only where all have failed; why is told at the end.
        self.parts.send(lines).or(Ok(()))
    }

    /// What has come of the parts.
    pub(super) fn finish(self) -> io::Result<Vec<Table>> {
        drop(self.parts);
        let died = |_| Err(io::Error::other("a thread that counts has died"));
        self.workers.into_iter().map(|worker| worker.join().unwrap_or_else(died)).collect()
    }
}

fn work(mut table: Table, waiting: &Mutex<Receiver<Vec<u8>>>) -> io::Result<Table> {
    loop {
        let part = waiting.lock().recv();
        let Ok(part) = part else { return Ok(table) };
        table.push_lines(&part)?;
    }
}

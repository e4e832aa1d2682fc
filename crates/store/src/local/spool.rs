//! Writing a large draft beside its caller: a thread stores and hashes while the next bytes are made.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::blocks::Tree;
use crate::faults::Faults;

/// How many bytes are handed over at a time: four blocks.
pub(super) const CHUNK: usize = 1024 * 1024;

/// How many chunks may wait; with the one being filled and the one being written this bounds the memory of a draft.
const WAITING: usize = 2;

/// The staging file of a large draft, and the thread that fills it.
#[derive(Debug)]
pub(super) struct Spool {
    file: Arc<File>,
    shared: Arc<Shared>,
    chunks: Option<SyncSender<Vec<u8>>>,
    spare: Receiver<Vec<u8>>,
    worker: Option<JoinHandle<Tree>>,
}

#[derive(Debug, Default)]
struct Shared {
    progress: Mutex<Progress>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// Everything before this byte is in the file.
    stored: u64,
    /// What ended the worker early.
    failed: Option<(io::ErrorKind, String)>,
}

impl Shared {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    fn error(&self) -> Option<io::Error> {
        self.failed.as_ref().map(|(kind, message)| io::Error::new(*kind, message.clone()))
    }
}

impl Spool {
    /// Starts to fill `file` from its beginning.
    pub(super) fn start(file: Arc<File>, faults: Option<Arc<Faults>>) -> io::Result<Spool> {
        let (chunks, incoming) = sync_channel::<Vec<u8>>(WAITING);
        let (emptied, spare) = channel();
        let shared = Arc::new(Shared::default());
        let (target, told) = (file.clone(), shared.clone());
        let work = move || {
            let mut tree = Tree::default();
            let mut offset = 0;
            for mut chunk in incoming {
                let checked = faults.as_deref().map_or(Ok(()), |faults| faults.check("write"));
                if let Err(error) = checked.and_then(|()| target.write_all_at(&chunk, offset)) {
                    told.progress().failed = Some((error.kind(), error.to_string()));
                    told.moved.notify_all();
                    break;
                }
                offset += chunk.len() as u64;
                told.progress().stored = offset;
                told.moved.notify_all();
                tree.push(&chunk);
                chunk.clear();
                // The draft may have stopped listening; then the buffer is simply freed.
                let _ = emptied.send(chunk);
            }
            tree
        };
        let worker = std::thread::Builder::new().name("offcut-spool".to_owned()).spawn(work)?;
        Ok(Spool { file, shared, chunks: Some(chunks), spare, worker: Some(worker) })
    }

    /// Hands over the next chunk, and returns an empty buffer for the one after it. Waits while too many are under way.
    /// Only the last chunk may be shorter than [`CHUNK`].
    pub(super) fn send(&mut self, chunk: Vec<u8>) -> io::Result<Vec<u8>> {
        let sent = self.chunks.as_ref().is_some_and(|chunks| chunks.send(chunk).is_ok());
        if !sent {
            return Err(self.shared.progress().error().unwrap_or_else(|| io::ErrorKind::BrokenPipe.into()));
        }
        Ok(self.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(CHUNK)))
    }

    /// Waits until everything is in the file, and returns its hashes.
    pub(super) fn finish(&mut self) -> io::Result<Tree> {
        self.chunks = None;
        let worker = self.worker.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let tree = worker.join().map_err(|_| io::Error::other("the writing thread panicked"))?;
        self.shared.progress().error().map_or(Ok(tree), Err)
    }

    /// Reads back what was handed over; waits for it if it is still under way.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64);
        let mut progress = self.shared.progress();
        while progress.stored < end && progress.failed.is_none() && self.worker.is_some() {
            progress = self.shared.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        let room = usize::try_from(progress.stored.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        drop(progress);
        match buffer.get_mut(..room) {
            Some(part) if room > 0 => self.file.read_at(part, offset),
            _ => Ok(0),
        }
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.chunks = None;
        if let Some(worker) = self.worker.take() {
            // A panic of the worker was its own; there is nobody left to tell.
            let _ = worker.join();
        }
    }
}

//! Writing a large draft beside its caller: a thread stores and hashes while the next bytes are made.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use offcut_platform::{FileAt, begin_writing_back};
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::blocks::{BLOCK, Tree};
use crate::faults::Faults;
use crate::memory::copy;
use crate::pack::{self, Packer, Packing};

/// How many bytes are handed over at a time: four blocks.
pub(super) const CHUNK: usize = 1024 * 1024;

/// How many chunks may wait; with the one being filled and the one being written this bounds the memory of a draft.
const WAITING: usize = 2;

/// How much is written before the disk is asked to begin with it. A draft is synced once, at its end; what the disk
/// has by then need not be waited for.
const EARLY: u64 = 4 * CHUNK as u64;

/// What is handed over at a time.
#[derive(Debug)]
pub(super) enum Chunk {
    /// A buffer that comes back when it is stored.
    Own(Vec<u8>),
    /// A block that others read too.
    Shared(Arc<Vec<u8>>),
}

impl Chunk {
    fn bytes(&self) -> &[u8] {
        match self {
            Chunk::Own(bytes) => bytes,
            Chunk::Shared(bytes) => bytes,
        }
    }
}

/// The staging file of a large draft, and the thread that fills it.
#[derive(Debug)]
pub(super) struct Spool {
    file: Arc<File>,
    shared: Arc<Shared>,
    chunks: Option<SyncSender<Chunk>>,
    spare: Receiver<Vec<u8>>,
    worker: Option<JoinHandle<Tree>>,
    packing: Packing,
    /// The compressed block that was read last, unpacked.
    unpacked: Mutex<Option<(u64, Vec<u8>)>>,
}

/// What a finished spool has in its file.
#[derive(Debug)]
pub(super) struct Spooled {
    pub(super) tree: Tree,
    pub(super) stored_bytes: u64,
    /// The stored length of each block, if they are compressed.
    pub(super) lengths: Vec<u32>,
}

#[derive(Debug, Default)]
struct Shared {
    progress: Mutex<Progress>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Progress {
    /// Everything before this byte of the content is in the file.
    stored: u64,
    /// What that takes there.
    stored_bytes: u64,
    /// The stored length of each block, and where it starts, if they are compressed.
    blocks: Vec<(u64, u32)>,
    /// What ended the writing early.
    failed: Option<(io::ErrorKind, String)>,
    /// What was handed over and could not be written, and where it starts: it can still be read.
    rescued: Option<(u64, Vec<u8>)>,
}

impl Shared {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock()
    }
}

impl Progress {
    fn error(&self) -> Option<io::Error> {
        self.failed.as_ref().map(|(kind, message)| io::Error::new(*kind, message.clone()))
    }
}

impl Spool {
    /// Starts to fill `file` from its beginning; `durable` says that it will be synced in the end.
    pub(super) fn start(
        file: Arc<File>,
        packing: Packing,
        durable: bool,
        faults: Option<Arc<Faults>>,
    ) -> io::Result<Spool> {
        let (chunks, incoming) = sync_channel::<Chunk>(WAITING);
        let (emptied, spare) = channel();
        let shared = Arc::new(Shared::default());
        let told = shared.clone();
        let begun = durable.then_some(0);
        let mut writer = Writer { file: file.clone(), packer: Packer::new(packing)?, faults, end: 0, begun };
        let work = move || {
            let mut tree = Tree::default();
            let mut received = 0;
            for chunk in incoming {
                // After a failure no more is handed over; what was under way by then is kept.
                if let Some((_, rescued)) = &mut told.progress().rescued {
                    rescued.extend_from_slice(chunk.bytes());
                    continue;
                }
                let stored = writer.store(chunk.bytes(), &told);
                let start = received;
                received += chunk.bytes().len() as u64;
                if let Err(error) = stored {
                    let mut progress = told.progress();
                    progress.failed = Some((error.kind(), error.to_string()));
                    progress.rescued = Some((start, chunk.bytes().to_vec()));
                    told.moved.notify_all();
                    continue;
                }
                tree.push(chunk.bytes());
                if let Chunk::Own(mut chunk) = chunk {
                    chunk.clear();
                    // The draft may have stopped listening; then the buffer is simply freed.
                    let _ = emptied.send(chunk);
                }
            }
            tree
        };
        let worker = std::thread::Builder::new().name("offcut-spool".to_owned()).spawn(work)?;
        let unpacked = Mutex::new(None);
        Ok(Spool { file, shared, chunks: Some(chunks), spare, worker: Some(worker), packing, unpacked })
    }

    /// Hands over the next chunk, and puts an empty buffer for the one after it in its place. Waits while too many are
    /// under way. Where blocks are compressed only the last chunk may be shorter than [`CHUNK`]. After a failure the chunk
    /// stays where it is.
    pub(super) fn send(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        let next = self.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(CHUNK));
        self.hand_over(Chunk::Own(std::mem::replace(chunk, next))).map_err(|(error, unsent)| {
            if let Chunk::Own(unsent) = unsent {
                *chunk = unsent;
            }
            error
        })
    }

    /// Hands over a block that others read too. Not where blocks are compressed.
    pub(super) fn send_shared(&mut self, block: Arc<Vec<u8>>) -> io::Result<()> {
        self.hand_over(Chunk::Shared(block)).map_err(|(error, _)| error)
    }

    /// Hands over the next chunk; on a failure it comes back.
    fn hand_over(&mut self, chunk: Chunk) -> Result<(), (io::Error, Chunk)> {
        let failed = self.shared.progress().error();
        if let Some(error) = failed {
            self.stop();
            return Err((error, chunk));
        }
        let unsent = match &self.chunks {
            Some(chunks) => chunks.send(chunk).err().map(|unsent| unsent.0),
            None => Some(chunk),
        };
        match unsent {
            None => Ok(()),
            Some(chunk) => {
                let failed = self.shared.progress().error();
                Err((failed.unwrap_or_else(|| io::ErrorKind::BrokenPipe.into()), chunk))
            }
        }
    }

    /// Waits until the thread has taken over everything that was handed to it, and ends it.
    fn stop(&mut self) {
        self.chunks = None;
        if let Some(worker) = self.worker.take() {
            // What it could not write is said by its progress.
            let _ = worker.join();
        }
    }

    /// Waits until everything is in the file, and returns its hashes.
    pub(super) fn finish(&mut self) -> io::Result<Spooled> {
        self.chunks = None;
        let worker = self.worker.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let tree = worker.join().map_err(|_| io::Error::other("the writing thread panicked"))?;
        let progress = self.shared.progress();
        match progress.error() {
            Some(error) => Err(error),
            None => {
                let lengths = progress.blocks.iter().map(|&(_, length)| length).collect();
                Ok(Spooled { tree, stored_bytes: progress.stored_bytes, lengths })
            }
        }
    }

    /// Waits until everything that was handed over is in the file.
    pub(super) fn wait(&self, handed_over: u64) -> io::Result<()> {
        let mut progress = self.shared.progress();
        while progress.stored < handed_over && progress.failed.is_none() && self.worker.is_some() {
            self.shared.moved.wait(&mut progress);
        }
        progress.error().map_or(Ok(()), Err)
    }

    /// Reads back what was handed over; waits for it if it is still under way.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = offset.saturating_add(buffer.len() as u64);
        let mut progress = self.shared.progress();
        while progress.stored < end && progress.failed.is_none() && self.worker.is_some() {
            self.shared.moved.wait(&mut progress);
        }
        let room = usize::try_from(progress.stored.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        let block = offset / BLOCK as u64;
        let packed = usize::try_from(block).ok().and_then(|at| progress.blocks.get(at).copied());
        if let Some((start, rescued)) = &progress.rescued
            && let Some(inside) = offset.checked_sub(*start)
        {
            let rest = usize::try_from(inside).ok().and_then(|at| rescued.get(at..)).unwrap_or_default();
            return Ok(copy(rest, buffer));
        }
        drop(progress);
        match (buffer.get_mut(..room), packed) {
            (Some(part), Some(packed)) if room > 0 => self.read_packed(block, packed, offset, part),
            (Some(part), None) if room > 0 => self.file.read_at(part, offset),
            _ => Ok(0),
        }
    }

    /// Reads from one compressed block, which is kept for the next call.
    fn read_packed(&self, block: u64, packed: (u64, u32), offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut unpacked = self.unpacked.lock();
        let content = match unpacked.take() {
            Some((at, content)) if at == block => content,
            _ => {
                let mut frame = vec![0; packed.1 as usize];
                self.file.read_exact_at(&mut frame, packed.0)?;
                pack::unpack(&frame)?
            }
        };
        let inside = usize::try_from(offset - block * BLOCK as u64).unwrap_or(usize::MAX);
        let count = copy(content.get(inside..).unwrap_or_default(), buffer);
        *unpacked = Some((block, content));
        Ok(count)
    }

    /// Whether the blocks are compressed.
    pub(super) fn compresses(&self) -> bool {
        self.packing != Packing::Plain
    }
}

/// The thread's side of a spool.
struct Writer {
    file: Arc<File>,
    packer: Packer,
    faults: Option<Arc<Faults>>,
    /// Where the next chunk goes.
    end: u64,
    /// Up to where the disk was asked to begin; `None` if nothing will wait for it.
    begun: Option<u64>,
}

impl Writer {
    /// Stores one chunk behind what is already in the file.
    fn store(&mut self, chunk: &[u8], told: &Shared) -> io::Result<()> {
        self.faults.as_ref().map_or(Ok(()), |faults| faults.check("write"))?;
        let (packed, lengths) = self.packer.pack(chunk)?;
        self.file.write_all_at(packed, self.end)?;
        let mut progress = told.progress();
        let mut start = self.end;
        for &length in lengths {
            progress.blocks.push((start, length));
            start += u64::from(length);
        }
        self.end += packed.len() as u64;
        progress.stored += chunk.len() as u64;
        progress.stored_bytes = self.end;
        drop(progress);
        told.moved.notify_all();
        if let Some(begun) = self.begun.filter(|begun| self.end - begun >= EARLY) {
            begin_writing_back(&self.file, begun, self.end);
            self.begun = Some(self.end);
        }
        Ok(())
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

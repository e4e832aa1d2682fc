//! The bytes of one message: in memory while they are few, in a file once they are not.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use offcut_platform::FileAt;

use super::outline::{Malformed, Outline, Scanner};

/// How many bytes of a message are held in memory.
const IN_MEMORY: usize = 16 * 1024 * 1024;

/// How many bytes are read at a time.
pub(crate) const CHUNK: usize = 64 * 1024;

/// A whole message, readable many times. Clones share the bytes.
#[derive(Debug, Clone)]
pub(crate) struct RawMessage {
    bytes: Arc<Bytes>,
    outline: Arc<Result<Outline, Malformed>>,
}

#[derive(Debug)]
enum Bytes {
    Memory(Vec<u8>),
    /// A file without a name, which is gone when nobody holds it any more.
    Spooled {
        file: File,
        length: u64,
    },
}

impl RawMessage {
    /// A message that is in memory already.
    pub(crate) fn new(bytes: Vec<u8>) -> RawMessage {
        let mut scanner = Scanner::default();
        scanner.push(&bytes);
        RawMessage { bytes: Arc::new(Bytes::Memory(bytes)), outline: Arc::new(scanner.finish()) }
    }

    /// Where things are in it.
    pub(crate) fn outline(&self) -> Result<&Outline, &Malformed> {
        self.outline.as_ref().as_ref()
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> u64 {
        match &*self.bytes {
            Bytes::Memory(bytes) => bytes.len() as u64,
            Bytes::Spooled { length, .. } => *length,
        }
    }

    /// The bytes in `range`, all at once: for parts that are known to be small.
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
        match &*self.bytes {
            Bytes::Memory(bytes) => {
                let start = usize::try_from(range.start).map_err(io::Error::other)?;
                let part = bytes.get(start..start + length).ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(Cow::Borrowed(part))
            }
            Bytes::Spooled { file, .. } => {
                let mut part = vec![0; length];
                file.read_exact_at(&mut part, range.start)?;
                Ok(Cow::Owned(part))
            }
        }
    }

    /// Hands the bytes in `range` to `take`, a chunk at a time.
    pub(crate) fn chunks(&self, range: Range<u64>, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let Bytes::Spooled { file, .. } = &*self.bytes else {
            return self.read(range)?.chunks(CHUNK).try_for_each(take);
        };
        let mut buffer = vec![0; CHUNK];
        let mut at = range.start;
        while at < range.end {
            let length = usize::try_from(range.end - at).unwrap_or(CHUNK).min(CHUNK);
            let part = buffer.get_mut(..length).unwrap_or_default();
            file.read_exact_at(part, at)?;
            take(part)?;
            at += length as u64;
        }
        Ok(())
    }
}

/// Takes a message in.
#[derive(Debug, Default)]
pub(crate) struct MessageSpool {
    memory: Vec<u8>,
    file: Option<File>,
    length: u64,
    scanner: Scanner,
}

impl MessageSpool {
    /// Takes the next bytes in.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.scanner.push(bytes);
        self.length += bytes.len() as u64;
        if self.file.is_none() && self.memory.len() + bytes.len() <= IN_MEMORY {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = none.insert(tempfile::tempfile()?);
                io::Write::write_all(file, &self.memory)?;
                self.memory = Vec::new();
                file
            }
        };
        io::Write::write_all(file, bytes)
    }

    /// Whether nothing but white space was taken in.
    pub(crate) fn is_blank(&self) -> bool {
        self.file.is_none() && self.memory.iter().all(u8::is_ascii_whitespace)
    }

    /// The message, when all of it is there.
    pub(crate) fn finish(self) -> RawMessage {
        let bytes = match self.file {
            None => Bytes::Memory(self.memory),
            Some(file) => Bytes::Spooled { file, length: self.length },
        };
        RawMessage { bytes: Arc::new(bytes), outline: Arc::new(self.scanner.finish()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_message_is_read_like_a_small_one() {
        let message = format!("{{\"id\":1,\"x\":\"{}\",\"method\":\"m\"}}", "ab".repeat(IN_MEMORY / 2));
        let mut spool = MessageSpool::default();
        message.as_bytes().chunks(70_001).for_each(|chunk| spool.push(chunk).unwrap());
        let raw_message = spool.finish();
        assert!(matches!(&*raw_message.bytes, Bytes::Spooled { .. }));
        assert_eq!(raw_message.len(), message.len() as u64);
        let mut read = Vec::new();
        raw_message
            .chunks(0..raw_message.len(), |chunk| {
                read.extend_from_slice(chunk);
                Ok(())
            })
            .unwrap();
        assert_eq!(read, message.as_bytes());
        let method = raw_message.outline().unwrap().messages()[0].get("method").unwrap();
        assert_eq!(&*raw_message.read(method.inner()).unwrap(), b"m");
        assert!(raw_message.read(0..raw_message.len() + 1).is_err());
    }
}

//! A content that is there at once: written to its staging file and hashed where it lies, without a copy of it.

use std::fs::File;
use std::io;
use std::sync::Arc;

use offcut_platform::FileAt;

use crate::blocks::Tree;
use crate::local::spool::Spooled;

/// A content that is in its staging file as it came.
#[derive(Debug)]
pub(super) struct Whole {
    file: Arc<File>,
    bytes: u64,
    tree: Tree,
}

impl Whole {
    /// Writes `content` to `file`.
    pub(super) fn write(content: &[u8], file: Arc<File>) -> io::Result<Whole> {
        file.write_all_at(content, 0)?;
        let mut tree = Tree::default();
        tree.push(content);
        Ok(Whole { file, bytes: content.len() as u64, tree })
    }

    /// What a commit makes of it; the content can still be read.
    pub(super) fn take_spooled(&mut self) -> Spooled {
        Spooled { tree: std::mem::take(&mut self.tree), stored_bytes: self.bytes, lengths: Vec::new() }
    }

    /// Reads back from `offset` on, and returns how many bytes there were.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.bytes.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        match buffer.get_mut(..room) {
            Some(part) if room > 0 => self.file.read_at(part, offset),
            _ => Ok(0),
        }
    }
}

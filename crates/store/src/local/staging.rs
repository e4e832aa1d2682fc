//! Files on their way: made under a name that readers skip, locked while their writer lives.
//!
//! The lock is what tells a file in the making from a leftover: it goes with its process, however that ends.

use std::fs::File;
use std::io;
use std::sync::Arc;

use offcut_platform::{FolderLock, link_count};

use crate::local::folder::Folder;

/// How often a staging file is made again because a sweep took it for a leftover before it was locked. That happens
/// only where folders cannot be locked.
const ATTEMPTS: usize = 8;

/// A file that is removed unless it is published.
#[derive(Debug)]
pub(super) struct Staging {
    folder: Arc<Folder>,
    name: String,
    file: Arc<File>,
}

impl Staging {
    /// Makes and locks a new file.
    pub(super) fn create(folder: &Arc<Folder>, name: String) -> io::Result<Staging> {
        let _making = folder.lock(FolderLock::Shared);
        for _ in 0..ATTEMPTS {
            let file = folder.create(&name)?;
            let staging = Staging { folder: folder.clone(), name: name.clone(), file: Arc::new(file) };
            folder.check("lock")?;
            staging.file.lock()?;
            if link_count(&staging.file)? > 0 {
                return Ok(staging);
            }
        }
        Err(io::Error::other("the staging file was taken away again and again"))
    }

    /// The file; it stays locked while this value lives.
    pub(super) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Gives the file its final name; fails if that is taken.
    pub(super) fn publish(&mut self, name: &str) -> io::Result<()> {
        self.folder.rename(&self.name, name)?;
        name.clone_into(&mut self.name);
        Ok(())
    }

    /// From here on the file stays.
    pub(super) fn keep(mut self) -> Arc<File> {
        self.name.clear();
        self.file.clone()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // What cannot be removed now is a leftover for the next sweep.
            let _ = self.folder.remove(&self.name);
        }
    }
}

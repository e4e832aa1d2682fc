//! A folder that is held open, and what may be done in it: nothing follows a link, nothing leaves it.
//!
//! Every call is relative to the open folder and takes a single name, so whatever is renamed or planted on the way to
//! it, the store stays where it was opened.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use offcut_platform::{Access, FolderLock, LockedFolder, OpenError, Stamp};

use crate::error::StoreError;
use crate::faults::Faults;

/// A folder of the store.
#[derive(Debug)]
pub(crate) struct Folder {
    held: offcut_platform::Folder,
    path: PathBuf,
    faults: Option<Arc<Faults>>,
}

impl Folder {
    /// Opens a folder that is trusted: one that the user named.
    pub(crate) fn open(path: &Path, faults: Option<Arc<Faults>>) -> io::Result<Folder> {
        check(faults.as_deref(), "open")?;
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Folder { held: offcut_platform::Folder::open(path)?, path: path.to_owned(), faults })
    }

    /// Opens a folder in this one; a link in its place is refused.
    pub(crate) fn folder(&self, name: &str) -> Result<Folder, StoreError> {
        let opened = self.check("open").map_err(OpenError::Open).and_then(|()| self.held.folder(name));
        let held = opened.map_err(|error| self.unopened("open the folder", name, error))?;
        Ok(Folder { held, path: self.path.join(name), faults: self.faults.clone() })
    }

    /// Opens a folder in this one, which is made first if need be: for its owner only.
    pub(crate) fn folder_or_new(&self, name: &str, durable: bool) -> Result<Folder, StoreError> {
        let made = self.check("mkdir").and_then(|()| self.held.make_folder(name));
        match made {
            Ok(()) if durable => self.sync().map_err(|error| self.error("sync the folder", name, error))?,
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(self.error("make the folder", name, error)),
        }
        self.folder(name)
    }

    /// Makes sure that only its owner can look inside.
    pub(crate) fn close_to_others(&self) -> Result<(), StoreError> {
        match self.held.close_to_others() {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Refused { path: self.path.clone(), why: "it belongs to somebody else" }),
            Err(error) => Err(StoreError::io("restrict the folder", &self.path, error)),
        }
    }

    /// A lock on the folder itself, for those who make files in it or, alone, for one who clears it. `None` where the
    /// file system has no such locks.
    pub(crate) fn lock(&self, how: FolderLock) -> Option<LockedFolder> {
        self.held.lock(how)
    }

    /// Makes a file that did not exist: for its owner only.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.check("create")?;
        self.held.create(name)
    }

    /// Opens a file to be read. A link, a file with a second name, a pipe or a folder in its place is refused.
    pub(crate) fn read(&self, name: &str) -> Result<File, StoreError> {
        self.open_file(name, Access::Read)
    }

    /// Opens a file to be read and appended to, which is made first if need be.
    pub(crate) fn append(&self, name: &str) -> Result<File, StoreError> {
        self.open_file(name, Access::Append)
    }

    fn open_file(&self, name: &str, access: Access) -> Result<File, StoreError> {
        let opened = self.check("open").map_err(OpenError::Open).and_then(|()| self.held.open_file(name, access));
        opened.map_err(|error| self.unopened("open", name, error))
    }

    fn unopened(&self, doing: &str, name: &str, error: OpenError) -> StoreError {
        match error {
            OpenError::Refused(why) => StoreError::Refused { path: self.path.join(name), why },
            OpenError::Open(error) => self.error(doing, name, error),
            OpenError::Inspect(error) => self.error("inspect", name, error),
        }
    }

    /// Whether something has this name here.
    pub(crate) fn has(&self, name: &str) -> io::Result<bool> {
        self.check("stat")?;
        self.held.has(name)
    }

    /// What tells an open file from any other and from itself before a change.
    pub(crate) fn stamp(&self, file: &File) -> io::Result<Stamp> {
        self.check("stat")?;
        self.held.stamp(file)
    }

    /// Whether this name still stands for this open file.
    pub(crate) fn is(&self, name: &str, file: &File) -> io::Result<bool> {
        self.check("stat")?;
        self.held.is(name, file)
    }

    /// Gives a file another name, which must be free.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.check("rename")?;
        self.held.rename(from, to)
    }

    /// Gives a file the name of another, which it replaces.
    pub(crate) fn replace(&self, from: &str, to: &str) -> io::Result<()> {
        self.check("rename")?;
        self.held.replace(from, to)
    }

    /// Removes a file; one that is not there is fine.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.check("unlink")?;
        self.held.remove(name)
    }

    /// Removes an empty folder in this one; says whether it is gone.
    pub(crate) fn remove_folder(&self, name: &str) -> io::Result<bool> {
        self.check("rmdir")?;
        self.held.remove_folder(name)
    }

    /// Makes the names in this folder last.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.check("sync")?;
        self.held.sync()
    }

    /// The names in this folder, in order; those that are not UTF-8 are not ours and left out.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        self.check("readdir")?;
        self.held.names()
    }

    /// Where it is, for messages and for people.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An error about something in this folder.
    pub(crate) fn error(&self, doing: &str, name: &str, source: io::Error) -> StoreError {
        StoreError::io(doing, &self.path.join(name), source)
    }

    /// Counts an operation on one of this folder's files, where faults are injected.
    pub(crate) fn check(&self, operation: &str) -> io::Result<()> {
        check(self.faults.as_deref(), operation)
    }
}

fn check(faults: Option<&Faults>, operation: &str) -> io::Result<()> {
    faults.map_or(Ok(()), |faults| faults.check(operation))
}

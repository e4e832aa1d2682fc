//! A folder that is held open, and what may be done in it: nothing follows a link, nothing leaves it.
//!
//! Every call is relative to the open folder and takes a single name, so whatever is renamed or planted on the way to
//! it, the store stays where it was opened.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags};

use crate::error::StoreError;
use crate::faults::Faults;

const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A folder of the store.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
    faults: Option<Arc<Faults>>,
}

impl Folder {
    /// Opens a folder that is trusted: one that the user named.
    pub(crate) fn open(path: &Path, faults: Option<Arc<Faults>>) -> io::Result<Folder> {
        check(faults.as_deref(), "open")?;
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let fd = rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Folder { fd, path: path.to_owned(), faults })
    }

    /// Opens a folder in this one; a link in its place is refused.
    pub(crate) fn folder(&self, name: &str) -> Result<Folder, StoreError> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = self.check("open").and_then(|()| Ok(rustix::fs::openat(&self.fd, name, flags, Mode::empty())?));
        match opened {
            Ok(fd) => Ok(Folder { fd, path, faults: self.faults.clone() }),
            Err(error) if is_foreign(&error) => Err(StoreError::Refused { path, why: "it is not a folder" }),
            Err(error) => Err(StoreError::io("open the folder", &path, error)),
        }
    }

    /// Opens a folder in this one, which is made first if need be: for its owner only.
    pub(crate) fn folder_or_new(&self, name: &str, durable: bool) -> Result<Folder, StoreError> {
        let made = self.check("mkdir").and_then(|()| Ok(rustix::fs::mkdirat(&self.fd, name, FOLDER_MODE)?));
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
        let error = |error: rustix::io::Errno| StoreError::io("restrict the folder", &self.path, error.into());
        let stat = rustix::fs::fstat(&self.fd).map_err(error)?;
        let me = rustix::process::geteuid();
        if stat.st_uid != me.as_raw() && !me.is_root() {
            return Err(StoreError::Refused { path: self.path.clone(), why: "it belongs to somebody else" });
        }
        if Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
            rustix::fs::fchmod(&self.fd, FOLDER_MODE).map_err(error)?;
        }
        Ok(())
    }

    /// A lock on the folder itself, for those who make files in it or, alone, for one who clears it. `None` where the
    /// file system has no such locks.
    pub(crate) fn lock(&self, how: FlockOperation) -> Option<OwnedFd> {
        // A lock belongs to what was opened, and this folder may be shared: so it is opened again.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, ".", flags, Mode::empty()).ok()?;
        rustix::fs::flock(&fd, how).ok()?;
        Some(fd)
    }

    /// Makes a file that did not exist: for its owner only.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        self.check("create")?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.fd, name, flags, FILE_MODE)?.into())
    }

    /// Opens a file to be read. A link, a file with a second name, a pipe or a folder in its place is refused.
    pub(crate) fn read(&self, name: &str) -> Result<File, StoreError> {
        self.open_file(name, OFlags::RDONLY)
    }

    /// Opens a file to be read and appended to, which is made first if need be.
    pub(crate) fn append(&self, name: &str) -> Result<File, StoreError> {
        self.open_file(name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    fn open_file(&self, name: &str, access: OFlags) -> Result<File, StoreError> {
        let path = || self.path.join(name);
        // A pipe in the file's place must not block, hence NONBLOCK; it means nothing to a file.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = self.check("open").and_then(|()| Ok(rustix::fs::openat(&self.fd, name, flags, FILE_MODE)?));
        let fd = match opened {
            Ok(fd) => fd,
            Err(error) if is_foreign(&error) => return Err(StoreError::Refused { path: path(), why: "it is a link" }),
            Err(error) => return Err(self.error("open", name, error)),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|error| self.error("inspect", name, error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(StoreError::Refused { path: path(), why: "it is not a file" });
        }
        if stat.st_nlink > 1 {
            return Err(StoreError::Refused { path: path(), why: "it has a second name outside the store" });
        }
        Ok(fd.into())
    }

    /// Whether something has this name here.
    pub(crate) fn has(&self, name: &str) -> io::Result<bool> {
        self.check("stat")?;
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// What tells an open file from any other and from itself before a change.
    pub(crate) fn stamp(&self, file: &File) -> io::Result<Stamp> {
        self.check("stat")?;
        let stat = rustix::fs::fstat(file)?;
        Ok(Stamp([
            stat.st_dev as i128,
            stat.st_ino as i128,
            stat.st_size as i128,
            nanos(stat.st_mtime, stat.st_mtime_nsec),
            nanos(stat.st_ctime, stat.st_ctime_nsec),
        ]))
    }

    /// Whether this name still stands for this open file.
    pub(crate) fn is(&self, name: &str, file: &File) -> io::Result<bool> {
        self.check("stat")?;
        let opened = rustix::fs::fstat(file)?;
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => Ok((named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file another name, which must be free.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.check("rename")?;
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
            // Some file systems cannot rename without replacing. Names are unique there by their random part.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                if self.has(to)? {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
            }
            other => Ok(other?),
        }
    }

    /// Gives a file the name of another, which it replaces.
    pub(crate) fn replace(&self, from: &str, to: &str) -> io::Result<()> {
        self.check("rename")?;
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// Removes a file; one that is not there is fine.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        self.check("unlink")?;
        missing_is_fine(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()))
    }

    /// Removes an empty folder in this one; says whether it is gone.
    pub(crate) fn remove_folder(&self, name: &str) -> io::Result<bool> {
        self.check("rmdir")?;
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(true),
            Err(rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the names in this folder last.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.check("sync")?;
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// The names in this folder, in order; those that are not UTF-8 are not ours and left out.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        self.check("readdir")?;
        let mut names = Vec::new();
        for entry in Dir::read_from(self.fd.as_fd())? {
            if let Some(name) = name_of(entry?.file_name()) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
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

/// What a file was when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp([i128; 5]);

fn nanos(seconds: impl Into<i128>, rest: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + rest.into()
}

fn name_of(name: &CStr) -> Option<String> {
    name.to_str().ok().filter(|name| !matches!(*name, "." | "..")).map(str::to_owned)
}

fn check(faults: Option<&Faults>, operation: &str) -> io::Result<()> {
    faults.map_or(Ok(()), |faults| faults.check(operation))
}

fn missing_is_fine(result: Result<(), rustix::io::Errno>) -> io::Result<()> {
    match result {
        Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What the system says when `NOFOLLOW` or `DIRECTORY` met something else.
fn is_foreign(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    code == Some(rustix::io::Errno::LOOP.raw_os_error()) || code == Some(rustix::io::Errno::NOTDIR.raw_os_error())
}

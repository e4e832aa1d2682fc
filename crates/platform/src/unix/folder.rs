//! A folder that is held open: every call is relative to it, takes a single name, and follows no link.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::folder::{Access, FolderLock, OpenError, Stamp};

const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A folder that is held open. Whatever is renamed or planted on the way to it, calls stay where it was opened.
#[derive(Debug)]
pub struct Folder(OwnedFd);

/// A folder's lock, which ends with this value.
#[derive(Debug)]
pub struct LockedFolder(#[expect(dead_code, reason = "held for its lock")] OwnedFd);

impl Folder {
    /// Opens a folder; links on the way to it are followed.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Folder(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a folder in this one; a link in its place is refused.
    pub fn folder(&self, name: &str) -> Result<Folder, OpenError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(fd) => Ok(Folder(fd)),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(OpenError::Refused("it is not a folder")),
            Err(error) => Err(OpenError::Open(error.into())),
        }
    }

    /// Makes a folder in this one, for its owner only.
    pub fn make_folder(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.0, name, FOLDER_MODE)?)
    }

    /// Makes sure that only its owner can look inside. Says `false`, and does nothing, where it belongs to somebody
    /// else.
    pub fn close_to_others(&self) -> io::Result<bool> {
        let stat = rustix::fs::fstat(&self.0)?;
        let me = rustix::process::geteuid();
        if stat.st_uid != me.as_raw() && !me.is_root() {
            return Ok(false);
        }
        if Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
            rustix::fs::fchmod(&self.0, FOLDER_MODE)?;
        }
        Ok(true)
    }

    /// Locks the folder itself; waits for others that hold it. `None` where the file system has no such locks.
    pub fn lock(&self, how: FolderLock) -> Option<LockedFolder> {
        // A lock belongs to what was opened, and this folder may be shared: so it is opened again.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.0, ".", flags, Mode::empty()).ok()?;
        let operation = match how {
            FolderLock::Shared => FlockOperation::LockShared,
            FolderLock::Exclusive => FlockOperation::LockExclusive,
        };
        rustix::fs::flock(&fd, operation).ok()?;
        Some(LockedFolder(fd))
    }

    /// Makes a file that did not exist, to be read and written, and for its owner only.
    pub fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.0, name, flags, FILE_MODE)?.into())
    }

    /// Opens a file. A link, a file with a second name, a pipe or a folder in its place is refused.
    pub fn open_file(&self, name: &str, access: Access) -> Result<File, OpenError> {
        let access = match access {
            Access::Read => OFlags::RDONLY,
            Access::Append => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
        };
        // A pipe in the file's place must not block, hence NONBLOCK; it means nothing to a file.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = match rustix::fs::openat(&self.0, name, flags, FILE_MODE) {
            Ok(fd) => fd,
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(OpenError::Refused("it is a link")),
            Err(error) => return Err(OpenError::Open(error.into())),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|error| OpenError::Inspect(error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(OpenError::Refused("it is not a file"));
        }
        if stat.st_nlink > 1 {
            return Err(OpenError::Refused("it has a second name outside the store"));
        }
        Ok(fd.into())
    }

    /// Whether something has this name here.
    pub fn has(&self, name: &str) -> io::Result<bool> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// What tells an open file from any other, and from itself before a change.
    pub fn stamp(&self, file: &File) -> io::Result<Stamp> {
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
    pub fn is(&self, name: &str, file: &File) -> io::Result<bool> {
        let opened = rustix::fs::fstat(file)?;
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => Ok((named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file another name, which must be free.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
            // Some file systems cannot rename without replacing. Names are unique there by their random part.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                if self.has(to)? {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                self.replace(from, to)
            }
            other => Ok(other?),
        }
    }

    /// Gives a file the name of another, which it replaces.
    pub fn replace(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file; one that is not there is fine.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an empty folder in this one; says whether it is gone.
    pub fn remove_folder(&self, name: &str) -> io::Result<bool> {
        match rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the names in this folder last.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// The names in this folder, in order; those that are not UTF-8 are left out.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self.0.as_fd())? {
            if let Some(name) = name_of(entry?.file_name()) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

fn nanos(seconds: impl Into<i128>, rest: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + rest.into()
}

fn name_of(name: &CStr) -> Option<String> {
    name.to_str().ok().filter(|name| !matches!(*name, "." | "..")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_and_its_files_are_closed_to_others() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let mode = |name: &str| at(name).metadata().unwrap().permissions().mode() & 0o777;
        std::fs::create_dir(at("open")).unwrap();
        let root = Folder::open(directory.path()).unwrap();
        root.make_folder("made").unwrap();
        assert!(root.folder("open").unwrap().close_to_others().unwrap());
        root.create("file").unwrap();
        root.open_file("log", Access::Append).unwrap();
        assert_eq!([mode("made"), mode("open"), mode("file"), mode("log")], [0o700, 0o700, 0o600, 0o600]);
    }

    #[test]
    fn a_pipe_in_a_file_s_place_is_neither_waited_for_nor_read() {
        let directory = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(directory.path().join("fifo")).status();
        assert!(made.unwrap().success());
        let opened = Folder::open(directory.path()).unwrap().open_file("fifo", Access::Read);
        assert!(matches!(opened, Err(OpenError::Refused("it is not a file"))));
    }

    #[test]
    fn an_exclusive_lock_waits_for_the_shared_ones() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(directory.path()).unwrap();
        let shared = [folder.lock(FolderLock::Shared), folder.lock(FolderLock::Shared)];
        assert!(shared.iter().all(Option::is_some));
        std::thread::scope(|scope| {
            let alone = scope.spawn(|| folder.lock(FolderLock::Exclusive).is_some());
            assert!(!alone.is_finished());
            drop(shared);
            assert!(alone.join().unwrap());
        });
    }
}

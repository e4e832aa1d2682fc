//! A folder that is held open: nobody can rename or replace it, or one above it, and no call follows a link in it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use winapi_util::file::Information;

use super::access;
use super::file::{NO_FOLLOW, create_private_folder};
use crate::folder::{Access, FolderLock, OpenError, Stamp};

/// Opens a folder as a file (`FILE_FLAG_BACKUP_SEMANTICS`).
const FOLDERS: u32 = 0x0200_0000;

/// Lets others read and write what is in a folder, and not rename or remove the folder itself.
const SHARED: u32 = 0x1 | 0x2;

/// A folder that is held open. The system lets nobody rename it or one above it meanwhile, so that its path stays its
/// own.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held for the system to keep the folder where it is.
    _held: File,
}

/// A folder's lock; this system has none.
#[derive(Debug)]
pub struct LockedFolder(());

impl Folder {
    /// Opens a folder; links on the way to it are followed.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let path = path.canonicalize()?;
        let held = hold(&path)?;
        if !held.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder { path, _held: held })
    }

    /// Opens a folder in this one; a link in its place is refused.
    pub fn folder(&self, name: &str) -> Result<Folder, OpenError> {
        let path = self.path.join(name);
        let held = hold(&path).map_err(OpenError::Open)?;
        match held.metadata() {
            Ok(found) if found.is_dir() => Ok(Folder { path, _held: held }),
            Ok(_) => Err(OpenError::Refused("it is not a folder")),
            Err(error) => Err(OpenError::Inspect(error)),
        }
    }

    /// Makes a folder in this one, for its owner only.
    pub fn make_folder(&self, name: &str) -> io::Result<()> {
        create_private_folder(&self.path.join(name))
    }

    /// Makes sure that only its owner, and those whom he named for this folder, can look inside; an error where it
    /// belongs to somebody else.
    pub fn close_to_others(&self) -> io::Result<bool> {
        access::restrict_folder(&self.path)?;
        Ok(true)
    }

    /// `None`: this system locks files only.
    pub fn lock(&self, _how: FolderLock) -> Option<LockedFolder> {
        None
    }

    /// Makes a file that did not exist, to be read and written; it is closed to others as its folder is.
    pub fn create(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).custom_flags(NO_FOLLOW).open(self.path.join(name))
    }

    /// Opens a file. A link, a file with a second name, or a folder in its place is refused.
    pub fn open_file(&self, name: &str, access: Access) -> Result<File, OpenError> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(NO_FOLLOW);
        if access == Access::Append {
            options.append(true).create(true);
        }
        let file = options.open(self.path.join(name)).map_err(OpenError::Open)?;
        let metadata = file.metadata().map_err(OpenError::Inspect)?;
        if metadata.is_symlink() {
            return Err(OpenError::Refused("it is a link"));
        }
        if !metadata.is_file() {
            return Err(OpenError::Refused("it is not a file"));
        }
        if information(&file).map_err(OpenError::Inspect)?.number_of_links() > 1 {
            return Err(OpenError::Refused("it has a second name outside the store"));
        }
        Ok(file)
    }

    /// Whether something has this name here.
    pub fn has(&self, name: &str) -> io::Result<bool> {
        match fs::symlink_metadata(self.path.join(name)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What tells an open file from any other, and from itself before a change.
    pub fn stamp(&self, file: &File) -> io::Result<Stamp> {
        let found = information(file)?;
        let numbers = [
            found.volume_serial_number(),
            found.file_index(),
            found.file_size(),
            found.last_write_time().unwrap_or(0),
            found.creation_time().unwrap_or(0),
        ];
        Ok(Stamp(numbers.map(i128::from)))
    }

    /// Whether this name still stands for this open file.
    pub fn is(&self, name: &str, file: &File) -> io::Result<bool> {
        let named = match OpenOptions::new().read(true).custom_flags(NO_FOLLOW).open(self.path.join(name)) {
            Ok(named) => information(&named)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let opened = information(file)?;
        Ok((named.volume_serial_number(), named.file_index()) == (opened.volume_serial_number(), opened.file_index()))
    }

    /// Gives a file another name, which must be free. Names are unique here by their random part: the look before the
    /// rename is for one that is not.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if self.has(to)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.replace(from, to)
    }

    /// Gives a file the name of another, which it replaces.
    pub fn replace(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    /// Removes a file; one that is not there is fine.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.path.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes an empty folder in this one; says whether it is gone. One that somebody holds open stays, empty.
    pub fn remove_folder(&self, name: &str) -> io::Result<bool> {
        match fs::remove_dir(self.path.join(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty || is_held(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes the names in this folder last.
    pub fn sync(&self) -> io::Result<()> {
        OpenOptions::new().write(true).custom_flags(FOLDERS).open(&self.path)?.sync_all()
    }

    /// The names in this folder, in order; those that are not Unicode are left out.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// Opens a folder, or whatever stands in its place, so that it stays there.
fn hold(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).share_mode(SHARED).custom_flags(FOLDERS | NO_FOLLOW).open(path)
}

fn information(file: &File) -> io::Result<Information> {
    winapi_util::file::information(file)
}

/// Whether somebody has the file open in a way that forbids what was asked (`ERROR_SHARING_VIOLATION`).
fn is_held(error: &io::Error) -> bool {
    error.raw_os_error() == Some(32)
}

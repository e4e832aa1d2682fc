//! Files: who may read them, whose they are, and what they are.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// What the administrator's files belong to.
const ROOT: u32 = 0;

pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    FileExt::read_at(file, buffer, offset)
}

pub(crate) fn write_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<usize> {
    FileExt::write_at(file, buffer, offset)
}

/// Makes a file that did not exist, to be written, and for its owner only.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Makes a folder and those above it that are missing, for their owner only.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a regular file to be appended to, which is made first if need be, for its owner only. Nothing else that
/// somebody put in its place is opened, as in [`open_regular`].
pub fn append_private(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().append(true).create(true).mode(0o600), path)
}

/// Opens a regular file to be read, and nothing else that somebody put in its place: a link must not lead into another
/// file, and a FIFO must not make us wait for its other end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path)
}

fn regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(raw(OFlags::NOFOLLOW | OFlags::NONBLOCK)).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Opens whatever is there to be read, links followed, without waiting for the other end of a FIFO.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(raw(OFlags::NONBLOCK)).open(path)
}

fn raw(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

/// How many names an open file has: none once it was removed.
pub fn link_count(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// The number that tells an open file, of which this is known, from the others of its file system.
pub fn file_index(_file: &File, metadata: &Metadata) -> io::Result<u64> {
    Ok(metadata.ino())
}

/// Whether the file at `path`, of which this is known, belongs to somebody other than this user and the administrator.
pub fn is_foreign(_path: &Path, metadata: &Metadata) -> bool {
    ![rustix::process::geteuid().as_raw(), ROOT].contains(&metadata.uid())
}

/// Whether the file at `path`, of which this is known, can be run.
pub fn is_program(_path: &Path, metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// A word that tells this user from others of this machine, fit for a file's name.
pub fn user_tag() -> String {
    rustix::process::geteuid().as_raw().to_string()
}

/// Makes `path` a link to the file `target`.
pub fn symlink(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Who may read, write and run a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMode(u32);

impl FileMode {
    /// A text that others may read.
    pub const TEXT: FileMode = FileMode(0o644);
    /// A program that others may run.
    pub const PROGRAM: FileMode = FileMode(0o755);
    /// A text for its owner only.
    pub const PRIVATE: FileMode = FileMode(0o600);

    /// The mode of a file of which this is known.
    pub fn of(metadata: &Metadata) -> FileMode {
        FileMode(metadata.permissions().mode() & 0o7777)
    }

    /// The same for its owner, and nothing for others.
    #[must_use]
    pub fn for_owner(self) -> FileMode {
        FileMode(self.0 & 0o700)
    }

    /// Gives the file that is open, and stands at `path`, this mode.
    pub fn set(self, file: &File, _path: &Path) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(self.0))
    }
}

/// Asks the system to begin to bring these bytes to the disk, without waiting for it.
///
/// The advice is "not needed soon", which makes Linux start to write what is dirty and forget what is clean. Right
/// after the write nothing is clean yet, so what is read back meanwhile still comes from memory. It is advice: that it
/// could not be given changes nothing but the time that the sync takes.
pub fn begin_writing_back(file: &File, start: u64, end: u64) {
    #[cfg(target_os = "linux")]
    if let Some(length) = std::num::NonZeroU64::new(end.saturating_sub(start)) {
        let _ = rustix::fs::fadvise(file, start, Some(length), rustix::fs::Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, start, end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn private_files_and_folders_are_their_owner_s_alone() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        create_private(&at("new")).unwrap();
        append_private(&at("log")).unwrap();
        create_private_folders(&at("a/b")).unwrap();
        assert_eq!([mode(&at("new")), mode(&at("log"))], [0o600; 2]);
        assert_eq!([mode(&at("a")), mode(&at("a/b"))], [0o700; 2]);
        assert_eq!(create_private(&at("new")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        create_private_folders(&at("a/b")).unwrap();
    }

    #[test]
    fn a_link_a_fifo_and_a_folder_are_no_regular_files() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), "mine").unwrap();
        symlink(&at("file"), &at("link")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        for name in ["link", "fifo", "."] {
            assert!(open_regular(&at(name)).is_err(), "{name}");
            assert!(append_private(&at(name)).is_err(), "{name}");
        }
        assert!(open_regular(&at("file")).is_ok() && open_without_waiting(&at("link")).is_ok());
        assert!(!open_without_waiting(&at("fifo")).unwrap().metadata().unwrap().is_file());
    }

    #[test]
    fn a_file_s_mode_is_kept_and_closed_to_others() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let file = create_private(&path).unwrap();
        FileMode::PROGRAM.set(&file, &path).unwrap();
        let metadata = path.metadata().unwrap();
        assert_eq!(FileMode::of(&metadata), FileMode::PROGRAM);
        assert!(is_program(&path, &metadata) && !is_foreign(&path, &metadata));
        FileMode::of(&metadata).for_owner().set(&file, &path).unwrap();
        assert_eq!(mode(&path), 0o700);
        FileMode::TEXT.set(&file, &path).unwrap();
        assert!(!is_program(&path, &path.metadata().unwrap()));
        assert_eq!(link_count(&file).unwrap(), 1);
        fs::remove_file(&path).unwrap();
        assert_eq!(link_count(&file).unwrap(), 0);
    }
}

//! Files: who may read them, whose they are, and what they are.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::access;

/// Opens a link itself, not what it leads to (`FILE_FLAG_OPEN_REPARSE_POINT`).
pub(super) const NO_FOLLOW: u32 = 0x0020_0000;

/// Lets others rename or remove an open file (`FILE_SHARE_DELETE`), and not read or write it.
const RENAMED_ONLY: u32 = 0x4;

pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub(crate) fn write_at(file: &File, buffer: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(buffer, offset)
}

/// Makes a file that did not exist, to be written, and for its owner only. Where that cannot be had there is no file.
pub fn create_private(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().write(true).create_new(true), path)
}

/// While the file is open nobody else can open it to read it, so that nobody has it open from before it was closed to
/// others.
fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.share_mode(RENAMED_ONLY).open(path)?;
    if let Err(error) = access::restrict_file(path) {
        drop(file);
        // It is empty, and the error is the one to tell.
        let _ = fs::remove_file(path);
        return Err(error);
    }
    Ok(file)
}

/// Makes a folder and those above it that are missing, for their owner only.
pub fn create_private_folders(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> =
        path.ancestors().take_while(|part| !part.as_os_str().is_empty() && !part.exists()).collect();
    missing.into_iter().rev().try_for_each(create_private_folder)?;
    if path.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Makes a folder that did not exist, for its owner only. Where that cannot be had there is no folder.
pub(super) fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    access::restrict_folder(path).inspect_err(|_| {
        // It is empty, and the error is the one to tell.
        let _ = fs::remove_dir(path);
    })
}

/// Opens a regular file to be appended to, which is made first if need be, for its owner only. Nothing else that
/// somebody put in its place is opened, as in [`open_regular`].
pub fn append_private(path: &Path) -> io::Result<File> {
    let mut append = OpenOptions::new();
    append.append(true).custom_flags(NO_FOLLOW);
    match regular(&append, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match create_private(path) {
        // Somebody may have been quicker. A file that was just made is opened again, for others to append to it, too.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => regular(&append, path),
    }
}

/// Opens a regular file to be read, and nothing else that somebody put in its place: a link must not lead into another
/// file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true).custom_flags(NO_FOLLOW), path)
}

fn regular(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Opens whatever is there to be read, links followed. Nothing in a folder of this system makes an open wait.
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// How many names an open file has: none once it was removed.
pub fn link_count(file: &File) -> io::Result<u64> {
    Ok(winapi_util::file::information(file)?.number_of_links())
}

/// The number that tells an open file, of which this is known, from the others of its volume.
pub fn file_index(file: &File, _metadata: &Metadata) -> io::Result<u64> {
    Ok(winapi_util::file::information(file)?.file_index())
}

/// Whether the file at `path` may belong to somebody other than this user and the administrator. The system is not
/// asked for the owner: what lies in the user's own folder, where others cannot write, is his, and nothing else.
pub fn is_foreign(path: &Path, _metadata: &Metadata) -> bool {
    match (path.canonicalize(), home().and_then(|home| home.canonicalize().ok())) {
        (Ok(path), Some(home)) => !path.starts_with(home),
        _ => true,
    }
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// Whether the file at `path`, of which this is known, can be run.
pub fn is_program(path: &Path, metadata: &Metadata) -> bool {
    let is_named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exe"));
    metadata.is_file() && is_named
}

/// A word that tells this user from others of this machine, fit for a file's name. The folder for temporary files is
/// the user's own here, so that it protects nothing.
pub fn user_tag() -> String {
    let name = std::env::var("USERNAME").unwrap_or_default();
    let name: String = name.chars().filter(|letter| letter.is_alphanumeric()).collect();
    if name.is_empty() { "user".to_owned() } else { name }
}

/// Makes `path` a link to the file `target`; the system asks for a privilege, or its developer mode.
pub fn symlink(target: &Path, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

/// Who may read and write a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMode {
    private: bool,
}

impl FileMode {
    /// A text that others may read, if they may read its folder.
    pub const TEXT: FileMode = FileMode { private: false };
    /// A program that others may run, if they may read its folder.
    pub const PROGRAM: FileMode = FileMode { private: false };
    /// A text for its owner only.
    pub const PRIVATE: FileMode = FileMode { private: true };

    /// The mode of a file of which this is known. Who may read it is not, so that it counts as its owner's only.
    pub fn of(_metadata: &Metadata) -> FileMode {
        FileMode::PRIVATE
    }

    /// The same for its owner, and nothing for others.
    #[must_use]
    pub fn for_owner(self) -> FileMode {
        FileMode::PRIVATE
    }

    /// Gives the file that is open, and stands at `path`, this mode.
    pub fn set(self, _file: &File, path: &Path) -> io::Result<()> {
        if self.private { access::restrict_file(path) } else { access::inherit(path) }
    }
}

/// Does nothing: there is no such advice for this system, and it changes nothing but the time that a sync takes.
pub fn begin_writing_back(_file: &File, _start: u64, _end: u64) {}

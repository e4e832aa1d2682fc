//! Reading and writing the files of an agent: whole or not at all, through links, with the permissions that they had.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use offcut_platform::{FileMode, create_private, symlink};

use crate::failure::{Failure, while_doing};

/// What is added to the name of a file for the copy from before.
const BACKUP: &str = ".offcut-backup";

/// The largest file that is read; some agents keep their history beside their settings.
const LARGEST: u64 = 64 << 20;

/// The file itself, where a path is a link to one.
pub(super) fn resolved(path: &Path) -> Result<PathBuf, Failure> {
    let Ok(found) = path.symlink_metadata() else { return Ok(path.to_owned()) };
    if !found.is_symlink() {
        return Ok(path.to_owned());
    }
    path.canonicalize()
        .map_err(|error| Failure::other(format!("{}: the link leads to nothing: {error}", path.display())))
}

/// The path of the copy from before.
pub(super) fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(BACKUP);
    path.with_file_name(name)
}

/// The text of a file; `None` where there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let fail = |why: String| Failure::other(format!("{}: {why}", path.display())).hint("nothing was written");
    let found = match path.metadata() {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(fail(error.to_string())),
    };
    if !found.is_file() {
        return Err(fail("not a regular file".to_owned()));
    }
    if found.len() > LARGEST {
        return Err(fail("larger than 64 MB".to_owned()));
    }
    let bytes = fs::read(path).map_err(|error| fail(error.to_string()))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
            Err(fail(format!("not UTF-8 (line {})", valid.filter(|byte| **byte == b'\n').count() + 1)))
        }
    }
}

/// Writes a file so that a reader sees the old text or the new one. A new file gets `mode`, an old one keeps its own.
pub(super) fn write(path: &Path, text: &str, mode: FileMode) -> Result<(), Failure> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory).map_err(while_doing(format!("create `{}`", directory.display())))?;
    let mode = path.metadata().map_or(mode, |found| FileMode::of(&found));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.offcut-new", std::process::id()));
    let staging = path.with_file_name(name);
    let written = stage(&staging, text, mode).and_then(|()| fs::rename(&staging, path));
    if written.is_err() {
        // Nothing was there before, or somebody else's; what cannot be removed was never created.
        let _ = fs::remove_file(&staging);
    }
    written.map_err(while_doing(format!("write `{}`", path.display())))
}

fn stage(staging: &Path, text: &str, mode: FileMode) -> io::Result<()> {
    let mut file = create_private(staging)?;
    file.write_all(text.as_bytes())?;
    mode.set(&file, staging)?;
    file.sync_all()
}

/// Copies a file's text from before beside it, for nobody else to read.
pub(super) fn write_backup(path: &Path, text: &str) -> Result<(), Failure> {
    let mode = path.metadata().map_or(FileMode::PRIVATE, |found| FileMode::of(&found).for_owner());
    write(&backup_of(path), text, mode)
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(while_doing(format!("remove `{}`", path.display()))(error))
        }
        _ => Ok(()),
    }
}

/// Removes the directories above a file that was removed, as long as they are empty, below `limits`.
pub(super) fn remove_empty_parents(path: &Path, limits: &[&Path]) {
    for directory in path.ancestors().skip(1).take(3) {
        // One with something in it refuses, and is what we want to keep.
        if limits.contains(&directory) || fs::remove_dir(directory).is_err() {
            break;
        }
    }
}

/// Makes `path` a link to `target`.
pub(super) fn link(path: &Path, target: &Path) -> Result<(), Failure> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory).map_err(while_doing(format!("create `{}`", directory.display())))?;
    let staging = path.with_extension(format!("{}.offcut-new", std::process::id()));
    let linked = symlink(target, &staging).and_then(|()| fs::rename(&staging, path));
    linked.map_err(while_doing(format!("link `{}`", path.display())))
}

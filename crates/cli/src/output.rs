//! Files that a command writes.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use crate::failure::{Failure, while_doing};

/// Creates a file; overwrites an existing one only with `force`.
pub(crate) fn create(path: &Path, force: bool) -> Result<File, Failure> {
    let opened = OpenOptions::new().write(true).create(true).create_new(!force).truncate(force).open(path);
    opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::other(format!("`{}` already exists; use --force to overwrite it", path.display()))
        }
        _ => while_doing(format!("create `{}`", path.display()))(error),
    })
}

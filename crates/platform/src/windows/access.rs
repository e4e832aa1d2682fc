//! Access lists, by the system's own program.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whoever owns a file, by the number that every Windows has for that.
const OWNER: &str = "*S-1-3-4";

/// Leaves a file to its owner only: nothing is inherited from the folder that it lies in.
pub(super) fn restrict_file(path: &Path) -> io::Result<()> {
    icacls(path, &["/inheritance:r", "/grant:r", &format!("{OWNER}:F")])
}

/// Leaves a folder, and what will be made in it, to its owner only.
pub(super) fn restrict_folder(path: &Path) -> io::Result<()> {
    icacls(path, &["/inheritance:r", "/grant:r", &format!("{OWNER}:(OI)(CI)F")])
}

/// Lets those read a file who may read the others of its folder.
pub(super) fn inherit(path: &Path) -> io::Result<()> {
    icacls(path, &["/reset"])
}

fn icacls(path: &Path, arguments: &[&str]) -> io::Result<()> {
    let mut command = Command::new("icacls");
    command.arg(path).args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let fail = |why: String| {
        let path = path.display();
        io::Error::new(io::ErrorKind::PermissionDenied, format!("`icacls` did not set who may read `{path}`: {why}"))
    };
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(fail(status.to_string())),
        Err(error) => Err(fail(error.to_string())),
    }
}

//! How this program is called from a shell.

use std::env::consts::EXE_SUFFIX;
use std::path::Path;

use crate::place::quoted;

/// The program's name.
const NAME: &str = "offcut";

/// The word that calls this program: its name where the `PATH` finds one, else its absolute path.
pub(crate) fn word() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|directory| is_program(&directory.join(format!("{NAME}{EXE_SUFFIX}")))) {
        return NAME.to_owned();
    }
    let itself = std::env::current_exe().ok().filter(|path| path.is_absolute());
    itself.map_or_else(|| NAME.to_owned(), |path| quoted(&path.to_string_lossy()))
}

/// Whether this file can be run.
fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| offcut_platform::is_program(path, &found))
}

//! The machine around an agent: home directory, project, this program, and what is on PATH.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, while_doing};
use crate::place::{self, quoted};

/// Where things are.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The user's home directory.
    pub(crate) home: PathBuf,
    /// The project's root.
    pub(crate) root: PathBuf,
    /// This program, by the path that outlives an update where there is one.
    pub(crate) program: PathBuf,
    /// The user's configuration directory: `~/.config`.
    config: PathBuf,
}

impl Surroundings {
    /// What the environment says.
    pub(crate) fn new() -> Result<Surroundings, Failure> {
        let home = variable("HOME").map(PathBuf::from);
        let home = home.ok_or_else(|| Failure::other("$HOME is not set: there is no place for the user's files"))?;
        let config = variable("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
        let itself = std::env::current_exe().map_err(while_doing("find the path of this program"))?;
        Ok(Surroundings { program: lasting(&itself), root: place::root(), home, config })
    }

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        variable(name)
    }

    /// Offcut's own directory in the user's configuration.
    pub(crate) fn own_directory(&self) -> PathBuf {
        self.config.join("offcut")
    }

    /// The program of this name on PATH.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        on_path(name)
    }

    /// A path with `~` and `{config}` filled in.
    pub(crate) fn expanded(&self, path: &str) -> PathBuf {
        self.home.join(self.filled(path, Path::new("")))
    }

    /// A text with everything filled in: `{home}` of an agent, `{offcut}` for this program (`{offcut_sh}` where a shell
    /// reads it), `{own}` for our own directory, `{config}` for the user's, `~` at the beginning.
    pub(crate) fn filled(&self, text: &str, home: &Path) -> String {
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        let text = match text.strip_prefix("~/") {
            Some(below) => format!("{}/{below}", shown(&self.home)),
            None => text.to_owned(),
        };
        text.replace("{home}", &shown(home))
            .replace("{config}", &shown(&self.config))
            .replace("{own}", &shown(&self.own_directory()))
            .replace("{offcut_sh}", &quoted(&shown(&self.program)))
            .replace("{offcut}", &shown(&self.program))
    }

    /// A path as people write it, with `~` for the home directory.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) if !path.starts_with(&self.root) || self.root == self.home => format!("~/{}", below.display()),
            _ => path.strip_prefix(&self.root).unwrap_or(path).display().to_string(),
        }
    }
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The program of this name on PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    let directories = variable("PATH").unwrap_or_default();
    std::env::split_paths(&directories).map(|directory| directory.join(name)).find(|path| path.is_file())
}

/// The name on PATH that leads to this very program, since a package manager moves the file itself; else the file.
fn lasting(itself: &Path) -> PathBuf {
    let same = |path: &PathBuf| path.is_absolute() && path.canonicalize().ok() == itself.canonicalize().ok();
    on_path("offcut").filter(same).unwrap_or_else(|| itself.to_owned())
}

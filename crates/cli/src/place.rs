//! Which project, session and store a call belongs to.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::args::PlaceFlags;
use crate::config::{AGENT_FILE, Config, PROJECT_FILES};
use crate::failure::Failure;

/// The session of calls that name none: each project has a store of its own, so one name serves them all.
const SESSION: &str = "default";

/// Where artifacts are kept below the project's root, unless somebody says otherwise.
pub(crate) const STORAGE_PATH: &str = ".offcut/artifacts";

/// Where a call takes place.
#[derive(Debug)]
pub(crate) struct Place {
    /// The project's root.
    pub(crate) root: PathBuf,
    /// The session that artifacts belong to.
    pub(crate) session: String,
    /// The directory of the store; `None` where nothing is kept.
    pub(crate) store: Option<PathBuf>,
    /// What must be added to a command for it to find the same artifacts: ` --session x`.
    pub(crate) suffix: String,
}

/// The root of the project that the working directory is in.
pub(crate) fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    here.ancestors().find(|directory| is_root(directory)).unwrap_or(&here).to_owned()
}

/// Whether something of the user's own marks this directory as a project's root.
fn is_root(directory: &Path) -> bool {
    let markers = [".offcut", ".git", AGENT_FILE].into_iter().chain(PROJECT_FILES);
    let me = rustix::process::geteuid().as_raw();
    // What somebody else put into a shared directory above us must not decide what happens here.
    markers.filter_map(|marker| directory.join(marker).metadata().ok()).any(|found| [me, 0].contains(&found.uid()))
}

/// The configuration file that stands for the user's and the project's, if somebody named one.
pub(crate) fn only_config(flag: Option<&Path>) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(|| variable("OFFCUT_CONFIG").map(PathBuf::from))
}

impl Place {
    /// Finds it by flags, environment and configuration.
    pub(crate) fn find(root: PathBuf, flags: &PlaceFlags, config: &Config) -> Result<Place, Failure> {
        let session =
            flags.session.clone().or_else(|| variable("OFFCUT_SESSION")).unwrap_or_else(|| SESSION.to_owned());
        let said = config.options.artifacts.storage_path.as_deref();
        let store = match (&flags.store, said) {
            (Some(path), _) => directory(path, Path::new("."), &root)?,
            (None, Some(path)) => directory(Path::new(path), &root, &root)?,
            (None, None) => Some(root.join(STORAGE_PATH)),
        };
        let mut suffix = String::new();
        if let Some(session) = &flags.session {
            suffix.push_str(&format!(" --session {}", quoted(session)));
        }
        if let (Some(path), Some(_)) = (&flags.store, &store) {
            let written = if path == Path::new("temp") { path.clone() } else { absolute(path) };
            suffix.push_str(&format!(" --store {}", quoted(&written.to_string_lossy())));
        }
        if let (Some(path), None) = (&flags.config, &flags.store) {
            suffix.push_str(&format!(" --config {}", quoted(&absolute(path).to_string_lossy())));
        }
        Ok(Place { root, session, store, suffix })
    }
}

/// The directory that `path` means, taken from `base`; `None` for `none`.
fn directory(path: &Path, base: &Path, root: &Path) -> Result<Option<PathBuf>, Failure> {
    match path.to_str() {
        Some("none") => Ok(None),
        Some("") => Err(Failure::usage("`artifacts.storage_path` is empty: expected a directory, `temp` or `none`")),
        Some("temp") => Ok(Some(temporary(root))),
        _ => Ok(Some(absolute(&base.join(path)))),
    }
}

/// A directory under the system's temporary one: the same for every call of a user in a project, so that the next
/// command finds what this one kept.
fn temporary(root: &Path) -> PathBuf {
    let user = rustix::process::geteuid().as_raw();
    std::env::temp_dir().join(format!("offcut-{user}")).join(name_of(root))
}

/// A short name for a path: the letters and digits of its last part, and a number that tells it from others.
fn name_of(path: &Path) -> String {
    // FNV-1a: not secret, only spread.
    let hash = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let last = path.file_name().unwrap_or_default().to_string_lossy();
    let safe: String = last.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    format!("p{safe}-{hash:016x}")
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A word as a shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_only_where_a_shell_would_split_or_expand_them() {
        assert_eq!(quoted("cargo"), "cargo");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME"), "'$HOME'");
    }

    #[test]
    fn a_temporary_directory_is_told_apart_by_the_whole_path() {
        assert_eq!(name_of(Path::new("/a/b c")), name_of(Path::new("/a/b c")));
        assert_ne!(name_of(Path::new("/a/x")), name_of(Path::new("/b/x")));
        assert!(name_of(Path::new("/a/b c")).starts_with("pbc-"));
    }
}

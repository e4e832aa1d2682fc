//! Which project, session and store a call belongs to.

use std::path::{Path, PathBuf};

use offcut_platform::{is_foreign, user_tag};
use offcut_store::SessionId;

use crate::config::problem::{Origin, Problem};
use crate::config::{AGENT_FILE, Config, PROJECT_FILES};
use crate::flags::PlaceFlags;

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
    /// Whether somebody named that session.
    pub(crate) is_named: bool,
    /// Where artifacts are kept.
    pub(crate) store: Storage,
    /// What must be added to a command for it to find the same artifacts: ` --session x`.
    pub(crate) suffix: String,
}

/// Where artifacts are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Nowhere.
    Nothing,
    /// In this directory.
    Directory(PathBuf),
    /// At this address: `s3://bucket/prefix`.
    Address(String),
}

/// The root of the project that the working directory is in; the file system's where there is no such directory.
pub(crate) fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    here.ancestors().find(|directory| is_root(directory)).unwrap_or(&here).to_owned()
}

/// Whether something of the user's own marks this directory as a project's root.
fn is_root(directory: &Path) -> bool {
    let markers = [".offcut", ".git", AGENT_FILE].into_iter().chain(PROJECT_FILES);
    // What somebody else put into a shared directory above us must not decide what happens here.
    markers
        .map(|marker| directory.join(marker))
        .any(|path| path.metadata().is_ok_and(|found| !is_foreign(&path, &found)))
}

/// The configuration file that stands for the user's and the project's, if somebody named one.
pub(crate) fn only_config(flag: Option<&Path>) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(|| variable("OFFCUT_CONFIG").map(PathBuf::from))
}

/// The session that somebody named, by flag or environment; a name that cannot be one is a problem.
fn named_session(flags: &PlaceFlags, config: &mut Config) -> Option<String> {
    let variable = variable("OFFCUT_SESSION").map(|name| ("$OFFCUT_SESSION", name));
    let named = flags.session.clone().map(|name| ("--session", name)).into_iter().chain(variable);
    for (origin, name) in named {
        match name.parse::<SessionId>() {
            Ok(_) => return Some(name),
            Err(error) => {
                let hint = "a session is 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with a dot";
                config.problems.add(Problem::error(format!("{origin}: {error}")).hint(hint.to_owned()));
            }
        }
    }
    None
}

/// Who says where artifacts are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChosenBy {
    /// `--store`.
    Flag,
    /// This key of the configuration.
    Key(&'static str),
    /// Nobody.
    Default,
}

/// Where artifacts are kept, as it is written.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) by: ChosenBy,
    pub(crate) written: String,
}

impl Chosen {
    /// The highest of flag and configuration.
    pub(crate) fn of(flag: Option<&str>, config: &Config) -> Chosen {
        let artifacts = &config.options.artifacts;
        // A working directory that was removed has no project to keep anything in.
        let nowhere =
            std::env::current_dir().is_err().then(|| temporary(Path::new("/")).to_string_lossy().into_owned());
        let flag = flag.or(nowhere.as_deref());
        let (by, written) = match (flag, &artifacts.storage, &artifacts.storage_path) {
            (Some(written), _, _) => (ChosenBy::Flag, written),
            (None, Some(address), _) => (ChosenBy::Key("artifacts.storage"), address.as_str()),
            (None, None, Some(path)) => (ChosenBy::Key("artifacts.storage_path"), path.as_str()),
            (None, None, None) => (ChosenBy::Default, STORAGE_PATH),
        };
        Chosen { by, written: written.to_owned() }
    }

    /// What is meant: paths are taken from the working directory in a flag, from the project's root elsewhere.
    pub(crate) fn storage(&self, root: &Path) -> Result<Storage, String> {
        let base = if self.by == ChosenBy::Flag { Path::new(".") } else { root };
        match self.written.as_str() {
            "none" => Ok(Storage::Nothing),
            "temp" => Ok(Storage::Directory(temporary(root))),
            "" => Err("the store is empty: expected a directory, `temp` or `none`".to_owned()),
            address if address.contains("://") => Ok(Storage::Address(address.to_owned())),
            path => Ok(Storage::Directory(absolute(&base.join(path)))),
        }
    }
}

impl Place {
    /// The directory of the event log; none where nothing is kept.
    pub(crate) fn log_directory(&self) -> Option<PathBuf> {
        match &self.store {
            Storage::Nothing => None,
            Storage::Directory(path) => (!self.leads_elsewhere(path)).then(|| path.clone()),
            // What is kept elsewhere is counted here, where the project has a place for that.
            Storage::Address(_) => Some(self.root.join(STORAGE_PATH)),
        }
    }

    /// Whether a link in the project stands on the way to `path`.
    fn leads_elsewhere(&self, path: &Path) -> bool {
        let below = path.ancestors().take_while(|part| *part != self.root && part.starts_with(&self.root));
        below.filter_map(|part| part.symlink_metadata().ok()).any(|found| found.is_symlink())
    }

    /// The place of a call whose artifacts are kept in `store`, which is what `chosen` means.
    pub(crate) fn new(
        root: PathBuf,
        flags: &PlaceFlags,
        config: &mut Config,
        chosen: &Chosen,
        store: Storage,
    ) -> Place {
        let named = named_session(flags, config);
        // What the next command would find by itself, from the project's files, needs no words.
        let mut suffix = String::new();
        if let Some(session) = &named {
            suffix.push_str(&format!(" --session {}", quoted(session)));
        }
        let is_said = match chosen.by {
            ChosenBy::Flag => true,
            ChosenBy::Key(key) => config.only || matches!(config.origins.get(key), Some(Origin::Variable(_))),
            ChosenBy::Default => false,
        };
        match &store {
            Storage::Directory(path) if is_said && chosen.written != "temp" => {
                suffix.push_str(&format!(" --store {}", quoted(&path.to_string_lossy())));
            }
            Storage::Directory(_) | Storage::Address(_) if is_said => {
                suffix.push_str(&format!(" --store {}", quoted(&chosen.written)));
            }
            Storage::Nothing | Storage::Directory(_) | Storage::Address(_) => {}
        }
        let is_named = named.is_some();
        Place { root, session: named.unwrap_or_else(|| SESSION.to_owned()), is_named, store, suffix }
    }
}

/// A directory under the system's temporary one: the same for every call of a user in a project, so that the next
/// command finds what this one kept.
fn temporary(root: &Path) -> PathBuf {
    std::env::temp_dir().join(format!("offcut-{}", user_tag())).join(name_of(root))
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

//! Walking a tree the way users expect: .gitignore respected, `.git` left alone, hidden files seen.

use std::ffi::OsStr;
use std::path::Path;

use ignore::{DirEntry, WalkBuilder, WalkParallel};
use offcut_core::notice;

use crate::order::path_key;
use crate::place::printable;

/// How many places that could not be read are remembered.
const REMEMBERED: usize = 1000;

/// A walk over everything below `start` on all cores.
pub(crate) fn walk(start: &Path) -> WalkParallel {
    // Above a repository's root nobody's .gitignore counts; outside of one those in the tree itself do.
    let in_repository = start.ancestors().any(|folder| folder.join(".git").exists());
    WalkBuilder::new(start)
        .hidden(false)
        .parents(in_repository)
        .require_git(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_repository(entry))
        .build_parallel()
}

fn is_repository(entry: &DirEntry) -> bool {
    entry.file_name() == OsStr::new(".git")
}

/// The path of an entry from where the walk began.
pub(crate) fn below<'a>(path: &'a Path, start: &Path) -> &'a Path {
    path.strip_prefix(start).unwrap_or(path)
}

/// Places that could not be read.
#[derive(Debug, Default)]
pub(crate) struct UnreadablePlaces {
    places: Vec<(Vec<u8>, String)>,
    more: u64,
}

impl UnreadablePlaces {
    /// Remembers what a walk stumbled over.
    pub(crate) fn stumbled(&mut self, error: &ignore::Error, start: &Path) {
        let (path, error) = match error {
            ignore::Error::WithDepth { err, .. } => return self.stumbled(err, start),
            ignore::Error::WithPath { path, err } => (path.as_path(), err.as_ref()),
            // A line of a .gitignore that cannot be read is git's matter.
            ignore::Error::Partial(_) | ignore::Error::Glob { .. } | ignore::Error::WithLineNumber { .. } => return,
            other => (start, other),
        };
        self.add(below(path, start), &error.to_string());
    }

    /// Remembers a file that could not be read.
    pub(crate) fn add(&mut self, path: &Path, why: &str) {
        if self.places.len() == REMEMBERED {
            self.more += 1;
            return;
        }
        let bytes = path.as_os_str().as_encoded_bytes();
        self.places.push((path_key(bytes), format!("{}: {why}", printable(bytes))));
    }

    /// What is said about them, up to the path with this key, where nothing behind it was looked at for certain.
    pub(crate) fn notice(mut self, upto: Option<&[u8]>) -> Option<String> {
        self.places.sort_unstable();
        self.places.retain(|(key, _)| upto.is_none_or(|upto| key.as_slice() <= upto));
        let (_, first) = self.places.first()?;
        Some(notice::unreadable(self.places.len() as u64 + self.more, first))
    }
}

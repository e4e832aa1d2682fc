//! `find`: files and folders by glob, in the order of a walk that takes each folder's entries by name.

use std::fs;
use std::path::Path;
use std::time::Instant;

use ignore::{DirEntry, WalkState};
use offcut::{Call, Cancel};
use offcut_core::notice;
use parking_lot::Mutex;
use serde_json::{Map, json};

use crate::Toolbox;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::globs::Globs;
use crate::listing::Listing;
use crate::order::{First, key_path, path_key};
use crate::place::printable;
use crate::reply::ToolReply;
use crate::tool::Tool;
use crate::toolbox::arguments_json;
use crate::walk::{self, UnreadablePlaces};

/// Results under the profile `paged`, unless the caller says otherwise.
const PAGED_LIMIT: u64 = 1000;

/// Results elsewhere: the cut does the work, and this only bounds the memory.
const LIMIT: u64 = 200_000;

/// Finds files by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Find {
    /// A glob: a name at any depth, or a path if it has a slash.
    pub pattern: String,
    /// Where to look; the root if it is not said.
    pub path: Option<String>,
    /// How many results at most.
    pub limit: Option<u64>,
}

impl Find {
    pub(crate) fn from_arguments(arguments: &Arguments<'_>) -> Find {
        let (path, limit) = (arguments.optional_text("path"), arguments.number("limit"));
        Find { pattern: arguments.text("pattern"), path, limit }
    }

    fn call(&self) -> Call {
        let arguments = [("pattern", json!(self.pattern)), ("path", json!(self.path)), ("limit", json!(self.limit))];
        Call::new(Tool::Find.name()).arguments(arguments_json(arguments))
    }
}

impl Toolbox {
    /// Finds files and folders by name. Costs a walk over the tree, on all cores.
    pub fn find(&self, find: &Find, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let started = Instant::now();
        let globs = Globs::new(Tool::Find, "pattern", &find.pattern)?;
        let given = find.path.as_deref().unwrap_or_default();
        let start = self.resolve(given);
        if !fs::metadata(&start).map_err(|error| self.refused(given, &start, &error))?.is_dir() {
            let (path, problem) = (given.to_owned(), "is a file; expected a folder to search".to_owned());
            return Err(ToolError::Path { path, problem });
        }
        let limit = find.limit.unwrap_or(if self.pages() { PAGED_LIMIT } else { LIMIT });
        // One more than the limit, to know whether there are more.
        let found = Mutex::new(First::new(limit.saturating_add(1)));
        let unreadable = Mutex::new(UnreadablePlaces::default());
        walk::walk(&start).run(|| {
            let mut mine = Mine { first: First::new(limit.saturating_add(1)), all: &found };
            let (globs, start, unreadable) = (&globs, &start, &unreadable);
            Box::new(move |entry| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) => {
                        if let Some(key) = key_of(&entry, start, globs) {
                            mine.first.push(key);
                        }
                    }
                    Err(error) => unreadable.lock().stumbled(&error, start),
                }
                WalkState::Continue
            })
        });
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled { tool: Tool::Find.name() });
        }
        let mut found = found.into_inner().into_sorted();
        let (mut notices, mut details) = (Vec::new(), Map::new());
        if found.len() as u64 > limit {
            found.pop();
            notices.push(notice::result_limit(limit));
            details.insert("resultLimitReached".to_owned(), json!(limit));
        }
        notices.extend(unreadable.into_inner().notice(None));
        let prefix = self.prefix(&start);
        let mut lines = Vec::new();
        for key in found {
            if !lines.is_empty() {
                lines.push(b'\n');
            }
            lines.extend_from_slice(prefix.as_bytes());
            lines.extend_from_slice(printable(&key_path(key)).as_bytes());
        }
        let nothing = "No files found matching pattern";
        self.list(Listing { tool: Tool::Find, call: find.call(), lines, notices, details, nothing, started })
    }
}

/// The key of an entry that is meant.
fn key_of(entry: &DirEntry, start: &Path, globs: &Globs) -> Option<Vec<u8>> {
    if entry.depth() == 0 {
        return None;
    }
    let path = walk::below(entry.path(), start);
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    globs.matches(path, is_folder).then(|| {
        let mut key = path_key(path.as_os_str().as_encoded_bytes());
        if is_folder {
            key.push(0);
        }
        key
    })
}

/// What one thread has found; handed over when it is done.
struct Mine<'s> {
    first: First<Vec<u8>>,
    all: &'s Mutex<First<Vec<u8>>>,
}

impl Drop for Mine<'_> {
    fn drop(&mut self) {
        self.all.lock().append(&mut self.first);
    }
}

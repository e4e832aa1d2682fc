//! `ls`: everything in a folder, dot files included, without regard to case; folders end with a slash.

use std::fs::{self, DirEntry};
use std::time::Instant;

use offcut::{Call, Cancel};
use offcut_core::notice;
use serde_json::{Map, json};

use crate::Toolbox;
use crate::arguments::Arguments;
use crate::error::{ToolError, while_doing};
use crate::listing::Listing;
use crate::order::First;
use crate::place::printable;
use crate::reply::ToolReply;
use crate::tool::Tool;
use crate::toolbox::arguments_json;

/// Entries under the profile `paged`, unless the caller says otherwise.
const PAGED_LIMIT: u64 = 500;

/// Entries elsewhere: the cut does the work, and this only bounds the memory.
const LIMIT: u64 = 200_000;

/// Lists a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ls {
    /// The folder; the root if it is not said.
    pub path: Option<String>,
    /// How many entries at most.
    pub limit: Option<u64>,
}

impl Ls {
    pub(crate) fn from_arguments(arguments: &Arguments<'_>) -> Ls {
        Ls { path: arguments.optional_text("path"), limit: arguments.number("limit") }
    }

    fn call(&self) -> Call {
        let arguments = [("path", json!(self.path)), ("limit", json!(self.limit))];
        Call::new(Tool::Ls.name()).arguments(arguments_json(arguments))
    }
}

impl Toolbox {
    /// Lists a folder.
    pub fn ls(&self, ls: &Ls, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let started = Instant::now();
        let given = ls.path.as_deref().unwrap_or_default();
        let folder = self.resolve(given);
        let metadata = fs::metadata(&folder).map_err(|error| self.refused(given, &folder, &error))?;
        if !metadata.is_dir() {
            let problem = "is a file; use read to show it".to_owned();
            return Err(ToolError::Path { path: printable(given.as_bytes()).into_owned(), problem });
        }
        let limit = ls.limit.unwrap_or(if self.pages() { PAGED_LIMIT } else { LIMIT });
        // One more than the limit, to know whether there are more.
        let mut first = First::new(limit.saturating_add(1));
        for entry in fs::read_dir(&folder).map_err(|error| self.refused(given, &folder, &error))? {
            if cancel.is_cancelled() {
                return Err(ToolError::Cancelled { tool: Tool::Ls.name() });
            }
            first.push(FolderEntry::of(&entry.map_err(while_doing(format!("list {}", folder.display())))?));
        }
        let mut entries = first.into_sorted();
        let (mut notices, mut details) = (Vec::new(), Map::new());
        if entries.len() as u64 > limit {
            entries.pop();
            notices.push(notice::entry_limit(limit));
            details.insert("entryLimitReached".to_owned(), json!(limit));
        }
        let mut lines = Vec::new();
        for entry in entries {
            if !lines.is_empty() {
                lines.push(b'\n');
            }
            lines.extend_from_slice(printable(&entry.name).as_bytes());
        }
        let nothing = "(empty directory)";
        self.list(Listing { tool: Tool::Ls, call: ls.call(), lines, notices, details, nothing, started })
    }
}

/// An entry, ordered by its name without regard to case; names that differ in case alone have their own order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FolderEntry {
    folded: Vec<u8>,
    /// With a slash behind it if it is a folder.
    name: Vec<u8>,
}

impl FolderEntry {
    fn of(entry: &DirEntry) -> FolderEntry {
        let mut name = entry.file_name().into_encoded_bytes();
        let folded = match name.is_ascii() {
            true => name.to_ascii_lowercase(),
            false => String::from_utf8_lossy(&name).to_lowercase().into_bytes(),
        };
        let is_folder = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_dir()),
            Ok(kind) => kind.is_dir(),
            Err(_) => false,
        };
        if is_folder {
            name.push(b'/');
        }
        FolderEntry { folded, name }
    }
}

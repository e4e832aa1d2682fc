//! `grep`: lines that match, by file in the order of a walk that takes each folder's entries by name.

mod found;
mod search;
mod show;

use std::fs;
use std::path::Path;
use std::time::Instant;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::WalkState;
use offcut::{Call, Cancel};
use parking_lot::Mutex;
use serde_json::json;

use crate::Toolbox;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::globs::Globs;
use crate::order::path_key;
use crate::reply::ToolReply;
use crate::tool::Tool;
use crate::toolbox::arguments_json;
use crate::walk::{self, UnreadablePlaces};
use found::{Full, MatchesByFile};
use search::Search;
use show::Showing;

/// Matches under the profile `paged`, unless the caller says otherwise.
const PAGED_LIMIT: u64 = 100;

/// Matches elsewhere: the cut does the work, and this only bounds the memory.
const LIMIT: u64 = 100_000;

/// Bytes of matching lines that are held, at most.
const HELD: usize = 32 << 20;

/// Characters of a line outside the profile `paged`.
const LONGEST_LINE: u64 = 4000;

/// Searches the contents of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grep {
    /// A regular expression, or a plain text if `literal`.
    pub pattern: String,
    /// A folder or a file; the root if it is not said.
    pub path: Option<String>,
    /// Which files: a name at any depth, or a path if it has a slash; with `!` before it all others.
    pub glob: Option<String>,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Whether the pattern is a plain text.
    pub literal: bool,
    /// Lines shown before and after each match.
    pub context: u64,
    /// How many matches at most.
    pub limit: Option<u64>,
}

impl Grep {
    pub(crate) fn from_arguments(arguments: &Arguments<'_>) -> Grep {
        Grep {
            pattern: arguments.text("pattern"),
            path: arguments.optional_text("path"),
            glob: arguments.optional_text("glob"),
            ignore_case: arguments.flag("ignore_case"),
            literal: arguments.flag("literal"),
            context: arguments.number("context").unwrap_or(0),
            limit: arguments.number("limit"),
        }
    }

    fn call(&self) -> Call {
        let arguments = [
            ("pattern", json!(self.pattern)),
            ("path", json!(self.path)),
            ("glob", json!(self.glob)),
            ("ignore_case", json!(self.ignore_case)),
            ("literal", json!(self.literal)),
            ("context", json!((self.context > 0).then_some(self.context))),
            ("limit", json!(self.limit)),
        ];
        Call::new(Tool::Grep.name()).arguments(arguments_json(arguments))
    }

    fn matcher(&self) -> Result<RegexMatcher, ToolError> {
        let bad = |expected: String| ToolError::BadArgument {
            tool: Tool::Grep.name(),
            argument: "pattern",
            found: format!("`{}`", self.pattern),
            expected,
        };
        if self.pattern.is_empty() {
            return Err(bad("a regular expression".to_owned()));
        }
        if self.pattern.contains('\n') {
            return Err(bad("a pattern for one line; lines are searched one by one".to_owned()));
        }
        RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.literal)
            .line_terminator(Some(b'\n'))
            .build(&self.pattern)
            .map_err(|error| {
                let error = error.to_string();
                let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
                bad(format!("a regular expression ({why}); literal=true searches for the text as it is"))
            })
    }
}

/// What is found and kept of it.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Matches that are shown at most.
    matches: u64,
    /// Characters of a line that are shown at most.
    chars: u64,
    context: u64,
}

impl Toolbox {
    /// Searches the contents of files. Costs a walk over the tree and a look into its files, on all cores.
    pub fn grep(&self, grep: &Grep, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let started = Instant::now();
        let matcher = grep.matcher()?;
        let globs = grep.glob.as_ref().map(|glob| Globs::new(Tool::Grep, "glob", glob)).transpose()?;
        let given = grep.path.as_deref().unwrap_or_default();
        let start = self.resolve(given);
        let metadata = fs::metadata(&start).map_err(|error| self.refused(given, &start, &error))?;
        let (matches, chars) = match self.pages() {
            true => (PAGED_LIMIT, self.plan(Tool::Grep)?.settings.max_line_length),
            false => (LIMIT, LONGEST_LINE),
        };
        let bounds = Bounds { matches: grep.limit.unwrap_or(matches), chars, context: grep.context };
        let (found, unreadable, prefix) = if metadata.is_dir() {
            let (found, unreadable) = search_tree(&start, &matcher, globs.as_ref(), bounds, cancel);
            (found, unreadable, self.prefix(&start))
        } else {
            let mut unreadable = UnreadablePlaces::default();
            let mut found = MatchesByFile::new(bounds);
            match Search::new(&matcher, bounds, cancel).file(&start) {
                Ok(hits) => found.add(Vec::new(), hits),
                Err(error) => unreadable.add(Path::new(""), &error.to_string()),
            }
            (found, unreadable, self.shown(&start))
        };
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled { tool: Tool::Grep.name() });
        }
        let unreadable = unreadable.notice(found.upto());
        self.show(Showing { call: grep.call(), bounds, found, prefix, unreadable, started })
    }
}

/// Searches every file below `start`. Files behind the last one that can be shown are not looked into.
fn search_tree(
    start: &Path,
    matcher: &RegexMatcher,
    globs: Option<&Globs>,
    bounds: Bounds,
    cancel: &Cancel,
) -> (MatchesByFile, UnreadablePlaces) {
    let found = Mutex::new(MatchesByFile::new(bounds));
    let unreadable = Mutex::new(UnreadablePlaces::default());
    let full = Full::default();
    walk::walk(start).run(|| {
        let mut search = Search::new(matcher, bounds, cancel);
        let (found, unreadable, full) = (&found, &unreadable, &full);
        Box::new(move |entry| {
            if cancel.is_cancelled() {
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    unreadable.lock().stumbled(&error, start);
                    return WalkState::Continue;
                }
            };
            let path = walk::below(entry.path(), start);
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || globs.is_some_and(|globs| !globs.matches(path, false)) {
                return WalkState::Continue;
            }
            let key = || path_key(path.as_os_str().as_encoded_bytes());
            if full.is_behind(found, key) {
                return WalkState::Continue;
            }
            match search.file(entry.path()) {
                Ok(hits) if hits.is_empty() => {}
                Ok(hits) => {
                    let mut found = found.lock();
                    found.add(key(), hits);
                    full.set(&found);
                }
                Err(error) => unreadable.lock().add(path, &error.to_string()),
            }
            WalkState::Continue
        })
    });
    (found.into_inner(), unreadable.into_inner())
}

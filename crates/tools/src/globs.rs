//! Globs as people write them: without a slash for a name at any depth, with one for a path.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::ToolError;
use crate::tool::Tool;

/// A glob, or with `!` before it everything but.
#[derive(Debug, Clone)]
pub(crate) struct Globs {
    set: GlobSet,
    /// Whether matching paths are left out instead.
    negated: bool,
    /// Whether only folders are meant: the glob ended with a slash.
    folders: bool,
}

impl Globs {
    /// Reads `written`; `argument` of `tool` is named where it cannot be read.
    pub(crate) fn new(tool: Tool, argument: &'static str, written: &str) -> Result<Globs, ToolError> {
        let bad = |expected: String| ToolError::BadArgument {
            tool: tool.name(),
            argument,
            found: format!("`{written}`"),
            expected,
        };
        let (negated, glob) = match written.strip_prefix('!') {
            Some(glob) => (true, glob),
            None => (false, written),
        };
        let (folders, glob) = match glob.strip_suffix('/') {
            Some(glob) => (true, glob),
            None => (false, glob),
        };
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        if glob.is_empty() {
            return Err(bad("a glob such as `*.rs` or `src/**/*.rs`".to_owned()));
        }
        let pattern = match glob.strip_prefix('/') {
            Some(anchored) => anchored.to_owned(),
            None if glob.contains('/') => glob.to_owned(),
            None => format!("**/{glob}"),
        };
        let built = GlobBuilder::new(&pattern).literal_separator(true).empty_alternates(true).build();
        let set = built.and_then(|glob| GlobSetBuilder::new().add(glob).build());
        let set = set.map_err(|error| bad(format!("a glob such as `*.rs` or `src/**/*.rs` ({})", error.kind())))?;
        Ok(Globs { set, negated, folders })
    }

    /// Whether a path, relative to where the search began, is meant.
    pub(crate) fn matches(&self, path: &std::path::Path, is_folder: bool) -> bool {
        ((!self.folders || is_folder) && self.set.is_match(path)) != self.negated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_name_matches_at_any_depth_and_a_path_from_the_start() {
        let check = |glob: &str, path: &str, expected: bool| {
            let globs = Globs::new(Tool::Find, "pattern", glob).unwrap();
            assert_eq!(
                globs.matches(Path::new(path.trim_end_matches('/')), path.ends_with('/')),
                expected,
                "{glob} {path}"
            );
        };
        check("*.rs", "main.rs", true);
        check("*.rs", "src/deep/main.rs", true);
        check("*.rs", "main.rsx", false);
        check("src/*.rs", "src/main.rs", true);
        check("src/*.rs", "src/deep/main.rs", false);
        check("src/**/*.rs", "src/main.rs", true);
        check("src/**/*.rs", "src/deep/er/main.rs", true);
        check("/*.rs", "main.rs", true);
        check("/*.rs", "src/main.rs", false);
        check("*.{ts,tsx}", "a/b.tsx", true);
        check("!*.md", "readme.md", false);
        check("!*.md", "main.rs", true);
        check("target/", "a/target", false);
        check("target/", "a/target/", true);
    }

    #[test]
    fn a_glob_that_cannot_be_read_is_refused() {
        for wrong in ["", "/", "a[b", "{a"] {
            let error = Globs::new(Tool::Find, "pattern", wrong).unwrap_err().to_string();
            assert!(error.starts_with(&format!("find: `pattern` is `{wrong}`: expected a glob such as")), "{error}");
        }
    }
}

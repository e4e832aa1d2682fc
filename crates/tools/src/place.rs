//! Paths as a model writes them, and what to say where there is nothing.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Toolbox;
use crate::error::ToolError;

/// How many entries of a folder are compared with a name that is not there.
const COMPARED: usize = 10_000;

impl Toolbox {
    /// The path that `given` means: relative ones start at the root, `~` is the home directory.
    pub(crate) fn resolve(&self, given: &str) -> PathBuf {
        let home = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let (Some(rest), Some(home)) = (home, std::env::home_dir()) {
            return home.join(rest.trim_start_matches('/'));
        }
        // Collecting the components takes out `.` and doubled separators.
        self.root().join(given).components().collect()
    }

    /// A path as it is shown: from the root where it is below it, so that it can be used as it stands.
    pub(crate) fn shown(&self, path: &Path) -> String {
        printable(path.strip_prefix(self.root()).unwrap_or(path).as_os_str().as_encoded_bytes()).into_owned()
    }

    /// Why `path`, which was written as `given`, cannot be used, and what could be instead.
    pub(crate) fn refused(&self, given: &str, path: &Path, error: &io::Error) -> ToolError {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => self.missing(path),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        let shown = if given.is_empty() { ".".to_owned() } else { printable(given.as_bytes()).into_owned() };
        ToolError::Path { path: shown, problem }
    }

    fn missing(&self, path: &Path) -> String {
        let Some(parent) = path.parent() else { return "no such file or directory".to_owned() };
        if !parent.is_dir() {
            let there = parent.ancestors().find(|ancestor| ancestor.is_dir());
            let there = there.map(|there| format!(", but `{}` does", self.folder(there))).unwrap_or_default();
            return format!("no such file or directory: the folder `{}` does not exist{there}", self.folder(parent));
        }
        match path.file_name().and_then(|name| nearest(parent, &name.to_string_lossy())) {
            Some(name) => format!("no such file or directory; did you mean `{}`?", self.shown(&parent.join(name))),
            None => format!("no such file or directory; `{}` has nothing like it", self.folder(parent)),
        }
    }

    fn folder(&self, path: &Path) -> String {
        match self.shown(path) {
            empty if empty.is_empty() => ".".to_owned(),
            shown => shown,
        }
    }
}

/// Bytes of a path as text on one line.
pub(crate) fn printable(path: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(path);
    if text.contains(char::is_control) { Cow::Owned(text.replace(char::is_control, "?")) } else { text }
}

/// A path as a shell reads it.
pub(crate) fn quoted(path: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:+@%=~".contains(c);
    if !path.is_empty() && path.chars().all(plain) && !path.starts_with('-') {
        return Cow::Borrowed(path);
    }
    Cow::Owned(format!("'{}'", path.replace('\'', r"'\''")))
}

/// The entry of `folder` that `name` was most likely meant to be.
fn nearest(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.take(COMPARED).flatten();
    let most = (name.chars().count() / 3).max(1);
    let near = entries.filter_map(|entry| {
        let entry = entry.file_name().to_string_lossy().into_owned();
        let apart = match letters(&entry) == letters(name) {
            _ if entry.eq_ignore_ascii_case(name) => 0,
            true => 1,
            false => distance(&entry, name),
        };
        (apart <= most).then_some((apart, entry))
    });
    near.min().map(|(_, entry)| entry)
}

/// The characters of a name without their order, which is what fingers get wrong most often.
fn letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}

/// How many characters must be changed, added or taken away to make `one` of `other`.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, from) in one.chars().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&other) {
            let changed = diagonal + usize::from(from != *to);
            diagonal = *cell;
            *cell = changed.min(diagonal + 1).min(left + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut::Offcut;

    fn tools(root: &Path) -> Toolbox {
        Toolbox::new(Offcut::builder().build().unwrap(), root)
    }

    #[test]
    fn relative_paths_start_at_the_root_and_absolute_ones_do_not() {
        let tools = tools(Path::new("/project"));
        assert_eq!(tools.resolve("src/./main.rs"), Path::new("/project/src/main.rs"));
        assert_eq!(tools.resolve(""), Path::new("/project"));
        assert_eq!(tools.resolve("."), Path::new("/project"));
        assert_eq!(tools.resolve("/etc/hosts"), Path::new("/etc/hosts"));
        assert_eq!(tools.resolve("~user"), Path::new("/project/~user"));
        let home = std::env::home_dir().unwrap();
        assert_eq!(tools.resolve("~"), home);
        assert_eq!(tools.resolve("~/notes"), home.join("notes"));
        assert_eq!(tools.shown(Path::new("/project/src/main.rs")), "src/main.rs");
        assert_eq!(tools.shown(Path::new("/etc/hosts")), "/etc/hosts");
    }

    #[test]
    fn what_is_not_there_is_answered_with_what_is() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("src")).unwrap();
        fs::write(root.path().join("src/main.rs"), "").unwrap();
        let tools = tools(root.path());
        let check = |given: &str, expected: &str| {
            let path = tools.resolve(given);
            let error = fs::metadata(&path).unwrap_err();
            assert_eq!(tools.refused(given, &path, &error).to_string(), expected);
        };
        check("src/mian.rs", "src/mian.rs: no such file or directory; did you mean `src/main.rs`?");
        check("SRC", "SRC: no such file or directory; did you mean `src`?");
        check("src/other", "src/other: no such file or directory; `src` has nothing like it");
        let deep = "src/a/b: no such file or directory: the folder `src/a` does not exist, but `src` does";
        check("src/a/b", deep);
        check("a/b/c", "a/b/c: no such file or directory: the folder `a/b` does not exist, but `.` does");
    }

    #[test]
    fn a_path_is_quoted_only_where_a_shell_would_not_read_it() {
        assert_eq!(quoted("path/to/file"), "path/to/file");
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("-rf"), "'-rf'");
    }
}

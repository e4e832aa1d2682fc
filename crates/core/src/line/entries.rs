//! Entries of directories and archives that stand behind columns: sizes, days, modes, ids, states.

use memchr::{memchr2, memrchr};

use crate::text;

/// An entry with its path, as `ls -l`, `find -ls`, `tar tv`, `unzip -l`, `du -a`, `wc`, `git ls-files --stage` and the
/// like print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathEntry<'a> {
    pub(crate) path: &'a str,
    /// What it takes, in whatever unit the listing has; 0 where it does not say.
    pub(crate) size: u64,
    /// Whether its mode says that it is a folder.
    pub(crate) is_folder: bool,
    /// Its mode; empty where it has none.
    pub(crate) mode: &'a str,
}

impl PathEntry<'_> {
    /// Whether it has a mode.
    pub(crate) fn has_mode(&self) -> bool {
        !self.mode.is_empty()
    }
}

/// An entry without a mode stands behind so many columns at most.
const COLUMNS: usize = 5;

/// A column without a digit has so many characters at most.
const SHORT: usize = 4;

/// A mode is one of the first columns.
const MODE_REACH: usize = 3;

/// The entry that a line is, where its last column is a path and the others are columns of a listing.
pub(crate) fn path_entry(line: &str) -> Option<PathEntry<'_>> {
    let mode = columns(line).take(MODE_REACH).find(|column| is_mode(column));
    match mode {
        Some(mode) => behind_mode(line, mode),
        None => behind_figures(line),
    }
}

/// Whether a column is a mode: `drwxr-xr-x`.
pub(crate) fn is_mode(column: &str) -> bool {
    let bytes = column.as_bytes();
    (10..=11).contains(&bytes.len())
        && bytes.first().is_some_and(|byte| b"-dlcbps".contains(byte))
        && bytes.iter().skip(1).take(9).all(|byte| b"rwxsStT-".contains(byte))
}

fn columns(line: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
        let bytes = line.as_bytes();
        let start = at + bytes.get(at..)?.iter().position(|byte| !is_space(byte))?;
        at = bytes.get(start..)?.iter().position(is_space).map_or(bytes.len(), |length| start + length);
        Some(text::slice(line, start..at))
    })
}

/// `drwxr-xr-x 2 root root 4096 Jan 2 03:04 path`, also with columns before the mode and `-> target` behind the path.
fn behind_mode<'a>(line: &'a str, mode: &'a str) -> Option<PathEntry<'a>> {
    let (_, behind) = line.split_once(mode)?;
    let entry = behind.split_once(" -> ").map_or(behind, |(entry, _)| entry);
    let path = columns(entry).last()?;
    let mut words = false;
    let mut size = 0;
    for column in columns(entry) {
        match figure(column) {
            Some(figure) if words => {
                size = figure as u64;
                break;
            }
            figure => words = figure.is_none(),
        }
    }
    Some(PathEntry { path, size, is_folder: mode.starts_with('d'), mode })
}

/// `4.0K⇥./path`, `7  2020-02-02 00:00   path`, `100644 blob 0123abc⇥path`.
fn behind_figures(line: &str) -> Option<PathEntry<'_>> {
    let line = if memrchr(b'\t', line.as_bytes()).is_some() { line } else { line.trim_end() };
    let column = memrchr(b'\t', line.as_bytes()).or_else(|| memrchr(b' ', line.as_bytes()))?;
    let (before, path) = (text::slice(line, 0..column), text::slice(line, column + 1..line.len()).trim_end());
    let is_path = memchr2(b'/', b'.', path.as_bytes()).is_some()
        && !path.contains("://")
        && !path.ends_with([',', ';', ')', ':', '…']);
    if !is_path || figure(path).is_some() {
        return None;
    }
    let (mut count, mut figures, mut size) = (0, 0, None);
    for column in columns(before) {
        let has_digit = column.bytes().any(|byte| byte.is_ascii_digit());
        let plain = column.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-:./,+".contains(&byte));
        count += 1;
        if !plain || !has_digit && column.len() > SHORT || count > COLUMNS {
            return None;
        }
        figures += u32::from(has_digit);
        size = size.or_else(|| figure(column));
    }
    let state = count == 1 && before.trim().bytes().all(|byte| byte.is_ascii_uppercase());
    (figures > 0 || state).then(|| PathEntry { path, size: size.unwrap_or(0.0) as u64, is_folder: false, mode: "" })
}

/// The number that a column is, with or without a unit of size or time: `12`, `4.0K`, `1,234`, `12ms`.
pub(crate) fn figure(column: &str) -> Option<f64> {
    let digits = column.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text::slice(column, digits.len()..column.len()) {
        "" | "B" => 1.0,
        "k" | "K" | "kB" | "KB" | "KiB" => 1024.0,
        "M" | "MB" | "MiB" => 1024.0 * 1024.0,
        "G" | "GB" | "GiB" => 1024.0 * 1024.0 * 1024.0,
        "s" => 1.0,
        "ms" => 0.001,
        "us" => 0.000_001,
        "ns" => 0.000_000_001,
        "T" | "TB" | "TiB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number: f64 = if digits.contains(',') { digits.replace(',', "").parse().ok()? } else { digits.parse().ok()? };
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, path: &str, size: u64) {
        let found = path_entry(line);
        assert_eq!(found.map(|found| (found.path, found.size)), Some((path, size)), "{line}");
    }

    #[test]
    fn the_path_and_the_size_are_found_behind_columns() {
        check("4\t./SECURITY.md", "./SECURITY.md", 4);
        check("4.0K\t./a b/c.d", "./a b/c.d", 4096);
        check("     7  2020-02-02 00:00   scrapy/VERSION.x", "scrapy/VERSION.x", 7);
        check("100644 3fce3b5bb0236da2df6d99672afb8a719642eca7 0\tsrc/a.rs", "src/a.rs", 100_644);
        check("  123 src/a.rs", "src/a.rs", 123);
        check("M\tsrc/a.rs", "src/a.rs", 0);
        check("-rw-r--r-- 1 root root 1234 Jan  2 03:04 a.txt", "a.txt", 1234);
        check("drwxr-xr-x root/root 0 2026-01-02 03:04 redis/src/", "redis/src/", 0);
        check("lrwxrwxrwx 1 root root 7 2026-01-02 03:04 a -> b/c", "a", 7);
        check("  1311 4 -rw-r--r-- 1 root root 99 Jan  2 03:04 x/y.py", "x/y.py", 99);
    }

    #[test]
    fn other_lines_are_no_entries() {
        for line in [
            "total 296",
            "see also docs/guide.md",
            "12 34 5.6",
            "fetched 3 files from https://x.org/a",
            "Compiling 3 src/a.rs",
            "src/a.rs",
            "",
        ] {
            assert_eq!(path_entry(line), None, "{line}");
        }
    }
}

//! Reading configuration files, whatever stands in their place.
//!
//! Only regular files of a sane size are read, and without waiting: a link to `/dev/zero` or a FIFO must neither hang
//! a call nor fill its memory.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use offcut_platform::{is_foreign, open_without_waiting};

/// The largest configuration file that is read.
const LARGEST: u64 = 1 << 20;

/// A configuration file that could be read.
#[derive(Debug)]
pub(crate) struct FileText {
    pub(crate) text: String,
    /// Whether the file belongs to somebody other than this user and the administrator.
    pub(crate) is_foreign: bool,
}

/// Reads a file; `None` where there is none, and what is wrong with one that cannot be read.
pub(crate) fn read(path: &Path) -> Result<Option<FileText>, String> {
    let file = match open_without_waiting(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(format!("could not read it: {error}")),
    };
    read_open(file, path).map(Some)
}

fn read_open(file: File, path: &Path) -> Result<FileText, String> {
    let metadata = file.metadata().map_err(|error| format!("could not read it: {error}"))?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("could not read it: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err("larger than 1 MB".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count() + 1;
        format!("not UTF-8 (line {line})")
    })?;
    Ok(FileText { text, is_foreign: is_foreign(path, &metadata) })
}

/// Whether `path`, its links followed, lies outside of the directory `root`.
pub(crate) fn leads_outside(path: &Path, root: &Path) -> bool {
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => !path.starts_with(root),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use offcut_platform::symlink;

    use super::*;

    #[test]
    fn only_regular_files_of_a_sane_size_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("good"), "a = 1\n").unwrap();
        std::fs::write(at("bytes"), b"a = 1\nb = \"\xff\"\n").unwrap();
        std::fs::write(at("large"), vec![b'#'; LARGEST as usize + 1]).unwrap();
        symlink(Path::new("/dev/zero"), &at("zero")).unwrap();
        symlink(&at("loop"), &at("loop")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap();
        assert!(made.success());
        let check = |name: &str, expected: &str| match read(&at(name)) {
            Ok(found) => assert_eq!(found.map_or("none".to_owned(), |file| file.text), expected, "{name}"),
            Err(why) => assert!(why.starts_with(expected), "{name}: {why}"),
        };
        check("good", "a = 1\n");
        check("missing", "none");
        check("good/below", "none");
        check("bytes", "not UTF-8 (line 2)");
        check("large", "larger than 1 MB");
        check("zero", "not a regular file");
        check("fifo", "not a regular file");
        check("loop", "could not read it: ");
        check(".", "not a regular file");
    }
}

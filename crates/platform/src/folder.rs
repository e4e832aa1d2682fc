//! What every system's [`Folder`](crate::Folder) has in common.

use std::io;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To be read.
    Read,
    /// To be read and appended to; it is made first if need be.
    Append,
}

/// Who else may hold a folder's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderLock {
    /// Others who share it.
    Shared,
    /// Nobody.
    Exclusive,
}

/// Why something in a folder was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// Something else stands in its place: `it is a link`.
    Refused(&'static str),
    /// It cannot be opened.
    Open(io::Error),
    /// It was opened, and the system does not tell what it is.
    Inspect(io::Error),
}

/// What tells an open file from any other, and from itself before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp(pub(crate) [i128; 5]);

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read as _, Write as _};

    use super::*;
    use crate::{Folder, symlink};

    fn why<T: std::fmt::Debug>(result: Result<T, OpenError>) -> &'static str {
        match result {
            Err(OpenError::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_made_in_a_folder_is_found_renamed_and_removed_there() {
        let directory = tempfile::tempdir().unwrap();
        let root = Folder::open(directory.path()).unwrap();
        root.make_folder("inner").unwrap();
        assert_eq!(root.make_folder("inner").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let folder = root.folder("inner").unwrap();
        assert!(folder.close_to_others().unwrap());
        folder.create("a").unwrap().write_all(b"text").unwrap();
        assert_eq!(folder.create("a").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        folder.create("b").unwrap();
        assert_eq!(folder.rename("a", "b").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        folder.rename("a", "c").unwrap();
        folder.sync().unwrap();
        assert_eq!(folder.names().unwrap(), ["b", "c"]);
        folder.replace("c", "b").unwrap();
        let mut text = String::new();
        folder.open_file("b", Access::Read).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        assert!(!root.remove_folder("inner").unwrap());
        folder.remove("b").unwrap();
        folder.remove("b").unwrap();
        assert!(!folder.has("b").unwrap());
        drop(folder);
        assert!(root.remove_folder("inner").unwrap() && root.remove_folder("inner").unwrap());
    }

    #[test]
    fn a_link_a_second_name_and_a_folder_are_no_files() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let folder = Folder::open(directory.path()).unwrap();
        fs::write(at("file"), "text").unwrap();
        fs::hard_link(at("file"), at("second")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        // Not every system lets everybody make links.
        if symlink(&at("file"), &at("link")).is_ok() {
            assert_eq!(why(folder.open_file("link", Access::Append)), "it is a link");
            assert_eq!(why(folder.folder("link")), "it is not a folder");
        }
        assert_eq!(why(folder.open_file("second", Access::Read)), "it has a second name outside the store");
        assert_eq!(why(folder.folder("file")), "it is not a folder");
        let missing = folder.open_file("none", Access::Read);
        assert!(matches!(missing, Err(OpenError::Open(error)) if error.kind() == io::ErrorKind::NotFound));
        assert!(folder.open_file("folder", Access::Read).is_err());
    }

    #[test]
    fn a_file_is_itself_until_another_takes_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(directory.path()).unwrap();
        let mut file = folder.create("a").unwrap();
        let before = folder.stamp(&file).unwrap();
        assert_eq!(folder.stamp(&file).unwrap(), before);
        assert!(folder.is("a", &file).unwrap());
        assert!(!folder.is("b", &file).unwrap());
        file.write_all(b"more").unwrap();
        assert_ne!(folder.stamp(&file).unwrap(), before);
        folder.create("b").unwrap();
        folder.replace("b", "a").unwrap();
        assert!(!folder.is("a", &file).unwrap());
    }
}

//! An append-only file of JSON objects, one a line, which any number of processes write at once.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use offcut_platform::{append_private, open_regular};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file of JSON lines in a directory; where the directory is missing nothing is written.
///
/// Each line is a single write to a file opened for appending, so lines of several processes do not mix. The file is
/// its owner's alone, and a link in its place is not followed. One that is too long is put aside (`name.1.jsonl`), and
/// the oldest of those that were put aside before goes.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    /// A file with so many bytes is put aside.
    longest: u64,
    /// How many files that were put aside are kept.
    kept: usize,
}

impl JsonLines {
    /// The file `name.jsonl` in `directory`.
    pub fn new(directory: &Path, name: &str, longest: u64, kept: usize) -> JsonLines {
        JsonLines { path: directory.join(name).with_extension("jsonl"), longest, kept }
    }

    /// The file that is written now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files that hold the lines, oldest first; some may be missing.
    pub fn paths(&self) -> Vec<PathBuf> {
        (1..=self.kept).rev().map(|number| self.aside(number)).chain([self.path.clone()]).collect()
    }

    /// Adds a line. That it could not be written is logged, and never fails the call that it comes from.
    pub fn append(&self, record: &impl Serialize) {
        match self.write(record) {
            Ok(()) => {}
            // Nothing was ever kept here, and writing about it is no reason to begin.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, path = %self.path.display(), "a log could not be written"),
        }
    }

    /// Every record, oldest first; lines that cannot be read are passed over. No file is no record.
    pub fn records<T: DeserializeOwned>(&self) -> io::Result<impl Iterator<Item = T> + use<T>> {
        let mut files = Vec::new();
        for path in self.paths() {
            match open_regular(&path) {
                Ok(file) => files.push(BufReader::new(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let lines = files.into_iter().flat_map(|file| file.split(b'\n').map_while(Result::ok));
        Ok(lines.filter_map(|line| serde_json::from_slice(&line).ok()))
    }

    fn write(&self, record: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut file = append_private(&self.path)?;
        if file.metadata()?.len() >= self.longest && self.put_aside(&file)? {
            file = append_private(&self.path)?;
        }
        file.write_all(&line)
    }

    /// Puts `file` aside, and says whether another one is to be written now. Where another process is at it, the line
    /// goes to the end of the long file.
    fn put_aside(&self, file: &File) -> io::Result<bool> {
        if file.try_lock().is_err() {
            return Ok(false);
        }
        // Somebody may have been quicker since the file was opened: then the one of this name is short.
        match fs::metadata(&self.path) {
            Ok(now) if now.len() < self.longest => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error),
        }
        for number in (1..self.kept).rev() {
            match fs::rename(self.aside(number), self.aside(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, self.aside(1))?;
        Ok(true)
    }

    /// The file that was put aside `number` times ago.
    fn aside(&self, number: usize) -> PathBuf {
        self.path.with_extension(format!("{number}.jsonl"))
    }
}

#[cfg(test)]
mod tests {
    use offcut_platform::symlink;

    use super::*;

    fn lines(directory: &Path, longest: u64, kept: usize) -> JsonLines {
        JsonLines::new(directory, "log", longest, kept)
    }

    fn read(log: &JsonLines) -> Vec<u64> {
        log.records().unwrap().collect()
    }

    #[test]
    fn what_was_written_is_read_back_in_order_and_broken_lines_are_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let log = lines(directory.path(), 1000, 1);
        log.append(&1);
        append_private(log.path()).unwrap().write_all(b"half a li\n\xff\n").unwrap();
        log.append(&2);
        assert_eq!(read(&log), [1, 2]);
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let log = lines(directory.path(), 1000, 1);
        let target = directory.path().join("target");
        fs::write(&target, "mine\n").unwrap();
        symlink(&target, log.path()).unwrap();
        log.append(&2);
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine\n");
        assert!(log.records::<u64>().is_err());
    }

    #[test]
    fn a_fifo_in_its_place_is_neither_waited_for_nor_read() {
        let directory = tempfile::tempdir().unwrap();
        let log = lines(directory.path(), 1000, 1);
        let made = std::process::Command::new("mkfifo").arg(log.path()).status().unwrap();
        assert!(made.success());
        log.append(&1);
        assert!(log.records::<u64>().is_err());
    }

    #[test]
    fn a_missing_directory_stays_missing() {
        let directory = tempfile::tempdir().unwrap();
        let log = lines(&directory.path().join("none"), 1000, 1);
        log.append(&1);
        assert_eq!(read(&log), [0; 0]);
        assert!(!directory.path().join("none").exists());
    }

    #[test]
    fn a_long_file_is_put_aside_and_only_so_many_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        // Two lines of two bytes each fill a file.
        let log = lines(directory.path(), 4, 3);
        for number in 0..9 {
            log.append(&number);
        }
        assert_eq!(read(&log), [2, 3, 4, 5, 6, 7, 8]);
        let mut names: Vec<_> =
            fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["log.1.jsonl", "log.2.jsonl", "log.3.jsonl", "log.jsonl"]);
    }

    #[test]
    fn many_writers_lose_nothing_when_a_file_is_put_aside() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                // About 1,200 bytes are written in all: three files at most, of the four that are there to be read.
                let log = lines(directory.path(), 400, 3);
                scope.spawn(move || (0..40).for_each(|number| log.append(&(100 + writer * 40 + number))));
            }
        });
        let mut all = read(&lines(directory.path(), 400, 3));
        all.sort_unstable();
        assert_eq!(all, (100..420).collect::<Vec<u64>>());
    }
}

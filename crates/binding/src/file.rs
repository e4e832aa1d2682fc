//! Files, read in blocks.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use offcut::Intake;

use crate::failure::Failure;

/// How much of a file is read at a time.
const BLOCK: usize = 1024 * 1024;

/// Brings a file to an intake.
pub(crate) fn take_in(path: &Path, intake: &mut Intake<'_>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new("unreadable", format!("`{}`: {error}", path.display()));
    let mut file = File::open(path).map_err(failed)?;
    if let Ok(metadata) = file.metadata() {
        intake.reserve(usize::try_from(metadata.len()).unwrap_or(usize::MAX));
    }
    let mut block = vec![0; BLOCK];
    loop {
        let read = match file.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        // An output over the maximum size stops being taken in; its reply says so.
        if intake.write_all(block.get(..read).unwrap_or_default()).is_err() {
            return Ok(());
        }
    }
}

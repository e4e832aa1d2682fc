//! Where bytes come from: Python's own texts and bytes, read in place, and files.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use offcut::Intake;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;

use crate::error::Failure;

/// How much of a file is read at a time.
const BLOCK: usize = 1024 * 1024;

/// An output as Python holds it; reading it copies nothing that Python has as bytes or UTF-8.
pub(crate) enum Source {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Source {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Source::Text(text) => text.as_bytes(),
            Source::Bytes(bytes) => bytes,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Source {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Source> {
        let Ok(text) = object.cast::<PyString>() else { return Ok(Source::Bytes(object.extract()?)) };
        match text.extract() {
            Ok(text) => Ok(Source::Text(text)),
            // Half a surrogate pair has no UTF-8; its bytes are cleaned like any that are wrong.
            Err(_) => {
                let py = object.py();
                let encoded = text.call_method1(intern!(py, "encode"), ("utf-8", "surrogatepass"))?;
                Ok(Source::Bytes(encoded.extract()?))
            }
        }
    }
}

/// Brings a file to an intake.
pub(crate) fn file(path: &Path, intake: &mut Intake<'_>) -> Result<(), Failure> {
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

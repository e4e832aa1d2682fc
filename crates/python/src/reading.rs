//! Where bytes come from: Python's own texts and bytes, read in place.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;

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

//! What went wrong, as the one exception that callers catch.

use offcut_binding::Failure;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

pyo3::create_exception!(offcut, OffcutError, PyException, "Something that Offcut could not do, in a sentence.");

/// A failure as the exception, with its code.
pub(crate) fn raised(failure: Failure) -> PyErr {
    let error = OffcutError::new_err(failure.message);
    Python::attach(|py| {
        // Without its word the sentence is still true.
        let _ = error.value(py).setattr("code", failure.code);
    });
    error
}

/// Does something without Python's lock; a failure is the exception.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    crate::logging::follow(py);
    py.detach(work).map_err(raised)
}

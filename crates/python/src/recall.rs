//! Reading back what was kept.

use pyo3::prelude::*;

use crate::engine::Engine;
use crate::error::detached;

/// The text of an artifact: all of it, the part at an address as a gap prints it, or its last lines.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    engine: &Engine,
    handle: &str,
    at: Option<&str>,
    tail: Option<u64>,
) -> PyResult<String> {
    detached(py, || engine.engine.read(handle, at, tail))
}

/// The lines that a regular expression matches.
#[pyfunction]
pub(crate) fn grep(
    py: Python<'_>,
    engine: &Engine,
    handle: &str,
    pattern: String,
    context: u64,
    max_matches: Option<u64>,
    lines: Option<&str>,
) -> PyResult<String> {
    detached(py, || engine.engine.grep(handle, pattern, context, max_matches, lines))
}

/// The nodes that a JSONPath selects, as a JSON array.
#[pyfunction]
pub(crate) fn query(py: Python<'_>, engine: &Engine, handle: &str, path: String, offset: u64) -> PyResult<String> {
    detached(py, || engine.engine.query(handle, path, offset))
}

/// The page that a model gets for the arguments of its retrieval tool, a JSON object.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, engine: &Engine, arguments: &str) -> PyResult<String> {
    detached(py, || engine.engine.page(arguments))
}

/// The whole text of a result that a conversation no longer carries.
#[pyfunction]
pub(crate) fn trace(py: Python<'_>, engine: &Engine, trace_id: &str) -> PyResult<String> {
    detached(py, || engine.engine.trace(trace_id))
}

/// The session's artifacts, oldest first, as a JSON array.
#[pyfunction]
pub(crate) fn artifacts(py: Python<'_>, engine: &Engine) -> PyResult<String> {
    detached(py, || engine.engine.artifacts())
}

/// The passages of all artifacts that fit some words best, as a JSON array.
#[pyfunction]
pub(crate) fn search(py: Python<'_>, engine: &Engine, words: &str, most: usize) -> PyResult<String> {
    detached(py, || engine.engine.search(words, most))
}

//! Reading back what was kept.

use offcut::Cancel;
use offcut::recall::{Request, Selector};
use offcut_retain::trace::task_trace;
use pyo3::prelude::*;

use crate::engine::Engine;
use crate::error::Failure;

/// What an artifact holds: all of it, the part at an address as a gap prints it, or its last lines.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    engine: &Engine,
    handle: &str,
    at: Option<&str>,
    tail: Option<u64>,
) -> PyResult<String> {
    crate::logging::follow(py);
    let selector = match (at, tail) {
        (Some(_), Some(_)) => return Err(Failure::argument("`lines` and `tail` cannot be used together").into()),
        (Some(at), None) => Selector::at(at).map_err(Failure::from)?,
        (None, Some(lines)) => Selector::Tail(lines),
        (None, None) => Selector::Whole,
    };
    selected(py, engine, handle, &selector)
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
    crate::logging::follow(py);
    let (start, end) = match lines.map(Selector::at).transpose().map_err(Failure::from)? {
        None => (None, None),
        Some(Selector::Lines { start, end }) => (start, end),
        Some(_) => return Err(Failure::argument("`lines` of a search are lines: `200-260`").into()),
    };
    let selector = Selector::Pattern { pattern, context, max_matches, start, end };
    selected(py, engine, handle, &selector)
}

/// What a JSONPath selects, as a JSON array.
#[pyfunction]
pub(crate) fn query(py: Python<'_>, engine: &Engine, handle: &str, path: String, offset: u64) -> PyResult<String> {
    crate::logging::follow(py);
    selected(py, engine, handle, &Selector::Query { path, offset })
}

fn selected(py: Python<'_>, engine: &Engine, handle: &str, selector: &Selector) -> PyResult<String> {
    Ok(py.detach(|| engine.offcut.recall().read(handle, selector).map(|found| found.text).map_err(Failure::from))?)
}

/// What a model gets for the arguments of its retrieval tool, a JSON object.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, engine: &Engine, arguments: &str) -> PyResult<String> {
    crate::logging::follow(py);
    Ok(py.detach(|| -> Result<String, Failure> {
        let request = Request::from_json(serde_json::from_str(arguments)?)?;
        Ok(engine.offcut.recall().page(&request)?)
    })?)
}

/// The whole text of a result that a conversation no longer carries.
#[pyfunction]
pub(crate) fn trace(py: Python<'_>, engine: &Engine, trace_id: &str) -> PyResult<String> {
    crate::logging::follow(py);
    Ok(py.detach(|| task_trace(&engine.offcut, trace_id).map_err(Failure::from))?)
}

/// The session's artifacts, oldest first, as a JSON array.
#[pyfunction]
pub(crate) fn artifacts(py: Python<'_>, engine: &Engine) -> PyResult<String> {
    Ok(py.detach(|| -> Result<String, Failure> { Ok(serde_json::to_string(&engine.offcut.recall().list()?)?) })?)
}

/// The passages of all artifacts that fit some words best, as a JSON array.
#[pyfunction]
pub(crate) fn search(py: Python<'_>, engine: &Engine, words: &str, most: usize) -> PyResult<String> {
    crate::logging::follow(py);
    Ok(py.detach(|| -> Result<String, Failure> {
        let found = offcut_extract::search(&engine.offcut, words, most, &Cancel::new())?;
        Ok(serde_json::to_string(&found)?)
    })?)
}

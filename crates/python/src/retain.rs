//! Conversations whose old tool results are shortened.

use pyo3::prelude::*;

use crate::engine::Engine;
use crate::error::detached;

/// How a conversation is treated, as Python passes it.
#[derive(FromPyObject)]
pub(crate) struct RetainSettings {
    #[pyo3(item)]
    window: u64,
    #[pyo3(item)]
    lines: u64,
    #[pyo3(item)]
    mode: String,
    #[pyo3(item)]
    cut: bool,
    #[pyo3(item)]
    declared: bool,
    #[pyo3(item)]
    protect: Vec<String>,
    #[pyo3(item)]
    price: Option<String>,
}

impl From<RetainSettings> for offcut_binding::RetainSettings {
    fn from(settings: RetainSettings) -> offcut_binding::RetainSettings {
        let RetainSettings { window, lines, mode, cut, declared, protect, price } = settings;
        offcut_binding::RetainSettings { window, lines, mode, cut, declared, protect, price }
    }
}

/// Rewrites a conversation, a JSON text; returns the new one (none where nothing changes) and the report as JSON.
#[pyfunction]
pub(crate) fn retain(
    py: Python<'_>,
    engine: &Engine,
    body: &str,
    format: Option<&str>,
    turn: Option<u64>,
    settings: RetainSettings,
) -> PyResult<(Option<String>, String)> {
    detached(py, || engine.engine.retain(body, format, turn, &settings.into()))
}

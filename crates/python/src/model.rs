//! Questions to an artifact, with a Python callable for a model.

use offcut_binding::{Answer, CallbackModel, Model};
use pyo3::prelude::*;

use crate::engine::Engine;
use crate::error::detached;

/// Asks an artifact a question; returns the answer and, as JSON, whether it failed and what it took. The model is a
/// callable: `(system, user, max_tokens) -> str`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn extract(
    py: Python<'_>,
    engine: &Engine,
    handle: String,
    what: String,
    mode: &str,
    model: Option<Py<PyAny>>,
    context_tokens: u64,
    output_tokens: u64,
) -> PyResult<Answer> {
    let model = model.map(|callable| {
        let ask = move |system: &str, user: String, most: u64| {
            Python::attach(|py| callable.bind(py).call1((system, user, most))?.extract::<String>())
                .map_err(|error| error.to_string())
        };
        CallbackModel { name: "python", ask, context_tokens, output_tokens }
    });
    detached(py, || {
        let model = model.as_ref().map(|model| model as &dyn Model);
        engine.engine.extract(handle, what, mode, model)
    })
}

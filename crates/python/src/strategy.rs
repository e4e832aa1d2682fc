//! Strategies that are Python callables.

use offcut_binding::{ChooseLines, WantedLines};
use pyo3::prelude::*;

use crate::error::raised;

/// A callable that chooses lines: it gets a reader for the document and the room in characters.
pub(crate) struct Callable {
    /// The strategy's name, for log lines.
    pub(crate) name: String,
    pub(crate) callable: Py<PyAny>,
}

/// Reads a document for a strategy, while it is being cut.
#[pyclass(frozen, module = "offcut._native")]
pub struct DocumentReader {
    reader: offcut_binding::DocumentReader,
}

#[pymethods]
impl DocumentReader {
    /// How many lines it has.
    #[getter]
    fn lines(&self) -> u64 {
        self.reader.lines
    }

    /// How many characters it has.
    #[getter]
    fn chars(&self) -> u64 {
        self.reader.chars
    }

    /// How many bytes it has.
    #[getter]
    fn bytes(&self) -> u64 {
        self.reader.bytes
    }

    /// What it looks like.
    #[getter]
    fn kind(&self) -> &str {
        &self.reader.kind
    }

    /// The text of lines `first` to `last`, 1-based and inclusive.
    fn read(&self, py: Python<'_>, first: u64, last: u64) -> PyResult<String> {
        py.detach(|| self.reader.read(first, last)).map_err(raised)
    }
}

impl ChooseLines for Callable {
    /// Calls the callable; an exception becomes a sentence, and its traceback a log line.
    fn choose(&self, reader: offcut_binding::DocumentReader, room: u64) -> Result<Option<Vec<WantedLines>>, String> {
        Python::attach(|py| {
            let called = self.callable.bind(py).call1((DocumentReader { reader }, room));
            called.and_then(|wanted| wanted.extract()).map_err(|error: PyErr| {
                let trace = error.traceback(py).and_then(|trace| trace.format().ok()).unwrap_or_default();
                tracing::warn!(target: "offcut", strategy = self.name, "a strategy failed: {error}\n{trace}");
                error.to_string()
            })
        })
    }
}

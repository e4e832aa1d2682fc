//! An output that comes in chunks.

use offcut_binding::Answer;
use pyo3::prelude::*;

use crate::error::{detached, raised};
use crate::reading::Source;

/// Takes one output in. After `finish` it takes nothing more.
#[pyclass(frozen, module = "offcut._native")]
pub struct Intake {
    pub(crate) intake: offcut_binding::Intake,
}

#[pymethods]
impl Intake {
    /// Takes a chunk in; says whether there is room for more.
    fn write(&self, py: Python<'_>, chunk: Source) -> PyResult<bool> {
        let bytes = chunk.bytes();
        py.detach(|| self.intake.write(bytes)).map_err(raised)
    }

    /// Bytes taken in so far.
    fn taken(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.intake.taken()).map_err(raised)
    }

    /// The end of the output: the reply to it.
    fn finish(&self, py: Python<'_>) -> PyResult<Answer> {
        detached(py, || self.intake.finish())
    }
}

//! The native module of the Python package `offcut`: the library's own types, and nothing that Python does as well.
//!
//! Texts are read where Python keeps them and copied once, into the intake; Python's lock is released while an output
//! is cut, stored or searched. What users import is the Python code beside this (`python/offcut`).

mod engine;
mod error;
mod logging;
mod model;
mod reading;
mod recall;
mod retain;
mod strategy;
mod stream;

use pyo3::prelude::*;

/// The native part of `offcut`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::error::OffcutError;
    #[pymodule_export]
    use super::model::extract;
    #[pymodule_export]
    use super::recall::{artifacts, grep, page, query, read, search, trace};
    #[pymodule_export]
    use super::retain::retain;
    #[pymodule_export]
    use super::strategy::DocumentReader;
    #[pymodule_export]
    use super::stream::Intake;

    use pyo3::prelude::*;

    /// The version of the package and of the library in it.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::logging::start(module.py())
    }
}
